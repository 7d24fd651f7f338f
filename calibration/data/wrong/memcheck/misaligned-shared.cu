// --grid 1 --block 32 --arg shift=1 --arg y=zeros:32
// Doubles are kept in shared memory behind one float.
__global__ void wrong(int shift, double* y) {
    __shared__ __align__(16) float buffer[68];
    double* mine = reinterpret_cast<double*>(buffer + shift) + threadIdx.x;
    *mine = threadIdx.x;  // here: misaligned
    y[threadIdx.x] = *mine;
}

__global__ void right(int shift, double* y) {
    __shared__ __align__(16) float buffer[68];
    double* mine = reinterpret_cast<double*>(buffer + 2 * shift) + threadIdx.x;
    *mine = threadIdx.x;
    y[threadIdx.x] = *mine;
}
