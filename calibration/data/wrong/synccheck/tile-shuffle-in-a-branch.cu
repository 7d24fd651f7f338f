// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// A tile of 8 threads shuffles where three in four of them are.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void wrong(const int* x, int* y) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = x[threadIdx.x];
    if (v % 8 < 6) v = tile.shfl_xor(v, 1);  // here: absent-lanes
    y[threadIdx.x] = v;
}

__global__ void right(const int* x, int* y) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = x[threadIdx.x];
    int other = tile.shfl_xor(v, 1);
    if (v % 8 < 6) v = other;
    y[threadIdx.x] = v;
}
