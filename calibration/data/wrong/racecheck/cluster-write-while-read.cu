// --grid 4 --block 32 --arg y=zeros:128
// A block writes into its neighbour's shared memory while the neighbour may still read it.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) wrong(int* y) {
    __shared__ int own[32];
    auto cluster = cg::this_cluster();
    own[threadIdx.x] = blockIdx.x;
    cluster.sync();
    int before = own[threadIdx.x];  // here: race-WAR-shared-blocks
    cluster.map_shared_rank(own, cluster.block_rank() ^ 1)[threadIdx.x] = 7 + threadIdx.x;  // here: race-WAR-shared-blocks
    cluster.sync();
    y[blockIdx.x * 32 + threadIdx.x] = before + own[threadIdx.x];
}

__global__ void __cluster_dims__(2, 1, 1) right(int* y) {
    __shared__ int own[32];
    auto cluster = cg::this_cluster();
    own[threadIdx.x] = blockIdx.x;
    cluster.sync();
    int before = own[threadIdx.x];
    cluster.sync();
    cluster.map_shared_rank(own, cluster.block_rank() ^ 1)[threadIdx.x] = 7 + threadIdx.x;
    cluster.sync();
    y[blockIdx.x * 32 + threadIdx.x] = before + own[threadIdx.x];
}
