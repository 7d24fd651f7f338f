// --grid 1 --block 32 --arg n=50000 --arg count=1000 --arg x=zeros:1000
// n * n does not fit an int: the remainder is negative, and so is the index.
__global__ void wrong(int n, int count, int* x) {
    int at = (n * n) % count;
    if (threadIdx.x == 0) x[at] = 1;  // here: out-of-bounds-global
}

__global__ void right(int n, int count, int* x) {
    int at = static_cast<int>(static_cast<long long>(n) * n % count);
    if (threadIdx.x == 0) x[at] = 1;
}
