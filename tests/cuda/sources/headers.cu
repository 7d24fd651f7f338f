// Headers of CUDA's, of C's, and one of the file's own folder.
#include <assert.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <math.h>
#include <mma.h>

#include <cfloat>
#include <climits>
#include <cstdint>

#include "scale.h"

namespace cg = cooperative_groups;
using namespace nvcuda;

extern "C" __global__ void halves(const __half *a, const __nv_bfloat16 *b, float *c) {
  c[threadIdx.x] = SCALE * (__half2float(a[threadIdx.x]) + __bfloat162float(b[threadIdx.x]));
}

extern "C" __global__ void total(const float *x, float *sum, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const float all = cg::reduce(warp, threadIdx.x < n ? x[threadIdx.x] : -FLT_MAX, cg::greater<float>());
  if (warp.thread_rank() == 0) sum[0] = all == -INFINITY ? INT_MAX : all;
  assert(n > 0);
}

extern "C" __global__ void staged(const float *x, float *y) {
  __shared__ float tile[32];
  __pipeline_memcpy_async(tile + threadIdx.x, x + threadIdx.x, sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  y[threadIdx.x] = tile[31 - threadIdx.x];
}

extern "C" __global__ void multiply(const __half *a, const __half *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
