// --grid 4 --block 32 --arg y=zeros:128
// The next block of a cluster: after the last one there is none.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) wrong(int* y) {
    __shared__ int own[32];
    auto cluster = cg::this_cluster();
    own[threadIdx.x] = blockIdx.x;
    cluster.sync();
    const int* next = cluster.map_shared_rank(own, cluster.block_rank() + 1);
    y[blockIdx.x * 32 + threadIdx.x] = next[threadIdx.x];  // here: wild-pointer
    cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) right(int* y) {
    __shared__ int own[32];
    auto cluster = cg::this_cluster();
    own[threadIdx.x] = blockIdx.x;
    cluster.sync();
    const int* next = cluster.map_shared_rank(own, (cluster.block_rank() + 1) % 2);
    y[blockIdx.x * 32 + threadIdx.x] = next[threadIdx.x];
    cluster.sync();
}
