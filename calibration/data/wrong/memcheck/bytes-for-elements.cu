// --grid 1 --block 128 --arg bytes=128 --arg x=zeros:32
// The size in bytes is taken for the number of elements.
__global__ void wrong(int bytes, int* x) {
    for (int i = threadIdx.x; i < bytes; i += blockDim.x) x[i] = i;  // here: out-of-bounds-global
}

__global__ void right(int bytes, int* x) {
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) x[i] = i;
}
