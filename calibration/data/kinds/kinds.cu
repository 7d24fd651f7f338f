// Small kernels of kinds that real programs are full of: a question to the model each.  calibration/kinds.py launches them.
#include <cstdint>
#include <cuda_fp16.h>

__device__ __forceinline__ uint32_t mixed(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    return x ^ x >> 16;
}

// ---------------------------------------------------------------- contended atomics

// Lanes add to one of `bins` words of shared memory, in a row or at random; then the block adds its bins to global ones.
template <typename T, int RANDOM>
__global__ void shared_bins(int bins, int rounds, T *to) {
    extern __shared__ char memory[];
    T *own = (T *)memory;
    for (int i = threadIdx.x; i < bins; i += blockDim.x) own[i] = 0;
    __syncthreads();
    for (int r = 0; r < rounds; ++r) {
        uint32_t i = threadIdx.x + r;
        if (RANDOM) i = mixed((blockIdx.x * blockDim.x + threadIdx.x) * 64 + r);
        atomicAdd(own + (i & (bins - 1)), (T)1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x) atomicAdd(to + i, own[i]);
}

// Every thread of a launch adds to one of `bins` words, each warp starting elsewhere by `step`.
__global__ void walked_sums(int bins, int rounds, int step, float *to) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int r = 0; r < rounds; ++r) atomicAdd(to + ((warp * step + r) & (bins - 1)), 1.0f);
}

// A maximum of floats by compare and swap.
__global__ void swapped_maxima(int n, int bins, const float *x, int *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int *at = to + (mixed(i) & (bins - 1)), seen = *at;
    while (__int_as_float(seen) < x[i]) {
        int before = atomicCAS(at, seen, __float_as_int(x[i]));
        if (before == seen) break;
        seen = before;
    }
}

// Places in a list that is handed out by a counter: one addition for each thread that wants one, and its result is used.
__global__ void taken_places(int n, int one_in, const float *x, int *counter, float *list) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && mixed(i) % one_in == 0) list[atomicAdd(counter, 1) % n] = x[i];
}

// ---------------------------------------------------------------- blocks, warps and lanes with unequal work

// Block b sums its part of a triangle: later blocks do more (or, backwards, less).
template <int BACKWARDS>
__global__ void triangle_rows(int n, const float *x, float *y) {
    int row = BACKWARDS ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    float sum = 0;
    for (int i = threadIdx.x; i <= row; i += blockDim.x) sum += x[(size_t)row * n + i];
    y[(size_t)row * blockDim.x + threadIdx.x] = sum;
}

// How often each block, warp or lane goes round is drawn at random up to `most`: arithmetic, then loads of its own.
template <int OF>
__global__ void drawn_rounds(int most, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, who = OF == 0 ? blockIdx.x : OF == 1 ? i / 32 : i;
    int rounds = mixed(who) % most;
    float a = 0;
    for (int r = 0; r < rounds; ++r) a = a * 0.99f + x[((size_t)r * 1021 * 32 + i) & 0x3fffff];
    y[i] = a;
}

// A sparse matrix by a vector, rows of 1 to 2 * mean entries: a thread a row, or a warp a row.
template <int WARP>
__global__ void sparse_rows(int rows, int mean, const int *columns, const float *values, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = WARP ? i / 32 : i, lane = WARP ? threadIdx.x & 31 : 0;
    if (row >= rows) return;
    int many = 1 + mixed(row) % (2 * mean), first = row * 2 * mean;
    float sum = 0;
    for (int k = lane; k < many; k += WARP ? 32 : 1) sum += values[first + k] * x[columns[first + k]];
    if (WARP)
        for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (lane == 0) y[row] = sum;
}

// ---------------------------------------------------------------- cache hints

#define READ(NAME, CODE)                                                                                               \
    struct NAME {                                                                                                      \
        static __device__ __forceinline__ float of(const float *at) {                                                  \
            float x;                                                                                                   \
            CODE;                                                                                                      \
            return x;                                                                                                  \
        }                                                                                                              \
    };
