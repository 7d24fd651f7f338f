// A whole program, as people write them: kernels, and the host code that launches them.
#include <cuda_runtime.h>

#include <cstdio>
#include <iostream>
#include <vector>

template <int T>
__global__ void add(const float *a, const float *b, float *c, int n) {
  const int i = blockIdx.x * T + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void negate(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = -x[i];
}

static float largest(const std::vector<float> &values) {
  float most = values[0];
  for (float value : values) most = value > most ? value : most;
  return most;
}

int main(int argc, char **argv) {
  const int n = 1 << 20;
  std::vector<float> host(n, 1.0f);
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaMemcpy(a, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  add<256><<<n / 256, 256>>>(a, b, c, n);
  negate<<<n / 256, 256>>>(c, n);
  cudaMemcpy(host.data(), c, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::cout << "largest: " << largest(host) << std::endl;
  if (cudaDeviceSynchronize() != cudaSuccess) printf("it failed\n");
  return 0;
}
