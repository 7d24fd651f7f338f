// --grid 1 --block 32 --arg place=20480 --arg x=ones:32 --arg y=zeros:32
// A distance from the array's beginning is taken for an address.
__global__ void wrong(long long place, const float* x, float* y) {
    y[threadIdx.x] = reinterpret_cast<const float*>(place)[threadIdx.x];  // here: wild-pointer
}

__global__ void right(long long place, const float* x, float* y) {
    y[threadIdx.x] = x[(place / 4 + threadIdx.x) % 32];
}
