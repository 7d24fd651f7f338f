// --grid 1 --block 32 --arg y=zeros:64
// Structs of a byte and an int are copied as ints: three bytes of each were never written.
struct Tagged {
    unsigned char tag;
    int value;
};

__global__ void wrong(int* y) {
    __shared__ Tagged items[32];
    items[threadIdx.x].tag = threadIdx.x;
    items[threadIdx.x].value = 2 * threadIdx.x;
    __syncwarp();
    const int* words = reinterpret_cast<const int*>(items);
    y[threadIdx.x] = words[2 * (31 - threadIdx.x)];  // here: uninitialized-shared
}

__global__ void right(int* y) {
    __shared__ Tagged items[32];
    items[threadIdx.x].tag = threadIdx.x;
    items[threadIdx.x].value = 2 * threadIdx.x;
    __syncwarp();
    y[threadIdx.x] = items[31 - threadIdx.x].tag;
}
