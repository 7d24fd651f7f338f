// --grid 4 --block 32 --arg x=zeros:1
// Every block writes its number to the same word: which stays is chance.
__global__ void wrong(int* x) {
    if (threadIdx.x == 0) *x = blockIdx.x + 1;  // here: race-WAW-global-blocks
}

__global__ void right(int* x) {
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) *x = blockIdx.x + 1;
}
