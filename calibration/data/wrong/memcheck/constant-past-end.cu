// --grid 1 --block 32 --arg n=8 --arg y=zeros:32
// A table of 8 numbers in constant memory is asked for 32.
__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

__global__ void wrong(int n, int* y) {
    y[threadIdx.x] = table[threadIdx.x];  // here: out-of-bounds-constant
}

__global__ void right(int n, int* y) {
    y[threadIdx.x] = table[threadIdx.x % n];
}
