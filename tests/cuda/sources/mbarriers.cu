// What instructions on an mbarrier leave of it, and what they say.

typedef unsigned u32;
typedef unsigned long long u64;

// one thread does what a list says, and notes after each the mbarrier's 64 bits, the state that it was given, which
// parity is complete, and how many arrivals that state lacked
extern "C" __global__ void script(const int* what, const u32* how, int n, u32 count, u64* held, u64* states, u32* says,
                                  u32* pending) {
    __shared__ __align__(8) u64 bar;
    u32 b = __cvta_generic_to_shared(&bar);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(count) : "memory");
    for (int k = 0; k < n; k++) {
        u64 state = 0;
        u32 x = how[k], even, odd, since, left;
        switch (what[k]) {
        case 0: asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(b) : "memory"); break;
        case 1: asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(b), "r"(x) : "memory"); break;
        case 2: asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(b), "r"(x) : "memory"); break;
        case 3: asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(b) : "memory"); break;
        case 4: asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(b), "r"(x) : "memory"); break;
        case 5: asm volatile("mbarrier.arrive_drop.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(b), "r"(x) : "memory"); break;
        case 6: asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(x) : "memory"); break;
        case 7: asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(x) : "memory"); break;
        }
        asm volatile("ld.shared.u64 %0, [%1];" : "=l"(held[k]) : "r"(b) : "memory");
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(even) : "r"(b) : "memory");
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 1; selp.u32 %0, 1, 0, p; }" : "=r"(odd) : "r"(b) : "memory");
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(since) : "r"(b), "l"(state) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(state));
        states[k] = state;
        says[k] = even | odd << 1 | since << 2;
        pending[k] = left;
    }
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(b) : "memory");
}

// all threads arrive with one that waits with a limit of time; how many lanes saw it complete
extern "C" __global__ void meet(u32* out, u32 limit) {
    __shared__ __align__(8) u64 bar;
    u32 b = __cvta_generic_to_shared(&bar), done;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(blockDim.x) : "memory");
    __syncthreads();
    u64 state;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(b) : "memory");
    asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(b), "l"(state), "r"(limit) : "memory");
    out[threadIdx.x] = done;
}

// copies past the registers, of which an mbarrier hears: one arrival for each thread, or a byte that is expected
extern "C" __global__ void after_copies(const u32* in, u32* out, int noinc) {
    __shared__ __align__(8) u64 bar;
    __shared__ __align__(16) u32 box[512];
    u32 b = __cvta_generic_to_shared(&bar), s = __cvta_generic_to_shared(box);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(blockDim.x) : "memory");
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s + threadIdx.x * 16), "l"(in + threadIdx.x * 4) : "memory");
    if (noinc) asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(b) : "memory");
    else {
        asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(b) : "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory");
    }
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(b) : "memory");
    for (int i = threadIdx.x; i < 4 * blockDim.x; i += blockDim.x) out[i] = box[i];
}

// lanes of one warp wait for each other: who brings what the others wait for comes after them
extern "C" __global__ void divided(u32* out) {
    __shared__ __align__(8) u64 bars[2];
    u32 a = __cvta_generic_to_shared(bars), b = a + 8;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 16;" ::"r"(a) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 16;" ::"r"(b) : "memory");
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        asm volatile("{ .reg .pred p; A: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra A; }" ::"r"(a) : "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory");
        out[threadIdx.x] = 1;
    } else {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(a) : "memory");
        asm volatile("{ .reg .pred p; B: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra B; }" ::"r"(b) : "memory");
        out[threadIdx.x] = 2;
    }
}

// wrong in one way or another
extern "C" __global__ void wrong(u32* out, int how) {
    __shared__ __align__(16) u64 bar[2];
    u32 b = __cvta_generic_to_shared(bar);
    if (how != 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(b) : "memory");
    if (how == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b + 8) : "memory");
    if (how == 1) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 3;" ::"r"(b) : "memory");
    if (how == 2) asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(1 << 20) : "memory");
    if (how == 3) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b + 4) : "memory");
    if (how == 4) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b + (1 << 20)) : "memory");
    if (how == 5) asm volatile("{ .reg .pred p; N: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra N; }" ::"r"(b) : "memory");
    if (how == 6) asm volatile("mbarrier.inval.shared::cta.b64 [%0];\nmbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory");
    out[0] = 1;
}
