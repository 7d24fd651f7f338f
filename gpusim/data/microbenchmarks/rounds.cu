// On which SM each block of a grid runs that the GPU holds at once.  The source of data/h200_rounds.json.
extern "C" __global__ void rounds(int *sm, int cycles) {
  long long a = clock64(); unsigned id; asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  if (threadIdx.x == 0) sm[blockIdx.x] = id;
  while (clock64() - a < cycles);
}
