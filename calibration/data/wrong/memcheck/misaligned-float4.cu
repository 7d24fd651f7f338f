// --grid 1 --block 8 --arg n=36 --arg x=arange:36 --arg y=zeros:8
// Sixteen bytes are read from an address that is a multiple of four alone.
__global__ void wrong(int n, const float* x, float* y) {
    float4 v = reinterpret_cast<const float4*>(x + 1)[threadIdx.x];  // here: misaligned
    y[threadIdx.x] = v.x + v.y + v.z + v.w + n;
}

__global__ void right(int n, const float* x, float* y) {
    float4 v = reinterpret_cast<const float4*>(x + 4)[threadIdx.x];
    y[threadIdx.x] = v.x + v.y + v.z + v.w + n;
}
