// What the load/store pipe loses to global loads whose data is not there yet. The source of data/h200_awaited.json.
// Warps 16 to 31 of one block load from shared memory for T cycles, as fast as they can; the others load `lines` lines
// (of each `words` words) four times a round, all of them the same ones: new ones, or, with a small mask, ones that are there.
#include "clock.cuh"
extern "C" __global__ void __launch_bounds__(1024) awaited(const char* cold, unsigned mask, int lines, int words, int rounds, clock_type T,
                                                          clock_type* out, unsigned* sink) {
    __shared__ unsigned near[2048];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned acc = 0, at = 0, s = (unsigned)__cvta_generic_to_shared(near) + 4 * lane;
    for (int j = threadIdx.x; j < 2048; j += blockDim.x) near[j] = 0;
    const char* mine = cold + lane * lines / 32 * 128 + lane % words * 4;
    for (int j = 0; j < 32; ++j) acc += *(const volatile unsigned*)(near + j);
    for (int j = lane * 4; j < 4096; j += 128) {
        unsigned x;
        asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(x) : "l"(cold + j));
        acc += x;
    }
    __syncthreads();
    const clock_type begin = now();
    clock_type n = 0;
    if (warp < 16) {
        for (int r = 0; r < rounds; ++r) {
            asm volatile("bar.sync 1,512;" ::: "memory");
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                unsigned x;
                asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(x) : "l"(mine + at + k * lines * 128));
                acc += x;
            }
            at = (at + 4 * lines * 128) & mask;
        }
    } else {
        for (; now() - begin < T; n += 16, s ^= 2048) {
            unsigned v[16];
#pragma unroll
            for (int j = 0; j < 16; ++j) asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v[j]) : "r"(s + 128 * j));
#pragma unroll
            for (int j = 0; j < 16; ++j) acc = (acc << 1) ^ v[j];
        }
    }
    if (lane == 0) {
        out[2 * warp] = n;
        out[2 * warp + 1] = now() - begin;
    }
    if (acc == 0x12345) sink[0] = acc;
}
