// --grid 1 --block 32 --arg place=1000000 --arg y=zeros:32
// An index that nobody looked at, four megabytes beyond a thread's array.
__global__ void wrong(int place, int* y) {
    int kept[16];
#pragma unroll 1
    for (int k = 0; k < 16; ++k) kept[k] = k * place;
    y[threadIdx.x] = kept[place + threadIdx.x];  // here: out-of-bounds-local
}

__global__ void right(int place, int* y) {
    int kept[16];
#pragma unroll 1
    for (int k = 0; k < 16; ++k) kept[k] = k * place;
    y[threadIdx.x] = kept[(place + threadIdx.x) % 16];
}
