// Copies of rows, memory that both sides read, and what is set.
#include <cstdio>
#include <cstring>

__global__ void twice(float *x, size_t pitch, int width) {
    float *row = (float *)((char *)x + blockIdx.x * pitch);
    for (int i = threadIdx.x; i < width; i += blockDim.x) row[i] *= 2;
}

__global__ void increase(int *x) { x[threadIdx.x] += threadIdx.x; }

int main() {
    float rows[10][30], back[10][30], *x;
    for (int i = 0; i < 300; ++i) rows[i / 30][i % 30] = i;
    size_t pitch;
    cudaMallocPitch(&x, &pitch, 30 * 4, 10);
    cudaMemcpy2D(x, pitch, rows, 30 * 4, 30 * 4, 10, cudaMemcpyHostToDevice);
    twice<<<10, 32>>>(x, pitch, 30);
    cudaMemcpy2D(back, 30 * 4, x, pitch, 30 * 4, 10, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 300; ++i)
        if (back[i / 30][i % 30] != 2 * i) return 3;

    int *managed, *pinned, *set;
    cudaMallocManaged(&managed, 64 * 4), cudaMallocHost(&pinned, 64 * 4), cudaMalloc(&set, 64 * 4);
    for (int i = 0; i < 64; ++i) managed[i] = pinned[i] = 100;
    cudaMemset(set, 1, 64 * 4);
    increase<<<1, 64>>>(managed), increase<<<1, 64>>>(pinned), increase<<<1, 64>>>(set);
    if (cudaDeviceSynchronize()) return 4;
    int from_set[64];
    cudaMemcpy(from_set, set, sizeof from_set, cudaMemcpyDefault);
    for (int i = 0; i < 64; ++i)
        if (managed[i] != 100 + i || pinned[i] != 100 + i || from_set[i] != 0x01010101 + i) return 5;
    // Sizes that do not fit, and copies the wrong way round, are errors as on a GPU.
    int wrong = cudaMemcpy(set, from_set, 65 * 4, cudaMemcpyHostToDevice);
    int way = cudaMemcpy(from_set, set, 4, cudaMemcpyHostToDevice);
    int again = cudaFree(set) + cudaFree(set);
    printf("%d %d %d %s\n", wrong, way, again, cudaGetErrorName(cudaGetLastError()));
    return cudaFree(managed) || cudaFreeHost(pinned) || cudaFree(x) || cudaFree(nullptr);
}
