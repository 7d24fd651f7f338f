// --grid 1 --block 32 --arg n=32 --arg bias=null --arg y=zeros:32
// There is no bias; its pointer is null, and nobody asks.
__global__ void wrong(int n, const float* bias, float* y) {
    y[threadIdx.x] = n + bias[threadIdx.x];  // here: null
}

__global__ void right(int n, const float* bias, float* y) {
    y[threadIdx.x] = n + (bias ? bias[threadIdx.x] : 0);
}
