// FlashAttention-2, forward, on tensor cores (sm_80 and later): fp16 in and out, everything between in fp32.
//
//   O = softmax(scale Q K^T) V,   L = log of the sum of exp(scale q k) of each row
//
// Q, K, V and O are [B*H, N, d], L is [B*H, N]; N is any length, scale is positive.  Launch with grid
// (ceil(N/128), B*H), 128 threads and dynamic shared memory for 128 rows of Q and the ring below: 49 152 bytes for
// d = 64, 81 920 for d = 128.
//
// A block has 128 queries, each of its four warps 32 of them: two m16 blocks, so that what ldmatrix brings of K and V
// is used twice.  Tiles of K and V come by cp.async in turns, K0 V0 K1 V1 ..., into a ring of buffers: a tile is asked
// for while the ones before it are worked on.  A row of a tile is d halves without padding; chunk c of 16 bytes of row
// r lies at chunk c ^ (r mod 8), so the eight rows that ldmatrix reads at a time lie in different banks.
//
// Scores stay in the accumulators of the first product, where they are turned into the left operand of the second; a
// thread has columns 2t and 2t + 1 of every eight, of the rows g and g + 8, where g = lane / 4 and t = lane mod 4.
// Source of the fragments' layouts: PTX ISA, "Matrix fragments for mma.m16n8k16".

#include <cuda_fp16.h>
#include <math.h>

namespace {

// Names for numbers, which become no variables of the device.
enum : int {
    WARPS = 4,
    THREADS = 32 * WARPS,
    MBLOCKS = 2,                // m16 blocks of queries of a warp
    Br = 16 * MBLOCKS * WARPS,  // queries of a block
};

// ---------------------------------------------------------------- instructions

__device__ __forceinline__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Copies 16 bytes past the registers and L1; zeros where there is nothing to copy.
__device__ __forceinline__ void copy_async(unsigned to, const half* from, bool there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there ? 16 : 0) : "memory");
}

__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int OUTSTANDING>
__device__ __forceinline__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(OUTSTANDING) : "memory"); }

__device__ __forceinline__ void load_matrices(unsigned (&r)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(from) : "memory");
}

__device__ __forceinline__ void load_transposed(unsigned (&r)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(from) : "memory");
}

// c += a b, for a of 16 x 16, b of 16 x 8.
__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Number of the thread, read where it is needed: what follows from it takes no register of the loops before.
__device__ __forceinline__ int thread_now() {
    int number;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(number));
    return number;
}

__device__ __forceinline__ float exp2_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ unsigned pack(float low, float high) {
    const __half2 both = __floats2half2_rn(low, high);
    return *reinterpret_cast<const unsigned*>(&both);
}

// Over the four lanes that share a row.
__device__ __forceinline__ float row_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffff, x, 2));
}

__device__ __forceinline__ float row_sum(float x) {
    x += __shfl_xor_sync(0xffffffff, x, 1);
    return x + __shfl_xor_sync(0xffffffff, x, 2);
}

// ---------------------------------------------------------------- tiles in shared memory

template <int d>
__device__ __forceinline__ unsigned place(int row, int chunk) { return row * (2 * d) + ((chunk ^ (row & 7)) << 4); }

// Asks for ROWS rows from `first` on; those from N on become zeros.
template <int d, int ROWS>
__device__ __forceinline__ void load_tile(unsigned tile, const half* matrix, int first, int N) {
    constexpr int CHUNKS = d / 8, STEP = THREADS / CHUNKS;  // STEP is a multiple of 8, so the swizzle is every row's
    const int row = threadIdx.x / CHUNKS, chunk = threadIdx.x % CHUNKS;
    const half* from = matrix + static_cast<size_t>(first + row) * d + chunk * 8;
    const unsigned to = tile + place<d>(row, chunk);
#pragma unroll
    for (int i = 0; i < ROWS / STEP; i++)
        copy_async(to + i * STEP * 2 * d, from + i * STEP * d, first + row + i * STEP < N);
}

