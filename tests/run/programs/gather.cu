// What is read depends on what an array holds, which the host changes between two launches.
#include <cstdio>

__global__ void gather(const int *index, const float *from, float *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[index[i]];
}

int main() {
    const int n = 8192;
    static int index[n];
    int *di;
    float *from, *to;
    cudaMalloc(&di, n * 4), cudaMalloc(&from, n * 4), cudaMalloc(&to, n * 4);
    for (int stride : {1, 1, 1, 33, 33, 33}) {
        for (int i = 0; i < n; ++i) index[i] = i * stride % n;
        cudaMemcpy(di, index, sizeof index, cudaMemcpyHostToDevice);
        gather<<<n / 256, 256>>>(di, from, to);
    }
    return cudaDeviceSynchronize();
}
