// --grid 1 --block 32 --arg n=10 --arg v=zeros:30 --arg y=zeros:11
// i <= n, where there are n triples: the eleventh is outside.
__global__ void wrong(int n, const float* v, float* y) {
    int i = threadIdx.x;
    const float3* triples = reinterpret_cast<const float3*>(v);
    if (i <= n) y[i] = triples[i].z;  // here: out-of-bounds-global
}

__global__ void right(int n, const float* v, float* y) {
    int i = threadIdx.x;
    const float3* triples = reinterpret_cast<const float3*>(v);
    if (i < n) y[i] = triples[i].z;
}
