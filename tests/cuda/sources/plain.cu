// What a cubin says of a kernel: registers, shared and local memory, launch bounds, parameters.
#include <stdio.h>
#include <stdint.h>

#define SIZES int M, int N
#define DEPTH 40

struct Box {
  double low, high;
  char flag;
};

extern "C" {

__global__ void scale(const float *__restrict__ x, float *y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}

__global__ void __launch_bounds__(128, 2) reverse(int *x) {
  __shared__ int tile[128];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void rotate_dynamic(int *x, int by) {
  extern __shared__ __align__(128) int dynamic[];
  dynamic[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = dynamic[(threadIdx.x + by) % blockDim.x];
}

__global__ void stack(float *x, int at) {
  float own[DEPTH] = {};
  for (int i = 0; i < DEPTH; ++i) own[at * i % DEPTH] += x[i];
  x[threadIdx.x] = own[at];
}

__global__ void mixed(SIZES, char c, double d, short s, Box box, uint8_t u, float *out /* the last */) {
  out[0] = M + N + c + d + s + box.low + box.flag + u;
}

__global__ void nothing() {}
}
