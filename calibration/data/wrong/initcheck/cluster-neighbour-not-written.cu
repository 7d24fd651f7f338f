// --grid 4 --block 32 --arg y=zeros:128
// The first block of a cluster fills its shared memory, the second does not, and each reads the other's.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) wrong(int* y) {
    __shared__ int own[32];
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 0) own[threadIdx.x] = threadIdx.x;
    cluster.sync();
    const int* other = cluster.map_shared_rank(own, cluster.block_rank() ^ 1);
    y[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];  // here: uninitialized-shared
    cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) right(int* y) {
    __shared__ int own[32];
    auto cluster = cg::this_cluster();
    own[threadIdx.x] = threadIdx.x;
    cluster.sync();
    const int* other = cluster.map_shared_rank(own, cluster.block_rank() ^ 1);
    y[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];
    cluster.sync();
}
