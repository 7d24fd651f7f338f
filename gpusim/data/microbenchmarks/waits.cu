// Warps read rows, 512 bytes at a time, and note when each piece has come.
extern "C" __global__ void rows_noted(int rows, int n, int passes, const float *x, float *y, int *when) {
    extern __shared__ int clocks[];
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    int pieces = n / 128, each = passes * pieces + 1, *own = clocks + threadIdx.x / 32 * each;
    float sum = 0;
    own[0] = (int)clock64();
    for (int p = 0; p < passes; ++p)
        for (int b = 0; b < pieces; ++b) {
            const float *at = x + (size_t)row * n + b * 128 + lane;
            float a0, a1, a2, a3;
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(a0) : "l"(at));
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(a1) : "l"(at + 32));
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(a2) : "l"(at + 64));
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(a3) : "l"(at + 96));
            sum += a0 + a1 + a2 + a3;
            own[1 + p * pieces + b] = (int)clock64() + (sum == 123456.0f);
        }
    __syncwarp();
    for (int i = lane; i < each; i += 32) when[(size_t)row * each + i] = own[i];
    y[row * 32 + lane] = sum;
}
