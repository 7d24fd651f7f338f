// FlashAttention-3, forward, on Hopper (sm_90a): fp16 in and out, everything between in fp32, d = 128.
//
//   O = softmax(scale Q K^T) V,   L = log of the sum of exp(scale q k) of each row
//
// Q, K, V and O are [B*H, N, d], L is [B*H, N]; N is any length, scale is positive.  Launch with grid
// (ceil(N/128), B*H), 384 threads and 164 864 bytes of dynamic shared memory.  The maps cut Q, K, V and O into boxes of
// 64 columns (128 bytes, swizzled) of 128 rows, those of O of 64 rows: what lies behind N is zero, and is not written.
//
// A block has 128 queries.  One thread asks for tiles of 128 keys and values, two warpgroups have 64 queries each.  A
// warpgroup has two products under way at a time: while its scores of one tile become weights, the weights of the tile
// before are multiplied by their values.
//
// Source of the schedule: Shah et al., "FlashAttention-3", section 3.

#include "flash_attention_3.cuh"

namespace {

enum : int { K16 = 16 };  // of a product

struct Shared {
    half q[2][HALF], k[PLACES][2][HALF], v[PLACES][2][HALF];
};

struct Barriers {
    u64 q, k_full[PLACES], k_empty[PLACES], v_full[PLACES], v_empty[PLACES];
};

extern __shared__ char dynamic[];

// ---------------------------------------------------------------- who asks

__device__ __forceinline__ void load_tile(half (&to)[2][HALF], const TensorMap* map, int row, int head, u64* barrier) {
    expect(barrier, 2 * HALF * sizeof(half));
    load_box(to[0], map, 0, row, head, barrier);
    load_box(to[1], map, BOX, row, head, barrier);
}

// Tiles of keys and values from the last one on.
__device__ __forceinline__ void ask(Shared& s, Barriers& b, const TensorMap* Q, const TensorMap* K, const TensorMap* V,
                                    int first, int tiles, int head) {
    load_tile(s.q, Q, first, head, &b.q);
    Turn at;
    for (int j = tiles - 1; j >= 0; j--) {
        wait(b.k_empty + at.place, at.parity ^ 1);
        load_tile(s.k[at.place], K, j * Bc, head, b.k_full + at.place);
        wait(b.v_empty + at.place, at.parity ^ 1);
        load_tile(s.v[at.place], V, j * Bc, head, b.v_full + at.place);
        at.next();
    }
}

// ---------------------------------------------------------------- who multiplies

// S = Q K^T of the warpgroup's rows, under way.
__device__ __forceinline__ void begin_scores(float (&S)[Bc / 2], const half (&q)[2][HALF], int row,
                                             const half (&k)[2][HALF]) {
#pragma unroll
    for (int i = 0; i < D / K16; i++)
        multiply_halves(S, rows_of_128(q[i / 4] + row * BOX + i % 4 * K16), rows_of_128(k[i / 4] + i % 4 * K16), i > 0);
    commit_products();
}

// O += P V, under way.
__device__ __forceinline__ void begin_weighing(float (&O)[D / 2], const unsigned (&P)[Bc / 4], const half (&v)[2][HALF],
                                               bool more) {
#pragma unroll
    for (int i = 0; i < Bc / K16; i++)
        multiply_halves(O, P + 4 * i, columns_of_128(v[0] + i * K16 * BOX, HALF * sizeof(half)), more || i > 0);
    commit_products();
}

// The accumulators of one product are the left operand of the next.
__device__ __forceinline__ void pack(unsigned (&P)[Bc / 4], const float (&S)[Bc / 2]) {
#pragma unroll
    for (int i = 0; i < Bc / 4; i++) P[i] = as_halves(S[2 * i], S[2 * i + 1]);
}

template <bool CAUSAL>
__device__ __forceinline__ void attend(Shared& s, Barriers& b, const TensorMap* out, float* L, int first, int tiles,
                                       int head, int N, float scale, int me) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32, thread = threadIdx.x % WARPGROUP;
    const float factor = scale * 1.4426950408889634f;  // log2(e): powers of two are what the hardware has
    float S[Bc / 2], O[D / 2], most[2] = {-INFINITY, -INFINITY}, sum[2] = {}, rescale[2];
    unsigned P[Bc / 4];
    Turn keys, values;

