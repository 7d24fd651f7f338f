// What the kernels of FlashAttention-3 have in common: softmax of scores that lie as products leave them, and the end.
#pragma once

#include "hopper.cuh"
#include <math.h>

namespace {

using namespace hopper;

enum : int {
    D = 128,
    Br = 128,
    Bc = 128,
    ROWS = 64,  // of a warpgroup
    WARPGROUP = 128,
    CONSUMERS = Br / ROWS,
    THREADS = WARPGROUP * (1 + CONSUMERS),
    PLACES = 2,
    BOX = 64,          // columns of fp16: 128 bytes
    HALF = 128 * BOX,  // elements of half a tile of fp16: one box
};

struct half {
    unsigned short bits;
};

__device__ __forceinline__ float exp2_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
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

// Place in a ring, and how often it went round.
struct Turn {
    int place = 0, parity = 0;
    __device__ __forceinline__ void next() {
        if (++place == PLACES) place = 0, parity ^= 1;
    }
};

// Columns from `limit` on get no weight; in the second row of a thread they begin `step` * 8 later.
__device__ __forceinline__ void mask(float (&S)[Bc / 2], int limit, int step) {
#pragma unroll
    for (int i = 0; i < Bc / 2; i++)
        if (i / 4 * 8 + i % 2 >= limit + (i / 2 % 2) * 8 * step) S[i] = -INFINITY;
}

// Scores become weights, the largest of a row 2^MOST; `rescale` is what the sums so far are to be multiplied by.
template <int MOST = 0>
__device__ __forceinline__ void softmax(float (&S)[Bc / 2], float (&most)[2], float (&sum)[2], float (&rescale)[2],
                                        float factor) {
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float own = S[2 * r];
#pragma unroll
        for (int i = 0; i < Bc / 2; i += 4) own = fmaxf(own, fmaxf(S[i + 2 * r], S[i + 2 * r + 1]));
        const float now = fmaxf(most[r], row_max(own)), highest = now * factor, shift = highest - MOST;
        rescale[r] = exp2_fast(most[r] * factor - highest);
        most[r] = now;
        sum[r] *= rescale[r];
#pragma unroll
        for (int i = 0; i < Bc / 2; i += 4)
#pragma unroll
            for (int c = i + 2 * r; c < i + 2 * r + 2; c++) {
                S[c] = exp2_fast(S[c] * factor - shift);
                sum[r] += S[c];
            }
    }
}

// Divides, and writes the warpgroup's rows, `times` as large: they go through its part of `room`.
template <int MOST = 0>
__device__ __forceinline__ void write_rows(const float (&O)[D / 2], const float (&most)[2], const float (&sum)[2],
                                           half (&room)[2][HALF], const TensorMap* out, float* L, int first, int head,
                                           int N, float scale, int me, float times = 1.0f) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32, row = me * ROWS + warp * 16 + lane % 16;
    float share[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const float total = row_sum(sum[r]);
        const int at = first + me * ROWS + warp * 16 + lane / 4 + 8 * r;
        share[r] = __fdividef(times, total);
        if (lane % 4 == 0 && at < N) L[head * static_cast<long long>(N) + at] = most[r] * scale + __logf(total) - MOST * 0.6931471805599453f;
    }
#pragma unroll
    for (int j = 0; j < D / 16; j++) {
        const int chunk = (j % 4 * 2 + lane / 16) ^ row % 8;
        store_matrices(shared_address(room[j / 4] + row * BOX + chunk * 8),
                       as_halves(O[8 * j] * share[0], O[8 * j + 1] * share[0]),
                       as_halves(O[8 * j + 2] * share[1], O[8 * j + 3] * share[1]),
                       as_halves(O[8 * j + 4] * share[0], O[8 * j + 5] * share[0]),
                       as_halves(O[8 * j + 6] * share[1], O[8 * j + 7] * share[1]));
    }
    publish_shared();
    meet_in_warpgroup(1 + me);
    if (threadIdx.x % WARPGROUP == 0) {
        for (int box = 0; box < 2; box++)
            store_box(room[box] + me * ROWS * BOX, out, box * BOX, first + me * ROWS, head);
        commit_stores();
        wait_for_stores();
    }
}

}  // namespace
