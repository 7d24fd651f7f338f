// --grid 1 --block 32 --arg n=32 --arg y=zeros:32 --arg sums=null
// A second result that is optional is written all the same.
__global__ void wrong(int n, float* y, float* sums) {
    y[threadIdx.x] = n;
    sums[threadIdx.x] = n;  // here: null
}

__global__ void right(int n, float* y, float* sums) {
    y[threadIdx.x] = n;
    if (sums) sums[threadIdx.x] = n;
}