// ---------------------------------------------------------------- a tile of keys

// S = Q K^T.  Fragments of Q are in registers, or in shared memory at `queries`.
template <int d, int Bc, bool HELD>
__device__ __forceinline__ void scores(float (&S)[MBLOCKS][Bc / 8][4],
                                       const unsigned (&Q)[HELD ? d / 16 : 1][MBLOCKS][4], unsigned queries,
                                       unsigned keys) {
#pragma unroll
    for (int k = 0; k < d / 16; k++) {
        unsigned a[MBLOCKS][4];
#pragma unroll
        for (int m = 0; m < MBLOCKS; m++) {
            if constexpr (HELD) {
#pragma unroll
                for (int i = 0; i < 4; i++) a[m][i] = Q[k][m][i];
            } else {
                load_matrices(a[m], (queries ^ k << 5) + m * 16 * 2 * d);
            }
        }
#pragma unroll
        for (int n = 0; n < Bc / 8; n += 2) {
            unsigned b[4];
            load_matrices(b, (keys ^ k << 5) + n * 8 * 2 * d);
#pragma unroll
            for (int m = 0; m < MBLOCKS; m++) {
                multiply(S[m][n], a[m], b[0], b[1]);
                multiply(S[m][n + 1], a[m], b[2], b[3]);
            }
        }
    }
}

// Columns from `limit` on get no weight; the limit moves on by `step` from one row to the next.
template <int Bc>
__device__ __forceinline__ void mask(float (&S)[MBLOCKS][Bc / 8][4], int column, int limit, int step) {
#pragma unroll
    for (int m = 0; m < MBLOCKS; m++)
#pragma unroll
        for (int n = 0; n < Bc / 8; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (column + n * 8 + i % 2 >= limit + step * (m * 16 + i / 2 * 8)) S[m][n][i] = -INFINITY;
}

// Turns scores into weights; rescales what was summed so far where a row has a new maximum.
template <int d, int Bc>
__device__ __forceinline__ void softmax(float (&S)[MBLOCKS][Bc / 8][4], float (&O)[MBLOCKS][d / 8][4],
                                        float (&most)[MBLOCKS][2], float (&sum)[MBLOCKS][2], float factor) {
#pragma unroll
    for (int m = 0; m < MBLOCKS; m++)
#pragma unroll
        for (int r = 0; r < 2; r++) {
            float own = fmaxf(S[m][0][2 * r], S[m][0][2 * r + 1]);
#pragma unroll
            for (int n = 1; n < Bc / 8; n++) own = fmaxf(own, fmaxf(S[m][n][2 * r], S[m][n][2 * r + 1]));
            const float now = fmaxf(most[m][r], row_max(own));
            const float rescale = exp2_fast((most[m][r] - now) * factor), shift = now * factor;
            most[m][r] = now;
            sum[m][r] *= rescale;
#pragma unroll
            for (int n = 0; n < d / 8; n++) O[m][n][2 * r] *= rescale, O[m][n][2 * r + 1] *= rescale;
#pragma unroll
            for (int n = 0; n < Bc / 8; n++)
#pragma unroll
                for (int i = 2 * r; i < 2 * r + 2; i++) {
                    S[m][n][i] = exp2_fast(S[m][n][i] * factor - shift);
                    sum[m][r] += S[m][n][i];
                }
        }
}

// O += P V.
template <int d, int Bc>
__device__ __forceinline__ void weigh(float (&O)[MBLOCKS][d / 8][4], const float (&P)[MBLOCKS][Bc / 8][4],
                                      unsigned values) {
#pragma unroll
    for (int k = 0; k < Bc / 8; k += 2) {
        unsigned a[MBLOCKS][4];
#pragma unroll
        for (int m = 0; m < MBLOCKS; m++)
#pragma unroll
            for (int i = 0; i < 4; i++) a[m][i] = pack(P[m][k + i / 2][i % 2 * 2], P[m][k + i / 2][i % 2 * 2 + 1]);
#pragma unroll
        for (int n = 0; n < d / 8; n += 2) {
            unsigned b[4];
            load_transposed(b, (values ^ n << 4) + k * 8 * 2 * d);
#pragma unroll
            for (int m = 0; m < MBLOCKS; m++) {
                multiply(O[m][n], a[m], b[0], b[1]);
                multiply(O[m][n + 1], a[m], b[2], b[3]);
            }
        }
    }
}

// ---------------------------------------------------------------- the end of a row

// Divides, and writes the warp's rows by 16 bytes a lane: they go through its part of Q's place in shared memory.
template <int d>
__device__ __forceinline__ void write_rows(half* O, float* L, const float (&sums)[MBLOCKS][d / 8][4],
                                           const float (&most)[MBLOCKS][2], const float (&sum)[MBLOCKS][2], char* room,
                                           int first, int N, float scale) {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int m = 0; m < MBLOCKS; m++)
#pragma unroll
        for (int r = 0; r < 2; r++) {
            const int row = m * 16 + r * 8 + g;
            const float total = row_sum(sum[m][r]), share = __fdividef(1.0f, total);
            if (t == 0 && first + row < N) L[first + row] = most[m][r] * scale + __logf(total);
#pragma unroll
            for (int n = 0; n < d / 8; n++)
                *reinterpret_cast<unsigned*>(room + place<d>(row, n) + 4 * t) =
                    pack(sums[m][n][2 * r] * share, sums[m][n][2 * r + 1] * share);
        }
    __syncwarp();
    constexpr int CHUNKS = d / 8, STEP = 32 / CHUNKS;
#pragma unroll
    for (int i = 0; i < 16 * MBLOCKS / STEP; i++) {
        const int row = i * STEP + lane / CHUNKS, chunk = lane % CHUNKS;
        if (first + row < N)
            *reinterpret_cast<uint4*>(O + static_cast<size_t>(first + row) * d + chunk * 8) =
                *reinterpret_cast<const uint4*>(room + place<d>(row, chunk));
    }
}

