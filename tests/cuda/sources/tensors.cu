// Boxes of tensors of one to five dimensions, to shared memory and back, and bulk copies: what copies leave is written out.

typedef unsigned u32;
typedef unsigned long long u64;
struct __align__(64) Map { u64 words[16]; };

#define SHARED                                                                                                          \
    __shared__ __align__(8) u64 bar;                                                                                    \
    extern __shared__ __align__(1024) u32 box[];                                                                        \
    u32 b = __cvta_generic_to_shared(&bar), s = __cvta_generic_to_shared(box);                                          \
    (void)b;

__device__ void expect(u32 b, int bytes) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes) : "memory");
}

__device__ void wait(u32 b) {
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(b) : "memory");
}

__device__ void done() {
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ void give(u32* to, const u32* from, int words) {
    for (int i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
}

#define BOXES(N, AT2, AT1, ...)                                                                                         \
    extern "C" __global__ void load##N(const __grid_constant__ Map m, u32* out, int x0, int x1, int x2, int x3, int x4, \
                                       int words, int bytes) {                                                          \
        SHARED if (threadIdx.x == 0) {                                                                                  \
            expect(b, bytes);                                                                                           \
            asm volatile("cp.async.bulk.tensor." #N "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"        \
                         " [%0], [%1, {" AT2 "}], [%2];" ::"r"(s), "l"(&m), "r"(b), __VA_ARGS__ : "memory");            \
        }                                                                                                               \
        __syncthreads();                                                                                                \
        wait(b);                                                                                                        \
        give(out, box, words);                                                                                          \
    }                                                                                                                   \
    extern "C" __global__ void store##N(const __grid_constant__ Map m, const u32* in, int x0, int x1, int x2, int x3,   \
                                        int x4, int words) {                                                            \
        SHARED give(box, in, words);                                                                                    \
        asm volatile("fence.proxy.async.shared::cta;");                                                                 \
        __syncthreads();                                                                                                \
        if (threadIdx.x == 0) {                                                                                         \
            asm volatile("cp.async.bulk.tensor." #N "d.global.shared::cta.tile.bulk_group"                              \
                         " [%0, {" AT1 "}], [%1];" ::"l"(&m), "r"(s), __VA_ARGS__ : "memory");                          \
            done();                                                                                                     \
        }                                                                                                               \
    }

BOXES(1, "%3", "%2", "r"(x0))
BOXES(2, "%3,%4", "%2,%3", "r"(x0), "r"(x1))
BOXES(3, "%3,%4,%5", "%2,%3,%4", "r"(x0), "r"(x1), "r"(x2))
BOXES(4, "%3,%4,%5,%6", "%2,%3,%4,%5", "r"(x0), "r"(x1), "r"(x2), "r"(x3))
BOXES(5, "%3,%4,%5,%6,%7", "%2,%3,%4,%5,%6", "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(x4))

#define REDUCE(OP)                                                                                                      \
    extern "C" __global__ void reduce_##OP(const __grid_constant__ Map m, const u32* in, int x0, int x1, int words) {   \
        SHARED give(box, in, words);                                                                                    \
        asm volatile("fence.proxy.async.shared::cta;");                                                                 \
        __syncthreads();                                                                                                \
        if (threadIdx.x == 0) {                                                                                         \
            asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." #OP ".tile.bulk_group"                    \
                         " [%0, {%1,%2}], [%3];" ::"l"(&m), "r"(x0), "r"(x1), "r"(s) : "memory");                       \
            done();                                                                                                     \
        }                                                                                                               \
    }

REDUCE(add)
REDUCE(min)
REDUCE(max)
REDUCE(inc)
REDUCE(dec)
REDUCE(and)
REDUCE(or)
REDUCE(xor)

#define BULK(NAME, KIND)                                                                                                \
    extern "C" __global__ void bulk_##NAME(u32* to, const u32* in, int words) {                                         \
        SHARED give(box, in, words);                                                                                    \
        asm volatile("fence.proxy.async.shared::cta;");                                                                 \
        __syncthreads();                                                                                                \
        if (threadIdx.x == 0) {                                                                                         \
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." KIND " [%0], [%1], %2;" ::"l"(to),       \
                         "r"(s), "r"(4 * words) : "memory");                                                            \
            done();                                                                                                     \
        }                                                                                                               \
    }                                                                                                                   \

BULK(add_u32, "add.u32")
BULK(add_u64, "add.u64")
BULK(add_f16, "add.noftz.f16")
BULK(add_bf16, "add.noftz.bf16")
BULK(add_f32, "add.f32")
BULK(add_f64, "add.f64")
BULK(min_s32, "min.s32")
BULK(max_s64, "max.s64")
BULK(min_f16, "min.f16")
BULK(max_f16, "max.f16")
BULK(min_bf16, "min.bf16")
BULK(max_bf16, "max.bf16")
BULK(inc_u32, "inc.u32")
BULK(dec_u32, "dec.u32")
BULK(xor_b64, "xor.b64")

// both halves of what is copied in: one by a bulk copy from global memory, one by a bulk copy of that in shared memory,
// to which it then is added as integers
extern "C" __global__ void bulk_within(const u32* in, u32* out, int words) {
    SHARED u32 bytes = 4 * words;
    if (threadIdx.x == 0) {
        expect(b, bytes);
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(s),
                     "l"(in), "r"(bytes), "r"(b) : "memory");
        wait(b);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(2 * bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         s + bytes), "r"(s), "r"(bytes), "r"(b) : "memory");
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32"
                     " [%0], [%1], %2, [%3];" ::"r"(s + bytes), "r"(s), "r"(bytes), "r"(b) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; V: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 1; @!p bra V; }" ::"r"(b) : "memory");
    give(out, box, 2 * words);
}

// a box whose map lies in global memory
extern "C" __global__ void by_pointer(const Map* m, u32* out, int words) {
    SHARED if (threadIdx.x == 0) {
        expect(b, 4 * words);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %2}], [%3];" ::"r"(s), "l"(m), "r"(0), "r"(b) : "memory");
    }
    __syncthreads();
    wait(b);
    give(out, box, words);
}

