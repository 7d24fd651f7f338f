// tiled of matmul.py with T = 32
// Launch: dim3 grid((N + T - 1) / T, (M + T - 1) / T), block(T * T);

constexpr int T = 32;

extern "C" __global__ void __launch_bounds__(T * T)
matmul_tiled(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
        int M, int K, int N) {
    __shared__ float sA[T][T];
    __shared__ float sB[T][T];
    const int r = threadIdx.x / T;
    const int c = threadIdx.x % T;
    const int row = blockIdx.y * T + r;
    const int col = blockIdx.x * T + c;
    float acc = 0.0f;
    for (int t = 0; t < K; t += T) {
        sA[r][c] = (row < M && t + c < K) ? A[row * K + t + c] : 0.0f;
        sB[r][c] = (t + r < K && col < N) ? B[(t + r) * N + col] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < T; ++k) {
            acc += sA[r][k] * sB[k][c];
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        C[row * N + col] = acc;
    }
}
