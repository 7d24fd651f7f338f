// --grid 4 --block 32 --arg y=zeros:128
// A block may end while its neighbour still reads its shared memory.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) wrong(int* y) {
    __shared__ int own[32];
    auto cluster = cg::this_cluster();
    own[threadIdx.x] = blockIdx.x + threadIdx.x;
    cluster.sync();
    const int* other = cluster.map_shared_rank(own, cluster.block_rank() ^ 1);
    y[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];  // here: cluster-exit
}

__global__ void __cluster_dims__(2, 1, 1) right(int* y) {
    __shared__ int own[32];
    auto cluster = cg::this_cluster();
    own[threadIdx.x] = blockIdx.x + threadIdx.x;
    cluster.sync();
    const int* other = cluster.map_shared_rank(own, cluster.block_rank() ^ 1);
    y[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];
    cluster.sync();
}
