// A kernel that changes memory of the host.
#include <cstdio>
__global__ void add(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}
int main() {
    int *h, *d, n = 65536;
    cudaHostAlloc(&h, n * 4, cudaHostAllocMapped);
    for (int i = 0; i < n; i++) h[i] = i;
    cudaHostGetDevicePointer(&d, h, 0);
    add<<<n / 256, 256>>>(d, n);
    cudaDeviceSynchronize();
    printf("%d\n", h[100]);
    return h[100] != 101;
}
