// Clusters: their barrier, shared memory of another block, copies for several blocks, and on which SMs their blocks lie.
// Each warp notes the clock before and after (out[2 w], out[2 w + 1]), those of block b from place b * warps on.
// X_2, X_4, X_8: X in clusters of so many blocks.
#include "asynchronous.cuh"

constexpr u32 ROOM = 1 << 15, ALIGNED = 1024;
constexpr int WORDS = 4096;

__device__ __forceinline__ u32 rank() {
    u32 found;
    asm volatile("mov.u32 %0,%%cluster_ctarank;" : "=r"(found));
    return found;
}
// A place of this block's shared memory in that of another.
__device__ __forceinline__ u32 there(u32 here, u32 block) {
    u32 found;
    asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(found) : "r"(here), "r"(block));
    return found;
}
__device__ __forceinline__ void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ void note_of_block(clock_type* out, clock_type begin) {
    note(out + blockIdx.x * (blockDim.x / 32) * 2, begin);
}

#define IN_CLUSTER(NAME, BLOCKS, PARAMETERS, ...)                                                                    \
    extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) NAME##_##BLOCKS PARAMETERS { __VA_ARGS__ }
#define IN_CLUSTERS(NAME, PARAMETERS, ...)                                                                           \
    IN_CLUSTER(NAME, 2, PARAMETERS, constexpr int BLOCKS = 2; __VA_ARGS__)                                           \
    IN_CLUSTER(NAME, 4, PARAMETERS, constexpr int BLOCKS = 4; __VA_ARGS__)                                           \
    IN_CLUSTER(NAME, 8, PARAMETERS, constexpr int BLOCKS = 8; __VA_ARGS__)

// ---------------------------------------------------------------- the barrier of a cluster

template <bool ORDERED>
__device__ __forceinline__ void meetings(int rounds, clock_type* out) {
    meet();
    clock_type begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        if (ORDERED)
            meet();
        else
            asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    }
    note_of_block(out, begin);
    meet();
}
IN_CLUSTERS(meet_ordered, (int rounds, clock_type* out), meetings<true>(rounds, out);)
IN_CLUSTERS(meet_relaxed, (int rounds, clock_type* out), meetings<false>(rounds, out);)

// ---------------------------------------------------------------- shared memory of another block

__device__ __forceinline__ void clear(u32* words) {
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = 0;
    __syncthreads();
    meet();
}

// A chain of loads or of atomics of the block so many ranks further on; all that is loaded is 0.
template <bool ATOMICS>
__device__ __forceinline__ void chain(int blocks, int rounds, u32 further, clock_type* out, u32* sink) {
    __shared__ u32 words[WORDS];
    clear(words);
    u32 at = there(place(words + threadIdx.x), (rank() + further) % blocks);
    clock_type begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            u32 found;
            if (ATOMICS)
                asm volatile("atom.shared::cluster.add.u32 %0,[%1],0;" : "=r"(found) : "r"(at) : "memory");
            else
                asm volatile("ld.shared::cluster.u32 %0,[%1];" : "=r"(found) : "r"(at) : "memory");
            at += found;
        }
    note_of_block(out, begin);
    if (at == 12345) sink[0] = at;
    meet();
}
IN_CLUSTERS(load_chain, (int rounds, u32 further, clock_type* out, u32* sink),
            chain<false>(BLOCKS, rounds, further, out, sink);)
IN_CLUSTERS(atomic_chain, (int rounds, u32 further, clock_type* out, u32* sink),
            chain<true>(BLOCKS, rounds, further, out, sink);)

// Accesses that do not depend on one another, by the first `active` blocks of each cluster: loads and stores of 4 and 16
// bytes a lane, and additions.
template <char WHAT>
__device__ __forceinline__ void stream(int blocks, int rounds, u32 further, u32 active, clock_type* out, u32* sink) {
    __shared__ __align__(16) u32 words[WORDS];
    clear(words);
    constexpr int WIDTH = WHAT == 'L' || WHAT == 'S' ? 4 : 1;
    const u32 at = there(place(words + threadIdx.x * WIDTH % WORDS), (rank() + further) % blocks);
    u32 all = 0;
    clock_type begin = now();
    if (rank() < active) {
#pragma unroll 1
        for (int r = 0; r < rounds; r++) {
            u32 q[8][4] = {};
#pragma unroll
            for (int k = 0; k < 8; k++) {
                if (WHAT == 'l') asm volatile("ld.shared::cluster.u32 %0,[%1];" : "=r"(q[k][0]) : "r"(at) : "memory");
                if (WHAT == 'L')
                    asm volatile("ld.shared::cluster.v4.u32 {%0,%1,%2,%3},[%4];"
                                 : "=r"(q[k][0]), "=r"(q[k][1]), "=r"(q[k][2]), "=r"(q[k][3]) : "r"(at) : "memory");
                if (WHAT == 's') asm volatile("st.shared::cluster.u32 [%0],%1;" ::"r"(at), "r"(r) : "memory");
                if (WHAT == 'S')
                    asm volatile("st.shared::cluster.v4.u32 [%0],{%1,%1,%1,%1};" ::"r"(at), "r"(r) : "memory");
                if (WHAT == 'a') asm volatile("red.shared::cluster.add.u32 [%0],%1;" ::"r"(at), "r"(r) : "memory");
            }
#pragma unroll
            for (int k = 0; k < 8; k++)
                for (int i = 0; i < WIDTH; i++) all ^= q[k][i];
        }
    }
    meet();
    note_of_block(out, begin);
    if (all == 12345) sink[0] = all;
}
#define STREAM(NAME, WHAT)                                                                                           \
    IN_CLUSTERS(NAME, (int rounds, u32 further, u32 active, clock_type* out, u32* sink),                             \
                stream<WHAT>(BLOCKS, rounds, further, active, out, sink);)
