// What reads, stores, copies and adds up 16 bytes a thread.  The source of data/h200_streams.json.
extern "C" {
__global__ void read(int n, const float4* __restrict__ A, float4* B) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 v = A[i];
    if (v.x == 1.2345f) B[i] = v;
}
__global__ void store(int n, const float4* __restrict__ A, float4* B) {
    int i = blockIdx.x * 256 + threadIdx.x;
    B[i] = make_float4(i, i, i, i);
}
__global__ void copy(int n, const float4* __restrict__ A, float4* B) {
    int i = blockIdx.x * 256 + threadIdx.x;
    B[i] = A[i];
}
__global__ void add(int n, const float4* __restrict__ A, float4* B) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 v = A[i], w = B[i];
    v.x += w.x;
    B[i] = v;
}
}
