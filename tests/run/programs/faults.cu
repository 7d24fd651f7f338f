// What goes wrong: which of them the argument says.
#include <cstdio>
#include <cstdlib>

__global__ void write(int *x, int at) { x[at] = 1; }
__global__ void __launch_bounds__(128) bounded(int *x) { x[threadIdx.x] = 1; }

int main(int argc, char **argv) {
    int *x, what = atoi(argv[1]);
    cudaMalloc(&x, 400);
    if (what == 0) write<<<1, 1>>>(x, 100);             // beyond the allocation
    if (what == 1) write<<<1, 1>>>((int *)((char *)x + 2), 0);  // misaligned
    if (what == 2) printf("%d\n", *x);                  // the host reads what is the device's
    if (what == 3) write<<<1, 2048>>>(x, 0);            // more threads than a block has
    if (what == 4) bounded<<<1, 256>>>(x);              // more than the kernel promised
    if (what == 5) write<<<1, 1, 100 << 10>>>(x, 0);    // shared memory that nobody asked for
    if (what == 6) {                                    // a call that there is not
        cudaArray_t array;
        cudaMipmappedArray_t levels = nullptr;
        cudaGetMipmappedArrayLevel(&array, levels, 0);
    }
    cudaError_t launched = cudaGetLastError(), ended = cudaDeviceSynchronize();
    printf("%s, %s\n", cudaGetErrorName(launched), cudaGetErrorName(ended));
    return launched || ended;
}
