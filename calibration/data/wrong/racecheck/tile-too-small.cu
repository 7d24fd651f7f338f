// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// A tile of 16 threads waits for itself alone; what is read comes from the other tile.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void wrong(const int* x, int* y) {
    __shared__ int line[32];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    line[threadIdx.x] = x[threadIdx.x];  // here: race-RAW-shared-warp
    tile.sync();
    y[threadIdx.x] = line[31 - threadIdx.x];  // here: race-RAW-shared-warp
}

__global__ void right(const int* x, int* y) {
    __shared__ int line[32];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    line[threadIdx.x] = x[threadIdx.x];
    tile.sync();
    y[threadIdx.x] = line[31 - threadIdx.x];
}
