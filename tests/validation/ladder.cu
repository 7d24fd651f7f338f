// C = A B in fp32, all n x n and row-major, n a multiple of 128: the usual ladder of optimizations, one kernel a step.
#define SGEMM(name) extern "C" __global__ void name(int n, const float* __restrict__ A, const float* __restrict__ B, \
                                                    float* __restrict__ C)

__device__ __forceinline__ float dot(int n, const float* a, const float* b) {
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[k] * b[k * n];
  return sum;
}

// Neighbouring threads take neighbouring rows: a warp reads 32 lines of A at once.
SGEMM(naive) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) C[row * n + col] = dot(n, A + row * n, B + col);
}

// Neighbouring threads take neighbouring columns.
SGEMM(coalesced) {
  const int row = blockIdx.x * 32 + threadIdx.x / 32, col = blockIdx.y * 32 + threadIdx.x % 32;
  if (row < n && col < n) C[row * n + col] = dot(n, A + row * n, B + col);
}

// A block's tiles of A and B go through shared memory.
SGEMM(shared_tile) {
  constexpr int T = 32;
  __shared__ float a[T * T], b[T * T];
  const int row = threadIdx.x / T, col = threadIdx.x % T;
  A += blockIdx.x * T * n, B += blockIdx.y * T, C += blockIdx.x * T * n + blockIdx.y * T;
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += T) {
    a[row * T + col] = A[row * n + k0 + col];
    b[row * T + col] = B[(k0 + row) * n + col];
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += a[row * T + k] * b[k * T + col];
    __syncthreads();
  }
  C[row * n + col] = sum;
}

// A thread computes TM elements of a column.
SGEMM(tile_1d) {
  constexpr int BM = 64, BN = 64, BK = 8, TM = 8;
  __shared__ float a[BM * BK], b[BK * BN];
  const int row = threadIdx.x / BN * TM, col = threadIdx.x % BN;
  const int a_row = threadIdx.x / BK, a_col = threadIdx.x % BK, b_row = threadIdx.x / BN;
  A += blockIdx.y * BM * n, B += blockIdx.x * BN, C += blockIdx.y * BM * n + blockIdx.x * BN;
  float sum[TM] = {};
  for (int k0 = 0; k0 < n; k0 += BK) {
    a[a_row * BK + a_col] = A[a_row * n + k0 + a_col];
    b[b_row * BN + col] = B[(k0 + b_row) * n + col];
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      const float right = b[k * BN + col];
      for (int i = 0; i < TM; ++i) sum[i] += a[(row + i) * BK + k] * right;
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i) C[(row + i) * n + col] = sum[i];
}

