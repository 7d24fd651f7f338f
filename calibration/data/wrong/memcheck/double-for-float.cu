// --grid 1 --block 32 --arg n=32 --arg x=zeros:32
// An array of floats is taken for one of doubles: its second half is outside.
__global__ void wrong(int n, float* x) {
    int i = threadIdx.x;
    if (i < n) reinterpret_cast<double*>(x)[i] = i;  // here: out-of-bounds-global
}

__global__ void right(int n, float* x) {
    int i = threadIdx.x;
    if (i < n) x[i] = i;
}
