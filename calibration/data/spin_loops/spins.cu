// Lanes of a warp that loop by what they read, as a loop that spins does: ptxas puts a YIELD into each such loop.
//
// In the first kernels each lane notes the clock at each of its events.
#define LOG(tag) { unsigned c_; asm volatile("mov.u32 %0, %%clock;" : "=r"(c_) :: "memory"); if (n < 120) { log[(2 * n) * 32 + i] = c_; log[(2 * n + 1) * 32 + i] = (tag); } n++; }
#define START volatile unsigned *log = out; const int i = threadIdx.x; int n = 0; __shared__ volatile unsigned at[32];
#define DOWN(tag) while (at[i] != 0) { at[i] = at[i] - 1; LOG(tag) }
extern "C" __global__ void one_loop(unsigned *out, const unsigned *a) {
    START at[i] = a[i]; DOWN(1) LOG(2)
}
extern "C" __global__ void two_loops(unsigned *out, const unsigned *a) {
    START at[i] = a[i]; DOWN(1) LOG(2) at[i] = a[32 + i]; DOWN(3) LOG(4)
}
extern "C" __global__ void three_loops(unsigned *out, const unsigned *a) {
    START at[i] = a[i]; DOWN(1) LOG(2) at[i] = a[32 + i]; DOWN(3) LOG(4) at[i] = a[64 + i]; DOWN(5) LOG(6)
}
extern "C" __global__ void loop_in_branch(unsigned *out, const unsigned *a) {
    START
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        at[i] = a[i];
        if (a[32 + i] & 1) { DOWN(1) LOG(2) } else { LOG(3) }
        LOG(4)
    }
    LOG(5)
}
extern "C" __global__ void loop_in_rounds(unsigned *out, const unsigned *a) {
    START
#pragma unroll 1
    for (int k = 0; k < (int)a[32 + i]; k++) { at[i] = a[i]; DOWN(1) LOG(2) }
    LOG(3)
}
extern "C" __global__ void loop_on_each_side(unsigned *out, const unsigned *a) {
    START at[i] = a[i];
    if (a[32 + i] & 1) { DOWN(1) LOG(2) } else { DOWN(3) LOG(4) LOG(5) }
    LOG(6)
}
extern "C" __global__ void loop_in_loop(unsigned *out, const unsigned *a) {   // a loop that yields within one that does
    START at[i] = a[i];
    while (at[i] != 0) {
        at[i] = at[i] - 1; LOG(1)
        unsigned m = a[32 + i];
        while (at[i ^ 1] > m) { m++; LOG(2) }
    }
    LOG(3)
}
extern "C" __global__ void lock_some_rounds(unsigned *out, const unsigned *a) {
    unsigned *l = out + 32 * 256; START
    for (unsigned k = 0; k < a[i]; k++) {
        while (true) { LOG(1) if (atomicCAS(l, 0, 1) == 0) break; LOG(2) }
        LOG(3)
        l[1] += 1; __threadfence(); atomicExch(l, 0);
        LOG(4)
    }
    LOG(5)
}
extern "C" __global__ void lock_some_lanes(unsigned *out, const unsigned *a) {   // of as many rounds for all
    unsigned *l = out + 32 * 256; START
    const unsigned lanes = a[0], rounds = a[1];
    if (i >= lanes) return;
    for (unsigned k = 0; k < rounds; k++) {
        while (atomicCAS(l, 0, 1) != 0);
        LOG(3)
        l[1] += 1; __threadfence(); atomicExch(l, 0);
        LOG(4)
    }
    LOG(5)
}

// In these nothing else happens; a store after the loop is executed once where all lanes have met before it.
extern "C" __global__ void two_paths(unsigned *out, int rounds) {
    __shared__ volatile unsigned at[32];
    const int i = threadIdx.x; at[i] = i & 1 ? rounds : 0;
    unsigned v = 0;
    while (at[i] != 0) { at[i] = at[i] - 1; v++; }
    out[i] = v;
}
extern "C" __global__ void four_paths(unsigned *out, int rounds) {
    __shared__ volatile unsigned at[32];
    const int i = threadIdx.x; at[i] = rounds * (i & 3);
    unsigned v = 0;
    while (at[i] != 0) { at[i] = at[i] - 1; v++; }
    out[i] = v;
}
extern "C" __global__ void nested(unsigned *out, int rounds) {
    __shared__ volatile unsigned at[32];
    const int i = threadIdx.x;
    unsigned v = 0;
#pragma unroll 1
    for (int j = 0; j < 3; j++) {
        at[i] = i & 1 ? rounds : 0;
        while (at[i] != 0) { at[i] = at[i] - 1; v++; }
        out[32 * j + i] = v;
    }
}
extern "C" __global__ void all_lanes(unsigned *out, int rounds) {
    __shared__ volatile unsigned at[32];
    const int i = threadIdx.x; at[i] = rounds * i;
    unsigned v = 0;
    while (at[i] != 0) { at[i] = at[i] - 1; v++; }
    out[i] = v;
}
extern "C" __global__ void global_two(unsigned *out, int rounds) {
    volatile unsigned *at = out + 128;
    const int i = threadIdx.x; at[i] = i & 1 ? rounds : 0;
    unsigned v = 0;
    while (at[i] != 0) { at[i] = at[i] - 1; v++; }
    out[i] = v;
}
extern "C" __global__ void atomic_two(unsigned *out, int rounds) {
    __shared__ unsigned at[32];
    const int i = threadIdx.x; at[i] = i & 1 ? rounds : 0;
    unsigned v = 0;
    while (atomicSub(&at[i], 1) < 0x80000000u) v++;
    out[i] = v;
}
extern "C" __global__ void lock(unsigned *out, int rounds) {
    unsigned *l = out + 128;
    const int i = threadIdx.x;
    for (int k = 0; k < rounds; k++) {
        while (atomicCAS(l, 0, 1) != 0) ;
        out[0] += 1;
        __threadfence();
        atomicExch(l, 0);
    }
    out[i + 1] = 1;
}
extern "C" __global__ void one_far(unsigned *out, int rounds) {
    __shared__ volatile unsigned at[32];
    const int i = threadIdx.x; at[i] = i == 31 ? rounds : i == 7 ? rounds / 2 : 0;
    unsigned v = 0;
    while (at[i] != 0) { at[i] = at[i] - 1; v++; }
    out[i] = v;
}
