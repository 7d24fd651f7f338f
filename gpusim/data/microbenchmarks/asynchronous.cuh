// What the kernels beside this file have in common that wait for asynchronous units: mbarriers, bulk copies, clusters.
// Source: NVIDIA, PTX ISA, the sections on each instruction.
#pragma once
#include "clock.cuh"
typedef unsigned u32;
typedef unsigned long long u64;

// How a tensor is cut into boxes, as the driver encodes it.
struct alignas(64) TensorMap { u64 opaque[16]; };

__device__ __forceinline__ u32 place(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void begin_barrier(u32 barrier, u32 arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void publish_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void arrive(u32 barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _,[%0];" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(barrier), "r"(bytes) : "memory");
}
// Waits until the phase of that parity is over.
__device__ __forceinline__ void wait(u32 barrier, u32 parity) {
    asm volatile("{\n.reg .pred over;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 over,[%0],%1;\n"
                 "@over bra OVER;\nbra AGAIN;\nOVER:\n}" ::"r"(barrier), "r"(parity) : "memory");
}
// Whether a thread is the one of its warp that is to do what one thread does.  The compiler knows that it is one, so that it
// needs no loop around copies.
__device__ __forceinline__ bool elected() {
    u32 one;
    asm volatile("{\n.reg .pred one;\nelect.sync _|one,0xffffffff;\nselp.u32 %0,1,0,one;\n}" : "=r"(one)::"memory");
    return one;
}
// One warp's start and end, where every warp of the block notes them.
__device__ __forceinline__ void note(clock_type* out, clock_type begin) {
    clock_type end = now();
    if (threadIdx.x % 32 == 0) {
        out[threadIdx.x / 32 * 2] = begin;
        out[threadIdx.x / 32 * 2 + 1] = end;
    }
}
