// --grid 1 --block 32 --arg depth=400 --arg y=zeros:32
// A recursion 400 deep with 16 numbers in each frame: the stack has 1024 bytes.
__device__ __noinline__ int descend(int depth, int seed) {  // here: stack-overflow
    volatile int kept[16];
    for (int k = 0; k < 16; ++k) kept[k] = seed + k;  // here: stack-overflow
    if (depth == 0) return kept[seed % 16];
    return descend(depth - 1, seed + 1) + kept[depth % 16];  // here: stack-overflow
}

__global__ void wrong(int depth, int* y) {
    y[threadIdx.x] = descend(depth, threadIdx.x);  // here: stack-overflow
}

__global__ void right(int depth, int* y) {
    y[threadIdx.x] = descend(depth / 100, threadIdx.x);
}
