// --grid 1 --block 64 --arg n=61 --arg text=zeros:61
// The terminating zero goes one byte past the end of the text.
__global__ void wrong(int n, unsigned char* text) {
    int i = threadIdx.x;
    if (i < n) text[i] = 'a' + i % 26;
    if (i == 0) text[n] = 0;  // here: out-of-bounds-global
}

__global__ void right(int n, unsigned char* text) {
    int i = threadIdx.x;
    if (i < n - 1) text[i] = 'a' + i % 26;
    if (i == 0) text[n - 1] = 0;
}
