// --grid 1 --block 64 --arg x=arange:65
// All elements move one place to the left; at the border of two warps one may be overwritten before it is read.
__global__ void wrong(int* x) {
    int next = x[threadIdx.x + 1];  // here: race-WAR-global-warps
    x[threadIdx.x] = next;  // here: race-WAR-global-warps
}

__global__ void right(int* x) {
    int next = x[threadIdx.x + 1];
    __syncthreads();
    x[threadIdx.x] = next;
}