#define LOAD(HOW) asm volatile("ld.global" HOW ".f32 %0, [%1];" : "=f"(x) : "l"(at))
READ(Plain, LOAD(""))
READ(Streamed, LOAD(".cs"))
READ(InL2, LOAD(".cg"))
READ(LastUse, LOAD(".lu"))
READ(ReadOnly, LOAD(".nc"))
READ(NoL1, LOAD(".L1::no_allocate"))
READ(First, LOAD(".L1::evict_first"))
READ(Last, LOAD(".L1::evict_last"))
READ(Ahead128, LOAD(".L2::128B"))
READ(Ahead256, LOAD(".L2::256B"))
READ(PolicyFirst, {
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(x) : "l"(at), "l"(policy));
})

// Rows that are read twice, a warp each, with a hint.
template <typename READ_BY>
__global__ void hinted_rows(int rows, int n, const float *x, float *y) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int i = lane; i < n; i += 32) sum += READ_BY::of(x + (size_t)row * n + i);
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    for (int i = lane; i < n; i += 32) sum += READ_BY::of(x + (size_t)row * n + i) * sum;
    y[row * 32 + lane] = sum;
}

// One sector in `stride` is read, once, with a hint.
template <typename READ_BY>
__global__ void hinted_sectors(int n, int stride, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = READ_BY::of(x + (size_t)(i / 8) * 8 * stride + i % 8);
}

// A copy whose stores have a hint: 0 none, 1 .cs, 2 .wt, 3 .cg.
template <int HINT>
__global__ void hinted_copy(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (HINT == 0) y[i] = x[i];
    if (HINT == 1) __stcs(y + i, __ldcs(x + i));
    if (HINT == 2) __stwt(y + i, x[i]);
    if (HINT == 3) __stcg(y + i, x[i]);
}

// ---------------------------------------------------------------- rows

// A warp a row, read `passes` times: 1, 2 or 3.
__global__ void warp_rows(int rows, int n, int passes, const float *x, float *y) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int p = 0; p < passes; ++p) {
        for (int i = lane; i < n; i += 32) sum += x[(size_t)row * n + i];
        for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    }
    y[row * 32 + lane] = sum;
}

// A thread a row, read `passes` times.
__global__ void thread_rows(int rows, int n, int passes, const float *x, float *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int p = 0; p < passes; ++p)
        for (int i = 0; i < n; ++i) sum = sum * 0.5f + x[(size_t)row * n + i];
    y[row] = sum;
}

// ---------------------------------------------------------------- blocks of one warp

// A chain of dependent reads of shared memory with arithmetic between, `ways` chains a lane.
template <int WAYS>
__global__ void lone_warps(int rounds, const int *x, int *y) {
    __shared__ int next[1024];
    for (int i = threadIdx.x; i < 1024; i += 32) next[i] = x[i] & 1023;
    __syncwarp();
    int at[WAYS];
    for (int w = 0; w < WAYS; ++w) at[w] = threadIdx.x + 32 * w;
    for (int r = 0; r < rounds; ++r)
        for (int w = 0; w < WAYS; ++w) at[w] = (next[at[w]] + r) & 1023;
    int sum = 0;
    for (int w = 0; w < WAYS; ++w) sum += at[w];
    y[blockIdx.x * 32 + threadIdx.x] = sum;
}

// One warp a block: tiles of a matrix go through shared memory, with the products of a lane's row.
__global__ void lone_tiles(int tiles, const float *x, float *y) {
    __shared__ float tile[32][33];
    float sum = 0;
    for (int t = 0; t < tiles; ++t) {
        for (int r = 0; r < 32; ++r) tile[r][threadIdx.x] = x[((size_t)(blockIdx.x * tiles + t) * 32 + r) * 32 + threadIdx.x];
        __syncwarp();
        for (int k = 0; k < 32; ++k) sum += tile[threadIdx.x][k] * tile[k][threadIdx.x];
        __syncwarp();
    }
    y[blockIdx.x * 32 + threadIdx.x] = sum;
}

// ---------------------------------------------------------------- short dependent chains

// DEPTH loads, each of an address that the one before gave.
template <int DEPTH>
__global__ void chained(int n, int mask, const int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = i;
    for (int d = 0; d < DEPTH; ++d) at = (x[at] + (int)mixed(i + d)) & mask;
    y[i] = at;
}

// ---------------------------------------------------------------- streams

