// --grid 1 --block 4 --arg x=ones:4 --arg y=zeros:4
// A table of pointers is filled for even places alone.
__global__ void wrong(const float* x, float* y) {
    __shared__ const float* rows[4];
    rows[threadIdx.x] = threadIdx.x % 2 ? nullptr : x + threadIdx.x;
    __syncwarp(0xf);
    y[threadIdx.x] = *rows[3 - threadIdx.x];  // here: null
}

__global__ void right(const float* x, float* y) {
    __shared__ const float* rows[4];
    rows[threadIdx.x] = threadIdx.x % 2 ? nullptr : x + threadIdx.x;
    __syncwarp(0xf);
    const float* row = rows[3 - threadIdx.x];
    y[threadIdx.x] = row ? *row : 0;
}
