// --grid 4 --block 32 --arg y=zeros:4
// Both blocks of a cluster write the same word of the first one's shared memory.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) wrong(int* y) {
    __shared__ int sum;
    auto cluster = cg::this_cluster();
    cluster.sync();
    if (threadIdx.x == 0) *cluster.map_shared_rank(&sum, 0) = blockIdx.x + 1;  // here: race-WAW-shared-blocks
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0) y[blockIdx.x] = sum;
}

__global__ void __cluster_dims__(2, 1, 1) right(int* y) {
    __shared__ int sum;
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) sum = 0;
    cluster.sync();
    if (threadIdx.x == 0) atomicAdd(cluster.map_shared_rank(&sum, 0), blockIdx.x + 1);
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0) y[blockIdx.x] = sum;
}
