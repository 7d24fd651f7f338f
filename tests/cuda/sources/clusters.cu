// What blocks of a cluster have to do with one another, an instruction or two a kernel.

typedef unsigned long long u64;
struct alignas(64) Map { u64 words[16]; };

__device__ __forceinline__ unsigned here(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ unsigned there(const void* p, unsigned rank) {
    unsigned found;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(found) : "r"(here(p)), "r"(rank));
    return found;
}

__device__ __forceinline__ void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ unsigned rank() {
    unsigned found;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(found));
    return found;
}

__device__ __forceinline__ unsigned blocks() {
    unsigned found;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(found));
    return found;
}

__device__ __forceinline__ unsigned linear() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }

__device__ __forceinline__ void init(u64* bar, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(here(bar)), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void publish() {
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void expect(u64* bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(here(bar)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void wait(u64* bar, unsigned parity) {
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(here(bar)),
                 "r"(parity) : "memory");
}

// ---------------------------------------------------------------- who is who

#define SAY(name)                                                                                                      \
    {                                                                                                                  \
        unsigned found;                                                                                                \
        asm volatile("mov.u32 %0, %%" #name ";" : "=r"(found));                                                        \
        out[k++] = found;                                                                                              \
    }

__device__ void say(unsigned* out) {
    int k = linear() * 16;
    SAY(clusterid.x) SAY(clusterid.y) SAY(clusterid.z) SAY(nclusterid.x) SAY(nclusterid.y) SAY(nclusterid.z)
    SAY(cluster_ctaid.x) SAY(cluster_ctaid.y) SAY(cluster_ctaid.z)
    SAY(cluster_nctaid.x) SAY(cluster_nctaid.y) SAY(cluster_nctaid.z) SAY(cluster_ctarank) SAY(cluster_nctarank)
    unsigned is;
    asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(is));
    out[k++] = is;
    SAY(smid)
}
extern "C" __global__ void who(unsigned* out) { say(out); }
extern "C" __global__ void __cluster_dims__(2, 3, 1) who_six(unsigned* out) { say(out); }

// ---------------------------------------------------------------- the barrier, loads, stores, atomics

// Each block has its own numbers; out: those of the next block of the cluster.
template <typename T>
__device__ void next_ones(T* out) {
    __shared__ T own[64];
    own[threadIdx.x] = static_cast<T>(1000 * linear() + 3 * threadIdx.x);
    meet();
    T* other;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(other) : "l"(own), "r"((rank() + 1) % blocks()));
    out[64 * linear() + threadIdx.x] = other[threadIdx.x];
    meet();
}
extern "C" __global__ void load_bytes(unsigned char* out) { next_ones(out); }
extern "C" __global__ void load_shorts(short* out) { next_ones(out); }
extern "C" __global__ void load_words(unsigned* out) { next_ones(out); }
extern "C" __global__ void load_doubles(double* out) { next_ones(out); }

extern "C" __global__ void load_fours(uint4* out) {
    __shared__ uint4 own[64];
    unsigned k = 1000 * linear() + threadIdx.x;
    own[threadIdx.x] = make_uint4(k, k + 1, k + 2, k + 3);
    meet();
    uint4 found;
    unsigned from = there(own + threadIdx.x, (rank() + 1) % blocks());
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(found.x), "=r"(found.y), "=r"(found.z), "=r"(found.w) : "r"(from) : "memory");
    out[64 * linear() + threadIdx.x] = found;
    meet();
}

// Lanes go to different blocks: lane i to block i % blocks, some of them its own.
extern "C" __global__ void scatter(unsigned* out) {
    __shared__ unsigned own[1024];
    for (unsigned k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    meet();
    unsigned to = there(own + 64 * rank() + threadIdx.x, threadIdx.x % blocks());
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(to), "r"(100 * linear() + threadIdx.x + 1) : "memory");
    meet();
    for (unsigned k = threadIdx.x; k < 1024; k += blockDim.x) out[1024 * linear() + k] = own[k];
}

// All threads of the cluster add to the words of block 0, and take tickets there.
extern "C" __global__ void add(unsigned* out, unsigned* tickets) {
    __shared__ unsigned own[4];
    if (threadIdx.x < 4) own[threadIdx.x] = threadIdx.x == 2 ? 0xffffffff : 0;
    meet();
    unsigned old;
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(old) : "r"(there(own, 0)) : "memory");
    tickets[linear() * blockDim.x + threadIdx.x] = old;
    asm volatile("red.shared::cluster.max.u32 [%0], %1;" ::"r"(there(own + 1, 0)), "r"(100 * rank() + threadIdx.x)
                 : "memory");
    asm volatile("atom.shared::cluster.cas.b32 %0, [%1], 0xffffffff, %2;"
                 : "=r"(old) : "r"(there(own + 2, 0)), "r"(rank()) : "memory");
    asm volatile("atom.shared::cluster.exch.b32 %0, [%1], %2;" : "=r"(old) : "r"(there(own + 3, 0)), "r"(7) : "memory");
    meet();
    if (rank() == 0 && threadIdx.x < 4) out[4 * (linear() / blocks()) + threadIdx.x] = own[threadIdx.x];
}