// A thread computes TM x TN elements.
SGEMM(tile_2d) {
  constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8, THREADS = 256;
  __shared__ float a[BM * BK], b[BK * BN];
  const int row = threadIdx.x / (BN / TN) * TM, col = threadIdx.x % (BN / TN) * TN;
  const int a_row = threadIdx.x / BK, a_col = threadIdx.x % BK, b_row = threadIdx.x / BN, b_col = threadIdx.x % BN;
  A += blockIdx.y * BM * n, B += blockIdx.x * BN, C += blockIdx.y * BM * n + blockIdx.x * BN;
  float sum[TM][TN] = {}, left[TM], right[TN];
  for (int k0 = 0; k0 < n; k0 += BK) {
    for (int i = 0; i < BM; i += THREADS / BK) a[(a_row + i) * BK + a_col] = A[(a_row + i) * n + k0 + a_col];
    for (int i = 0; i < BK; i += THREADS / BN) b[(b_row + i) * BN + b_col] = B[(k0 + b_row + i) * n + b_col];
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
    for (int j = 0; j < TN; ++j) C[(row + i) * n + col + j] = sum[i][j];
}

__device__ __forceinline__ float4 read4(const float* from) { return *reinterpret_cast<const float4*>(from); }
__device__ __forceinline__ void write4(float* to, float4 v) { *reinterpret_cast<float4*>(to) = v; }

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
__device__ __forceinline__ void load_tiles(int n, int thread, const float* A, const float* B, float* a, float* b) {
  const int a_row = thread / (BK / 4), a_col = thread % (BK / 4) * 4, b_row = thread / (BN / 4),
            b_col = thread % (BN / 4) * 4;
  for (int i = 0; i < BM; i += THREADS / (BK / 4)) {
    const float4 v = read4(A + (a_row + i) * n + a_col);
    float* to = a + a_col * BM + a_row + i;
    to[0] = v.x, to[BM] = v.y, to[2 * BM] = v.z, to[3 * BM] = v.w;
  }
  for (int i = 0; i < BK; i += THREADS / (BN / 4)) Layout::put(b, b_row + i, b_col, read4(B + (b_row + i) * n + b_col));
}

template <int BM, int BN, int BK, class Layout>
__device__ __forceinline__ void vectorized(int n, const float* A, const float* B, float* C) {
  constexpr int TM = 8, TN = 8, THREADS = BM * BN / (TM * TN);
  __shared__ float a[BM * BK], b[BK * Layout::SIZE];
  const int row = threadIdx.x / (BN / TN) * TM, col = threadIdx.x % (BN / TN) * TN;
  A += blockIdx.y * BM * n, B += blockIdx.x * BN, C += blockIdx.y * BM * n + blockIdx.x * BN;
  float sum[TM][TN] = {}, left[TM], right[TN];
  for (int k0 = 0; k0 < n; k0 += BK) {
    load_tiles<BM, BN, BK, THREADS, Layout>(n, threadIdx.x, A + k0, B + k0 * n, a, b);
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
      write4(C + (row + i) * n + col + j, make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]));
}

SGEMM(linear) { vectorized<128, 128, 8, Linear<128>>(n, A, B, C); }
SGEMM(padded) { vectorized<128, 128, 8, Padded<128>>(n, A, B, C); }
SGEMM(vector) { vectorized<128, 128, 8, Rows<128>>(n, A, B, C); }
extern "C" __global__ void __launch_bounds__(256)
    autotuned(int n, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  vectorized<128, 128, 16, Rows<128>>(n, A, B, C);
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

  __device__ __forceinline__ void store(int n, float* C) const {
    for (int i = 0; i < STEPS * TM; ++i)
      for (int j = 0; j < PASSES * TN; j += 4)
        write4(C + (row + i / TM * DOWN + i % TM) * n + col + j / TN * ACROSS + j % TN,
               make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]));
  }
};

extern "C" __global__ void __launch_bounds__(128)
    warp_tile(int n, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  constexpr int BM = 128, BN = 128, BK = 16;
  __shared__ float a[BM * BK], b[BK * BN];
  A += blockIdx.y * BM * n, B += blockIdx.x * BN, C += blockIdx.y * BM * n + blockIdx.x * BN;
  WarpTile<BM, BN, BK, 64, 64, 4, 8, 4> tile;
  for (int k0 = 0; k0 < n; k0 += BK) {
    load_tiles<BM, BN, BK, 128, Rows<BN>>(n, threadIdx.x, A + k0, B + k0 * n, a, b);
    __syncthreads();
    tile.add(a, b);
    __syncthreads();
  }
  tile.store(n, C);
}

// Two tiles in shared memory; each half of the block loads every other one while the other half computes.
extern "C" __global__ void __launch_bounds__(256)
    double_buffer(int n, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  constexpr int BM = 128, BN = 128, BK = 16;
  __shared__ float a[2][BM * BK], b[2][BK * BN];
  const int half = threadIdx.x / 128, thread = threadIdx.x % 128;
  A += blockIdx.y * BM * n, B += blockIdx.x * BN, C += blockIdx.y * BM * n + blockIdx.x * BN;
  WarpTile<BM, BN, BK, 64, 32, 1, 8, 8> tile;
  const auto load = [&](int k0) {
    if (k0 < n) load_tiles<BM, BN, BK, 128, Rows<BN>>(n, thread, A + k0, B + k0 * n, a[half], b[half]);
  };
  if (half == 0) load(0);
  __syncthreads();
  for (int k0 = 0; k0 < n; k0 += 2 * BK) {
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
  tile.store(n, C);
}
