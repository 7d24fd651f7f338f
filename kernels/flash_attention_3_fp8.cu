// FlashAttention-3, forward, on Hopper (sm_90a) in fp8: Q, K and V in e4m3, O in fp16, all sums in fp32, d = 128.
//
//   O = softmax(scale Q K^T) V,   L = log of the sum of exp(scale q k) of each row,   Q = of_q times what lies in memory
//
// Q, K, V and O are [B*H, N, d], L is [B*H, N]; N is any length, scale is positive, of_q, of_k and of_v are the scales of
// the tensors.  Launch with grid (ceil(N/128), B*H), 384 threads and 148 480 bytes of dynamic shared memory.  The maps
// cut Q, K and V into boxes of 128 columns (128 bytes, swizzled) and 128 rows, O into boxes of 64 columns and 64 rows:
// what lies behind N is zero, and is not written.
//
// The schedule is that of flash_attention_3.cu.  Four things are other:
//   - Products of fp8 take both matrices along K, and V lies across it.  The warps that ask for tiles turn those of V in
//     shared memory, as pairs of bytes by ldmatrix and stmatrix and byte by byte in between.
//   - A thread's scores do not lie as products want its weights.  They need not be moved: keys of V are put in the order
//     in which weights come, 0 1 8 9 2 3 10 11 4 5 12 13 6 7 14 15 of each 16.
//   - Tensor cores keep few bits of sums of fp8.  Values of a tile are added up by themselves, and to O in fp32.
//   - The two warpgroups take turns: one multiplies while the other works on weights, which take as long as products.
// Weights go up to 2^8, because e4m3 has few numbers below 1/64.
//
// Source of the schedule, and of turning V: Shah et al., "FlashAttention-3", section 3.

#include "flash_attention_3.cuh"

namespace {

enum : int {
    K32 = 32,               // of a product
    TILE = 128 * 128,       // bytes
    ROW = 128,              // bytes
    UNIT = 16,              // bytes
    ASKING = WARPGROUP,     // threads
    MOST = 8,               // weights are 2^MOST at most
    TURNS = 1 + CONSUMERS,  // barriers by which the warpgroups take turns
};

struct Shared {
    unsigned char q[TILE], k[PLACES][TILE], v[PLACES][TILE], turned[PLACES][TILE];
    half o[2][HALF];
};

struct Barriers {
    u64 q, k_full[PLACES], k_empty[PLACES], v_full[PLACES], v_empty[PLACES], turned_full[PLACES], turned_empty[PLACES];
};

extern __shared__ char dynamic[];

// ---------------------------------------------------------------- who asks, and turns

__device__ __forceinline__ void load_tile(unsigned char* to, const TensorMap* map, int row, int head, u64* barrier) {
    expect(barrier, TILE);
    load_box(to, map, 0, row, head, barrier);
}

// Byte of a row of a tile: chunks of 16 bytes are swizzled.
__device__ __forceinline__ int within(int row, int chunk) { return row * ROW + ((chunk ^ row % 8) << 4); }

// Rows of `from` become columns of `to`.  A warp turns 32 keys of 16 columns at a time.
__device__ __forceinline__ void turn(unsigned char* to, const unsigned char* from) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = lane % 8, matrix = lane / 8;
    // Of lanes with rows 0 to 3 the even one of a pair comes first, of the others the odd one: no two rows that a
    // stmatrix writes at once then lie in the same banks.
    const unsigned first = lane < 16 ? 0x6420 : 0x7531, second = first ^ 0x1111;
    const int column = 2 * row + ((matrix % 2) ^ (row / 4));
    const int keys = warp * 32;
#pragma unroll
    for (int c = 0; c < D / 16; c++) {
        unsigned m[4];
        load_matrices_turned(m, shared_address(from + within(keys + matrix * 8 + row, c)));
        store_matrices(shared_address(to + within(c * 16 + column, keys / 16 + matrix / 2)),
                       __byte_perm(m[0], m[1], first), __byte_perm(m[0], m[1], second),
                       __byte_perm(m[2], m[3], first), __byte_perm(m[2], m[3], second));
    }
}

