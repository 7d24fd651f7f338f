// What the parts of a kernel take that begins and ends with boxes: cycles of each part by block.
#include "../../../kernels/hopper.cuh"
using namespace hopper;
extern __shared__ char dynamic[];
#define CLOCK(i) if (threadIdx.x == 0) out[blockIdx.x * 8 + i] = clock64() - begin
#define TILE (dynamic + (1024 - shared_address(dynamic) % 1024) % 1024)
extern "C" __global__ void empty(long long* out) {}
extern "C" __global__ void starts(long long* out) {
    unsigned long long g; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
    if (threadIdx.x == 0) out[blockIdx.x * 8] = g, out[blockIdx.x * 8 + 1] = clock64();
}
extern "C" __global__ void __launch_bounds__(384) registers(long long* out) {
    const long long begin = clock64();
    if (threadIdx.x < 128) give_registers<40>(); else take_registers<232>();
    __syncthreads();
    CLOCK(0);
}
extern "C" __global__ void __launch_bounds__(384) barriers(long long* out) {
    const long long begin = clock64();
    __shared__ u64 full[3];
    if (threadIdx.x == 0) { for (int i = 0; i < 3; i++) init(full + i, 1); publish_barriers(); }
    __syncthreads();
    CLOCK(0);
}
// `maps` boxes of 128 rows and 64 columns, one after another or all at once, twice each
template <bool TOGETHER> __device__ __forceinline__ void loads(long long* out, const TensorMap* A, const TensorMap* B, const TensorMap* C, int maps) {
    const long long begin = clock64();
    __shared__ u64 full[8];
    if (threadIdx.x == 0) { for (int i = 0; i < 8; i++) init(full + i, 1); publish_barriers(); }
    __syncthreads();
    CLOCK(0);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < maps; i++) {
            const TensorMap* map = i == 0 ? A : i == 1 ? B : C;
            if (threadIdx.x == 0) { expect(full + turn * 3 + i, 16384); load_box(TILE + i * 16384, map, turn * 64, blockIdx.x * 128, full + turn * 3 + i); }
            if (!TOGETHER) { wait(full + turn * 3 + i, 0); CLOCK(1 + turn * 3 + i); }
        }
        if (TOGETHER) { for (int i = 0; i < maps; i++) wait(full + turn * 3 + i, 0); CLOCK(1 + turn * 3); }
    }
}
#define MAPS const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, const __grid_constant__ TensorMap C
extern "C" __global__ void __launch_bounds__(384) loads_each(long long* out, MAPS, int maps) { loads<false>(out, &A, &B, &C, maps); }
extern "C" __global__ void __launch_bounds__(384) loads_together(long long* out, MAPS, int maps) { loads<true>(out, &A, &B, &C, maps); }
// a box of 64 rows and 64 columns stored twice, waited for
extern "C" __global__ void __launch_bounds__(384) stores(long long* out, MAPS, int maps) {
    const long long begin = clock64();
    for (int i = threadIdx.x; i < 4096; i += 384) reinterpret_cast<unsigned*>(TILE)[i] = i;
    publish_shared();
    __syncthreads();
    CLOCK(0);
    for (int turn = 0; turn < 2; turn++) {
        if (threadIdx.x == 0) {
            for (int i = 0; i < maps; i++) store_box(TILE, &A, turn * 64, blockIdx.x * 128 + i * 64);
            commit_stores();
            wait_for_reads();
        }
        CLOCK(1 + turn * 2);
        if (threadIdx.x == 0) wait_for_stores();
        CLOCK(2 + turn * 2);
    }
}
