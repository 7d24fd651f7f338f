// --grid 1 --block 32 --arg n=16 --arg keys=arange:16 --arg places=zeros:32
// What is not among the keys is searched for behind them.
__global__ void wrong(int n, const int* keys, int* places) {
    int wanted = threadIdx.x, k = 0;
    while (keys[k] < wanted) ++k;  // here: out-of-bounds-global
    places[threadIdx.x] = k < n ? k : -1;
}

__global__ void right(int n, const int* keys, int* places) {
    int wanted = threadIdx.x, k = 0;
    while (k < n && keys[k] < wanted) ++k;
    places[threadIdx.x] = k < n ? k : -1;
}