// The next tile of keys and values is asked for while this one's values are turned.
__device__ __forceinline__ void ask(Shared& s, Barriers& b, const TensorMap* Q, const TensorMap* K, const TensorMap* V,
                                    int first, int tiles, int head) {
    Turn at, next;
    auto load = [&](int j) {
        wait(b.k_empty + next.place, next.parity ^ 1);
        load_tile(s.k[next.place], K, j * Bc, head, b.k_full + next.place);
        wait(b.v_empty + next.place, next.parity ^ 1);
        load_tile(s.v[next.place], V, j * Bc, head, b.v_full + next.place);
        next.next();
    };
    if (threadIdx.x == 0) load_tile(s.q, Q, first, head, &b.q), load(tiles - 1);
    for (int j = tiles - 1; j >= 0; j--) {
        if (threadIdx.x == 0 && j > 0) load(j - 1);
        __syncwarp();
        wait(b.v_full + at.place, at.parity);
        wait(b.turned_empty + at.place, at.parity ^ 1);
        turn(s.turned[at.place], s.v[at.place]);
        publish_shared();
        __syncwarp();
        if (threadIdx.x % 32 == 0) arrive(b.v_empty + at.place), arrive(b.turned_full + at.place);
        at.next();
    }
}

// ---------------------------------------------------------------- who multiplies

// S = Q K^T of the warpgroup's rows, under way.  Tiles are given by descriptors, which count in `UNIT`s.
__device__ __forceinline__ void begin_scores(float (&S)[Bc / 2], u64 q, u64 k) {
#pragma unroll
    for (int i = 0; i < D; i += K32) multiply_octets(S, q + i / UNIT, k + i / UNIT, i > 0);
    commit_products();
}

// T = P V, under way.
__device__ __forceinline__ void begin_weighing(float (&T)[D / 2], const unsigned (&P)[Bc / 8], u64 v) {
#pragma unroll
    for (int i = 0; i < Bc; i += K32) multiply_octets(T, P + i / 8, v + i / UNIT, i > 0);
    commit_products();
}

// O = old O, as much smaller as weights have become, + T.
__device__ __forceinline__ void add(float (&O)[D / 2], const float (&T)[D / 2], const float (&rescale)[2]) {
#pragma unroll
    for (int i = 0; i < D / 2; i++) O[i] = O[i] * rescale[i / 2 % 2] + T[i];
}

// Weights of a row that belong to two of a product's eight columns each.
__device__ __forceinline__ void pack(unsigned (&P)[Bc / 8], const float (&S)[Bc / 2]) {
#pragma unroll
    for (int i = 0; i < Bc / 8; i++) {
        const int at = i / 2 * 8 + i % 2 * 2;
        P[i] = as_octets(S[at], S[at + 1], S[at + 4], S[at + 5]);
    }
}

