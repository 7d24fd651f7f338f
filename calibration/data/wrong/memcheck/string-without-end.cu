// --grid 1 --block 32 --arg n=40 --arg text=ones:40 --arg length=zeros:1
// The text has no terminating zero: the loop reads on behind it.
__global__ void wrong(int n, const unsigned char* text, int* length) {
    if (threadIdx.x == 0) {
        int k = 0;
        while (text[k]) ++k;  // here: out-of-bounds-global
        *length = k < n ? k : n;
    }
}

__global__ void right(int n, const unsigned char* text, int* length) {
    if (threadIdx.x == 0) {
        int k = 0;
        while (k < n && text[k]) ++k;
        *length = k;
    }
}
