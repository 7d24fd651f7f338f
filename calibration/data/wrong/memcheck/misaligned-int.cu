// --grid 1 --block 16 --arg header=3 --arg message=ones:68 --arg y=zeros:16
// An int behind a header of three bytes.
__global__ void wrong(int header, const unsigned char* message, int* y) {
    y[threadIdx.x] = *reinterpret_cast<const int*>(message + header + 4 * threadIdx.x);  // here: misaligned
}

__global__ void right(int header, const unsigned char* message, int* y) {
    const unsigned char* at = message + header + 4 * threadIdx.x;
    y[threadIdx.x] = at[0] | at[1] << 8 | at[2] << 16 | at[3] << 24;
}
