// A kernel for each kind of instruction that came with Hopper (sm_90a): what does Nsight Compute take it for?
//
// Every kernel repeats its instruction 8 times.  `data` holds small integers, `out` a word a thread; `map` cuts a
// matrix of 64 x 64 words into boxes of 16 rows and 32 columns.

#include "../../../kernels/hopper.cuh"

using namespace hopper;

#define KERNEL(name) extern "C" __global__ void name(unsigned* data, unsigned* out)
#define MAPPED(name)                                                                                                   \
    extern "C" __global__ void name(unsigned* data, unsigned* out, const __grid_constant__ TensorMap map)
#define THREAD const unsigned t = threadIdx.x, k = blockIdx.x * blockDim.x + t
#define MANY _Pragma("unroll") for (unsigned i = 0; i < 8; ++i)
#define ASM asm volatile

// ---------------------------------------------------------------- mbarriers

// Of 64 arrivals, eight of them; the first thread has made them.
#define BARRIERS(arrivals)                                                                                             \
    __shared__ u64 barriers[8];                                                                                        \
    if (threadIdx.x == 0) MANY init(barriers + i, arrivals);                                                           \
    __syncthreads()

KERNEL(mbarrier_init) {
    THREAD; __shared__ u64 barriers[8];
    if (t == 0) MANY init(barriers + i, 64);
    out[k] = k;
}
KERNEL(mbarrier_arrive) {
    THREAD; BARRIERS(64);
    MANY arrive(barriers + i);
    out[k] = k;
}
KERNEL(mbarrier_arrive_state) {
    THREAD; BARRIERS(64); u64 sum = 0;
    MANY { u64 state; ASM("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(barriers + i)) : "memory"); sum += state >> 63; }
    out[k] = sum;
}
KERNEL(mbarrier_arrive_one) {
    THREAD; BARRIERS(1);
    if (t == 0) MANY arrive(barriers + i);
    out[k] = k;
}
KERNEL(mbarrier_arrive_no_complete) {
    THREAD; BARRIERS(128);
    MANY { u64 state; ASM("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], 1;" : "=l"(state) : "r"(shared_address(barriers + i)) : "memory"); }
    out[k] = k;
}
KERNEL(mbarrier_arrive_drop) {
    THREAD; BARRIERS(128);
    MANY ASM("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(shared_address(barriers + i)) : "memory");
    out[k] = k;
}
KERNEL(mbarrier_expect) {
    THREAD; BARRIERS(2);
    if (t == 0) MANY expect(barriers + i, 64);
    out[k] = k;
}
KERNEL(mbarrier_expect_and_complete) {
    THREAD; BARRIERS(1);
    if (t == 0) MANY {
        ASM("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(shared_address(barriers + i)) : "memory");
        ASM("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(shared_address(barriers + i)) : "memory");
    }
    out[k] = k;
}
KERNEL(mbarrier_test_wait) {
    THREAD; BARRIERS(1); unsigned sum = 0;
    if (t == 0) MANY arrive(barriers + i);
    __syncthreads();
    MANY { unsigned done; ASM("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(shared_address(barriers + i)) : "memory"); sum += done; }
    out[k] = sum;
}
KERNEL(mbarrier_wait_done) {
    THREAD; BARRIERS(1);
    if (t == 0) MANY arrive(barriers + i);
    __syncthreads();
    MANY wait(barriers + i, 0);
    out[k] = k;
}
KERNEL(mbarrier_pending_count) {
    THREAD; BARRIERS(64); unsigned sum = 0;
    MANY { u64 state; ASM("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(barriers + i)) : "memory");
           unsigned n; ASM("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(state)); sum += n > 64; }
    out[k] = sum;
}
KERNEL(mbarrier_inval) {
    THREAD; BARRIERS(1);
    if (t == 0) MANY ASM("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barriers + i)) : "memory");
    out[k] = k;
}

// ---------------------------------------------------------------- fences, barriers among other instructions, elections

KERNEL(fence_async_shared) {
    THREAD;
    MANY publish_shared();
    out[k] = k;
}
KERNEL(fence_async) {
    THREAD;
    MANY ASM("fence.proxy.async;" ::: "memory");
    out[k] = k;
}
KERNEL(fence_async_global) {
    THREAD;
    MANY ASM("fence.proxy.async.global;" ::: "memory");
    out[k] = k;
}
KERNEL(fence_mbarrier_init) {
    THREAD;
    MANY ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
    out[k] = k;
}
KERNEL(fence_cluster) {
    THREAD;
    MANY ASM("fence.acq_rel.cluster;" ::: "memory");
    out[k] = k;
}
KERNEL(fence_block) {
    THREAD;
    MANY __threadfence_block();
    out[k] = k;
}
KERNEL(fence_gpu) {
    THREAD;
    MANY __threadfence();
    out[k] = k;
}
KERNEL(barrier_after_store) {
    THREAD; __shared__ unsigned s[512];
    MANY { ASM("st.shared.u32 [%0], %1;" ::"r"(shared_address(s + t + i * 64)), "r"(k) : "memory"); __syncthreads(); }
    out[k] = k;
}
KERNEL(barrier_after_load) {
    THREAD; unsigned sum = 0;
    MANY { unsigned v; ASM("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(data + k + i * 128)); sum += v; __syncthreads(); }
    out[k] = sum;
}
KERNEL(barrier_after_arithmetic) {
    THREAD; float x = k;
    MANY { for (int j = 0; j < 64; j++) ASM("fma.rn.f32 %0, %0, 0f3F800001, 0f3F800000;" : "+f"(x)); __syncthreads(); }
    out[k] = x;
}
KERNEL(barrier_after_shuffle) {
    THREAD; unsigned v = k;
    MANY { v += __shfl_xor_sync(~0u, v, i + 1); __syncthreads(); }
    out[k] = v;
}
KERNEL(barrier_after_arrival) {
    THREAD; BARRIERS(64);
    MANY { arrive(barriers + i); __syncthreads(); }
    out[k] = k;
}
KERNEL(barrier_after_fence) {
    THREAD;
    MANY { publish_shared(); __syncthreads(); }
    out[k] = k;
}
KERNEL(barrier_after_store_of_one) {
    THREAD; __shared__ unsigned s[512];
    MANY { if (t < 32) ASM("st.shared.u32 [%0], %1;" ::"r"(shared_address(s + t + i * 64)), "r"(k) : "memory"); __syncthreads(); }
    out[k] = k;
}
KERNEL(barriers_twice_after_store) {
    THREAD; __shared__ unsigned s[512];
    MANY { ASM("st.shared.u32 [%0], %1;" ::"r"(shared_address(s + t + i * 64)), "r"(k) : "memory"); __syncthreads(); __syncthreads(); }
    out[k] = k;
}
KERNEL(elect) {
    THREAD; unsigned sum = 0;
    MANY { unsigned mine; ASM("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(mine)); sum += mine; }
    out[k] = sum;
}
extern "C" __global__ void __launch_bounds__(128) registers_given_and_taken(unsigned* data, unsigned* out) {
    THREAD;
    MANY { give_registers<24>(); take_registers<64>(); }
    out[k] = k;
}

// ---------------------------------------------------------------- bulk copies

#define PLACE(words)                                                                                                   \
    alignas(128) __shared__ unsigned place[words];                                                                     \
    BARRIERS(1)

template <int BYTES>
__device__ __forceinline__ void load_bulk(unsigned* data, unsigned* out) {
    THREAD; PLACE(8 * BYTES / 4);
    if (t == 0) {
        publish_barriers();
        MANY {
            expect(barriers + i, BYTES);
            ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(place) + i * BYTES), "l"((char*)data + (blockIdx.x * 8 + i) * BYTES), "n"(BYTES), "r"(shared_address(barriers + i)) : "memory");
        }
    }
    MANY wait(barriers + i, 0);
    out[k] = place[t % (8 * BYTES / 4)];
}
KERNEL(bulk_load_16) { load_bulk<16>(data, out); }
KERNEL(bulk_load_48) { load_bulk<48>(data, out); }
KERNEL(bulk_load_128) { load_bulk<128>(data, out); }
KERNEL(bulk_load_1024) { load_bulk<1024>(data, out); }

template <int BYTES, bool ADD>
__device__ __forceinline__ void store_bulk(unsigned* data, unsigned* out) {
    THREAD; alignas(128) __shared__ unsigned place[8 * BYTES / 4];
    for (int j = t; j < 8 * BYTES / 4; j += 64) place[j] = j;
    publish_shared();
    __syncthreads();
    if (t == 0) {
        MANY {
            if (ADD) ASM("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"((char*)data + (blockIdx.x * 8 + i) * BYTES), "r"(shared_address(place) + i * BYTES), "n"(BYTES) : "memory");
            else ASM("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"((char*)data + (blockIdx.x * 8 + i) * BYTES), "r"(shared_address(place) + i * BYTES), "n"(BYTES) : "memory");
            commit_stores();
        }
        wait_for_stores();
    }
    out[k] = k;
}
KERNEL(bulk_store_16) { store_bulk<16, false>(data, out); }
KERNEL(bulk_store_128) { store_bulk<128, false>(data, out); }
KERNEL(bulk_store_1024) { store_bulk<1024, false>(data, out); }
KERNEL(bulk_reduce_16) { store_bulk<16, true>(data, out); }
KERNEL(bulk_reduce_1024) { store_bulk<1024, true>(data, out); }
KERNEL(bulk_prefetch) {
    THREAD;
    if (t == 0) MANY ASM("cp.async.bulk.prefetch.L2.global [%0], 256;" ::"l"((char*)data + (blockIdx.x * 8 + i) * 256) : "memory");
    out[k] = k;
}

// ---------------------------------------------------------------- boxes

enum : int { BOX = 16 * 32 };  // words

__device__ __forceinline__ void boxes(const TensorMap* map, unsigned* out, int step, int from) {
    THREAD; PLACE(8 * BOX);
    if (t == 0) {
        publish_barriers();
        MANY {
            expect(barriers + i, BOX * 4);
            load_box(place + i * BOX, map, from + step * (i % 2), (i / 2) * 16, barriers + i);
        }
    }
    MANY wait(barriers + i, 0);
    out[k] = place[t];
}
MAPPED(box_load) { boxes(&map, out, 32, 0); }
MAPPED(box_load_shifted) { boxes(&map, out, 16, 8); }
MAPPED(box_load_beyond) { boxes(&map, out, 32, 40); }
MAPPED(box_load_of_nothing) { boxes(&map, out, 32, 64); }
MAPPED(box_store) {
    THREAD; alignas(128) __shared__ unsigned place[BOX];
    for (int j = t; j < BOX; j += 64) place[j] = j;
    publish_shared();
    __syncthreads();
    if (t == 0) {
        MANY { store_box(place, &map, 32 * (i % 2), i / 2 * 16); commit_stores(); }
        wait_for_stores();
    }
    out[k] = k;
}
MAPPED(box_store_beyond) {
    THREAD; alignas(128) __shared__ unsigned place[BOX];
    for (int j = t; j < BOX; j += 64) place[j] = j;
    publish_shared();
    __syncthreads();
    if (t == 0) {
        MANY { store_box(place, &map, 40 + 8 * (i % 2), i / 2 * 16); commit_stores(); }
        wait_for_stores();
    }
    out[k] = k;
}
MAPPED(box_reduce) {
    THREAD; alignas(128) __shared__ unsigned place[BOX];
    for (int j = t; j < BOX; j += 64) place[j] = j;
    publish_shared();
    __syncthreads();
    if (t == 0) {
        MANY {
            ASM("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(32 * (i % 2)), "r"(i / 2 * 16), "r"(shared_address(place)) : "memory");
            commit_stores();
        }
        wait_for_stores();
    }
    out[k] = k;
}
MAPPED(box_prefetch) {
    THREAD;
    if (t == 0) MANY ASM("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(32 * (i % 2)), "r"(i / 2 * 16) : "memory");
    out[k] = k;
}
MAPPED(map_prefetch) {
    THREAD;
    if (t == 0) MANY prefetch(&map);
    out[k] = k;
}

// ---------------------------------------------------------------- products of a warpgroup, 128 threads

#define PRODUCTS(name, body)                                                                                           \
    extern "C" __global__ void __launch_bounds__(128) name(unsigned* data, unsigned* out) {                            \
        alignas(1024) __shared__ char tiles[8192 + 32768];                                                             \
        for (int j = threadIdx.x; j < sizeof(tiles) / 4; j += 128) reinterpret_cast<unsigned*>(tiles)[j] = 0;         \
        publish_shared();                                                                                              \
        __syncthreads();                                                                                               \
        const void* const a = tiles; const void* const b = tiles + 8192;                                              \
        THREAD; float d[128] = {};                                                                                     \
        begin_products();                                                                                              \
        MANY { body; }                                                                                                 \
        commit_products();                                                                                             \
        wait_for_products<0>();                                                                                        \
        float sum = 0;                                                                                                 \
        for (int j = 0; j < 128; j++) sum += d[j];                                                                     \
        out[k] = sum;                                                                                                  \
    }

#define R4(d) "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define T32                                                                                                            \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "  \
    "%24, %25, %26, %27, %28, %29, %30, %31}"

// N = 64 of any type, with what follows the scales; `layout` is that of the descriptors.
#define WIDE(kind, rest, layout)                                                                                       \
    ASM("wgmma.mma_async.sync.aligned." kind " " T32 ", %32, %33, 1" rest ";" : HOPPER_R32(d, 0) : "l"(layout(a)), "l"(layout(b)))
#define FROM_REGISTERS(kind, rest)                                                                                     \
    ASM("wgmma.mma_async.sync.aligned." kind " " T32 ", {%32, %33, %34, %35}, %36, 1" rest ";" : HOPPER_R32(d, 0) : "r"(k), "r"(k), "r"(k), "r"(k), "l"(rows_of_128(b)))

// Rows of 64, 32 and 16 bytes, eight of which follow one another; the last are not swizzled.
__device__ __forceinline__ u64 rows_of_64(const void* tile) {
    return (shared_address(tile) & 0x3ffff) >> 4 | 1ull << 16 | (512ull >> 4) << 32 | 2ull << 62;
}
__device__ __forceinline__ u64 rows_of_32(const void* tile) {
    return (shared_address(tile) & 0x3ffff) >> 4 | 1ull << 16 | (256ull >> 4) << 32 | 3ull << 62;
}
__device__ __forceinline__ u64 rows_of_16(const void* tile) {
    return (shared_address(tile) & 0x3ffff) >> 4 | (1024ull >> 4) << 16 | (128ull >> 4) << 32;
}
__device__ __forceinline__ u64 columns(const void* tile) { return columns_of_128(tile, 2048); }

PRODUCTS(wgmma_8, ASM("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : R4(d) : "l"(rows_of_128(a)), "l"(rows_of_128(b))))
PRODUCTS(wgmma_64, WIDE("m64n64k16.f32.f16.f16", ", 1, 1, 0, 0", rows_of_128))
PRODUCTS(wgmma_64_rows_of_64, WIDE("m64n64k16.f32.f16.f16", ", 1, 1, 0, 0", rows_of_64))
PRODUCTS(wgmma_64_rows_of_32, WIDE("m64n64k16.f32.f16.f16", ", 1, 1, 0, 0", rows_of_32))
PRODUCTS(wgmma_64_rows_of_16, WIDE("m64n64k16.f32.f16.f16", ", 1, 1, 0, 0", rows_of_16))
PRODUCTS(wgmma_64_columns_of_a, WIDE("m64n64k16.f32.f16.f16", ", 1, 1, 1, 0", columns))
PRODUCTS(wgmma_64_columns_of_b, WIDE("m64n64k16.f32.f16.f16", ", 1, 1, 0, 1", columns))
PRODUCTS(wgmma_64_columns, WIDE("m64n64k16.f32.f16.f16", ", 1, 1, 1, 1", columns))
PRODUCTS(wgmma_64_tf32, WIDE("m64n64k8.f32.tf32.tf32", ", 1, 1", rows_of_128))
PRODUCTS(wgmma_64_e4m3, WIDE("m64n64k32.f32.e4m3.e4m3", ", 1, 1", rows_of_128))
PRODUCTS(wgmma_64_registers, FROM_REGISTERS("m64n64k16.f32.f16.f16", ", 1, 1, 0"))
PRODUCTS(wgmma_64_registers_tf32, FROM_REGISTERS("m64n64k8.f32.tf32.tf32", ", 1, 1"))
PRODUCTS(wgmma_128, multiply(reinterpret_cast<float (&)[64]>(d), rows_of_128(a), rows_of_128(b), 1))
PRODUCTS(wgmma_256, multiply(d, rows_of_128(a), rows_of_128(b), 1))
PRODUCTS(wgmma_groups, multiply(reinterpret_cast<float (&)[64]>(d), rows_of_128(a), rows_of_128(b), 1); commit_products(); wait_for_products<1>(); begin_products())
