// Functions of CUB that read a special register of PTX, removed in CUDA 13.
#if __CUDACC_VER_MAJOR__ >= 13
#define GPUSIM_READS(name, register) \
  __device__ __forceinline__ unsigned int name() { \
    unsigned int value; \
    asm volatile("mov.u32 %0, %%" #register ";" : "=r"(value)); \
    return value; \
  }
namespace cub {
GPUSIM_READS(LaneId, laneid)
GPUSIM_READS(WarpId, warpid)
GPUSIM_READS(LaneMaskLt, lanemask_lt)
GPUSIM_READS(LaneMaskLe, lanemask_le)
GPUSIM_READS(LaneMaskGt, lanemask_gt)
GPUSIM_READS(LaneMaskGe, lanemask_ge)
__device__ __forceinline__ void CTA_SYNC() { __syncthreads(); }
__device__ __forceinline__ void WARP_SYNC(unsigned int lanes) { __syncwarp(lanes); }
}
#endif
