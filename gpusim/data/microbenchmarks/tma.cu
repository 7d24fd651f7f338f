// Bulk copies and copies of boxes: how long one takes, how many bytes come in a cycle, by size, rows and dimensions.
//
// One thread of a block issues and waits, and notes the clock before and after (out[2 b], out[2 b + 1] of block b).
// Groups of pieces follow one another, a group of each block in turn; they begin again after `mask` bytes.  Groups of boxes
// lie so along the outermost dimension, `step` apart.  Dynamic shared memory holds 64 KiB and what aligns them.
#include "asynchronous.cuh"

constexpr u32 ROOM = 1 << 16, ALIGNED = 1024;

extern __shared__ char memory[];

__device__ __forceinline__ u32 room() { return (place(memory) + ALIGNED - 1) & ~(ALIGNED - 1); }

// ---------------------------------------------------------------- what is copied

// A stretch of memory.
struct Piece {
    static constexpr bool boxes = false;
    char* at;
    u32 bytes, mask;
    __device__ __forceinline__ u32 apart() const { return bytes; }
    __device__ __forceinline__ void load(u32 to, u32 here, u32 barrier) const {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(to),
                     "l"(at + here), "r"(bytes), "r"(barrier) : "memory");
    }
    __device__ __forceinline__ void store(u32 from, u32 here) const {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" ::"l"(at + here), "r"(from), "r"(bytes)
                     : "memory");
    }
    __device__ __forceinline__ void fetch(u32 here) const {
        asm volatile("cp.async.bulk.prefetch.L2.global [%0],%1;" ::"l"(at + here), "r"(bytes) : "memory");
    }
};
#define ADDING(NAME, HOW)                                                                                            \
    struct NAME : Piece {                                                                                            \
        __device__ __forceinline__ void store(u32 from, u32 here) const {                                            \
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." HOW " [%0],[%1],%2;" ::"l"(at + here), \
                         "r"(from), "r"(bytes) : "memory");                                                          \
        }                                                                                                            \
    };
ADDING(AddU32, "add.u32")
ADDING(AddU64, "add.u64")
ADDING(AddF32, "add.f32")
ADDING(AddF16, "add.noftz.f16")

// A box of a tensor of so many dimensions.
template <int DIMENSIONS>
struct Box {};
#define AT_1 "{%2}"
#define AT_2 "{%4,%2}"
#define AT_3 "{%4,%4,%2}"
#define AT_4 "{%4,%4,%4,%2}"
#define AT_5 "{%4,%4,%4,%4,%2}"
#define BOX(D)                                                                                                       \
    template <>                                                                                                      \
    struct Box<D> {                                                                                                  \
        const TensorMap* map;                                                                                        \
        u32 bytes, mask, step;                                                                                       \
        __device__ __forceinline__ u32 apart() const { return step; }                                                \
        __device__ __forceinline__ void load(u32 to, u32 here, u32 barrier) const {                                  \
            asm volatile("cp.async.bulk.tensor." #D "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "    \
                         "[%0],[%1," AT_##D "],[%3];" ::"r"(to), "l"(map), "r"(here), "r"(barrier), "r"(0) : "memory"); \
        }                                                                                                            \
        __device__ __forceinline__ void store(u32 from, u32 here) const {                                            \
            asm volatile("cp.async.bulk.tensor." #D "d.global.shared::cta.tile.bulk_group [%1," AT_##D "],[%0];"     \
                         ::"r"(from), "l"(map), "r"(here), "r"(0), "r"(0) : "memory");                               \
        }                                                                                                            \
        __device__ __forceinline__ void fetch(u32 here) const {                                                      \
            asm volatile("cp.async.bulk.prefetch.tensor." #D "d.L2.global.tile [%1," AT_##D "];"                     \
                         ::"r"(0), "l"(map), "r"(here), "r"(0), "r"(0) : "memory");                                  \
        }                                                                                                            \
    };
BOX(1)
BOX(2)
BOX(3)
BOX(4)
BOX(5)
struct AddBox : Box<2> {
    __device__ __forceinline__ void store(u32 from, u32 here) const {
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0,{%1,%2}],[%3];" ::"l"(
                         map), "r"(0), "r"(here), "r"(from) : "memory");
    }
};

// ---------------------------------------------------------------- what is timed

// Where a block's first group of so many begins, and the one after another.
template <int GROUP = 1, class C>
__device__ __forceinline__ u32 first(const C& c) {
    return blockIdx.x * GROUP * c.apart() & c.mask;
}
template <int GROUP = 1, class C>
__device__ __forceinline__ u32 next(const C& c, u32 here) {
    return (here + gridDim.x * GROUP * c.apart()) & c.mask;
}

