// --grid 1 --block 64 --arg n=48 --arg index=arange:64 --arg x=ones:48 --arg y=zeros:64
// 64 indices from 0 to 63 point into an array of 48.
__global__ void wrong(int n, const int* index, const float* x, float* y) {
    int i = threadIdx.x;
    y[i] = x[index[i]];  // here: out-of-bounds-global
}

__global__ void right(int n, const int* index, const float* x, float* y) {
    int i = threadIdx.x;
    y[i] = index[i] < n ? x[index[i]] : 0;
}
