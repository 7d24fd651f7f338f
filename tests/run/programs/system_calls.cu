// Device code that prints, takes from a heap that outlives a launch, waits for the whole grid, and fails.
#include <cstdio>
#include <cassert>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int counter = 7;
__device__ int* kept[8];
__global__ void hello(int n) { if (threadIdx.x < n) printf("block %d thread %d of %s, counter %d\n", blockIdx.x, threadIdx.x, "a program", counter); }
__global__ void make() { if (!threadIdx.x) { int* p = (int*)malloc(64); *p = 100 + blockIdx.x; kept[blockIdx.x] = p; } }
__global__ void more(int* out) { if (!threadIdx.x) { int* q = (int*)malloc(64); *q = -1; out[blockIdx.x] = *kept[blockIdx.x]; free(q); free(kept[blockIdx.x]); } }
__global__ void sum(int* x, int n) { auto g = cg::this_grid(); int i = g.thread_rank(); for (int s = n / 2; s; s /= 2) { if (i < s) x[i] += x[i + s]; g.sync(); } }
__global__ void fails(int n) { assert(threadIdx.x < n && "too many"); }
int main() {
  hello<<<2, 32>>>(2); cudaDeviceSynchronize(); puts("-- host");
  int *o, h[8], *x; cudaMalloc(&o, 32); make<<<8, 32>>>(); more<<<8, 32>>>(o); cudaMemcpy(h, o, 32, cudaMemcpyDeviceToHost);
  for (int k = 0; k < 8; k++) printf("%d%c", h[k], k < 7 ? 32 : 10);
  int n = 4096; cudaMallocManaged(&x, n * 4); for (int i = 0; i < n; i++) x[i] = i; void* a[] = {&x, &n};
  cudaError_t e = cudaLaunchCooperativeKernel((void*)sum, n / 2 / 256, 256, a);
  cudaDeviceSynchronize(); printf("%s %d of %d\n", cudaGetErrorName(e), x[0], n * (n - 1) / 2);
  fails<<<1, 64>>>(60); e = cudaDeviceSynchronize(); printf("%s\n", cudaGetErrorName(e));
}
