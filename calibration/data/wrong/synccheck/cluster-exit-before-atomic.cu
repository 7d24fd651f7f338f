// --grid 4 --block 32 --arg x=arange:128 --arg y=zeros:4
// A block returns at once; its neighbour adds to its shared memory later.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) wrong(const int* x, int* y) {
    __shared__ int sum;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) sum = 0;
    cluster.sync();
    if (cluster.block_rank() == 0) return;
    int late = 0;
    for (int k = 0; k < 64; ++k) late += x[(threadIdx.x + k) % 64];
    atomicAdd(cluster.map_shared_rank(&sum, 0), late);  // here: cluster-exit
    if (threadIdx.x == 0) y[blockIdx.x] = late;
}

__global__ void __cluster_dims__(2, 1, 1) right(const int* x, int* y) {
    __shared__ int sum;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) sum = 0;
    cluster.sync();
    if (cluster.block_rank() == 1) {
        int late = 0;
        for (int k = 0; k < 64; ++k) late += x[(threadIdx.x + k) % 64];
        atomicAdd(cluster.map_shared_rank(&sum, 0), late);
    }
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) y[blockIdx.x] = sum;
}
