// Tensor cores: how often a scheduler issues mma.sync, how long one takes, and what else goes on meanwhile.
//
// Each warp notes the clock before and after (out[2 w], out[2 w + 1]).  Fragments are loaded, each register its own, so
// that nothing but the instructions meant is in the loop; `zero` is 0, which the compiler does not know.

template <int K16>
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    if (K16)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

__device__ __forceinline__ void mma_half(unsigned (&c)[2], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                 : "+r"(c[0]), "+r"(c[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void note(long long* out, long long before) {
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0 && blockIdx.x == 0) out[2 * warp] = before, out[2 * warp + 1] = clock64();
}

// CHAINS products that do not depend on one another, `rounds` times.  After each, MORE of the kind WITH: 'f' FFMA,
// 'm' MUFU.EX2, 'x' FMNMX, 's' ldmatrix.x4.
template <int CHAINS, int K16, char WITH, int MORE>
__device__ __forceinline__ void run(int rounds, const unsigned* in, long long* out, float* sink, int zero) {
    __shared__ __align__(128) unsigned tile[4096];
    float c[CHAINS][4], f[8];
    unsigned a[2][4], b[2][2], loaded = 0;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 4; k++) a[i][k] = in[threadIdx.x + 32 * (4 * i + k)];
        for (int k = 0; k < 2; k++) b[i][k] = in[threadIdx.x + 32 * (8 + 2 * i + k)];
    }
    for (int j = 0; j < CHAINS; j++)
        for (int k = 0; k < 4; k++) c[j][k] = float(zero);
    for (int j = 0; j < 8; j++) f[j] = float(zero + j);
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) tile[i] = in[i % 512];
    const unsigned at = (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x % 32 * 16 + threadIdx.x / 32 % 16 * 512;
    const float x = float(zero) + 0.5f;
    __syncthreads();
    const long long before = clock64();
#pragma unroll 2
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int j = 0; j < CHAINS; j++) {
            mma<K16>(c[j], a[j % 2], b[j / 2 % 2]);
#pragma unroll
            for (int k = 0; k < MORE; k++) {
                float& y = f[(j * MORE + k) % 8];
                if (WITH == 'f') asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(y) : "f"(x));
                if (WITH == 'm') asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(y));
                if (WITH == 'x') asm volatile("max.f32 %0, %0, %1;" : "+f"(y) : "f"(x));
                if (WITH == 's') {
                    unsigned q[4];
                    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                                 : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3])
                                 : "r"(at + (j * MORE + k) % 8 * 512));
                    loaded ^= q[0] ^ q[3];
                }
            }
        }
    }
    float sum = float(loaded);
    for (int j = 0; j < CHAINS; j++)
        for (int k = 0; k < 4; k++) sum += c[j][k];
    for (int j = 0; j < 8; j++) sum += f[j];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    note(out, before);
}

#define T(NAME, ...)                                                                                                   \
    extern "C" __global__ void NAME(int rounds, const unsigned* in, long long* out, float* sink, int zero) {           \
        run<__VA_ARGS__>(rounds, in, out, sink, zero);                                                                 \
    }
T(t_mma_1, 1, 1, '-', 0)
T(t_mma_2, 2, 1, '-', 0)
T(t_mma_3, 3, 1, '-', 0)
T(t_mma_4, 4, 1, '-', 0)
T(t_mma_6, 6, 1, '-', 0)
T(t_mma_8, 8, 1, '-', 0)
T(t_mma_16, 16, 1, '-', 0)
T(t_mma_k8_1, 1, 0, '-', 0)
T(t_mma_k8_8, 8, 0, '-', 0)
T(t_mma_ffma1, 8, 1, 'f', 1)
T(t_mma_ffma2, 8, 1, 'f', 2)
T(t_mma_ffma4, 8, 1, 'f', 4)
T(t_mma_ffma6, 8, 1, 'f', 6)
T(t_mma_ex2, 8, 1, 'm', 1)
T(t_mma_max1, 8, 1, 'x', 1)
T(t_mma_max2, 8, 1, 'x', 2)
T(t_mma_max4, 8, 1, 'x', 4)
T(t_mma_ldsm, 8, 1, 's', 1)

extern "C" __global__ void t_mma_half(int rounds, const void* halves, long long* out, float* sink, int zero) {
    const unsigned* in = static_cast<const unsigned*>(halves);
    unsigned a[2][4], b[2][2], c[8][2];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 4; k++) a[i][k] = in[threadIdx.x + 32 * (4 * i + k)];
        for (int k = 0; k < 2; k++) b[i][k] = in[threadIdx.x + 32 * (8 + 2 * i + k)];
    }
    for (int j = 0; j < 8; j++) c[j][0] = c[j][1] = zero;
    __syncthreads();
    const long long before = clock64();
#pragma unroll 2
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int j = 0; j < 8; j++) mma_half(c[j], a[j % 2], b[j / 2 % 2]);
    unsigned sum = 0;
    for (int j = 0; j < 8; j++) sum ^= c[j][0] ^ c[j][1];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = float(sum);
    note(out, before);
}