__device__ __forceinline__ void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int LEFT>
__device__ __forceinline__ void wait_until_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}
template <int LEFT>
__device__ __forceinline__ void wait_until_done() {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(LEFT) : "memory");
}
__device__ __forceinline__ void tell(clock_type* out, clock_type begin, clock_type end) {
    out[2 * blockIdx.x] = begin;
    out[2 * blockIdx.x + 1] = end;
}

// Load after load, each waited for.
template <class C>
__device__ __forceinline__ void load_alone(const C& c, int rounds, clock_type* out) {
    __shared__ u64 barrier;
    if (!elected()) return;
    const u32 full = place(&barrier), to = room();
    begin_barrier(full, 1);
    publish_barriers();
    u32 here = first(c);
    clock_type begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        expect(full, c.bytes);
        c.load(to, here, full);
        here = next(c, here);
        wait(full, r & 1);
    }
    tell(out, begin, now());
}

// PIECES loads a barrier, DEEP barriers in turn.
template <int PIECES, int DEEP, class C>
__device__ __forceinline__ void load_ring(const C& c, int rounds, clock_type* out) {
    __shared__ u64 barriers[DEEP];
    if (!elected()) return;
    const u32 full = place(barriers), to = room(), all = PIECES * c.bytes;
    for (int s = 0; s < DEEP; s++) begin_barrier(full + 8 * s, 1);
    publish_barriers();
    u32 here = first<PIECES>(c), parity = 0;
    auto issue = [&](int s) {
        expect(full + 8 * s, all);
#pragma unroll
        for (int p = 0; p < PIECES; p++)
            c.load(to + (p * c.bytes & (ROOM - 1)), here + p * c.apart(), full + 8 * s);
        here = next<PIECES>(c, here);
    };
#pragma unroll
    for (int s = 0; s < DEEP; s++) issue(s);
    clock_type begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int s = 0; s < DEEP; s++) {
            wait(full + 8 * s, parity);
            issue(s);
        }
        parity ^= 1;
    }
    clock_type end = now();
#pragma unroll
    for (int s = 0; s < DEEP; s++) wait(full + 8 * s, parity);
    tell(out, begin, end);
}

// How long the warp itself is held by PIECES loads in a row; they are over before the next.
template <int PIECES, class C>
__device__ __forceinline__ void issue_loads(const C& c, int rounds, clock_type* out) {
    __shared__ u64 barrier;
    if (!elected()) return;
    const u32 full = place(&barrier), to = room();
    begin_barrier(full, 1);
    publish_barriers();
    u32 here = first<PIECES>(c);
    clock_type spent = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        expect(full, PIECES * c.bytes);
        clock_type begin = now();
#pragma unroll
        for (int p = 0; p < PIECES; p++) c.load(to + (p * c.bytes & (ROOM - 1)), here + p * c.apart(), full);
        spent += now() - begin;
        here = next<PIECES>(c, here);
        wait(full, r & 1);
    }
    tell(out, 0, spent);
}

// Store after store: until each was read, or is done; or PIECES a group of which LEFT are not waited for.
template <int PIECES, int LEFT, bool DONE, class C>
__device__ __forceinline__ void stores(const C& c, int rounds, clock_type* out) {
    const u32 from = room();
    for (u32 i = threadIdx.x; i < ROOM / 4; i += blockDim.x)
        asm volatile("st.shared.b32 [%0],%1;" ::"r"(from + 4 * i), "r"(0) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (!elected()) return;
    u32 here = first<PIECES>(c);
    clock_type begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int p = 0; p < PIECES; p++) c.store(from + (p * c.bytes & (ROOM - 1)), here + p * c.apart());
        here = next<PIECES>(c, here);
        commit();
        if (DONE)
            wait_until_done<LEFT>();
        else
            wait_until_read<LEFT>();
    }
    clock_type end = now();
    wait_until_done<0>();
    tell(out, begin, end);
}

// How often a thread has L2 fetch.
template <int PIECES, class C>
__device__ __forceinline__ void fetches(const C& c, int rounds, clock_type* out) {
    if (!elected()) return;
    u32 here = first<PIECES>(c);
    clock_type begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int p = 0; p < PIECES; p++) c.fetch(here + p * c.apart());
        here = next<PIECES>(c, here);
    }
    tell(out, begin, now());
}

// Loads one by one of what was fetched AHEAD loads before.
template <int AHEAD, class C>
__device__ __forceinline__ void load_fetched(const C& c, int rounds, clock_type* out) {
    __shared__ u64 barrier;
    if (!elected()) return;
    const u32 full = place(&barrier), to = room();
    begin_barrier(full, 1);
    publish_barriers();
    u32 here = first(c), ahead = here;
    for (int k = 0; k < AHEAD; k++) {
        c.fetch(ahead);
        ahead = next(c, ahead);
    }
    clock_type begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        expect(full, c.bytes);
        c.load(to, here, full);
        c.fetch(ahead);
        here = next(c, here);
        ahead = next(c, ahead);
        wait(full, r & 1);
    }
    tell(out, begin, now());
}