// Two halves of the next block of the cluster at a time: what they were, and what they are.
#define ADD_HALVES(TYPE)                                                                                               \
    extern "C" __global__ void add_##TYPE(unsigned* out, const unsigned* in) {                                         \
        __shared__ unsigned own[32];                                                                                   \
        own[threadIdx.x] = in[threadIdx.x] + linear();                                                                 \
        meet();                                                                                                        \
        unsigned old, to = there(own + threadIdx.x, (rank() + 1) % blocks());                                          \
        asm volatile("atom.shared::cluster.add.noftz." #TYPE " %0, [%1], %2;"                                          \
                     : "=r"(old) : "r"(to), "r"(in[32 + threadIdx.x]) : "memory");                                     \
        meet();                                                                                                        \
        out[64 * linear() + threadIdx.x] = old;                                                                        \
        out[64 * linear() + 32 + threadIdx.x] = own[threadIdx.x];                                                      \
    }
ADD_HALVES(f16x2)
ADD_HALVES(bf16x2)

// Addresses as numbers.
extern "C" __global__ void addresses(unsigned* out) {
    __shared__ unsigned own[4];
    own[threadIdx.x & 3] = 1;
    unsigned found, *k = out + 4 * linear();
    u64 generic;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(own), "r"((rank() + 1) % blocks()));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(found) : "l"(generic));
    k[0] = found;
    asm volatile("{.reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(found) : "l"(generic));
    k[1] = found;
    asm volatile("{.reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(found) : "l"(generic));
    k[2] = found;
    asm volatile("{.reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(found) : "l"(own));
    k[3] = found;
    meet();
}

// Lanes of a warp come to the barrier on two ways.
extern "C" __global__ void diverged(unsigned* out) {
    __shared__ unsigned own[32];
    own[threadIdx.x] = linear();
    if (threadIdx.x & 1) {
        asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
    } else {
        own[threadIdx.x] += 100;
        asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
    }
    unsigned found;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(found) : "r"(there(own + threadIdx.x, rank() ^ 1)) : "memory");
    out[32 * linear() + threadIdx.x] = found;
    meet();
}

// Some warps leave before the barrier, which then waits for the others alone.
extern "C" __global__ void leaving(unsigned* out) {
    if (threadIdx.x / 32 % 2 == linear() % 2) return;
    meet();
    out[linear() * blockDim.x + threadIdx.x] = 1;
    meet();
    out[linear() * blockDim.x + threadIdx.x] += 1;
}

// Arrives, does something else, and waits.
extern "C" __global__ void between(unsigned* out, unsigned rounds) {
    __shared__ unsigned own[2];
    for (unsigned k = 0; k < rounds; k++) {
        if (threadIdx.x == 0) own[k & 1] = 10 * k + rank();
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        unsigned mine = own[k & 1] * 0;
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
        unsigned found;
        asm volatile("ld.shared::cluster.u32 %0, [%1];"
                     : "=r"(found) : "r"(there(own + (k & 1), (rank() + 1) % blocks())) : "memory");
        if (threadIdx.x == 0) out[rounds * linear() + k] = found + mine;
    }
    meet();
}

// ---------------------------------------------------------------- mbarriers of other blocks

// A token goes round the blocks of a cluster, each of which adds to it.
extern "C" __global__ void token(unsigned* out, unsigned rounds) {
    __shared__ u64 bar;
    __shared__ unsigned value;
    if (threadIdx.x == 0) init(&bar, 1);
    if (threadIdx.x == 0) value = 0;
    publish();
    meet();
    if (threadIdx.x == 0) {
        unsigned next = (rank() + 1) % blocks();
        for (unsigned k = 0; k < rounds; k++) {
            if (rank() || k) wait(&bar, (rank() ? k : k - 1) & 1);
            unsigned sum = value + rank() + 1;
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there(&value, next)), "r"(sum) : "memory");
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there(&bar, next))
                         : "memory");
        }
        if (rank() == 0) wait(&bar, (rounds - 1) & 1);
        if (rank() == 0) out[linear() / blocks()] = value;
    }
    meet();
}

