// --grid 1 --block 32 --arg x=arange:33
// The same in one warp: lanes need not go in step.
__global__ void wrong(int* x) {
    int next = x[threadIdx.x + 1];  // here: race-WAR-global-warp
    x[threadIdx.x] = next;  // here: race-WAR-global-warp
}

__global__ void right(int* x) {
    int next = x[threadIdx.x + 1];
    __syncwarp();
    x[threadIdx.x] = next;
}
