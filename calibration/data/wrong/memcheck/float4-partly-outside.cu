// --grid 1 --block 8 --arg n=30 --arg x=arange:30 --arg y=zeros:8
// 30 floats are read by fours: of the last four two are outside.
__global__ void wrong(int n, const float* x, float* y) {
    int i = threadIdx.x;
    if (4 * i < n) {
        float4 v = reinterpret_cast<const float4*>(x)[i];  // here: out-of-bounds-global
        y[i] = v.x + v.y + v.z + v.w;
    }
}

__global__ void right(int n, const float* x, float* y) {
    int i = threadIdx.x;
    if (4 * i + 3 < n) {
        float4 v = reinterpret_cast<const float4*>(x)[i];
        y[i] = v.x + v.y + v.z + v.w;
    } else {
        float sum = 0;
        for (int k = 4 * i; k < n; ++k) sum += x[k];
        y[i] = sum;
    }
}
