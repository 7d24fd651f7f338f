// Which requests of bulk copies become one L2 read: chosen SMs of one GPC copy the same pieces or boxes at known times.
//
// A cluster of 16 blocks lies on SMs of one GPC; each finds the clock of its SM at a common instant by the global timer.
// Every `step`-th block copies, up to so many; copies for two go to the block that follows, too.  A block notes how long
// its copies took, on average and at most (latency[2 b], latency[2 b + 1]).  `warm`: the last block reads the pieces first.
#include "asynchronous.cuh"

typedef long long ll;
constexpr int BLOCKS = 16, BOX_ROWS = 128, BOX_COLUMNS = 64, BOXES_IN_ROW = 64;
constexpr ll LATER = 48000;  // cycles
constexpr double CYCLES_OF_NANOSECOND = 1.98;
constexpr int EDGES = 400;  // of the timer, by which a clock is found

extern __shared__ char memory[];
__device__ __forceinline__ u32 room() { return (place(memory) + 1023) & ~1023u; }
__device__ __forceinline__ ll timer() {
    ll t;
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(t));
    return t;
}
__device__ __forceinline__ void all() {
    asm volatile("barrier.cluster.arrive.aligned;barrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ void touch(const char* g, u32 bytes) {
    for (u32 i = threadIdx.x * 32; i < bytes; i += 1024) {
        u32 v;
        asm volatile("ld.global.cg.b32 %0,[%1];" : "=r"(v) : "l"(g + i));
        if (v == 0x7fffffff) asm volatile("trap;");
    }
}

// The i-th piece of so many bytes, or box of 128 rows of 128 bytes that lie 8192 bytes apart.
template <bool OF_BOXES, bool FOR_TWO>
__device__ __forceinline__ void load(const TensorMap* map, const char* g, u32 to, u32 bytes, int i, u32 barrier,
                                     unsigned short blocks) {
    const int x = i % BOXES_IN_ROW * BOX_COLUMNS, y = i / BOXES_IN_ROW * BOX_ROWS;
    if (!OF_BOXES && !FOR_TWO)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(to),
                     "l"(g + (size_t)i * bytes), "r"(bytes), "r"(barrier) : "memory");
    if (!OF_BOXES && FOR_TWO)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0],[%1],%2,[%3],%4;" ::"r"(to), "l"(g + (size_t)i * bytes), "r"(bytes), "r"(barrier),
                     "h"(blocks) : "memory");
    if (OF_BOXES && !FOR_TWO)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[%0],[%1,{%2,%3}],[%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
    if (OF_BOXES && FOR_TWO)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%0],[%1,{%2,%3}],[%4],%5;" ::"r"(to), "l"(map), "r"(x), "r"(y),
                     "r"(barrier), "h"(blocks) : "memory");
}

template <bool OF_BOXES, bool FOR_TWO>
__device__ __forceinline__ void run(const TensorMap* map, const char* g, int n, int period, int step, int roles,
                                    const int* delays, u32 bytes, int warm, ll* latency) {
    __shared__ ll start;
    __shared__ u64 barrier;
    unsigned r;
    asm volatile("mov.u32 %0,%%cluster_ctarank;" : "=r"(r));
    const int k = r % step == 0 && r / step < roles ? r / step : -1;
    const unsigned first = r & ~1u;
    const bool receives = k >= 0 || (FOR_TWO && first % step == 0 && first / step < roles);
    if (threadIdx.x == 0) {
        begin_barrier(place(&barrier), 1);
        publish_barriers();
    }
    if (warm && r == BLOCKS - 1) touch(g, n * bytes);
    all();
    if (threadIdx.x == 0 && r == 0) start = ((timer() >> 13) + 2) << 13;
    all();
    ll t;
    {
        u32 a = place(&start), b;
        asm volatile("mapa.shared::cluster.u32 %0,%1,0;" : "=r"(b) : "r"(a));
        asm volatile("ld.shared::cluster.u64 %0,[%1];" : "=l"(t) : "r"(b));
    }
    all();
    while (timer() < t);
    ll c0 = 1ll << 62, last = timer();
    for (int e = 0; e < EDGES;) {
        ll x = timer(), c = clock64();
        if (x != last) {
            last = x;
            ++e;
            ll z = c - (ll)((x - t) * CYCLES_OF_NANOSECOND);
            c0 = z < c0 ? z : c0;
        }
    }
    ll sum = 0, most = 0, begin = c0 + LATER;
    if (elected() && receives)
        for (int i = 0; i < n; i++) {
            expect(place(&barrier), bytes);
            while (clock64() < begin + (ll)i * period + (k >= 0 ? delays[k] : 0));
            ll a = clock64();
            if (k >= 0)
                load<OF_BOXES, FOR_TWO>(map, g, room(), bytes, i, place(&barrier), (unsigned short)(3u << first));
            wait(place(&barrier), i & 1);
            ll l = clock64() - a;
            sum += l;
            most = l > most ? l : most;
        }
    if (threadIdx.x == 0) latency[2 * r] = n ? sum / n : 0, latency[2 * r + 1] = most;
    all();
}

#define RUN(NAME, OF_BOXES, FOR_TWO)                                                                               \
    extern "C" __global__ void __cluster_dims__(16) __launch_bounds__(32)                                          \
        NAME(const __grid_constant__ TensorMap map, const char* g, int n, int period, int step, int roles,         \
             const int* delays, u32 bytes, int warm, ll* latency) {                                                \
        run<OF_BOXES, FOR_TWO>(&map, g, n, period, step, roles, delays, bytes, warm, latency);                     \
    }
RUN(pieces, false, false)
RUN(pieces_for_two, false, true)
RUN(boxes, true, false)
RUN(boxes_for_two, true, true)