STREAM(load_4, 'l')
STREAM(load_16, 'L')
STREAM(store_4, 's')
STREAM(store_16, 'S')
STREAM(add_4, 'a')

// ---------------------------------------------------------------- mbarriers of one another

// The first two blocks take turns, each at the other's mbarrier: in the order of one block, or of the cluster.
template <bool CLUSTER>
__device__ __forceinline__ void turns(int rounds, clock_type* out) {
    __shared__ u64 barriers[1];
    const u32 mine = place(barriers), other = there(mine, rank() ^ 1);
    if (threadIdx.x == 0) begin_barrier(mine, 1);
    publish_barriers();
    __syncthreads();
    meet();
    auto tell = [&]() {
        if (CLUSTER)
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%0];" ::"r"(other) : "memory");
        else
            asm volatile("mbarrier.arrive.shared::cluster.b64 _,[%0];" ::"r"(other) : "memory");
    };
    auto hear = [&](u32 parity) {
        if (CLUSTER)
            asm volatile("{\n.reg .pred over;\nAGAIN:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over,[%0],%1;"
                         "\n@over bra OVER;\nbra AGAIN;\nOVER:\n}" ::"r"(mine), "r"(parity) : "memory");
        else
            wait(mine, parity);
    };
    clock_type begin = now();
    if (threadIdx.x == 0 && rank() < 2) {
#pragma unroll 1
        for (int r = 0; r < rounds; r++) {
            if (rank() == 1) hear(r & 1);
            tell();
            if (rank() == 0) hear(r & 1);
        }
    }
    __syncwarp();
    note_of_block(out, begin);
    meet();
}
IN_CLUSTERS(turns_of_block, (int rounds, clock_type* out), turns<false>(rounds, out);)
IN_CLUSTERS(turns_of_cluster, (int rounds, clock_type* out), turns<true>(rounds, out);)

// The same by words that arrive with their bytes.
IN_CLUSTERS(turns_by_words, (int rounds, clock_type* out), {
    __shared__ u64 barriers[1];
    __shared__ u64 words[1];
    const u32 mine = place(barriers), other = there(mine, rank() ^ 1), word = there(place(words), rank() ^ 1);
    if (threadIdx.x == 0) begin_barrier(mine, 1);
    publish_barriers();
    __syncthreads();
    if (threadIdx.x == 0) expect(mine, 4);
    meet();
    clock_type begin = now();
    if (threadIdx.x == 0 && rank() < 2) {
#pragma unroll 1
        for (int r = 0; r < rounds; r++) {
            if (rank() == 1) {
                wait(mine, r & 1);
                expect(mine, 4);
            }
            asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0],%1,[%2];" ::"r"(word),
                         "r"(r), "r"(other) : "memory");
            if (rank() == 0) {
                wait(mine, r & 1);
                expect(mine, 4);
            }
        }
    }
    __syncwarp();
    note_of_block(out, begin);
    meet();
})

// ---------------------------------------------------------------- copies for several blocks

extern __shared__ char memory[];
__device__ __forceinline__ u32 room() { return (place(memory) + ALIGNED - 1) & ~(ALIGNED - 1); }
__device__ __forceinline__ void load_piece(u32 to, const char* from, u32 bytes, u32 barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(to), "l"(
                     from), "r"(bytes), "r"(barrier) : "memory");
}
__device__ __forceinline__ void load_piece_for(u32 blocks, u32 to, const char* from, u32 bytes, u32 barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0],[%1],%2,[%3],%4;" ::"r"(to), "l"(from), "r"(bytes), "r"(barrier), "h"((unsigned short)blocks)
                 : "memory");
}

