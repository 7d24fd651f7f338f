// Each launch reads an array that something else has just brought to L2, or nothing has.
#include <cstdio>

__global__ void touch(const float *from, float *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

int main() {
    const int n = 1 << 16;
    static float host[n];
    float *never, *copied, *set, *moved, *to;
    for (float **p : {&never, &copied, &set, &moved, &to}) cudaMalloc(p, sizeof host);
    cudaMemcpy(copied, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset2D(set, n, 0, n, 4);
    cudaMemcpy(moved, set, sizeof host, cudaMemcpyDeviceToDevice);
    for (float *from : {never, copied, set, moved}) touch<<<n / 256, 256>>>(from, to);
    return cudaDeviceSynchronize();
}
