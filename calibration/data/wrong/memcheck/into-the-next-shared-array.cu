// --grid 1 --block 32 --arg n=3 --arg y=zeros:32
// The neighbours on the right are read three beyond the end of a shared array, out of another one.
__global__ void wrong(int n, float* y) {
    __shared__ float near[32], far[32];
    near[threadIdx.x] = 1;
    far[threadIdx.x] = 2;
    __syncthreads();
    y[threadIdx.x] = near[threadIdx.x + n] + far[threadIdx.x];  // here: out-of-bounds-shared
}

__global__ void right(int n, float* y) {
    __shared__ float near[32], far[32];
    near[threadIdx.x] = 1;
    far[threadIdx.x] = 2;
    __syncthreads();
    y[threadIdx.x] = near[(threadIdx.x + n) % 32] + far[threadIdx.x];
}
