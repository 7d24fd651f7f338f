// --grid 1 --block 32 --arg index=arange:32 --arg x=zeros:32
// A scatter whose indices meet: lanes of one store write different numbers to the same word.
__global__ void wrong(const int* index, int* x) {
    x[index[threadIdx.x] / 2] = threadIdx.x;  // here: race-WAW-global-warp
}

__global__ void right(const int* index, int* x) {
    x[index[threadIdx.x]] = threadIdx.x;
}
