// The first and the last of the times that warps note in one place, which holds 0 before: of the first what it lacks to -1.
__device__ __forceinline__ void first(long long*place,long long t){atomicMax((unsigned long long*)place,~(unsigned long long)t);}
__device__ __forceinline__ void last(long long*place,long long t){atomicMax((unsigned long long*)place,(unsigned long long)t);}
