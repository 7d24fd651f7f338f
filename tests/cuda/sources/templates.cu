// Names: templates, namespaces, overloads, static kernels.
template <int BM, int BN, typename T>
__global__ void gemm(const T *a, T *c, int n) {
  __shared__ T tile[BM * BN];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  c[threadIdx.x] = tile[n - threadIdx.x];
}

namespace ops {
template <int K = 3>
__global__ void fill(int *x) {
  x[threadIdx.x] = K;
}

__global__ void twice(int *x) { x[threadIdx.x] *= 2; }
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
}  // namespace ops

static __global__ void hidden(int *x) { x[threadIdx.x] = 7; }

__global__ void twice(double *x, unsigned long long n) { x[n] *= 2; }

template __global__ void gemm<8, 16, float>(const float *, float *, int);
