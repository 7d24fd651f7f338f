// SGEMM, C = alpha A B + beta C, row-major, sizes multiples of 128: the usual ladder, one kernel a step.
#define SGEMM(name, ...)                                                                                  \
  extern "C" __global__ void __VA_ARGS__ name(int M, int N, int K, float alpha, const float* A, const float* B, \
                                              float beta, float* C)

__device__ __forceinline__ float dot(int N, int K, const float* a, const float* b) {
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += a[k] * b[k * N];
  return sum;
}

// Neighbouring threads take neighbouring rows: a warp reads 32 lines of A at once.
SGEMM(naive) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) C[row * N + col] = alpha * dot(N, K, A + row * K, B + col) + beta * C[row * N + col];
}

// Neighbouring threads take neighbouring columns.
SGEMM(coalesced) {
  const int row = blockIdx.x * 32 + threadIdx.x / 32, col = blockIdx.y * 32 + threadIdx.x % 32;
  if (row < M && col < N) C[row * N + col] = alpha * dot(N, K, A + row * K, B + col) + beta * C[row * N + col];
}

// A block's tiles of A and B go through shared memory.
SGEMM(shared_tile) {
  constexpr int T = 32;
  __shared__ float a[T * T], b[T * T];
  const int row = threadIdx.x / T, col = threadIdx.x % T;
  A += blockIdx.x * T * K, B += blockIdx.y * T, C += blockIdx.x * T * N + blockIdx.y * T;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += T) {
    a[row * T + col] = A[row * K + k0 + col];
    b[row * T + col] = B[(k0 + row) * N + col];
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += a[row * T + k] * b[k * T + col];
    __syncthreads();
  }
  C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

// A thread computes TM elements of a column.
SGEMM(tile_1d) {
  constexpr int BM = 64, BN = 64, BK = 8, TM = 8;
  __shared__ float a[BM * BK], b[BK * BN];
  const int row = threadIdx.x / BN * TM, col = threadIdx.x % BN;
  const int a_row = threadIdx.x / BK, a_col = threadIdx.x % BK, b_row = threadIdx.x / BN;
  A += blockIdx.y * BM * K, B += blockIdx.x * BN, C += blockIdx.y * BM * N + blockIdx.x * BN;
  float sum[TM] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    a[a_row * BK + a_col] = A[a_row * K + k0 + a_col];
    b[b_row * BN + col] = B[(k0 + b_row) * N + col];
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      const float right = b[k * BN + col];
      for (int i = 0; i < TM; ++i) sum[i] += a[(row + i) * BK + k] * right;
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i) C[(row + i) * N + col] = alpha * sum[i] + beta * C[(row + i) * N + col];
}

// A thread computes TM x TN elements.
SGEMM(tile_2d) {
  constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8, THREADS = 256;
  __shared__ float a[BM * BK], b[BK * BN];
  const int row = threadIdx.x / (BN / TN) * TM, col = threadIdx.x % (BN / TN) * TN;
  const int a_row = threadIdx.x / BK, a_col = threadIdx.x % BK, b_row = threadIdx.x / BN, b_col = threadIdx.x % BN;
  A += blockIdx.y * BM * K, B += blockIdx.x * BN, C += blockIdx.y * BM * N + blockIdx.x * BN;
  float sum[TM][TN] = {}, left[TM], right[TN];
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = 0; i < BM; i += THREADS / BK) a[(a_row + i) * BK + a_col] = A[(a_row + i) * K + k0 + a_col];
    for (int i = 0; i < BK; i += THREADS / BN) b[(b_row + i) * BN + b_col] = B[(k0 + b_row + i) * N + b_col];
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) left[i] = a[(row + i) * BK + k];
      for (int j = 0; j < TN; ++j) right[j] = b[k * BN + col + j];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) C[(row + i) * N + col + j] = alpha * sum[i][j] + beta * C[(row + i) * N + col + j];
}

__device__ __forceinline__ float4 read4(const float* from) { return *reinterpret_cast<const float4*>(from); }
__device__ __forceinline__ void write4(float* to, float4 v) { *reinterpret_cast<float4*>(to) = v; }