// every third lane copies the 16 bytes that are its own, by instructions that a warp has once
extern "C" __global__ void divergent(const u32* in, u32* out) {
    SHARED if (threadIdx.x == 0) expect(b, 11 * 16);
    for (int i = 0; i < 4; i++) box[4 * threadIdx.x + i] = 7;
    asm volatile("fence.proxy.async.shared::cta;");
    __syncthreads();
    if (threadIdx.x % 3 == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(
                         s + threadIdx.x * 16), "l"(in + threadIdx.x * 4), "r"(b) : "memory");
    wait(b);
    __syncthreads();
    give(out, box, 128);
}

// two stages: one lane of the last warp brings pieces, the other warps take them in turns
extern "C" __global__ void pipeline(const u32* in, u32* out, int pieces) {
    __shared__ __align__(8) u64 bars[4];
    extern __shared__ __align__(1024) u32 box[];
    u32 full = __cvta_generic_to_shared(bars), empty = full + 16, s = __cvta_generic_to_shared(box);
    int consumers = blockDim.x - 32, first = blockIdx.x * pieces;
    if (threadIdx.x == 0) {
        for (int k = 0; k < 2; k++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * k));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(empty + 8 * k), "r"(consumers));
        }
        asm volatile("fence.proxy.async.shared::cta;");
    }
    __syncthreads();
    if (threadIdx.x >= consumers) {
        u32 chosen;
        asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(chosen));
        if (chosen)
            for (int k = 0; k < pieces; k++) {
                u32 f = full + 8 * (k & 1), e = empty + 8 * (k & 1), parity = (k >> 1 & 1) ^ 1;
                asm volatile("{ .reg .pred p; E: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra E; }" ::"r"(e),
                             "r"(parity) : "memory");
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 2048;" ::"r"(f) : "memory");
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 2048, [%2];" ::"r"(
                                 s + 2048 * (k & 1)), "l"(in + (first + k) * 512), "r"(f) : "memory");
            }
        return;
    }
    for (int k = 0; k < pieces; k++) {
        u32 f = full + 8 * (k & 1), e = empty + 8 * (k & 1), parity = k >> 1 & 1;
        asm volatile("{ .reg .pred p; F: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra F; }" ::"r"(f),
                     "r"(parity) : "memory");
        for (int i = threadIdx.x; i < 512; i += consumers) out[(first + k) * 512 + i] = box[512 * (k & 1) + i] + 1;
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(e) : "memory");
    }
}
