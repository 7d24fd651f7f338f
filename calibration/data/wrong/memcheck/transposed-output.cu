// --grid 1 --block 16,4 --arg height=4 --arg width=16 --arg x=arange:64 --arg y=zeros:64
// The transpose is stored with the width of the matrix before it: rows 16 apart, of a matrix with rows of 4.
__global__ void wrong(int height, int width, const int* x, int* y) {
    int column = threadIdx.x, row = threadIdx.y;
    y[column * width + row] = x[row * width + column];  // here: out-of-bounds-global
}

__global__ void right(int height, int width, const int* x, int* y) {
    int column = threadIdx.x, row = threadIdx.y;
    y[column * height + row] = x[row * width + column];
}
