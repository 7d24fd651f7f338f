// Softmax, layer norm and GELU of float16, as libraries have them: a block takes a row, a thread eight elements at a
// time. Sums are of float32. A row has a multiple of eight elements.
#include <cuda_fp16.h>

constexpr int EACH = 8, WARP = 32;

struct alignas(16) Eight {
  __half2 pairs[EACH / 2];
};

__device__ __forceinline__ Eight load(const __half* from, int i) { return reinterpret_cast<const Eight*>(from)[i]; }

__device__ __forceinline__ void store(__half* to, int i, const float* values) {
  Eight packed;
#pragma unroll
  for (int k = 0; k < EACH / 2; ++k) packed.pairs[k] = __floats2half2_rn(values[2 * k], values[2 * k + 1]);
  reinterpret_cast<Eight*>(to)[i] = packed;
}

__device__ __forceinline__ void unpack(const Eight& packed, float* values) {
#pragma unroll
  for (int k = 0; k < EACH / 2; ++k) {
    const float2 pair = __half22float2(packed.pairs[k]);
    values[2 * k] = pair.x, values[2 * k + 1] = pair.y;
  }
}

struct Greatest {
  static constexpr float START = -3e38f;
  __device__ static float join(float a, float b) { return fmaxf(a, b); }
};

struct Sum {
  static constexpr float START = 0.0f;
  __device__ static float join(float a, float b) { return a + b; }
};

// Of all threads of the block, for each of them.
template <class Way>
__device__ float over_block(float value) {
  __shared__ float parts[WARP];
  for (int step = WARP / 2; step; step /= 2) value = Way::join(value, __shfl_xor_sync(~0u, value, step));
  __syncthreads();
  if (threadIdx.x % WARP == 0) parts[threadIdx.x / WARP] = value;
  __syncthreads();
  value = threadIdx.x % WARP < blockDim.x / WARP ? parts[threadIdx.x % WARP] : Way::START;
  for (int step = WARP / 2; step; step /= 2) value = Way::join(value, __shfl_xor_sync(~0u, value, step));
  return value;
}

extern "C" __global__ void softmax(const __half* x, __half* y, int columns) {
  x += size_t(blockIdx.x) * columns, y += size_t(blockIdx.x) * columns;
  float v[EACH], top = Greatest::START, total = 0.0f;
  for (int i = threadIdx.x; i < columns / EACH; i += blockDim.x) {
    unpack(load(x, i), v);
#pragma unroll
    for (int k = 0; k < EACH; ++k) top = fmaxf(top, v[k]);
  }
  top = over_block<Greatest>(top);
  for (int i = threadIdx.x; i < columns / EACH; i += blockDim.x) {
    unpack(load(x, i), v);
#pragma unroll
    for (int k = 0; k < EACH; ++k) total += __expf(v[k] - top);
  }
  const float share = 1.0f / over_block<Sum>(total);
  for (int i = threadIdx.x; i < columns / EACH; i += blockDim.x) {
    unpack(load(x, i), v);
#pragma unroll
    for (int k = 0; k < EACH; ++k) v[k] = __expf(v[k] - top) * share;
    store(y, i, v);
  }
}

extern "C" __global__ void layernorm(const __half* x, const __half* gain, const __half* bias, __half* y, int columns) {
  x += size_t(blockIdx.x) * columns, y += size_t(blockIdx.x) * columns;
  float v[EACH], g[EACH], b[EACH], total = 0.0f, squares = 0.0f;
  for (int i = threadIdx.x; i < columns / EACH; i += blockDim.x) {
    unpack(load(x, i), v);
#pragma unroll
    for (int k = 0; k < EACH; ++k) total += v[k], squares += v[k] * v[k];
  }
  const float mean = over_block<Sum>(total) / columns;
  const float scale = rsqrtf(over_block<Sum>(squares) / columns - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < columns / EACH; i += blockDim.x) {
    unpack(load(x, i), v), unpack(load(gain, i), g), unpack(load(bias, i), b);
#pragma unroll
    for (int k = 0; k < EACH; ++k) v[k] = (v[k] - mean) * scale * g[k] + b[k];
    store(y, i, v);
  }
}

extern "C" __global__ void gelu(const __half* x, __half* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count / EACH) return;
  float v[EACH];
  unpack(load(x, i), v);
#pragma unroll
  for (int k = 0; k < EACH; ++k) v[k] = 0.5f * v[k] * (1.0f + erff(v[k] * 0.70710678f));
  store(y, i, v);
}
