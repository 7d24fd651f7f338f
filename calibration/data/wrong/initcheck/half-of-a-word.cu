// --grid 1 --block 32 --arg y=zeros:32
// The lower half of each word is written, and the word read.
__global__ void wrong(unsigned* y) {
    __shared__ unsigned words[32];
    reinterpret_cast<unsigned short*>(words)[2 * threadIdx.x] = threadIdx.x;
    __syncwarp();
    y[threadIdx.x] = words[31 - threadIdx.x];  // here: uninitialized-shared
}

__global__ void right(unsigned* y) {
    __shared__ unsigned words[32];
    reinterpret_cast<unsigned short*>(words)[2 * threadIdx.x] = threadIdx.x;
    reinterpret_cast<unsigned short*>(words)[2 * threadIdx.x + 1] = 0;
    __syncwarp();
    y[threadIdx.x] = words[31 - threadIdx.x];
}
