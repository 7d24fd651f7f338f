// Loops over loads from L1 or shared memory among arithmetic, timed with clock64: who issues when.  The source of
// data/h200_mixtures.json.  p, A, B, T: an element by a pointer that moves on, of a row that the warp shares, of a
// column a lane, of shared memory.  d and y serve nothing: what was timed had them, and without d registers are others.
#include "clock.cuh"
typedef unsigned u32;

#define LOP asm volatile("lop3.b32 %0,%0,%1,%0,0x1e;" : "+r"(a[i & 3]) : "r"(x));
#define FMA asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(g[i & 3]));
#define BY_P_AND_ROW f = fmaf(A[i], *p, f); p += x;
#define MOVE_AND_ROW f += A[i] + __int_as_float((int)(clock_type)p); p += x;
#define BY_P f += *p; p += x;
#define ROW_AND_COLUMN f = fmaf(A[i], B[32 * i], f);
#define TWO_COLUMNS f = fmaf(B[32 * i + 1], B[32 * i], f);
#define ROW f += A[i];
#define COLUMN f += B[32 * i];
#define SHARED f += T[32 * i];

#define LOOP(NAME, LOADS, MORE)                                                                                  \
    extern "C" __global__ void __launch_bounds__(1024, 2)                                                        \
        NAME(int n, clock_type* out, u32* sink, const float* __restrict__ P, const float* __restrict__ Q, int x, int y) { \
        const float *A = P + threadIdx.x / 32 * 64, *B = Q + threadIdx.x % 32, *p = B;                           \
        __shared__ float shared[64 * 32];                                                                        \
        for (int j = threadIdx.x; j < 2048; j += blockDim.x) shared[j] = j;                                      \
        const float* T = shared + threadIdx.x % 32;                                                              \
        clock_type d[4];                                                                                         \
        u32 a[4];                                                                                                \
        float f = 0, g[4];                                                                                       \
        _Pragma("unroll") for (int j = 0; j < 4; ++j) {                                                          \
            d[j] = threadIdx.x + j;                                                                              \
            a[j] = threadIdx.x * j;                                                                              \
            g[j] = threadIdx.x + j;                                                                              \
        }                                                                                                        \
        __syncthreads();                                                                                         \
        clock_type begin = now();                                                                                \
        _Pragma("unroll 1") for (int r = 0; r < n; ++r) {                                                        \
            _Pragma("unroll 16") for (int i = 0; i < 64; ++i) { LOADS MORE }                                     \
        }                                                                                                        \
        clock_type end = now();                                                                                  \
        if (threadIdx.x % 32 == 0) {                                                                             \
            out[(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 2] = begin;                                \
            out[(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 2 + 1] = end;                              \
        }                                                                                                        \
        u32 t = __float_as_uint(f);                                                                              \
        _Pragma("unroll") for (int j = 0; j < 4; ++j) t += (u32)d[j] + a[j] + (u32)g[j];                         \
        if (t == 12345) sink[threadIdx.x] = t;                                                                   \
    }

LOOP(column, COLUMN, )
LOOP(column_lop, COLUMN, LOP)
LOOP(column_2lop, COLUMN, LOP LOP)
LOOP(column_fma, COLUMN, FMA)
LOOP(column_2fma, COLUMN, FMA FMA)
LOOP(column_3fma, COLUMN, FMA FMA FMA)
LOOP(column_lop_fma, COLUMN, LOP FMA)
LOOP(column_lop_2fma, COLUMN, LOP FMA FMA)
LOOP(columns, TWO_COLUMNS, )
LOOP(columns_2fma, TWO_COLUMNS, FMA FMA)
LOOP(row, ROW, )
LOOP(row_fma, ROW, FMA)
LOOP(row_column, ROW_AND_COLUMN, )
LOOP(row_column_lop, ROW_AND_COLUMN, LOP)
LOOP(row_column_2lop, ROW_AND_COLUMN, LOP LOP)
LOOP(row_column_fma, ROW_AND_COLUMN, FMA)
LOOP(row_column_2fma, ROW_AND_COLUMN, FMA FMA)
LOOP(row_column_3fma, ROW_AND_COLUMN, FMA FMA FMA)
LOOP(pointer, BY_P, )
LOOP(pointer_row, BY_P_AND_ROW, )
LOOP(move_row, MOVE_AND_ROW, )
LOOP(shared, SHARED, )
LOOP(shared_fma, SHARED, FMA)
LOOP(shared_2fma, SHARED, FMA FMA)
LOOP(shared_3fma, SHARED, FMA FMA FMA)
