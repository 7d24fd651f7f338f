// --grid 1 --block 8 --arg header=2 --arg counts=zeros:40
// A counter behind a header of two bytes.
__global__ void wrong(int header, unsigned char* counts) {
    atomicAdd(reinterpret_cast<int*>(counts + header) + threadIdx.x, 1);  // here: misaligned
}

__global__ void right(int header, unsigned char* counts) {
    atomicAdd(reinterpret_cast<int*>(counts + 2 * header) + threadIdx.x, 1);
}
