// What lanes tell one another: shuffles, votes, matches, reductions, cooperative groups, barriers.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void exchanges(const int *a, const double *d, int *out, unsigned *masks) {
    int t = threadIdx.x, v = a[t];
    int r = __shfl_sync(~0u, v, 3) + __shfl_up_sync(~0u, v, 1) + __shfl_down_sync(~0u, v, 2, 8) + __shfl_xor_sync(~0u, v, t & 16);
    r += (int)__shfl_xor_sync(~0u, d[t], 4) + __shfl_sync(0xFFFF, v, v, 16);
    int inside;
    asm volatile("{.reg .pred p; shfl.sync.down.b32 %0|p, %2, 3, 31, -1; selp.b32 %1, 1, 0, p;}" : "=r"(v), "=r"(inside) : "r"(v));
    unsigned m = __ballot_sync(~0u, v > 3) ^ __activemask();
    if (__all_sync(~0u, v != 7)) r += 3;
    if (__any_sync(~0u, v == 9)) r += 5;
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.uni.pred p, p, -1; selp.b32 %0, 1, 0, p;}" : "=r"(inside) : "r"(r));
    m += __match_any_sync(~0u, v) + __match_any_sync(~0u, d[t] > 1 ? 1ll : 2ll);
    int same;
    m += __match_all_sync(~0u, r, &same);
#if __CUDA_ARCH__ >= 800
    r += __reduce_add_sync(~0u, v) + __reduce_min_sync(~0u, v) + (int)__reduce_max_sync(~0u, m);
    m ^= __reduce_and_sync(~0u, m) + __reduce_or_sync(~0u, m) + __reduce_xor_sync(~0u, m) + __reduce_add_sync(~0u, m);
#endif
    unsigned lanes;
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes));
    masks[t] = m + lanes + same;
    out[t] = r + inside;
}

extern "C" __global__ void divergent(const int *a, int *out) {
    int t = threadIdx.x, v = a[t];
    if (v & 1) {
        __syncwarp(__activemask());
        v += __shfl_xor_sync(__activemask(), v, 2);
    } else if (v > 10) {
        while (v > 3) v = v / 2 + (t & 1);
        if (v == 2) return;
    }
    __syncwarp();
    for (int k = 0; k < v; k++) {
        if (k * t > 100) break;
        if ((k ^ t) & 4) continue;
        v -= a[k];
    }
    out[t] = v;
}

extern "C" __global__ void barriers(const int *a, int *out) {
    int t = threadIdx.x;
    int n = __syncthreads_count(a[t] > 3) + __syncthreads_and(a[t] != 0) + __syncthreads_or(a[t] == 9);
    asm volatile("bar.sync 1, 64;");
    asm volatile("bar.arrive 2, 128;");
    asm volatile("bar.sync 2, 128;");
    asm volatile("bar.sync %0, %1;" ::"r"(a[0]), "r"(a[1]));
    asm volatile("barrier.sync 3;");
    out[t] = n;
}

extern "C" __global__ void groups(const int *a, int *out, float *f) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(block);
    int v = a[block.thread_rank()];
    v += cg::reduce(warp, v, cg::plus<int>()) + tile.shfl_down(v, 1) + (int)tile.ballot(v > 2) + cg::reduce(tile, v, cg::less<int>());
    f[block.thread_rank()] = cg::reduce(warp, f[block.thread_rank()], cg::plus<float>());
    if (v > 3) {
        auto active = cg::coalesced_threads();
        v += active.thread_rank() + active.shfl(v, 0);
        if (active.thread_rank() == 0) atomicAdd(out + 1000, (int)active.size());
    }
    block.sync();
    out[block.thread_rank()] = v + warp.meta_group_rank();
}

extern "C" __global__ void whereabouts(unsigned *out, long long *clock) {
    unsigned r[11];
    asm volatile("mov.u32 %0, %%smid;" : "=r"(r[0]));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(r[1]));
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r[2]));
    asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(r[3]));
    asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(r[4]));
    asm volatile("mov.u32 %0, %%clock;" : "=r"(r[5]));
    asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(r[6]));
    asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(r[7]));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(r[8]));
    asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(r[9]));
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(r[10]));
    long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    unsigned sum = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.y + blockIdx.x * gridDim.y + blockIdx.y
        + blockIdx.z * gridDim.z + gridDim.x + blockDim.z;
    for (int k = 0; k < 11; k++) out[k * 1024 + threadIdx.x] = r[k] + sum;
    clock[threadIdx.x] = clock64() + time;
}