// ---------------------------------------------------------------- the kernel

// BUFFERS tiles of K and V are in shared memory or on their way.  HELD: fragments of Q stay in registers.
template <int d, int Bc, int BUFFERS, bool HELD, bool CAUSAL>
__device__ __forceinline__ void attend(int N, float scale, const half* Q, const half* K, const half* V, half* O,
                                       float* L) {
    extern __shared__ __align__(1024) char memory[];
    constexpr unsigned QUERIES = Br * 2 * d, TILE = Bc * 2 * d;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int block = CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x;  // blocks with most to do go first
    const int first = block * Br, own = first + warp * 16 * MBLOCKS;     // rows of the block and of the warp
    const int tiles = ((CAUSAL ? min(first + Br, N) : N) + Bc - 1) / Bc;
    const int whole = CAUSAL ? min(first, N) / Bc : N / Bc;  // tiles that need no mask
    const size_t head = static_cast<size_t>(blockIdx.y) * N;
    Q += head * d, K += head * d, V += head * d, O += head * d, L += head;

    const unsigned queries = shared_address(memory), ring = queries + QUERIES;
    // Where the lane's row of the 8 x 8 matrices of an ldmatrix lies: of Q and V the rows go first, of K the columns.
    const unsigned by_rows = place<d>(lane % 16, lane / 16);
    const unsigned by_columns = place<d>(lane % 8 + lane / 16 * 8, lane / 8 % 2);
    unsigned own_queries = queries + warp * 16 * MBLOCKS * 2 * d + by_rows;

    // Tile i of the ring is of K for even i, of V for odd i.  A group is committed even where nothing is asked for.
    auto ask = [&](const half* matrix, int j, unsigned buffer) {
        if (j < tiles) load_tile<d, Bc>(buffer, matrix, j * Bc, N);
        commit();
    };
    load_tile<d, Br>(queries, Q, first, N);
    commit();
#pragma unroll
    for (int i = 0; i < BUFFERS - 1; i++) ask(i % 2 ? V : K, i / 2, ring + i * TILE);

    unsigned held[HELD ? d / 16 : 1][MBLOCKS][4];
    if constexpr (HELD) {
        wait<BUFFERS - 1>();
        __syncthreads();
#pragma unroll
        for (int k = 0; k < d / 16; k++)
#pragma unroll
            for (int m = 0; m < MBLOCKS; m++) load_matrices(held[k][m], (own_queries ^ k << 5) + m * 16 * 2 * d);
    }
    float sums[MBLOCKS][d / 8][4] = {}, most[MBLOCKS][2], sum[MBLOCKS][2] = {};
#pragma unroll
    for (int m = 0; m < MBLOCKS; m++) most[m][0] = most[m][1] = -INFINITY;
    const float factor = scale * 1.4426950408889634f;  // log2(e): powers of two are what the hardware has

    unsigned read = ring, write = ring + (BUFFERS - 1) * TILE;
    // Waits for the tile that is next in the ring; asks for another in place of the one that all have done with.
    auto arrive = [&](const half* matrix, int j) {
        wait<BUFFERS - 2>();
        __syncthreads();
        ask(matrix, j, write);
        const unsigned tile = read;
        write = read;
        read = read == ring + (BUFFERS - 1) * TILE ? ring : read + TILE;
        return tile;
    };
    constexpr int AHEAD = BUFFERS - 1;
    auto step = [&](int j, bool masked) {
        const unsigned keys = arrive(AHEAD % 2 ? V : K, j + AHEAD / 2);
        // Of a tile on the diagonal the upper warps may have nothing to do.
        const int thread = CAUSAL ? thread_now() : threadIdx.x, row = first + thread / 32 * 16 * MBLOCKS;
        const bool idle = CAUSAL && masked && j * Bc >= row + 16 * MBLOCKS;
        float S[MBLOCKS][Bc / 8][4] = {};
        if (!idle) {
            scores<d, Bc, HELD>(S, held, own_queries, keys + by_columns);
            if (masked) mask<Bc>(S, j * Bc + thread % 4 * 2, CAUSAL ? row + thread % 32 / 4 + 1 : N, CAUSAL ? 1 : 0);
            softmax<d, Bc>(S, sums, most, sum, factor);
        }
        const unsigned values = arrive(AHEAD % 2 ? K : V, j + (AHEAD + 1) / 2);
        if (!idle) weigh<d, Bc>(sums, S, values + by_rows);
        // Or each place of Q would take a register through the whole loop.
        if constexpr (!HELD) asm volatile("" : "+r"(own_queries));
    };
    for (int j = 0; j < whole; j++) step(j, false);
    for (int j = whole; j < tiles; j++) step(j, true);

    write_rows<d>(O, L, sums, most, sum, memory + warp * 16 * MBLOCKS * 2 * d, own, N, scale);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    fa2_d64(int N, float scale, const half* Q, const half* K, const half* V, half* O, float* L) {
    attend<64, 64, 4, true, false>(N, scale, Q, K, V, O, L);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    fa2_d64_causal(int N, float scale, const half* Q, const half* K, const half* V, half* O, float* L) {
    attend<64, 64, 4, true, true>(N, scale, Q, K, V, O, L);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    fa2_d128(int N, float scale, const half* Q, const half* K, const half* V, half* O, float* L) {
    attend<128, 64, 3, false, false>(N, scale, Q, K, V, O, L);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    fa2_d128_causal(int N, float scale, const half* Q, const half* K, const half* V, half* O, float* L) {
    attend<128, 64, 3, false, true>(N, scale, Q, K, V, O, L);
}
