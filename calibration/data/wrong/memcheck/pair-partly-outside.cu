// --grid 1 --block 32 --arg n=33 --arg x=arange:33 --arg y=zeros:32
// 33 halfwords are read two at a time: the second of the last two is outside.
__global__ void wrong(int n, const unsigned short* x, unsigned* y) {
    int i = threadIdx.x;
    if (2 * i < n) y[i] = reinterpret_cast<const unsigned*>(x)[i];  // here: out-of-bounds-global
}

__global__ void right(int n, const unsigned short* x, unsigned* y) {
    int i = threadIdx.x;
    if (2 * i + 1 < n) y[i] = reinterpret_cast<const unsigned*>(x)[i];
    else if (2 * i < n) y[i] = x[2 * i];
}
