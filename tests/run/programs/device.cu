// What a program is told of the device.
#include <cstdio>

__global__ void kernel(float *x) {
    extern __shared__ float shared[];
    shared[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

int main() {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    int clock, blocks, count;
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 16 << 10);
    cudaGetDeviceCount(&count);
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, kernel);
    printf("%s: %d SMs, %d.%d, %zu, %d kHz, %d blocks, %d, %d threads\n", p.name, p.multiProcessorCount, p.major,
           p.minor, p.totalGlobalMem, clock, blocks, count, a.maxThreadsPerBlock);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
    float *x;
    cudaMalloc(&x, 1024);
    kernel<<<1, 256, 100 << 10>>>(x);
    size_t free, total;
    cudaMemGetInfo(&free, &total);
    printf("%d %d\n", cudaGetLastError(), total - free == 1024);
    return cudaMalloc(&x, total) != cudaErrorMemoryAllocation;
}
