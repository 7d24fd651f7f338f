// Instructions of sm_90a by name: mbarriers, bulk copies, products of a warpgroup, clusters.
// Source: NVIDIA, PTX ISA, the sections on each of them.
#pragma once

namespace hopper {

typedef unsigned long long u64;

// How a matrix in global memory is cut into boxes; the driver makes it (cuTensorMapEncodeTiled).
struct alignas(64) TensorMap {
    u64 opaque[16];
};

__device__ __forceinline__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// ---------------------------------------------------------------- mbarriers

__device__ __forceinline__ void init(u64* barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

// Barriers that were initialised are seen by the TMA unit and by the other blocks of the cluster.
__device__ __forceinline__ void publish_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void arrive(u64* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

// At the barrier of another block of the cluster that lies where this one does.
__device__ __forceinline__ void arrive_at(u64* barrier, unsigned block) {
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
                 "}" ::"r"(shared_address(barrier)), "r"(block) : "memory");
}

// Arrives, and says how many bytes are going to.
__device__ __forceinline__ void expect(u64* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void wait(u64* barrier, unsigned parity) {
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "AGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra DONE;\n"
                 "bra AGAIN;\n"
                 "DONE:\n"
                 "}" ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}

// ---------------------------------------------------------------- boxes

__device__ __forceinline__ void prefetch(const TensorMap* map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// Loads the box that begins at column x and row y; its bytes arrive at a barrier.
__device__ __forceinline__ void load_box(void* to, const TensorMap* map, int x, int y, u64* barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)), "l"(map), "r"(x), "r"(y),
                 "r"(shared_address(barrier)) : "memory");
}

// The same into every block of the cluster whose bit is set, at the same place, and at its own barrier.
__device__ __forceinline__ void load_box_for(unsigned short blocks, void* to, const TensorMap* map, int x, int y,
                                             u64* barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)), "l"(map), "r"(x), "r"(y),
                 "r"(shared_address(barrier)), "h"(blocks) : "memory");
}

// In three dimensions.
__device__ __forceinline__ void load_box(void* to, const TensorMap* map, int x, int y, int z, u64* barrier) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(z),
                 "r"(shared_address(barrier)) : "memory");
}
__device__ __forceinline__ void store_box(const void* from, const TensorMap* map, int x, int y, int z) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map),
                 "r"(x), "r"(y), "r"(z), "r"(shared_address(from)) : "memory");
}

__device__ __forceinline__ void store_box(const void* from, const TensorMap* map, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
                 "r"(y), "r"(shared_address(from)) : "memory");
}

__device__ __forceinline__ void commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// What was stored has been read from shared memory, which may be written again.
__device__ __forceinline__ void wait_for_reads() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }

__device__ __forceinline__ void wait_for_stores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// What threads wrote to shared memory is seen by wgmma and the TMA unit.
__device__ __forceinline__ void publish_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// ---------------------------------------------------------------- products of a warpgroup

__device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

template <int UNDER_WAY>
__device__ __forceinline__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(UNDER_WAY) : "memory");
}

// A tile in rows of 128 bytes, of which eight make a swizzled kilobyte; it begins at a multiple of that, and columns of
// it at multiples of 32 bytes within.
__device__ __forceinline__ u64 rows_of_128(const void* tile) {
    const u64 address = (shared_address(tile) & 0x3ffff) >> 4, row = 16 >> 4, eight_rows = 1024 >> 4, swizzle = 1;
    return address | row << 16 | eight_rows << 32 | swizzle << 62;
}

// The same where rows are along the product's K: tiles of 64 columns follow one another after `apart` bytes.
__device__ __forceinline__ u64 columns_of_128(const void* tile, int apart) {
    const u64 address = (shared_address(tile) & 0x3ffff) >> 4, next = apart >> 4, eight_rows = 1024 >> 4, swizzle = 1;
    return address | next << 16 | eight_rows << 32 | swizzle << 62;
}

// Registers d[i] ... as operands, and how PTX names the first so many of a list.
#define HOPPER_R8(d, i)                                                                                                \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]),        \
        "+f"(d[i + 7])
#define HOPPER_R32(d, i) HOPPER_R8(d, i), HOPPER_R8(d, i + 8), HOPPER_R8(d, i + 16), HOPPER_R8(d, i + 24)
#define HOPPER_R64(d, i) HOPPER_R32(d, i), HOPPER_R32(d, i + 32)
#define HOPPER_T64                                                                                                     \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "   \
    "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "   \
    "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define HOPPER_T128                                                                                                    \
    HOPPER_T64                                                                                                         \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, " \
    "%86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, " \
    "%107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "     \
    "%125, %126, %127"

