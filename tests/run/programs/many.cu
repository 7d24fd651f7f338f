// So many small launches as the first argument says.  With a second one each has a number of its own.
#include <cstdio>
#include <cstdlib>

__global__ void add(int *x, int number) { x[blockIdx.x * blockDim.x + threadIdx.x] += number >= 0; }

int main(int argc, char **argv) {
    int n = atoi(argv[1]), *x, back[256];
    cudaMalloc(&x, sizeof back);
    cudaMemset(x, 0, sizeof back);
    for (int k = 0; k < n; ++k) add<<<2, 128>>>(x, argc > 2 ? k : 0);
    cudaMemcpy(back, x, sizeof back, cudaMemcpyDeviceToHost);
    for (int value : back)
        if (value != n) return 3;
    puts("passed");
}
