// --grid 1 --block 32 --arg y=zeros:32
// The launch gives no dynamic shared memory at all.
extern __shared__ int dynamic[];

__global__ void wrong(int* y) {
    dynamic[threadIdx.x] = threadIdx.x;  // here: out-of-bounds-shared
    __syncwarp();
    y[threadIdx.x] = dynamic[31 - threadIdx.x];  // here: out-of-bounds-shared
}

__global__ void right(int* y) {
    __shared__ int fixed[32];
    fixed[threadIdx.x] = threadIdx.x;
    __syncwarp();
    y[threadIdx.x] = fixed[31 - threadIdx.x];
}
