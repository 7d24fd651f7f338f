// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:1
// The old way to reduce in a warp: since Volta lanes need not go in step, so each step needs __syncwarp.
__global__ void wrong(const int* x, int* y) {
    __shared__ volatile int part[64];
    part[threadIdx.x] = x[threadIdx.x];
    part[threadIdx.x + 32] = 0;
    __syncwarp();
    part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + 16];  // here: race-WAR-shared-warp
    part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + 8];  // here: race-RAW-shared-warp
    part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + 4];  // here: race-RAW-shared-warp
    if (threadIdx.x == 0) *y = part[0] + part[1] + part[2] + part[3];  // here: race-RAW-shared-warp
}

__global__ void right(const int* x, int* y) {
    __shared__ volatile int part[64];
    part[threadIdx.x] = x[threadIdx.x];
    part[threadIdx.x + 32] = 0;
    __syncwarp();
    for (int far = 16; far >= 4; far /= 2) {
        int sum = part[threadIdx.x] + part[threadIdx.x + far];
        __syncwarp();
        part[threadIdx.x] = sum;
        __syncwarp();
    }
    if (threadIdx.x == 0) *y = part[0] + part[1] + part[2] + part[3];
}