// d = a b, or d + a b where `more`: a and b of bf16 in shared memory, both along K, d of 64 x 128 or 64 x 256.
__device__ __forceinline__ void multiply(float (&d)[64], u64 a, u64 b, int more) {
    asm volatile("{\n"
                 ".reg .pred more;\n"
                 "setp.ne.b32 more, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" HOPPER_T64 "}, %64, %65, more, 1, 1, 0, 0;\n"
                 "}" : HOPPER_R64(d, 0) : "l"(a), "l"(b), "r"(more));
}
__device__ __forceinline__ void multiply(float (&d)[128], u64 a, u64 b, int more) {
    asm volatile("{\n"
                 ".reg .pred more;\n"
                 "setp.ne.b32 more, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" HOPPER_T128
                 "}, %128, %129, more, 1, 1, 0, 0;\n"
                 "}" : HOPPER_R64(d, 0), HOPPER_R64(d, 64) : "l"(a), "l"(b), "r"(more));
}

// The same of fp16, both along K.
__device__ __forceinline__ void multiply_halves(float (&d)[64], u64 a, u64 b, int more) {
    asm volatile("{\n"
                 ".reg .pred more;\n"
                 "setp.ne.b32 more, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" HOPPER_T64 "}, %64, %65, more, 1, 1, 0, 0;\n"
                 "}" : HOPPER_R64(d, 0) : "l"(a), "l"(b), "r"(more));
}
// And with a in registers, b's rows along K.
__device__ __forceinline__ void multiply_halves(float (&d)[64], const unsigned* a, u64 b, int more) {
    asm volatile("{\n"
                 ".reg .pred more;\n"
                 "setp.ne.b32 more, %69, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" HOPPER_T64
                 "}, {%64, %65, %66, %67}, %68, more, 1, 1, 1;\n"
                 "}" : HOPPER_R64(d, 0) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(more));
}

// d = a b, or d + a b where `more`: a and b of e4m3, both along K, d of 64 x 128.
__device__ __forceinline__ void multiply_octets(float (&d)[64], u64 a, u64 b, int more) {
    asm volatile("{\n"
                 ".reg .pred more;\n"
                 "setp.ne.b32 more, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {" HOPPER_T64 "}, %64, %65, more, 1, 1;\n"
                 "}" : HOPPER_R64(d, 0) : "l"(a), "l"(b), "r"(more));
}
// And with a in registers.
__device__ __forceinline__ void multiply_octets(float (&d)[64], const unsigned* a, u64 b, int more) {
    asm volatile("{\n"
                 ".reg .pred more;\n"
                 "setp.ne.b32 more, %69, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {" HOPPER_T64
                 "}, {%64, %65, %66, %67}, %68, more, 1, 1;\n"
                 "}" : HOPPER_R64(d, 0) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(more));
}

// ---------------------------------------------------------------- matrices of 8 x 8 in shared memory

// Four of them, turned: a lane gets two neighbours of a column of each.
__device__ __forceinline__ void load_matrices_turned(unsigned (&m)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3]) : "r"(from) : "memory");
}

__device__ __forceinline__ void store_matrices(unsigned to, unsigned a, unsigned b, unsigned c, unsigned d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a), "r"(b), "r"(c),
                 "r"(d) : "memory");
}

__device__ __forceinline__ unsigned as_halves(float low, float high) {
    unsigned both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

// e4m3, the first one lowest.
__device__ __forceinline__ unsigned as_octets(float a, float b, float c, float d) {
    unsigned all;
    asm("{\n"
        ".reg .b16 low, high;\n"
        "cvt.rn.satfinite.e4m3x2.f32 low, %2, %1;\n"
        "cvt.rn.satfinite.e4m3x2.f32 high, %4, %3;\n"
        "mov.b32 %0, {low, high};\n"
        "}" : "=r"(all) : "f"(a), "f"(b), "f"(c), "f"(d));
    return all;
}

__device__ __forceinline__ unsigned as_bf16(float low, float high) {
    unsigned both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

// ---------------------------------------------------------------- registers, clusters

template <int REGISTERS>
__device__ __forceinline__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

template <int REGISTERS>
__device__ __forceinline__ void give_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

__device__ __forceinline__ unsigned rank_in_cluster() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// All threads of all blocks of a cluster wait for one another.
__device__ __forceinline__ void meet_in_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Threads of a warpgroup wait for one another at a barrier of their own.
__device__ __forceinline__ void meet_in_warpgroup(int barrier) {
    asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
}

// Of two warpgroups one waits until the other has come to give way.
__device__ __forceinline__ void wait_for_turn(int barrier) {
    asm volatile("bar.sync %0, 256;" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void give_way(int barrier) { asm volatile("bar.arrive %0, 256;" ::"r"(barrier) : "memory"); }

}  // namespace hopper
