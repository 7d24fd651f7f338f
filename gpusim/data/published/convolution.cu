// A FILTER x FILTER convolution of SIZE x SIZE points in one launch of a tuning space. Macros are its parameters:
// a block has BLOCK_X x BLOCK_Y threads. A thread sums for TILE_X x TILE_Y points, which lie BLOCK_X and BLOCK_Y apart.
// SHARED: what a block reads of the image goes through shared memory. PADDED: a row of it begins BLOCK_X banks behind
// the row before, so that warps of several rows meet no conflicts. READ_ONLY: loads of the image are ld.global.nc.
#ifndef SIZE
#define SIZE 4096
#endif
constexpr int FILTER = 15, BANKS = 32;
constexpr int BORDER = FILTER - 1, LENGTH = SIZE + BORDER;  // a row of the image has its border in it
constexpr int POINTS_X = BLOCK_X * TILE_X, POINTS_Y = BLOCK_Y * TILE_Y;  // of a block
constexpr int READ_X = POINTS_X + BORDER, READ_Y = POINTS_Y + BORDER;
constexpr int MORE = PADDED && BLOCK_X % BANKS ? (BANKS - (READ_X - BLOCK_X) % BANKS) % BANKS : 0;
constexpr bool RAGGED = SIZE % POINTS_X || SIZE % POINTS_Y;

__constant__ float weights[FILTER * FILTER];

__device__ __forceinline__ float pixel(const float* image, int row, int column) {
  return READ_ONLY ? __ldg(image + row * LENGTH + column) : image[row * LENGTH + column];
}

extern "C" __global__ void convolution(float* result, const float* image) {
  const int first_x = blockIdx.x * POINTS_X, first_y = blockIdx.y * POINTS_Y;
#if SHARED
  __shared__ float part[READ_Y][READ_X + MORE];
#pragma unroll
  for (int i = threadIdx.y; i < READ_Y; i += BLOCK_Y) {
#pragma unroll
    for (int j = threadIdx.x; j < READ_X; j += BLOCK_X) {
      const bool inside = !RAGGED || (first_y + i < LENGTH && first_x + j < LENGTH);
      part[i][j] = inside ? pixel(image, first_y + i, first_x + j) : 0.0f;
    }
  }
  __syncthreads();
#endif
  const int x = first_x + threadIdx.x, y = first_y + threadIdx.y;
  float sums[TILE_Y][TILE_X] = {};
#pragma unroll
  for (int i = 0; i < FILTER; ++i) {
#pragma unroll
    for (int j = 0; j < FILTER; ++j) {
#pragma unroll
      for (int v = 0; v < TILE_Y; ++v) {
#pragma unroll
        for (int u = 0; u < TILE_X; ++u) {
#if SHARED
          const float value = part[threadIdx.y + v * BLOCK_Y + i][threadIdx.x + u * BLOCK_X + j];
#else
          const bool inside = !RAGGED || (y + v * BLOCK_Y < LENGTH && x + u * BLOCK_X < LENGTH);
          const float value = inside ? pixel(image, y + v * BLOCK_Y + i, x + u * BLOCK_X + j) : 0.0f;
#endif
          sums[v][u] += value * weights[i * FILTER + j];
        }
      }
    }
  }
#pragma unroll
  for (int v = 0; v < TILE_Y; ++v) {
#pragma unroll
    for (int u = 0; u < TILE_X; ++u) {
      const int row = y + v * BLOCK_Y, column = x + u * BLOCK_X;
      if (!RAGGED || (row < SIZE && column < SIZE)) result[row * SIZE + column] = sums[v][u];
    }
  }
}
