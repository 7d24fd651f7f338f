// shuffle of reduction.py with B = 256
// Launch: dim3 grid((N + B - 1) / B), block(B);

constexpr int B = 256;

extern "C" __global__ void __launch_bounds__(B)
reduce_shuffle(const float* __restrict__ x, float* __restrict__ y, int N) {
    __shared__ float sums[32];
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int i = blockIdx.x * B + threadIdx.x;
    float v = i < N ? x[i] : 0.0f;
    #pragma unroll
    for (int j = 0; j < 5; ++j) {
        v += __shfl_down_sync(0xffffffff, v, 16 >> j);
    }
    if (lane == 0) {
        sums[warp] = v;
    }
    __syncthreads();
    if (warp == 0) {
        v = lane < B / 32 ? sums[lane] : 0.0f;
        #pragma unroll
        for (int j = 0; j < 5; ++j) {
            v += __shfl_down_sync(0xffffffff, v, 16 >> j);
        }
        if (lane == 0) {
            y[blockIdx.x] = v;
        }
    }
}
