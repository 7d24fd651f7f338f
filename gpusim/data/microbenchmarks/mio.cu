// What goes by way of a scheduler's queue to the units that it shares or is slow for it (exponentials, shuffles,
// ldmatrix), alone, mixed, and beside tensor cores.
//
// Each warp notes the clock before and after (out[2 w], out[2 w + 1]); a round has eight steps.
#include "clock.cuh"
typedef unsigned u32;

__device__ __forceinline__ void mma(float (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <int MATRICES>
__device__ __forceinline__ u32 matrices(u32 from) {
    u32 q[4] = {};
    if (MATRICES == 1)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(q[0]) : "r"(from) : "memory");
    if (MATRICES == 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(q[0]), "=r"(q[1]) : "r"(from) : "memory");
    if (MATRICES == 4)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(from) : "memory");
    return q[0] ^ q[3];
}

// A step: MMAS products, then EXPS exponentials, SHUFFLES shuffles and LOADS ldmatrix of so many MATRICES.
template <int MMAS, int EXPS, int SHUFFLES, int LOADS, int MATRICES>
__device__ __forceinline__ void run(int rounds, const u32* in, clock_type* out, float* sink, int zero) {
    __shared__ __align__(128) u32 tile[4096];
    float c[8][4], f[8];
    u32 a[2][4], b[2][2], got = 0;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 4; k++) a[i][k] = in[threadIdx.x + 32 * (4 * i + k)];
        for (int k = 0; k < 2; k++) b[i][k] = in[threadIdx.x + 32 * (8 + 2 * i + k)];
    }
    for (int j = 0; j < 8; j++)
        for (int k = 0; k < 4; k++) c[j][k] = float(zero);
    for (int j = 0; j < 8; j++) f[j] = __uint_as_float(in[threadIdx.x + 32 * j] & 0x3fffffff);
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) tile[i] = in[i % 512];
    const u32 at = (u32)__cvta_generic_to_shared(tile) + threadIdx.x % 32 * 16 + threadIdx.x / 32 % 16 * 512;
    __syncthreads();
    const clock_type before = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
#pragma unroll
            for (int k = 0; k < MMAS; k++) mma(c[(j * MMAS + k) % 8], a[k % 2], b[j / 2 % 2]);
#pragma unroll
            for (int k = 0; k < EXPS; k++) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[(j * EXPS + k) % 8]));
#pragma unroll
            for (int k = 0; k < SHUFFLES; k++) {
                float& y = f[(j * SHUFFLES + k) % 8];
                asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+f"(y));
            }
#pragma unroll
            for (int k = 0; k < LOADS; k++) got ^= matrices<MATRICES>(at + (j * LOADS + k) % 8 * 512);
        }
    }
    const clock_type after = now();
    float sum = float(got);
    for (int j = 0; j < 8; j++)
        for (int k = 0; k < 4; k++) sum += c[j][k];
    for (int j = 0; j < 8; j++) sum += f[j];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32 * 2] = before, out[threadIdx.x / 32 * 2 + 1] = after;
}

#define T(NAME, ...)                                                                                       \
    extern "C" __global__ void NAME(int rounds, const u32* in, clock_type* out, float* sink, int zero) {   \
        run<__VA_ARGS__>(rounds, in, out, sink, zero);                                                     \
    }
T(ex2, 0, 1, 0, 0, 0)
T(shfl, 0, 0, 1, 0, 0)
T(ex2_shfl, 0, 1, 1, 0, 0)
T(ex2_3shfl, 0, 1, 3, 0, 0)
T(mma_ex2, 1, 1, 0, 0, 0)
T(mma2_ex2, 2, 1, 0, 0, 0)
T(mma_2ex2, 1, 2, 0, 0, 0)
T(mma_shfl, 1, 0, 1, 0, 0)
T(mma2_shfl, 2, 0, 1, 0, 0)
T(ldsm1, 0, 0, 0, 1, 1)
T(ldsm2, 0, 0, 0, 1, 2)
T(ldsm4, 0, 0, 0, 1, 4)
T(mma_ldsm4, 1, 0, 0, 1, 4)
T(mma2_ldsm4, 2, 0, 0, 1, 4)
T(mma4_ldsm4, 4, 0, 0, 1, 4)
T(ex2_ldsm4, 0, 1, 0, 1, 4)
