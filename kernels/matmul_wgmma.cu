// C = A B^T on Hopper's tensor cores (sm_90a), bf16 in and out, sums in fp32: a ladder, each step with what it adds.
//
//   wgmma_shared        tiles of shared memory, filled by the threads that multiply
//   wgmma_tma           the TMA unit fills them, four tiles ahead
//   wgmma_specialised   a warp does nothing but ask for tiles, two warpgroups do nothing but multiply; wider tiles
//   wgmma_persistent    a block an SM, which goes from tile to tile; an order in which tiles share what L2 holds
//   wgmma_cluster       two blocks share the tiles of B: each loads half of them for both
//
// A is [M, K], B is [N, K], C is [M, N].  The first two take tiles of 128 x 128, the others of 128 x 256; M, N and K are
// multiples of these and of 64.  Maps cut A and B into boxes of 64 columns (128 bytes, swizzled), and as many rows as a
// load brings; C, from the third step on, into boxes of 64 columns and 64 rows.
//
//   wgmma_shared        grid (N/128, M/128), 256 threads, 32 768 bytes of dynamic shared memory and 1024 to align them
//   wgmma_tma           the same grid, 256 threads, 132 096 bytes; boxes of 128 rows of A and of B
//   wgmma_specialised   grid (N/256, M/128), 384 threads, 214 016 bytes; boxes of 128 rows of A, 256 of B
//   wgmma_persistent    grid (SMs), the same
//   wgmma_cluster       grid (SMs), the same; boxes of 128 rows of A and of B

#include "hopper.cuh"

namespace {

using namespace hopper;

enum : int {
    BK = 64,          // columns of a tile: 128 bytes
    K = 16,           // of a product
    WARPGROUP = 128,  // threads
    ROWS = 64,        // of C that a warpgroup has in a product
};

struct bf16 {
    unsigned short bits;
};

extern __shared__ char dynamic[];

// Dynamic shared memory from the first swizzled kilobyte on.
__device__ __forceinline__ char* tiles() { return dynamic + (1024 - shared_address(dynamic) % 1024) % 1024; }

// d (+)= the warpgroup's 64 rows of a tile of A times all of a tile of B.
template <int N>
__device__ __forceinline__ void multiply_tiles(float (&d)[N], const bf16* a, const bf16* b, bool first) {
    begin_products();
#pragma unroll
    for (int k = 0; k < BK; k += K) multiply(d, rows_of_128(a + k), rows_of_128(b + k), !first || k > 0);
    commit_products();
}

// Two neighbours of a row each, straight to C.
template <int N>
__device__ __forceinline__ void store_sums(const float (&d)[N], bf16* c, int pitch) {
    const int lane = threadIdx.x % 32, row = threadIdx.x % WARPGROUP / 32 * 16 + lane / 4;
#pragma unroll
    for (int j = 0; j < N / 4; j++)
#pragma unroll
        for (int half = 0; half < 2; half++)
            *reinterpret_cast<unsigned*>(c + (row + 8 * half) * static_cast<long long>(pitch) + 8 * j + lane % 4 * 2) =
                as_bf16(d[4 * j + 2 * half], d[4 * j + 2 * half + 1]);
}

}  // namespace

// ---------------------------------------------------------------- tiles that threads fill