#define OF_PIECES(NAME, COPY, ...)                                                                                   \
    extern "C" __global__ void NAME(int rounds, u32 bytes, u32 mask, char* at, clock_type* out) {                    \
        COPY c;                                                                                                      \
        c.at = at, c.bytes = bytes, c.mask = mask;                                                                   \
        __VA_ARGS__(c, rounds, out);                                                                                 \
    }
#define OF_BOXES(NAME, COPY, ...)                                                                                    \
    extern "C" __global__ void NAME(const __grid_constant__ TensorMap map, int rounds, u32 bytes, u32 mask, u32 step, \
                                    clock_type* out) {                                                               \
        COPY c;                                                                                                      \
        c.map = &map, c.bytes = bytes, c.mask = mask, c.step = step;                                                 \
        __VA_ARGS__(c, rounds, out);                                                                                 \
    }

OF_PIECES(piece_load, Piece, load_alone)
OF_PIECES(piece_load_fetched, Piece, load_fetched<8>)
OF_PIECES(piece_issue_1, Piece, issue_loads<1>)
OF_PIECES(piece_issue_8, Piece, issue_loads<8>)
OF_PIECES(piece_ring_1x1, Piece, load_ring<1, 1>)
OF_PIECES(piece_ring_1x2, Piece, load_ring<1, 2>)
OF_PIECES(piece_ring_1x4, Piece, load_ring<1, 4>)
OF_PIECES(piece_ring_1x8, Piece, load_ring<1, 8>)
OF_PIECES(piece_ring_4x4, Piece, load_ring<4, 4>)
OF_PIECES(piece_ring_8x8, Piece, load_ring<8, 8>)
OF_PIECES(piece_store_read, Piece, stores<1, 0, false>)
OF_PIECES(piece_store_done, Piece, stores<1, 0, true>)
OF_PIECES(piece_stores_4, Piece, stores<4, 3, false>)
OF_PIECES(piece_add_u32, AddU32, stores<1, 0, true>)
OF_PIECES(piece_adds_u32_4, AddU32, stores<4, 3, false>)
OF_PIECES(piece_adds_u64_4, AddU64, stores<4, 3, false>)
OF_PIECES(piece_adds_f32_4, AddF32, stores<4, 3, false>)
OF_PIECES(piece_adds_f16_4, AddF16, stores<4, 3, false>)
OF_PIECES(piece_fetch, Piece, fetches<8>)

OF_BOXES(box_load_1d, Box<1>, load_alone)
OF_BOXES(box_load_2d, Box<2>, load_alone)
OF_BOXES(box_load_3d, Box<3>, load_alone)
OF_BOXES(box_load_4d, Box<4>, load_alone)
OF_BOXES(box_load_5d, Box<5>, load_alone)
OF_BOXES(box_load_fetched, Box<2>, load_fetched<8>)
OF_BOXES(box_issue_1, Box<2>, issue_loads<1>)
OF_BOXES(box_issue_8, Box<2>, issue_loads<8>)
OF_BOXES(box_ring_1d_4x4, Box<1>, load_ring<4, 4>)
OF_BOXES(box_ring_1x1, Box<2>, load_ring<1, 1>)
OF_BOXES(box_ring_1x2, Box<2>, load_ring<1, 2>)
OF_BOXES(box_ring_1x4, Box<2>, load_ring<1, 4>)
OF_BOXES(box_ring_1x8, Box<2>, load_ring<1, 8>)
OF_BOXES(box_ring_4x4, Box<2>, load_ring<4, 4>)
OF_BOXES(box_ring_8x8, Box<2>, load_ring<8, 8>)
OF_BOXES(box_ring_3d_4x4, Box<3>, load_ring<4, 4>)
OF_BOXES(box_ring_4d_4x4, Box<4>, load_ring<4, 4>)
OF_BOXES(box_ring_5d_4x4, Box<5>, load_ring<4, 4>)
OF_BOXES(box_store_read, Box<2>, stores<1, 0, false>)
OF_BOXES(box_store_done, Box<2>, stores<1, 0, true>)
OF_BOXES(box_store_done_1d, Box<1>, stores<1, 0, true>)
OF_BOXES(box_store_done_3d, Box<3>, stores<1, 0, true>)
OF_BOXES(box_store_done_4d, Box<4>, stores<1, 0, true>)
OF_BOXES(box_store_done_5d, Box<5>, stores<1, 0, true>)
OF_BOXES(box_stores_4, Box<2>, stores<4, 3, false>)
OF_BOXES(box_add, AddBox, stores<1, 0, true>)
OF_BOXES(box_adds_4, AddBox, stores<4, 3, false>)
OF_BOXES(box_fetch, Box<2>, fetches<8>)
