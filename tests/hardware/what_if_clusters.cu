// What blocks of a cluster of four take for one another: barriers, loads, stores, atomics, arrivals, copies to all four.
typedef unsigned long long u64;

__device__ unsigned here(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ unsigned there(const void *p, unsigned rank) {
    unsigned found;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(found) : "r"(here(p)), "r"(rank));
    return found;
}

__device__ void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ void wait(u64 *bar, unsigned parity) {
    asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(here(bar)), "r"(parity) : "memory");
}

extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster(const uint4 *x, unsigned *y) {
    __shared__ uint4 own[128];
    __shared__ unsigned total;
    __shared__ u64 came, brought;
    __shared__ alignas(128) uint4 box[64];
    unsigned rank = blockIdx.x % 4, t = threadIdx.x, sum = 0;
    own[t] = make_uint4(t, t, t, t);
    if (t == 0) {
        total = 0;
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(here(&came)) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(here(&brought)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    for (int k = 0; k < 4; k++) meet();
    unsigned from = there(own + t, rank ^ 2);
    for (int k = 0; k < 16; k++) {  // each address follows from what the load before gave
        uint4 v;
        asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(from + (sum & 0)) : "memory");
        sum += v.x + v.y + v.z + v.w;
        from += sum >> 31;
    }
    meet();
    for (int k = 0; k < 16; k++)
        asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(there(own + (t ^ k), rank ^ 2)), "r"(sum + k)
                     : "memory");
    for (int k = 0; k < 8; k++) {
        unsigned old;
        asm volatile("atom.shared::cluster.or.b32 %0, [%1], %2;" : "=r"(old) : "r"(there(&total, rank ^ 2)), "r"(sum & 1)
                     : "memory");
        sum += old;
    }
    for (int k = 0; k < 4; k++) {
        asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(there(&came, rank ^ 2)) : "memory");
        wait(&came, k & 1);
    }
    for (int k = 0; k < 4; k++) {
        if (t == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(here(&brought)) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                         "256, [%2], %3;" ::"r"(here(box + 16 * rank)), "l"(x + 16 * rank), "r"(here(&brought)),
                         "h"((unsigned short)15) : "memory");
        }
        wait(&brought, k & 1);
    }
    meet();
    y[blockIdx.x * 128 + t] = sum + box[t & 63].x + own[t].x;
}
