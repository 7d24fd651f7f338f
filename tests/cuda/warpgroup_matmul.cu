// C = A B^T of halves by two warpgroups: tiles of 128 x 64, rows of 128 bytes swizzled as TMA would.  sm_90a alone.
#include <cuda_fp16.h>

typedef unsigned long long u64;

__device__ __forceinline__ void copy(const __half *x, unsigned char *to, int rows, int pitch) {
    for (int k = threadIdx.x; k < rows * 8; k += blockDim.x) {
        int row = k / 8, piece = k % 8;
        *(uint4 *)(to + 128 * row + 16 * (piece ^ row % 8)) = *(const uint4 *)(x + (u64)row * pitch + 8 * piece);
    }
}

__device__ __forceinline__ u64 describe(const void *x) {
    return (unsigned)__cvta_generic_to_shared(x) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ __forceinline__ void multiply(float (&d)[32], u64 a, u64 b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                 "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                 "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                 "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                 "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                 "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b));
}

extern "C" __global__ void __launch_bounds__(256) matmul(const __half *a, const __half *b, float *c, int n, int k) {
    __shared__ __align__(1024) unsigned char x[128 * 128], y[64 * 128];
    int row = blockIdx.y * 128, column = blockIdx.x * 64, group = threadIdx.x / 128;
    float d[32] = {};
    for (int begin = 0; begin < k; begin += 64) {
        copy(a + (u64)row * k + begin, x, 128, k);
        copy(b + (u64)column * k + begin, y, 64, k);
        __syncthreads();
        asm volatile("fence.proxy.async; wgmma.fence.sync.aligned;" ::: "memory");
        u64 first = describe(x + group * 64 * 128), second = describe(y);
        for (int step = 0; step < 4; step++) multiply(d, first + 2 * step, second + 2 * step);
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    int lane = threadIdx.x % 32, own = row + group * 64 + threadIdx.x % 128 / 32 * 16 + lane / 4;
    for (int j = 0; j < 32; j++)
        c[(u64)(own + j / 2 % 2 * 8) * n + column + j / 4 * 8 + lane % 4 * 2 + j % 2] = d[j];
}
