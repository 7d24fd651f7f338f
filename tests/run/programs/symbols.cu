// Variables of the device: constants, arrays with and without initial values, and pointers to them.
#include <cstdio>

__constant__ float factors[4] = {1, 2, 3, 4};
__device__ int counter = 40;
__device__ float values[64];
__device__ float *where = values;

__global__ void scale() {
    values[threadIdx.x] *= factors[threadIdx.x % 4];
    if (threadIdx.x == 0) ++counter, where[63] += 1;
}

int main() {
    float before[64], after[64], twice[2] = {20, 30}, *address;
    for (int i = 0; i < 64; ++i) before[i] = i;
    cudaMemcpyToSymbol(values, before, sizeof before);
    cudaMemcpyToSymbol(factors, twice, sizeof twice, sizeof(float));
    scale<<<1, 64>>>();
    scale<<<1, 64>>>();
    int count, size_matches;
    size_t nbytes;
    cudaMemcpyFromSymbol(&count, counter, sizeof count);
    cudaGetSymbolAddress((void **)&address, values);
    cudaGetSymbolSize(&nbytes, values);
    cudaMemcpy(after, address, sizeof after, cudaMemcpyDeviceToHost);
    size_matches = nbytes == sizeof after;
    for (int i = 0; i < 63; ++i) {
        float f[] = {1, 20, 30, 4};
        if (after[i] != i * f[i % 4] * f[i % 4]) return 3;
    }
    printf("%d %d %g\n", count, size_matches, after[63]);
}