// Every block stores to every other asynchronously; whoever has got all of it goes on.
extern "C" __global__ void store_async(unsigned* out) {
    __shared__ u64 bar;
    __shared__ alignas(16) unsigned got[16 * 32], sums[32];
    sums[threadIdx.x] = 5;
    if (threadIdx.x == 0) init(&bar, 1);
    publish();
    meet();
    if (threadIdx.x == 0) expect(&bar, blocks() * 32 * 8);
    for (unsigned k = 0; k < blocks(); k++) {
        unsigned to = there(got + 32 * rank() + threadIdx.x, k), sum = there(sums + threadIdx.x, k), tell = there(&bar, k);
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
                     "r"(1000 * rank() + threadIdx.x), "r"(tell) : "memory");
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
                         sum), "r"(rank() + 1), "r"(tell) : "memory");
    }
    wait(&bar, 0);
    for (unsigned k = 0; k < blocks(); k++) out[(16 * linear() + k) * 32 + threadIdx.x] = got[32 * k + threadIdx.x];
    out[(16 * linear() + 15) * 32 + threadIdx.x] = sums[threadIdx.x];
    meet();
}

// The same by vectors of four words and pairs.
extern "C" __global__ void store_wide(uint4* out, u64* pairs) {
    __shared__ u64 bar;
    __shared__ alignas(16) uint4 got[32];
    __shared__ u64 two[32];
    two[threadIdx.x] = 1ull << 40;
    if (threadIdx.x == 0) init(&bar, 1);
    publish();
    meet();
    if (threadIdx.x == 0) expect(&bar, 32 * 24);
    unsigned other = (rank() + 1) % blocks(), v = 100 * rank() + threadIdx.x;
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %1, %2}, [%3];" ::"r"(
                     there(got + threadIdx.x, other)), "r"(v), "r"(v + 1), "r"(there(&bar, other)) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(
                     there(two + threadIdx.x, other)), "l"((u64)v << 32), "r"(there(&bar, other)) : "memory");
    wait(&bar, 0);
    out[32 * linear() + threadIdx.x] = got[threadIdx.x];
    pairs[32 * linear() + threadIdx.x] = two[threadIdx.x];
    meet();
}

// ---------------------------------------------------------------- copies between blocks, and to several of them