__device__ __forceinline__ void combine4(float* C, float alpha, const float* sum, float beta) {
  const float4 c = read4(C);
  write4(C, make_float4(alpha * sum[0] + beta * c.x, alpha * sum[1] + beta * c.y, alpha * sum[2] + beta * c.z,
                        alpha * sum[3] + beta * c.w));
}

// Where element (k, col) of the tile of B lies in shared memory.
template <int BN>
struct Rows {  // as in global memory
  static constexpr int SIZE = BN;
  __device__ static int at(int k, int col) { return k * BN + col; }
  __device__ static void put(float* b, int k, int col, float4 v) { write4(b + at(k, col), v); }
};
template <int BN>
struct Linear {  // what the threads of a row read at once lies side by side
  static constexpr int SIZE = BN;
  __device__ static int at(int k, int col) { return (k * 8 + col % 8) * (BN / 8) + col / 8; }
  __device__ static void put(float* b, int k, int col, float4 v) {
    b[at(k, col)] = v.x, b[at(k, col + 1)] = v.y, b[at(k, col + 2)] = v.z, b[at(k, col + 3)] = v.w;
  }
};
template <int BN>
struct Padded {  // every row begins five banks later
  static constexpr int SIZE = BN + 5;
  __device__ static int at(int k, int col) { return k * SIZE + col; }
  __device__ static void put(float* b, int k, int col, float4 v) {
    b[at(k, col)] = v.x, b[at(k, col + 1)] = v.y, b[at(k, col + 2)] = v.z, b[at(k, col + 3)] = v.w;
  }
};

// Tiles of BM x BK and BK x BN to shared memory, 16 bytes a load, that of A transposed.
template <int BM, int BN, int BK, int THREADS, class Layout>
__device__ __forceinline__ void load_tiles(int N, int K, int thread, const float* A, const float* B, float* a,
                                           float* b) {
  const int a_row = thread / (BK / 4), a_col = thread % (BK / 4) * 4, b_row = thread / (BN / 4),
            b_col = thread % (BN / 4) * 4;
  for (int i = 0; i < BM; i += THREADS / (BK / 4)) {
    const float4 v = read4(A + (a_row + i) * K + a_col);
    float* to = a + a_col * BM + a_row + i;
    to[0] = v.x, to[BM] = v.y, to[2 * BM] = v.z, to[3 * BM] = v.w;
  }
  for (int i = 0; i < BK; i += THREADS / (BN / 4)) Layout::put(b, b_row + i, b_col, read4(B + (b_row + i) * N + b_col));
}

template <int BM, int BN, int BK, class Layout>
__device__ __forceinline__ void vectorized(int N, int K, float alpha, const float* A, const float* B, float beta,
                                           float* C) {
  constexpr int TM = 8, TN = 8, THREADS = BM * BN / (TM * TN);
  __shared__ float a[BM * BK], b[BK * Layout::SIZE];
  const int row = threadIdx.x / (BN / TN) * TM, col = threadIdx.x % (BN / TN) * TN;
  A += blockIdx.y * BM * K, B += blockIdx.x * BN, C += blockIdx.y * BM * N + blockIdx.x * BN;
  float sum[TM][TN] = {}, left[TM], right[TN];
  for (int k0 = 0; k0 < K; k0 += BK) {
    load_tiles<BM, BN, BK, THREADS, Layout>(N, K, threadIdx.x, A + k0, B + k0 * N, a, b);
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) left[i] = a[k * BM + row + i];
      for (int j = 0; j < TN; ++j) right[j] = b[Layout::at(k, col + j)];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; j += 4)
      combine4(C + (row + i) * N + col + j, alpha, &sum[i][j], beta);
}

SGEMM(linear) { vectorized<128, 128, 8, Linear<128>>(N, K, alpha, A, B, beta, C); }
SGEMM(padded) { vectorized<128, 128, 8, Padded<128>>(N, K, alpha, A, B, beta, C); }
SGEMM(vector) { vectorized<128, 128, 8, Rows<128>>(N, K, alpha, A, B, beta, C); }
SGEMM(autotuned, __launch_bounds__(256)) {
  vectorized<128, 128, 16, Rows<128>>(N, K, alpha, A, B, beta, C);
}

