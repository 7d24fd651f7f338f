// What the one device is, and how it is set up.

#include "runtime.h"

#include <cstdio>

namespace gpusim {

namespace {

const std::map<cudaDeviceAttr, const char *> &attributes() {
    static const std::map<cudaDeviceAttr, const char *> known = {
        {cudaDevAttrMaxThreadsPerBlock, "threads_per_block"},
        {cudaDevAttrMaxBlockDimX, "block_x"},
        {cudaDevAttrMaxBlockDimY, "block_y"},
        {cudaDevAttrMaxBlockDimZ, "block_z"},
        {cudaDevAttrMaxGridDimX, "grid_x"},
        {cudaDevAttrMaxGridDimY, "grid_y"},
        {cudaDevAttrMaxGridDimZ, "grid_z"},
        {cudaDevAttrMaxSharedMemoryPerBlock, "shared_per_block"},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, "shared_optin"},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, "shared_per_sm"},
        {cudaDevAttrReservedSharedMemoryPerBlock, "shared_reserved"},
        {cudaDevAttrTotalConstantMemory, "constant_bytes"},
        {cudaDevAttrWarpSize, "warp"},
        {cudaDevAttrMaxRegistersPerBlock, "registers_per_block"},
        {cudaDevAttrMaxRegistersPerMultiprocessor, "registers_per_sm"},
        {cudaDevAttrClockRate, "clock_khz"},
        {cudaDevAttrMemoryClockRate, "memory_clock_khz"},
        {cudaDevAttrGlobalMemoryBusWidth, "bus_bits"},
        {cudaDevAttrMultiProcessorCount, "sm_count"},
        {cudaDevAttrL2CacheSize, "l2_bytes"},
        {cudaDevAttrMaxThreadsPerMultiProcessor, "threads_per_sm"},
        {cudaDevAttrMaxBlocksPerMultiprocessor, "blocks_per_sm"},
        {cudaDevAttrComputeCapabilityMajor, "major"},
        {cudaDevAttrComputeCapabilityMinor, "minor"},
    };
    return known;
}

bool is_yes(cudaDeviceAttr attribute) {
    switch (attribute) {
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCooperativeLaunch: return true;
    case cudaDevAttrClusterLaunch: return device("clusters");
    default: return false;
    }
}

void set_sizes(cudaDeviceProp &p) {
    for (int k = 0; k < 3; ++k) {
        const char *blocks[] = {"block_x", "block_y", "block_z"}, *grids[] = {"grid_x", "grid_y", "grid_z"};
        p.maxThreadsDim[k] = int(device(blocks[k])), p.maxGridSize[k] = int(device(grids[k]));
    }
}

}  // namespace

static cudaError_t properties(cudaDeviceProp *found, int number) {
    if (number) return cudaErrorInvalidDevice;
    cudaDeviceProp p{};
    std::snprintf(p.name, sizeof p.name, "%s", device_name().c_str());
    p.totalGlobalMem = size_t(device("memory_bytes")), p.sharedMemPerBlock = size_t(device("shared_per_block"));
    p.regsPerBlock = int(device("registers_per_block")), p.warpSize = int(device("warp"));
    p.maxThreadsPerBlock = int(device("threads_per_block"));
    set_sizes(p);
    p.totalConstMem = size_t(device("constant_bytes")), p.major = int(device("major")), p.minor = int(device("minor"));
    p.memPitch = 0x7fffffff, p.textureAlignment = p.surfaceAlignment = 512, p.texturePitchAlignment = 32;
    p.multiProcessorCount = int(device("sm_count")), p.canMapHostMemory = p.concurrentKernels = 1;
    p.asyncEngineCount = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
    p.memoryBusWidth = int(device("bus_bits")), p.l2CacheSize = int(device("l2_bytes"));
    p.maxThreadsPerMultiProcessor = int(device("threads_per_sm")), p.streamPrioritiesSupported = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = p.cooperativeLaunch = p.memoryPoolsSupported = 1;
    p.sharedMemPerMultiprocessor = size_t(device("shared_per_sm"));
    p.regsPerMultiprocessor = int(device("registers_per_sm")), p.sharedMemPerBlockOptin = size_t(device("shared_optin"));
    p.maxBlocksPerMultiProcessor = int(device("blocks_per_sm"));
    p.reservedSharedMemPerBlock = size_t(device("shared_reserved")), p.clusterLaunch = int(device("clusters"));
#if CUDART_VERSION < 13000
    p.clockRate = int(device("clock_khz")), p.memoryClockRate = int(device("memory_clock_khz")), p.deviceOverlap = 1;
#endif
    *found = p;
    return cudaSuccess;
}

}  // namespace gpusim

using namespace gpusim;

#undef cudaGetDeviceProperties
GPUSIM_API cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp *found, int number) {
    return call([&] { return properties(found, number); });
}
#if CUDART_VERSION < 13000
GPUSIM_API cudaError_t CUDARTAPI cudaGetDeviceProperties_v2(cudaDeviceProp *found, int number) {
    return call([&] { return properties(found, number); });
}
#endif

GPUSIM_API cudaError_t CUDARTAPI cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int number) {
    return call([&]() -> cudaError_t {
        if (number) return cudaErrorInvalidDevice;
        auto found = attributes().find(attribute);
        *value = found == attributes().end() ? is_yes(attribute) : int(device(found->second));
        return cudaSuccess;
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGetDeviceCount(int *count) {
    *count = 1;
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaGetDevice(int *number) {
    *number = 0;
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaSetDevice(int number) {
    return call([&] { return number ? cudaErrorInvalidDevice : faulted(); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaInitDevice(int number, unsigned, unsigned) { return cudaSetDevice(number); }

GPUSIM_API cudaError_t CUDARTAPI cudaChooseDevice(int *number, const cudaDeviceProp *) { return cudaGetDevice(number); }

GPUSIM_API cudaError_t CUDARTAPI cudaDeviceGetPCIBusId(char *text, int nbytes, int) {
    std::snprintf(text, size_t(nbytes), "0000:00:00.0");
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaDeviceCanAccessPeer(int *can, int, int) {
    *can = 0;
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaDriverGetVersion(int *version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }

static std::map<cudaLimit, size_t> limits = {
    {cudaLimitStackSize, 1 << 10},
    {cudaLimitPrintfFifoSize, 1 << 20},
    {cudaLimitMallocHeapSize, 8 << 20},
};

size_t gpusim::stack_bytes() { return limits[cudaLimitStackSize]; }

GPUSIM_API cudaError_t CUDARTAPI cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
    *value = limits[limit];
    return cudaSuccess;
}

GPUSIM_API cudaError_t CUDARTAPI cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    limits[limit] = value;
    return cudaSuccess;
}

// What concerns only how fast, or how the host waits.
GPUSIM_API cudaError_t CUDARTAPI cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
GPUSIM_API cudaError_t CUDARTAPI cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
GPUSIM_API cudaError_t CUDARTAPI cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
GPUSIM_API cudaError_t CUDARTAPI cudaProfilerStart() { return cudaSuccess; }
GPUSIM_API cudaError_t CUDARTAPI cudaProfilerStop() { return cudaSuccess; }
GPUSIM_API cudaError_t CUDARTAPI cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

GPUSIM_API cudaError_t CUDARTAPI cudaDeviceReset() { return cudaDeviceSynchronize(); }
GPUSIM_API cudaError_t CUDARTAPI cudaThreadExit() { return cudaDeviceReset(); }