    wait(&b.q, 0);
    wait(b.k_full, 0);
    begin_products();
    begin_scores(S, s.q, me * ROWS, s.k[0]);
    wait_for_products<0>();
    if (thread == 0) arrive(b.k_empty);
    keys.next();
    const int last = (tiles - 1) * Bc, row = first + me * ROWS + warp * 16 + lane / 4;
    if (CAUSAL) mask(S, min(row + 1, N) - last - lane % 4 * 2, row + 1 < N);
    else if (last + Bc > N) mask(S, N - last - lane % 4 * 2, 0);
    softmax(S, most, sum, rescale, factor);
    pack(P, S);

    for (int j = tiles - 2; j >= 0; j--) {
        wait(b.k_full + keys.place, keys.parity);
        begin_products();
        begin_scores(S, s.q, me * ROWS, s.k[keys.place]);
        wait(b.v_full + values.place, values.parity);
        begin_weighing(O, P, s.v[values.place], j < tiles - 2);
        wait_for_products<1>();
        if (thread == 0) arrive(b.k_empty + keys.place);
        softmax(S, most, sum, rescale, factor);
        wait_for_products<0>();
        if (thread == 0) arrive(b.v_empty + values.place);
#pragma unroll
        for (int i = 0; i < D / 2; i++) O[i] *= rescale[i / 2 % 2];
        pack(P, S);
        keys.next(), values.next();
    }
    wait(b.v_full + values.place, values.parity);
    begin_products();
    begin_weighing(O, P, s.v[values.place], tiles > 1);
    wait_for_products<0>();
    write_rows(O, most, sum, s.q, out, L, first, head, N, scale, me);
}

template <bool CAUSAL>
__device__ __forceinline__ void run(const TensorMap* Q, const TensorMap* K, const TensorMap* V, const TensorMap* O,
                                    float* L, int N, float scale) {
    __shared__ Barriers b;
    Shared& s = *reinterpret_cast<Shared*>(dynamic + (1024 - shared_address(dynamic) % 1024) % 1024);
    const int block = CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x;  // blocks with most to do go first
    const int first = block * Br, head = blockIdx.y;
    const int tiles = ((CAUSAL ? min(first + Br, N) : N) + Bc - 1) / Bc;
    if (threadIdx.x == 0) {
        init(&b.q, 1);
        for (int p = 0; p < PLACES; p++) {
            init(b.k_full + p, 1), init(b.v_full + p, 1);
            init(b.k_empty + p, CONSUMERS), init(b.v_empty + p, CONSUMERS);
        }
        publish_barriers();
    }
    __syncthreads();
    if (threadIdx.x < WARPGROUP) {
        give_registers<24>();
        if (threadIdx.x == 0) ask(s, b, Q, K, V, first, tiles, head);
    } else {
        take_registers<240>();
        attend<CAUSAL>(s, b, O, L, first, tiles, head, N, scale, threadIdx.x / WARPGROUP - 1);
    }
}

}  // namespace

#define ARGUMENTS                                                                                                      \
    const __grid_constant__ TensorMap Q, const __grid_constant__ TensorMap K, const __grid_constant__ TensorMap V,     \
        const __grid_constant__ TensorMap O, float *L, int N, float scale

extern "C" __global__ void __launch_bounds__(THREADS) fa3_d128(ARGUMENTS) { run<false>(&Q, &K, &V, &O, L, N, scale); }

extern "C" __global__ void __launch_bounds__(THREADS) fa3_d128_causal(ARGUMENTS) {
    run<true>(&Q, &K, &V, &O, L, N, scale);
}