template <bool CAUSAL>
__device__ __forceinline__ void attend(Shared& s, Barriers& b, const TensorMap* out, float* L, int first, int tiles,
                                       int head, int N, float scale, float of_v, int me) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32, thread = threadIdx.x % WARPGROUP;
    const float factor = scale * 1.4426950408889634f;  // log2(e): powers of two are what the hardware has
    float S[Bc / 2], O[D / 2] = {}, T[D / 2], most[2] = {-INFINITY, -INFINITY}, sum[2] = {}, rescale[2], before[2];
    unsigned P[Bc / 8];
    const u64 q = rows_of_128(s.q + me * ROWS * ROW), k = rows_of_128(s.k), v = rows_of_128(s.turned);

    if (me == 1 && tiles > 1) give_way(TURNS);
    wait(&b.q, 0);
    wait(b.k_full, 0);
    begin_products();
    begin_scores(S, q, k);
    wait_for_products<0>();
    if (thread == 0) arrive(b.k_empty);
    const int last = (tiles - 1) * Bc, row = first + me * ROWS + warp * 16 + lane / 4;
    if (CAUSAL) mask(S, min(row + 1, N) - last - lane % 4 * 2, row + 1 < N);
    else if (last + Bc > N) mask(S, N - last - lane % 4 * 2, 0);
    softmax<MOST>(S, most, sum, before, factor);
    pack(P, S);

    for (int t = 1; t < tiles; t++) {
        const int keys = t % PLACES, values = (t - 1) % PLACES;
        wait(b.k_full + keys, t / PLACES % 2);
        wait(b.turned_full + values, (t - 1) / PLACES % 2);
        wait_for_turn(TURNS + me);
        begin_products();
        begin_scores(S, q, k + keys * (TILE / UNIT));
        begin_weighing(T, P, v + values * (TILE / UNIT));
        if (me == 0 || t < tiles - 1) give_way(TURNS + 1 - me);
        wait_for_products<1>();
        if (thread == 0) arrive(b.k_empty + keys);
        softmax<MOST>(S, most, sum, rescale, factor);
        wait_for_products<0>();
        if (thread == 0) arrive(b.turned_empty + values);
        add(O, T, before);
        before[0] = rescale[0], before[1] = rescale[1];
        pack(P, S);
    }
    wait(b.turned_full + (tiles - 1) % PLACES, (tiles - 1) / PLACES % 2);
    begin_products();
    begin_weighing(T, P, v + (tiles - 1) % PLACES * (TILE / UNIT));
    wait_for_products<0>();
    add(O, T, before);
    write_rows<MOST>(O, most, sum, s.o, out, L, first, head, N, scale, me, of_v);
}

template <bool CAUSAL>
__device__ __forceinline__ void run(const TensorMap* Q, const TensorMap* K, const TensorMap* V, const TensorMap* O,
                                    float* L, int N, float scale, float of_v) {
    __shared__ Barriers b;
    Shared& s = *reinterpret_cast<Shared*>(dynamic + (1024 - shared_address(dynamic) % 1024) % 1024);
    const int block = CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x;  // blocks with most to do go first
    const int first = block * Br, head = blockIdx.y;
    const int tiles = ((CAUSAL ? min(first + Br, N) : N) + Bc - 1) / Bc;
    if (threadIdx.x == 0) {
        init(&b.q, 1);
        for (int p = 0; p < PLACES; p++) {
            init(b.k_full + p, 1), init(b.v_full + p, 1);
            init(b.k_empty + p, CONSUMERS), init(b.turned_empty + p, CONSUMERS);
            init(b.v_empty + p, ASKING / 32), init(b.turned_full + p, ASKING / 32);
        }
        publish_barriers();
    }
    __syncthreads();
    if (threadIdx.x < ASKING) {
        give_registers<40>();
        ask(s, b, Q, K, V, first, tiles, head);
    } else {
        take_registers<232>();
        attend<CAUSAL>(s, b, O, L, first, tiles, head, N, scale, of_v, threadIdx.x / WARPGROUP - 1);
    }
}

}  // namespace

#define ARGUMENTS                                                                                                      \
    const __grid_constant__ TensorMap Q, const __grid_constant__ TensorMap K, const __grid_constant__ TensorMap V,     \
        const __grid_constant__ TensorMap O, float *L, int N, float scale, float of_q, float of_k, float of_v

extern "C" __global__ void __launch_bounds__(THREADS) fa3_fp8_d128(ARGUMENTS) {
    run<false>(&Q, &K, &V, &O, L, N, scale * of_q * of_k, of_v);
}

extern "C" __global__ void __launch_bounds__(THREADS) fa3_fp8_d128_causal(ARGUMENTS) {
    run<true>(&Q, &K, &V, &O, L, N, scale * of_q * of_k, of_v);
}
