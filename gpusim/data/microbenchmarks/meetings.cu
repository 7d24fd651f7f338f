// Lanes of a warp that meet again at a barrier of all threads, by how many ways they come there.
extern "C" __global__ void two(int n, int* out) {  // n lanes of the first warp go another way
    __shared__ int s[32]; const int lane = threadIdx.x % 32, warp = threadIdx.x / 32; int v = lane;
    if (warp == 0 && lane < n) { const unsigned m = (1u << n) - 1; for (int i = 1; i <= n; i *= 2) { int w = __shfl_up_sync(m, v, i, n); if (lane >= i) v += w; } s[lane] = v; }
    __syncthreads();
    out[threadIdx.x] = warp ? s[warp] : v;
}
extern "C" __global__ void three(int n, int k, int* out) {  // two parts of the first warp, each another way
    __shared__ int s[32]; const int lane = threadIdx.x % 32, warp = threadIdx.x / 32; int v = lane;
    if (warp == 0 && lane < n) { const unsigned m = (1u << n) - 1; for (int i = 1; i <= n; i *= 2) { int w = __shfl_up_sync(m, v, i, n); if (lane >= i) v += w; } s[lane] = v; }
    else if (warp == 0 && lane >= k) { const unsigned m = ~0u << k; for (int i = 1; i <= 4; i *= 2) { int w = __shfl_down_sync(m, v, i, 8); if (lane + i < 32) v ^= w; } s[lane] = v; }
    __syncthreads();
    out[threadIdx.x] = warp ? s[warp] : v;
}
extern "C" __global__ void syncwarp(int n, int* out) {
    __shared__ int s[32]; const int lane = threadIdx.x % 32; int v = lane;
    if (lane < n) { const unsigned m = (1u << n) - 1; for (int i = 1; i <= n; i *= 2) { int w = __shfl_up_sync(m, v, i, n); if (lane >= i) v += w; } s[lane] = v; }
    __syncwarp();
    out[threadIdx.x] = v + s[0];
}