// READS arrays are read, WRITES written.
template <int READS, int WRITES, typename T>
__global__ void streams(int n, const T *x, T *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T a[READS];
#pragma unroll
    for (int k = 0; k < READS; ++k) a[k] = x[(size_t)k * n + i];
#pragma unroll
    for (int k = 1; k < READS; ++k) a[0].x += a[k].x;
#pragma unroll
    for (int k = 0; k < WRITES; ++k) y[(size_t)k * n + i] = a[k % READS];
}

// A matrix written in another order: 0 transposed, 1 rows permuted, 2 elements scattered, 3 elements gathered.
template <int HOW>
__global__ void permuted(int n, int width, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int row = i / width, column = i % width, rows = n / width;
    if (HOW == 0) y[(size_t)column * rows + row] = x[i];
    if (HOW == 1) y[(size_t)(row * 97 % rows) * width + column] = x[i];
    if (HOW == 2) y[mixed(i) & (n - 1)] = x[i];
    if (HOW == 3) y[i] = x[mixed(i) & (n - 1)];
}

// ---------------------------------------------------------------- doubles, special functions, divisions, local arrays

// WHAT: 0 doubles multiplied and added, 1 doubles divided, 2 square roots of doubles, 3 exponentials, 4 sines, 5 integers
// divided, 6 floats divided, 7 64-bit integers divided.
template <int WHAT>
__global__ void arithmetic(int rounds, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double d = x[i];
    float f = x[i];
    int k = (int)(f * 1000) | 1;
    long long l = k * 1000003LL;
    for (int r = 0; r < rounds; ++r) {
        if (WHAT == 0) d = d * 0.999 + 0.25;
        if (WHAT == 1) d = 1.5 / (d + 2.0);
        if (WHAT == 2) d = sqrt(d * d + 1.0);
        if (WHAT == 3) f = expf(-f * f);
        if (WHAT == 4) f = sinf(f + r);
        if (WHAT == 5) k = 1000000007 / (k + r) + r;
        if (WHAT == 6) f = 1.5f / (f + 2.0f);
        if (WHAT == 7) l = 1000000000000007LL / (l | 1) + r;
    }
    y[i] = (float)d + f + (float)k + (float)l;
}

// An array indexed at run time: it lies in local memory.
template <int N>
__global__ void local_arrays(int rounds, const int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a[N];
    for (int k = 0; k < N; ++k) a[k] = x[(size_t)k * gridDim.x * blockDim.x + i];
    int at = i;
    for (int r = 0; r < rounds; ++r) {
        at = (at + a[(uint32_t)(at + 7 * r) % N]) & 0xffff;
        a[(uint32_t)(at + r) % N] = r;
    }
    y[i] = at;
}

// ---------------------------------------------------------------- copies past the registers

// Each warp copies rows of `row` bytes, `pitch` apart, to rows `apart` in shared memory that begin at `offset`.
__global__ void rows_copied(int row, int pitch, int apart, int offset, const float *x, float *y) {
    extern __shared__ __align__(128) char rows[];
    int warp = threadIdx.x / 32, at = threadIdx.x % 32 * 16;
    const char *from = (const char *)x + ((size_t)blockIdx.x * (blockDim.x / 32) + warp) * 16384;
    unsigned to = (unsigned)__cvta_generic_to_shared(rows) + warp * 8192 + offset;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + at / row * apart + at % row),
                 "l"(from + at / row * pitch + at % row) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = rows[threadIdx.x * 4];
}

// ---------------------------------------------------------------- near what L2 holds

// Each block reads all of x, beginning elsewhere by `step` floats: reuse in L2 alone.
__global__ void read_again(int n, int step, const float4 *x, float *y) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float4 v = __ldcg(x + (i + (size_t)blockIdx.x * step) % n);
        sum += v.x + v.y + v.z + v.w;
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Tiles of 128 by 128 of a product read their panels of both factors, and multiply little: traffic alone.
__global__ void panels(int n, int k, const float4 *a, const float4 *b, float *y) {
    float sum = 0;
    for (int s = 0; s < k; s += 16) {
        int row = threadIdx.x / 4, part = threadIdx.x % 4;
        for (int r = row; r < 128; r += blockDim.x / 4) {
            float4 u = a[((size_t)(blockIdx.y * 128 + r) * k + s) / 4 + part];
            float4 v = b[((size_t)(blockIdx.x * 128 + r) * k + s) / 4 + part];
            sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
        }
        __syncthreads();
    }
    y[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}
