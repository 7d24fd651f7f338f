// How far the younger of two blocks of an SM is when the older one ends. The source of data/h200_duel.json.
// 264 blocks, two an SM: each warp notes the clock nine times, n rounds apart.
#define STAMPS 9
__device__ __forceinline__ int stamp() {
    int t;
    asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
    return t;
}
__device__ __forceinline__ float fma_(float a, float b, float c) {
    float d;
    asm volatile("fma.rn.f32 %0,%1,%2,%3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));
    return d;
}
__device__ __forceinline__ float read(const float* s, int k) { return ((const volatile float*)s)[k]; }

#define DUEL(name, ...)                                                                                     \
    extern "C" __global__ void __launch_bounds__(1024) name(int n, float x, float* sink, int* times, int* sms) { \
        __shared__ float s[4096];                                                                           \
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;                                         \
        for (int j = threadIdx.x; j < 4096; j += blockDim.x) s[j] = x;                                      \
        float acc[8], a = x * lane, b = x + 1, total = 0;                                                   \
        for (int j = 0; j < 8; ++j) acc[j] = x + j;                                                         \
        int* mine = times + (blockIdx.x * (blockDim.x / 32) + warp) * STAMPS;                               \
        unsigned sm;                                                                                        \
        asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));                                                      \
        if (threadIdx.x == 0) sms[blockIdx.x] = sm;                                                         \
        __syncthreads();                                                                                    \
        for (int k = 0; k < STAMPS; ++k) {                                                                  \
            if (lane == 0) mine[k] = stamp();                                                               \
            for (int i = 0; i < n && k < STAMPS - 1; ++i) { __VA_ARGS__ }                                   \
        }                                                                                                   \
        for (int j = 0; j < 8; ++j) total += acc[j];                                                        \
        if (total + a + b == 12345.f) sink[0] = total;                                                      \
    }
#define UNROLL _Pragma("unroll")
#define READ8 float v[8]; UNROLL for (int j = 0; j < 8; ++j) v[j] = read(s, lane + 32 * j);
#define USE8 UNROLL for (int j = 0; j < 64; ++j) acc[j % 8] = fma_(v[j / 8], b, acc[j % 8]);

// one chain of FFMA; two; eight, of which a warp can issue one in every cycle
DUEL(one_chain, UNROLL for (int j = 0; j < 64; ++j) acc[0] = fma_(a, b, acc[0]);)
DUEL(two_chains, UNROLL for (int j = 0; j < 64; ++j) acc[j % 2] = fma_(a, b, acc[j % 2]);)
DUEL(eight_chains, UNROLL for (int j = 0; j < 64; ++j) acc[j % 8] = fma_(a, b, acc[j % 8]);)
// eight shared loads for 64 FFMA; the same with barriers around the FFMA
DUEL(loads, READ8 USE8)
DUEL(barriers, READ8 __syncthreads(); USE8 __syncthreads();)
// five shared loads for four FFMA, as a product of tiles has them
DUEL(tiles, UNROLL for (int j = 0; j < 8; ++j) {
    const float4 q = *(const float4*)(s + 4 * j + (i & 1) * 64);
    const int at = 1024 + lane + 128 * j;
    acc[0] = fma_(q.x, read(s, at), acc[0]);
    acc[0] = fma_(q.y, read(s, at + 32), acc[0]);
    acc[0] = fma_(q.z, read(s, at + 64), acc[0]);
    acc[0] = fma_(q.w, read(s, at + 96), acc[0]);
})