// Bulk copies from shared memory of one block to that of the next, and reductions there.
extern "C" __global__ void pass_on(unsigned* out, int reduce) {
    __shared__ u64 bar;
    __shared__ alignas(128) unsigned own[256], got[256];
    for (unsigned k = threadIdx.x; k < 256; k += 32) own[k] = 1000 * linear() + k, got[k] = 7;
    if (threadIdx.x == 0) init(&bar, 1);
    publish();
    meet();
    if (threadIdx.x == 0) {
        expect(&bar, 1024);
        unsigned next = (rank() + 1) % blocks();
        if (reduce)
            asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], "
                         "1024, [%2];" ::"r"(there(got, next)), "r"(here(own)), "r"(there(&bar, next)) : "memory");
        else
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];"
                         ::"r"(there(got, next)), "r"(here(own)), "r"(there(&bar, next)) : "memory");
    }
    wait(&bar, 0);
    for (unsigned k = threadIdx.x; k < 256; k += 32) out[256 * linear() + k] = got[k];
    meet();
}

// Each block brings a piece of memory to the blocks of a mask.
extern "C" __global__ void multicast(unsigned* out, const unsigned* in, unsigned short mask) {
    __shared__ u64 bar;
    __shared__ alignas(128) unsigned got[16 * 64];
    for (unsigned k = threadIdx.x; k < 16 * 64; k += 32) got[k] = 0;
    if (threadIdx.x == 0) init(&bar, 1);
    publish();
    meet();
    if (threadIdx.x == 0) {
        expect(&bar, mask >> rank() & 1 ? 256 * blocks() : 0);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, "
                     "[%2], %3;" ::"r"(here(got + 64 * rank())), "l"(in + 64 * linear()), "r"(here(&bar)), "h"(mask)
                     : "memory");
    }
    wait(&bar, 0);
    for (unsigned k = threadIdx.x; k < 16 * 64; k += 32) out[16 * 64 * linear() + k] = got[k];
    meet();
}

// A box of a tensor for all blocks, each of which brings its rows.
extern "C" __global__ void multicast_box(const __grid_constant__ Map map, unsigned* out) {
    __shared__ u64 bar;
    __shared__ alignas(1024) unsigned got[8 * 8 * 32];
    if (threadIdx.x == 0) init(&bar, 1);
    publish();
    meet();
    if (threadIdx.x == 0) {
        expect(&bar, 1024 * blocks());
        unsigned short all = (1 << blocks()) - 1;
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(here(got + 256 * rank())), "l"(&map), "r"(0),
                     "r"(8 * rank()), "r"(here(&bar)), "h"(all) : "memory");
    }
    wait(&bar, 0);
    for (unsigned k = threadIdx.x; k < 256 * blocks(); k += 32) out[256 * blocks() * linear() + k] = got[k];
    meet();
}

// Depends on the launch before, if there is one.
extern "C" __global__ void dependent(unsigned* out) {
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

// ---------------------------------------------------------------- what may not be

extern "C" __global__ void reads_the_gone(unsigned* out) {
    __shared__ unsigned own[32];
    own[threadIdx.x] = 1;
    meet();
    if (rank() == 1) return;
    for (unsigned k = 0; k < 2000; k++) asm volatile("nanosleep.u32 20;");
    unsigned found;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(found) : "r"(there(own, 1)) : "memory");
    out[threadIdx.x] = found;
}

extern "C" __global__ void no_such_block(unsigned* out) {
    __shared__ unsigned own[32];
    own[threadIdx.x] = 1;
    meet();
    unsigned found;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(found) : "r"(there(own, blocks() + 3)) : "memory");
    out[threadIdx.x] = found;
    meet();
}

extern "C" __global__ void never_arrives(unsigned* out) {
    __shared__ u64 bar;
    if (threadIdx.x == 0) init(&bar, 1);
    __syncthreads();
    if (rank() == 1) wait(&bar, 0);
    meet();
    out[threadIdx.x] = 1;
}

extern "C" __global__ void too_few(unsigned* out) {
    if (rank() == 1 && threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
    meet();
    out[threadIdx.x] = 1;
}

extern "C" __global__ void arrives_twice(unsigned* out) {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void waits_alone(unsigned* out) {
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void no_mbarrier(unsigned* out) {
    __shared__ u64 bar;
    bar = 0;
    meet();
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(there(&bar, rank() ^ 1)) : "memory");
    out[threadIdx.x] = 1;
    meet();
}
