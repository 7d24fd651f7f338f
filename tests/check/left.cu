// Memory that is never written, used after it was freed, and never freed.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c) { c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

int main() {
    float host[128] = {1}, *a, *b, *c, *d;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&c, 400);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, 256);
    add<<<1, 64>>>(a, b, c);
    cudaFree(b);
    cudaMalloc(&d, sizeof host);
    add<<<1, 64>>>(a, c, d);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(a);
    return 0;
}