// A piece at a time, after a barrier of the cluster: the first block loads it for all, or each for itself.
template <bool MULTICAST>
__device__ __forceinline__ void pieces(int blocks, int rounds, u32 bytes, u32 mask, const char* from, clock_type* out) {
    __shared__ u64 barriers[1];
    const u32 full = place(barriers), to = room();
    if (elected()) begin_barrier(full, 1);
    publish_barriers();
    __syncthreads();
    meet();
    u32 here = blockIdx.x / blocks * bytes & mask;
    clock_type begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        if (elected()) expect(full, bytes);
        __syncwarp();
        asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
        if (elected()) {
            if (!MULTICAST) load_piece(to, from + here, bytes, full);
            if (MULTICAST && rank() == 0) load_piece_for((1 << blocks) - 1, to, from + here, bytes, full);
        }
        __syncwarp();
        wait(full, r & 1);
        here = (here + gridDim.x / blocks * bytes) & mask;
    }
    note_of_block(out, begin);
    meet();
}
IN_CLUSTERS(piece_multicast, (int rounds, u32 bytes, u32 mask, const char* from, clock_type* out),
            pieces<true>(BLOCKS, rounds, bytes, mask, from, out);)
IN_CLUSTERS(piece_of_each, (int rounds, u32 bytes, u32 mask, const char* from, clock_type* out),
            pieces<false>(BLOCKS, rounds, bytes, mask, from, out);)

// A ring of four places.  Each block loads its part of a piece for all, or the whole piece for itself; it tells all that
// a place is free again, and loads into it when all have said so.
template <bool MULTICAST, int BLOCKS>
__device__ __forceinline__ void ring(int rounds, u32 bytes, u32 mask, const char* from, clock_type* out) {
    constexpr int DEEP = 4;
    __shared__ u64 barriers[2 * DEEP];
    const u32 full = place(barriers), free = full + 8 * DEEP, to = room(), mine = rank(), part = bytes / BLOCKS;
    if (elected())
        for (int s = 0; s < DEEP; s++) begin_barrier(full + 8 * s, 1), begin_barrier(free + 8 * s, MULTICAST ? BLOCKS : 1);
    publish_barriers();
    __syncthreads();
    meet();
    u32 here = blockIdx.x / BLOCKS * bytes & mask;
    auto issue = [&](int s) {
        const u32 place_of = to + (s * bytes & (ROOM - 1)), barrier = full + 8 * s;
        expect(barrier, bytes);
        if (MULTICAST)
            load_piece_for((1 << BLOCKS) - 1, place_of + mine * part, from + here + mine * part, part, barrier);
        else
            load_piece(place_of, from + here, bytes, barrier);
        here = (here + gridDim.x / BLOCKS * bytes) & mask;
    };
    clock_type begin = 0;
    if (elected()) {
        for (int s = 0; s < DEEP; s++) issue(s);
        begin = now();
        u32 parity = 0;
#pragma unroll 1
        for (int r = 0; r < rounds; r++) {
#pragma unroll
            for (int s = 0; s < DEEP; s++) {
                wait(full + 8 * s, parity);
                if (MULTICAST)
                    for (u32 b = 0; b < BLOCKS; b++)
                        asm volatile("mbarrier.arrive.shared::cluster.b64 _,[%0];" ::"r"(there(free + 8 * s, b)) : "memory");
                else
                    arrive(free + 8 * s);
                // the place before this one, which others had the time of a piece to free
                if (r > 0 || s > 0) {
                    const int before = (s + DEEP - 1) % DEEP;
                    wait(free + 8 * before, s > 0 ? parity : parity ^ 1);
                    issue(before);
                }
            }
            parity ^= 1;
        }
        out[2 * blockIdx.x] = begin;
        out[2 * blockIdx.x + 1] = now();
        for (int s = 0; s < DEEP - 1; s++) wait(full + 8 * s, parity);
    }
    __syncwarp();
    meet();
}
IN_CLUSTERS(ring_multicast, (int rounds, u32 bytes, u32 mask, const char* from, clock_type* out),
            ring<true, BLOCKS>(rounds, bytes, mask, from, out);)
IN_CLUSTERS(ring_of_each, (int rounds, u32 bytes, u32 mask, const char* from, clock_type* out),
            ring<false, BLOCKS>(rounds, bytes, mask, from, out);)

// ---------------------------------------------------------------- where blocks lie

// The SM of each block, when it began and when it ended; it stays for so many cycles.
IN_CLUSTERS(where, (int cycles, u32* sm, clock_type* out), {
    u32 found;
    asm volatile("mov.u32 %0,%%smid;" : "=r"(found));
    clock_type begin = now();
    while (now() - begin < cycles);
    if (threadIdx.x == 0) {
        sm[blockIdx.x] = found;
        out[2 * blockIdx.x] = begin;
        out[2 * blockIdx.x + 1] = now();
    }
})
