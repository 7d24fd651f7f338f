// Loads of constants by the warps of an SM: how often, how long one takes, and what a line takes that the SM does not hold.
#include "clock.cuh"
__constant__ int held[1024];
__constant__ long long pairs[512];
__device__ __forceinline__ void note(clock_type* out, clock_type before, int sum) {
    if (sum == 0x12345678) asm volatile("trap;");
    const clock_type after = now();
    const int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) out[warp * 2] = before, out[warp * 2 + 1] = after;
}
// The lines that the loops below read, before they are timed.
__device__ __forceinline__ int warm_up(int at) {
    int sum = 0;
    for (int k = 0; k < 512; k += 16) sum += held[at + k] + (int)pairs[(at + k) / 2];
    return sum;
}
__device__ __forceinline__ int folded(int value) { return value; }
__device__ __forceinline__ int folded(long long value) { return (int)value ^ (int)(value >> 32); }
// Eight loads, from each lane's place on, that do not wait for one another.
template <typename T> __device__ __forceinline__ void eight(const T* constants, int at, int rounds, clock_type* out) {
    int sum = warm_up(at);
    __syncthreads();
    const clock_type before = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        const T* from = constants + at + r % 8 * 8;
#pragma unroll
        for (int k = 0; k < 8; k++) sum ^= folded(from[k]);
    }
    note(out, before, sum);
}
// Of four bytes each and of eight, all lanes at the same address (`zero`: 0); of four, lanes at `addresses` different words.
extern "C" __global__ void __launch_bounds__(1024) apart(int rounds, clock_type* out, int zero) {
    eight(held, zero * threadIdx.x, rounds, out);
}
extern "C" __global__ void __launch_bounds__(1024) wide(int rounds, clock_type* out, int zero) {
    eight(pairs, zero * threadIdx.x, rounds, out);
}
extern "C" __global__ void __launch_bounds__(1024) lanes(int rounds, clock_type* out, int addresses) {
    eight(held, threadIdx.x % addresses, rounds, out);
}
// Each where the one before says.
extern "C" __global__ void __launch_bounds__(1024) after(int rounds, clock_type* out, int zero) {
    int at = zero * threadIdx.x, sum = warm_up(at);
    __syncthreads();
    const clock_type before = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 8; k++) at = held[at + k];
    note(out, before, sum ^ at);
}
// By turns with loads from shared memory.
extern "C" __global__ void __launch_bounds__(1024) with_shared(int rounds, clock_type* out, int zero) {
    __shared__ volatile int near[1024];
    int at = zero * threadIdx.x, sum = warm_up(at);
    near[threadIdx.x] = sum;
    __syncthreads();
    const clock_type before = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        const int* from = held + at + r % 8 * 8;
#pragma unroll
        for (int k = 0; k < 4; k++) sum ^= from[k] ^ near[threadIdx.x];
    }
    note(out, before, sum);
}
// As many lines that no warp has read, at once.
template <int N> __device__ __forceinline__ void new_lines(clock_type* out, int zero) {
    const int* from = held + zero * threadIdx.x;
    int sum = 0;
    __syncthreads();
    const clock_type before = now();
#pragma unroll
    for (int k = 0; k < N; k++) sum += from[k * 16 + 256];
    note(out, before, sum);
}
#define NEW(N) extern "C" __global__ void new_##N(clock_type* out, int zero) { new_lines<N>(out, zero); }
NEW(1) NEW(2) NEW(4) NEW(8) NEW(16)
