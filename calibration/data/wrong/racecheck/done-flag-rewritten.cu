// --grid 1 --block 64 --arg x=arange:8 --arg y=zeros:64
// One thread sets the flag of the next round while another warp still looks at it.
__global__ void wrong(const int* x, int* y) {
    __shared__ int done;
    int k = 0;
    while (true) {
        if (threadIdx.x == 0) done = x[k] >= 5;  // here: race-WAR-shared-warps
        __syncthreads();
        if (done) break;  // here: race-WAR-shared-warps
        ++k;
    }
    y[threadIdx.x] = k;
}

__global__ void right(const int* x, int* y) {
    __shared__ int done;
    int k = 0;
    while (true) {
        if (threadIdx.x == 0) done = x[k] >= 5;
        __syncthreads();
        bool stop = done;
        __syncthreads();
        if (stop) break;
        ++k;
    }
    y[threadIdx.x] = k;
}
