// What gpusim's cuBLAS and cuBLASLt share.

#pragma once

#include "../runtime/runtime.h"
#include "cublas_v2.h"

#include <cuda_fp16.h>

#define GPUSIM_LIBRARY extern "C" __attribute__((visibility("default")))

namespace {

inline cublasStatus_t status_of(cudaError_t error) {
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

// In what alpha and beta are.
inline int64_t scale_type(cublasComputeType_t compute) {
    switch (compute) {
        case CUBLAS_COMPUTE_16F:
        case CUBLAS_COMPUTE_16F_PEDANTIC: return CUDA_R_16F;
        case CUBLAS_COMPUTE_64F:
        case CUBLAS_COMPUTE_64F_PEDANTIC: return CUDA_R_64F;
        case CUBLAS_COMPUTE_32I:
        case CUBLAS_COMPUTE_32I_PEDANTIC: return CUDA_R_32I;
        default: return CUDA_R_32F;
    }
}

template <class T> T read_scalar(const void *pointer) {
    T value;
    std::memcpy(&value, gpusim::view(pointer), sizeof value);
    return value;
}

// A scalar of the host's memory or the device's.
inline double scalar(const void *pointer, int64_t type) {
    if (!pointer) return 0;
    if (gpusim::is_device(pointer)) gpusim::catch_up();
    switch (type) {
        case CUDA_R_16F: return double(__half2float(read_scalar<__half>(pointer)));
        case CUDA_R_64F: return read_scalar<double>(pointer);
        case CUDA_R_32I: return read_scalar<int32_t>(pointer);
        default: return read_scalar<float>(pointer);
    }
}

inline gpusim::Matrix matrix(const void *first, int64_t rows, int64_t columns, int64_t ld, int64_t type,
                             bool transposed = false, int64_t stride = 0) {
    return {gpusim::Address(first), rows, columns, ld, stride, type, transposed};
}

}  // namespace
