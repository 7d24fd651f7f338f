// The clock of an SM, read where it stands: what the loops beside this file time themselves by.
#pragma once
typedef long long clock_type;

__device__ __forceinline__ clock_type now() {
    clock_type t;
    asm volatile("mov.u64 %0,%%clock64;" : "=l"(t)::"memory");
    return t;
}