namespace {

enum : int { SQUARE = 128, SQUARE_THREADS = 256 };

// A tile of 128 rows and 64 columns, 16 bytes a thread: those of row r lie at chunk c ^ (r mod 8).
__device__ __forceinline__ void fill(bf16* tile, const bf16* from, int pitch) {
#pragma unroll
    for (int i = threadIdx.x; i < SQUARE * 8; i += SQUARE_THREADS) {
        const int row = i / 8, chunk = i % 8;
        reinterpret_cast<uint4*>(tile)[row * 8 + (chunk ^ row % 8)] =
            *reinterpret_cast<const uint4*>(from + row * static_cast<long long>(pitch) + chunk * 8);
    }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(SQUARE_THREADS)
    wgmma_shared(const bf16* A, const bf16* B, bf16* C, int M, int N, int K) {
    bf16* const a = reinterpret_cast<bf16*>(tiles());
    bf16* const b = a + SQUARE * BK;
    const int m = blockIdx.y * SQUARE, n = blockIdx.x * SQUARE, mine = threadIdx.x / WARPGROUP * ROWS;
    float d[SQUARE / 2];
    for (int k = 0; k < K; k += BK) {
        fill(a, A + m * static_cast<long long>(K) + k, K);
        fill(b, B + n * static_cast<long long>(K) + k, K);
        publish_shared();
        __syncthreads();
        multiply_tiles(d, a + mine * BK, b, k == 0);
        wait_for_products<0>();
        __syncthreads();
    }
    store_sums(d, C + (m + mine) * static_cast<long long>(N) + n, N);
}

// ---------------------------------------------------------------- tiles that the TMA unit fills

extern "C" __global__ void __launch_bounds__(SQUARE_THREADS)
    wgmma_tma(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, bf16* C, int M, int N, int K) {
    enum : int { PLACES = 4, TILE = SQUARE * BK };
    __shared__ u64 full[PLACES];
    bf16* const a = reinterpret_cast<bf16*>(tiles());
    bf16* const b = a + PLACES * TILE;
    const int m = blockIdx.y * SQUARE, n = blockIdx.x * SQUARE, mine = threadIdx.x / WARPGROUP * ROWS;
    const int steps = K / BK;
    auto ask = [&](int step) {
        const int p = step % PLACES;
        expect(full + p, 2 * TILE * sizeof(bf16));
        load_box(a + p * TILE, &A, step * BK, m, full + p);
        load_box(b + p * TILE, &B, step * BK, n, full + p);
    };
    if (threadIdx.x == 0) {
        for (int p = 0; p < PLACES; p++) init(full + p, 1);
        publish_barriers();
        for (int step = 0; step < PLACES - 1 && step < steps; step++) ask(step);
    }
    __syncthreads();
    float d[SQUARE / 2];
    for (int step = 0; step < steps; step++) {
        const int p = step % PLACES;
        wait(full + p, step / PLACES % 2);
        multiply_tiles(d, a + p * TILE + mine * BK, b + p * TILE, step == 0);
        wait_for_products<0>();
        __syncthreads();  // the place that the next load fills was read in the step before
        if (threadIdx.x == 0 && step + PLACES - 1 < steps) ask(step + PLACES - 1);
    }
    store_sums(d, C + (m + mine) * static_cast<long long>(N) + n, N);
}

// ---------------------------------------------------------------- one asks, the others multiply

namespace {

enum : int {
    BM = 128,
    BN = 256,
    CONSUMERS = BM / ROWS,
    THREADS = WARPGROUP * (1 + CONSUMERS),
    PLACES = 3,
    BOX = 64,    // columns and rows of a box of C
    GROUP = 16,  // tiles of A that go with one tile of B before the next
};

struct Shared {
    bf16 a[PLACES][BM * BK];
    bf16 b[PLACES][BN * BK];
    bf16 c[CONSUMERS][ROWS * BN];
};

// Tile of C that is the `k`th: groups of GROUP rows of tiles, column by column.
struct Tile {
    int m, n;
};
__device__ __forceinline__ Tile tile(int k, int rows, int columns) {
    const int group = k / (GROUP * columns), first = group * GROUP, height = min(GROUP, rows - first);
    const int within = k - group * GROUP * columns;
    return {first + within % height, within / height};
}

// Sums of a warpgroup to shared memory, in boxes of 64 columns, and from there to C.
__device__ __forceinline__ void store_tile(const float (&d)[BN / 2], bf16* c, const TensorMap* C, int m, int n, int me) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32;
    const int row = warp * 16 + lane % 16;
    if (threadIdx.x % WARPGROUP == 0) wait_for_reads();
    meet_in_warpgroup(1 + me);
#pragma unroll
    for (int j = 0; j < BN / 16; j++) {
        const int chunk = (j % 4 * 2 + lane / 16) ^ row % 8;
        store_matrices(shared_address(c + j / 4 * ROWS * BOX + row * BOX + chunk * 8), as_bf16(d[8 * j], d[8 * j + 1]),
                       as_bf16(d[8 * j + 2], d[8 * j + 3]), as_bf16(d[8 * j + 4], d[8 * j + 5]),
                       as_bf16(d[8 * j + 6], d[8 * j + 7]));
    }
    publish_shared();
    meet_in_warpgroup(1 + me);
    if (threadIdx.x % WARPGROUP == 0) {
        for (int box = 0; box < BN / BOX; box++) store_box(c + box * ROWS * BOX, C, n + box * BOX, m);
        commit_stores();
    }
}

// A block's tiles are `first`, `first + apart`, ...; `BLOCKS` blocks of a cluster have neighbouring rows of tiles.
template <int BLOCKS>
__device__ __forceinline__ void specialised(const TensorMap* A, const TensorMap* B, const TensorMap* C, int M, int N,
                                            int K, int first, int apart) {
    __shared__ u64 full[PLACES], empty[PLACES];
    Shared& s = *reinterpret_cast<Shared*>(tiles());
    const int rank = BLOCKS > 1 ? rank_in_cluster() : 0, warpgroup = threadIdx.x / WARPGROUP;
    const int rows = M / (BM * BLOCKS), columns = N / BN, steps = K / BK;
    if (threadIdx.x == 0) {
        for (int p = 0; p < PLACES; p++) init(full + p, 1), init(empty + p, CONSUMERS * BLOCKS);
        publish_barriers();
    }
    if (BLOCKS > 1) meet_in_cluster();
    else __syncthreads();
    if (warpgroup == 0) {
        give_registers<40>();
        if (threadIdx.x == 0) {
            int p = 0, turn = 0;
            for (int k = first; k < rows * columns; k += apart) {
                const Tile at = tile(k, rows, columns);
                const int m = (at.m * BLOCKS + rank) * BM, n = at.n * BN;
                for (int step = 0; step < steps; step++) {
                    wait(empty + p, turn ^ 1);
                    expect(full + p, (BM + BN) * BK * sizeof(bf16));
                    load_box(s.a[p], A, step * BK, m, full + p);
                    if (BLOCKS > 1)
                        load_box_for((1 << BLOCKS) - 1, s.b[p] + rank * (BN / BLOCKS) * BK, B, step * BK,
                                     n + rank * (BN / BLOCKS), full + p);
                    else load_box(s.b[p], B, step * BK, n, full + p);
                    if (++p == PLACES) p = 0, turn ^= 1;
                }
            }
        }
    } else {
        take_registers<232>();
        const int me = warpgroup - 1, thread = threadIdx.x % WARPGROUP;
        int p = 0, turn = 0;
        float d[BN / 2];
        for (int k = first; k < rows * columns; k += apart) {
            const Tile at = tile(k, rows, columns);
            for (int step = 0; step < steps; step++) {
                wait(full + p, turn);
                multiply_tiles(d, s.a[p] + me * ROWS * BK, s.b[p], step == 0);
                wait_for_products<0>();
                if (BLOCKS > 1) {
                    if (thread < BLOCKS) arrive_at(empty + p, thread);
                } else if (thread == 0) arrive(empty + p);
                if (++p == PLACES) p = 0, turn ^= 1;
            }
            store_tile(d, s.c[me], C, (at.m * BLOCKS + rank) * BM + me * ROWS, at.n * BN, me);
        }
        if (thread == 0) wait_for_stores();
    }
    if (BLOCKS > 1) meet_in_cluster();  // no block ends whose barriers others arrive at
}

}  // namespace

#define MAPS const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, const __grid_constant__ TensorMap C

extern "C" __global__ void __launch_bounds__(THREADS) wgmma_specialised(MAPS, int M, int N, int K) {
    const int k = blockIdx.y * gridDim.x + blockIdx.x;
    specialised<1>(&A, &B, &C, M, N, K, k, gridDim.x * gridDim.y);
}

extern "C" __global__ void __launch_bounds__(THREADS) wgmma_persistent(MAPS, int M, int N, int K) {
    specialised<1>(&A, &B, &C, M, N, K, blockIdx.x, gridDim.x);
}

extern "C" __global__ void __launch_bounds__(THREADS) __cluster_dims__(2, 1, 1) wgmma_cluster(MAPS, int M, int N, int K) {
    specialised<2>(&A, &B, &C, M, N, K, blockIdx.x / 2, gridDim.x / 2);
}
