// mbarriers and what goes with them: arrivals, waits, turns of two warps, fences, registers given and taken.
// Each warp notes the clock before and after (out[2 w], out[2 w + 1]).
#include "asynchronous.cuh"

constexpr int UNROLLED = 8;
constexpr u32 MOST_ARRIVALS = (1 << 20) - 1;

// UNROLLED times a round what BODY says; every warp has `barrier` to itself, which is completed by ARRIVALS arrivals.
#define LOOP(NAME, ARRIVALS, BODY)                                                                                   \
    extern "C" __global__ void NAME(int rounds, clock_type* out) {                                                   \
        __shared__ u64 barriers[32];                                                                                 \
        __shared__ u32 words[1024];                                                                                  \
        const u32 barrier = place(barriers + threadIdx.x / 32), lane = threadIdx.x % 32;                             \
        const u32 word = place(words + threadIdx.x);                                                                 \
        u32 kept = 0;                                                                                                \
        if (lane == 0) begin_barrier(barrier, ARRIVALS);                                                             \
        publish_barriers();                                                                                          \
        __syncthreads();                                                                                             \
        clock_type begin = now();                                                                                    \
        _Pragma("unroll 1") for (int r = 0; r < rounds; r++) {                                                       \
            _Pragma("unroll") for (int k = 0; k < UNROLLED; k++) { BODY }                                            \
        }                                                                                                            \
        note(out, begin);                                                                                            \
        if (kept == 12345) out[0] = word;                                                                            \
    }

LOOP(arrive_one_lane, MOST_ARRIVALS, if (lane == 0) arrive(barrier);)
LOOP(arrive_all_lanes, MOST_ARRIVALS, arrive(barrier);)
LOOP(complete_one_lane, 1, if (lane == 0) arrive(barrier);)
LOOP(expect_one_lane, 1, if (lane == 0) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0],64;" ::"r"(barrier) : "memory");
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0],64;" ::"r"(barrier) : "memory");
})
LOOP(arrive_expect_complete, 1, if (lane == 0) {
    expect(barrier, 64);
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0],64;" ::"r"(barrier) : "memory");
})
// The phase before the first one is over, and has parity 1.
LOOP(wait_for_the_past, 1, wait(barrier, 1);)
LOOP(wait_for_the_past_one_lane, 1, if (lane == 0) wait(barrier, 1);)
LOOP(test_the_past, 1, {
    u32 over;
    asm volatile("{\n.reg .pred over;\nmbarrier.test_wait.parity.shared::cta.b64 over,[%1],1;\nselp.b32 %0,1,0,over;\n}"
                 : "=r"(over) : "r"(barrier) : "memory");
    kept += over;
})
LOOP(test_in_vain, 1, {
    u32 over;
    asm volatile("{\n.reg .pred over;\nmbarrier.test_wait.parity.shared::cta.b64 over,[%1],0;\nselp.b32 %0,1,0,over;\n}"
                 : "=r"(over) : "r"(barrier) : "memory");
    kept += over;
})
LOOP(arrive_and_wait, 1, {
    if (lane == 0) arrive(barrier);
    __syncwarp();
    wait(barrier, k & 1);
})
LOOP(fence_async, 1, asm volatile("fence.proxy.async.shared::cta;" ::: "memory");)
LOOP(fence_async_everywhere, 1, asm volatile("fence.proxy.async;" ::: "memory");)
LOOP(fence_init, 1, asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");)
LOOP(store_and_fence_async, 1, {
    asm volatile("st.shared.b32 [%0],%1;" ::"r"(word), "r"(k) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
})
LOOP(elect, 1, {
    u32 elected;
    asm volatile("{\n.reg .pred one;\nelect.sync _|one,0xffffffff;\nselp.b32 %0,1,0,one;\n}" : "=r"(elected)::"memory");
    kept += elected;
})

// Warps 0 and 1 take turns: one arrives at a barrier that the other waits for.
extern "C" __global__ void turns(int rounds, clock_type* out) {
    __shared__ u64 barriers[2];
    const u32 mine = threadIdx.x / 32, ping = place(barriers), pong = ping + 8;
    if (threadIdx.x == 0) begin_barrier(ping, 1), begin_barrier(pong, 1);
    publish_barriers();
    __syncthreads();
    clock_type begin = now();
    if (threadIdx.x % 32 == 0) {
#pragma unroll 1
        for (int r = 0; r < rounds; r++) {
            if (mine) wait(ping, r & 1);
            arrive(mine ? pong : ping);
            if (!mine) wait(pong, r & 1);
        }
    }
    __syncwarp();
    note(out, begin);
}

// All threads of a block arrive, and wait for one another.
extern "C" __global__ void meet(int rounds, clock_type* out) {
    __shared__ u64 barriers[1];
    const u32 barrier = place(barriers);
    if (threadIdx.x == 0) begin_barrier(barrier, blockDim.x);
    publish_barriers();
    __syncthreads();
    clock_type begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        arrive(barrier);
        wait(barrier, r & 1);
    }
    note(out, begin);
}

// One thread of each warp arrives, all wait.
extern "C" __global__ void meet_by_warps(int rounds, clock_type* out) {
    __shared__ u64 barriers[1];
    const u32 barrier = place(barriers);
    if (threadIdx.x == 0) begin_barrier(barrier, blockDim.x / 32);
    publish_barriers();
    __syncthreads();
    clock_type begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x % 32 == 0) arrive(barrier);
        __syncwarp();
        wait(barrier, r & 1);
    }
    note(out, begin);
}

// Warp 0 tries once, and is told so often (tries) that it was in vain, until warp 1 arrives after so many cycles.
extern "C" __global__ void try_in_vain(int cycles, clock_type* out, u32* tries) {
    __shared__ u64 barriers[1];
    const u32 barrier = place(barriers);
    if (threadIdx.x == 0) begin_barrier(barrier, 1);
    publish_barriers();
    __syncthreads();
    clock_type begin = now();
    if (threadIdx.x == 0) {
        u32 over = 0, vain = 0;
        do {
            asm volatile("{\n.reg .pred over;\nmbarrier.try_wait.parity.shared::cta.b64 over,[%1],0;\n"
                         "selp.b32 %0,1,0,over;\n}" : "=r"(over) : "r"(barrier) : "memory");
            vain += !over;
        } while (!over);
        tries[0] = vain;
    } else if (threadIdx.x == 32) {
        while (now() - begin < cycles);
        arrive(barrier);
    }
    __syncwarp();
    note(out, begin);
}

// A warpgroup gives registers away and takes them back.
extern "C" __global__ void __launch_bounds__(384, 1) give_and_take(int rounds, clock_type* out) {
    __syncthreads();
    clock_type begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
            asm volatile("setmaxnreg.inc.sync.aligned.u32 160;" ::: "memory");
        }
    }
    note(out, begin);
}
