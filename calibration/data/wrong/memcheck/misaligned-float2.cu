// --grid 1 --block 1,16 --arg width=5 --arg x=zeros:80
// Rows of five floats: every second one begins where no pair may.
__global__ void wrong(int width, float* x) {
    float* row = x + threadIdx.y * width;
    *reinterpret_cast<float2*>(row) = make_float2(1, 2);  // here: misaligned
}

__global__ void right(int width, float* x) {
    float* row = x + threadIdx.y * width;
    row[0] = 1;
    row[1] = 2;
}
