// --grid 1 --block 128 --arg n=128 --arg a=zeros:128 --arg b=ones:128
// Every index is 128 too large: where b follows a in memory the numbers land in b, and nobody notices.
__global__ void wrong(int n, float* a, float* b) {
    a[threadIdx.x + n] = 7;  // here: out-of-bounds-global
    b[threadIdx.x] += 1;
}

__global__ void right(int n, float* a, float* b) {
    a[threadIdx.x + n - 128] = 7;
    b[threadIdx.x] += 1;
}
