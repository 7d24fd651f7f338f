// --grid 1 --block 5,7 --arg height=7 --arg width=5 --arg x=arange:35 --arg y=zeros:35
// Rows have 5 elements, but are taken to lie 8 apart: the last rows are outside.
__global__ void wrong(int height, int width, const float* x, float* y) {
    int column = threadIdx.x, row = threadIdx.y;
    int stride = (width + 3) / 4 * 4;
    if (row < height) y[row * width + column] = x[row * stride + column];  // here: out-of-bounds-global
}

__global__ void right(int height, int width, const float* x, float* y) {
    int column = threadIdx.x, row = threadIdx.y;
    int stride = width;
    if (row < height) y[row * width + column] = x[row * stride + column];
}
