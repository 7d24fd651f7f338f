// A loop of 64 FFMAs whose registers registers.py writes into the machine code.  The source of data/h200_registers.json.
extern "C" __global__ void __launch_bounds__(512) registers(float *x, long long *when, int rounds) {
  float r[32];
  for (int i = 0; i < 32; i++) r[i] = x[threadIdx.x + 512 * i];
  __syncthreads();
  long long begin = clock64();
#pragma unroll 1
  for (int n = 0; n < rounds; n++) {
#pragma unroll
    for (int i = 0; i < 64; i++)
      asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(r[i % 32]) : "f"(r[(i + 3) % 32]), "f"(r[(i + 7) % 32]));
  }
  long long end = clock64();
  for (int i = 0; i < 32; i++) x[threadIdx.x + 512 * i] = r[i];
  if (threadIdx.x % 32 == 0) when[threadIdx.x / 32 * 2] = begin, when[threadIdx.x / 32 * 2 + 1] = end;
}
