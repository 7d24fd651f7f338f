// What L2 keeps, and whose requests meet before it: pieces of 512 bytes, 16 a lane of a warp, read again and again.
__device__ __forceinline__ int mixed(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

__device__ __forceinline__ int past_l1(const uint4* p) {
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return mixed(v);
}

__device__ __forceinline__ int through_l1(const uint4* p) {
    uint4 v;
    asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return mixed(v);
}

// each warp reads its share past L1; in each round that of a warp `turn` further on
extern "C" __global__ void shares(const uint4* g, int pieces, int rounds, int turn, int* sink) {
    const int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = (warp + r * turn) % warps; i < pieces; i += warps) sum += past_l1(g + i * 32ll + lane);
    if (sum == 0x12345) sink[0] = sum;
}

// the blocks on SMs that are marked read all of it, at about the same time
#define TOGETHER(NAME, LOAD)                                                                                        \
    extern "C" __global__ void NAME(const uint4* g, int pieces, int rounds, const int* marked, int* sink) {         \
        unsigned sm;                                                                                                \
        asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));                                                              \
        if (!marked[sm]) return;                                                                                    \
        int sum = 0;                                                                                                \
        for (int r = 0; r < rounds; r++)                                                                            \
            for (int i = threadIdx.x / 32; i < pieces; i += blockDim.x / 32) sum += LOAD(g + i * 32ll + threadIdx.x % 32); \
        if (sum == 0x12345) sink[0] = sum;                                                                          \
    }
TOGETHER(together_cg, past_l1)
TOGETHER(together_ca, through_l1)
