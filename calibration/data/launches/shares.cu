// How often each SM comes to one address in so many cycles, where all add to it.  nvcc -arch=sm_90 shares.cu
//
// A line for each launch, a number for each SM: atomics of all its warps.
#include <cstdio>
#include <vector>

template <bool RETURNS> __global__ void share(float *to, long long cycles, int lanes, int step, unsigned *came) {
    unsigned sm, n = 0;
    float sum = 0, *at = to + (threadIdx.x & 31) * step;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    long long begin = clock64();
    if ((threadIdx.x & 31) < lanes)
        for (; clock64() - begin < cycles; ++n) {
            if (RETURNS) sum += atomicAdd(at, 1.0f);
            else asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(1.0f) : "memory");
        }
    if (!(threadIdx.x & 31)) atomicAdd(came + sm, n);
    if (sum == -1) *came = 0;
}

int main() {
    const int sms = 132;
    float *to;
    unsigned *came;
    cudaMalloc(&to, 4096), cudaMalloc(&came, sms * sizeof *came);
    for (bool returns : {false, true})
        for (int warps : {1, 4, 16})
            for (int step : {0, 1})
                for (int lanes : {1, 32})
                    for (int blocks : {132, 64}) {
                        if (lanes == 1 && step) continue;
                        for (int turn = 0; turn < 2; ++turn) {  // the first time code comes
                            cudaMemset(came, 0, sms * sizeof *came);
                            auto kernel = returns ? share<true> : share<false>;
                            kernel<<<blocks, 32 * warps>>>(to, 400000, lanes, step, came);
                        }
                        std::vector<unsigned> found(sms);
                        cudaMemcpy(found.data(), came, sms * sizeof *came, cudaMemcpyDeviceToHost);
                        std::printf("%s, %d blocks of %d warps, %d lanes, %d apart:", returns ? "atom" : "red", blocks,
                                    warps, lanes, step);
                        for (unsigned each : found) std::printf(" %u", each);
                        std::printf("\n");
                    }
    if (cudaDeviceSynchronize()) std::printf("failed\n");
}