// A warp has a tile of WM x WN, which it computes in passes of its 32 threads, TM x TN elements each.
template <int BM, int BN, int BK, int WM, int WN, int PASSES, int TM, int TN>
struct WarpTile {
  static constexpr int ACROSS = WN / PASSES, LANES = ACROSS / TN, DOWN = 32 / LANES * TM, STEPS = WM / DOWN;
  float sum[STEPS * TM][PASSES * TN] = {};
  int row, col;

  __device__ WarpTile()
      : row(threadIdx.x / 32 / (BN / WN) * WM + threadIdx.x % 32 / LANES * TM),
        col(threadIdx.x / 32 % (BN / WN) * WN + threadIdx.x % LANES * TN) {}

  __device__ __forceinline__ void add(const float* a, const float* b) {
    float left[STEPS * TM], right[PASSES * TN];
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < STEPS * TM; ++i) left[i] = a[k * BM + row + i / TM * DOWN + i % TM];
      for (int j = 0; j < PASSES * TN; ++j) right[j] = b[k * BN + col + j / TN * ACROSS + j % TN];
      for (int i = 0; i < STEPS * TM; ++i)
        for (int j = 0; j < PASSES * TN; ++j) sum[i][j] += left[i] * right[j];
    }
  }

  __device__ __forceinline__ void store(int N, float alpha, float beta, float* C) const {
    for (int i = 0; i < STEPS * TM; ++i)
      for (int j = 0; j < PASSES * TN; j += 4)
        combine4(C + (row + i / TM * DOWN + i % TM) * N + col + j / TN * ACROSS + j % TN, alpha, &sum[i][j], beta);
  }
};

SGEMM(warp_tile, __launch_bounds__(128)) {
  constexpr int BM = 128, BN = 128, BK = 16;
  __shared__ float a[BM * BK], b[BK * BN];
  A += blockIdx.y * BM * K, B += blockIdx.x * BN, C += blockIdx.y * BM * N + blockIdx.x * BN;
  WarpTile<BM, BN, BK, 64, 64, 4, 8, 4> tile;
  for (int k0 = 0; k0 < K; k0 += BK) {
    load_tiles<BM, BN, BK, 128, Rows<BN>>(N, K, threadIdx.x, A + k0, B + k0 * N, a, b);
    __syncthreads();
    tile.add(a, b);
    __syncthreads();
  }
  tile.store(N, alpha, beta, C);
}

// Two tiles in shared memory; each half of the block loads every other one while the other half computes.
SGEMM(double_buffer, __launch_bounds__(256)) {
  constexpr int BM = 128, BN = 256, BK = 16;
  __shared__ float a[2][BM * BK], b[2][BK * BN];
  const int half = threadIdx.x / 128, thread = threadIdx.x % 128;
  A += blockIdx.y * BM * K, B += blockIdx.x * BN, C += blockIdx.y * BM * N + blockIdx.x * BN;
  WarpTile<BM, BN, BK, 128, 32, 1, 8, 8> tile;
  const auto load = [&](int k0) {
    if (k0 < K) load_tiles<BM, BN, BK, 128, Rows<BN>>(N, K, thread, A + k0, B + k0 * N, a[half], b[half]);
  };
  if (half == 0) load(0);
  __syncthreads();
  for (int k0 = 0; k0 < K; k0 += 2 * BK) {
    if (half == 0) {
      tile.add(a[0], b[0]);
      __syncthreads();
      tile.add(a[1], b[1]);
      __syncthreads();
      load(k0 + 2 * BK);
    } else {
      load(k0 + BK);
      __syncthreads();
      tile.add(a[0], b[0]);
      __syncthreads();
      tile.add(a[1], b[1]);
    }
    __syncthreads();
  }
  tile.store(N, alpha, beta, C);
}
