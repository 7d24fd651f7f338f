// Of cuBLAS what gpusim computes.  Taken where NVIDIA's own header is not installed; types, values and calls are as
// the library's documentation has them.

#pragma once

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <library_types.h>

#define CUBLASWINAPI
#define CUBLAS_API_H_  // by which other headers tell that cuBLAS is there
#define CUBLAS_V2_H_

typedef struct cublasContext *cublasHandle_t;

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;

typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;

typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;

typedef enum { CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 } cublasGemmAlgo_t;

typedef cudaDataType cublasDataType_t;

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2
#define cublasSgemv cublasSgemv_v2
#define cublasDgemv cublasDgemv_v2
#define cublasSger cublasSger_v2
#define cublasDger cublasDger_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasDscal cublasDscal_v2
#define cublasScopy cublasScopy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasSswap cublasSswap_v2
#define cublasDswap cublasDswap_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasDasum cublasDasum_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIdamax cublasIdamax_v2

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t CUBLASWINAPI cublasCreate(cublasHandle_t *handle);
cublasStatus_t CUBLASWINAPI cublasDestroy(cublasHandle_t handle);
cublasStatus_t CUBLASWINAPI cublasGetVersion(cublasHandle_t handle, int *version);
cublasStatus_t CUBLASWINAPI cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t nbytes);
cublasStatus_t CUBLASWINAPI cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t CUBLASWINAPI cublasGetStream(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t CUBLASWINAPI cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t CUBLASWINAPI cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t CUBLASWINAPI cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t CUBLASWINAPI cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t CUBLASWINAPI cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
const char *CUBLASWINAPI cublasGetStatusName(cublasStatus_t status);
const char *CUBLASWINAPI cublasGetStatusString(cublasStatus_t status);

cublasStatus_t CUBLASWINAPI cublasSetVector(int n, int size, const void *x, int incx, void *y, int incy);
cublasStatus_t CUBLASWINAPI cublasGetVector(int n, int size, const void *x, int incx, void *y, int incy);
cublasStatus_t CUBLASWINAPI cublasSetMatrix(int rows, int columns, int size, const void *A, int lda, void *B, int ldb);
cublasStatus_t CUBLASWINAPI cublasGetMatrix(int rows, int columns, int size, const void *A, int lda, void *B, int ldb);

#define GPUSIM_BLAS(S, T)                                                                                              \
    cublasStatus_t CUBLASWINAPI cublas##S##gemm_v2(                                                                    \
        cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T *alpha,      \
        const T *A, int lda, const T *B, int ldb, const T *beta, T *C, int ldc);                                       \
    cublasStatus_t CUBLASWINAPI cublas##S##gemv_v2(cublasHandle_t handle, cublasOperation_t op, int m, int n,          \
                                                   const T *alpha, const T *A, int lda, const T *x, int incx,          \
                                                   const T *beta, T *y, int incy);                                     \
    cublasStatus_t CUBLASWINAPI cublas##S##ger_v2(cublasHandle_t handle, int m, int n, const T *alpha, const T *x,     \
                                                  int incx, const T *y, int incy, T *A, int lda);                      \
    cublasStatus_t CUBLASWINAPI cublas##S##axpy_v2(cublasHandle_t handle, int n, const T *alpha, const T *x, int incx, \
                                                   T *y, int incy);                                                    \
    cublasStatus_t CUBLASWINAPI cublas##S##scal_v2(cublasHandle_t handle, int n, const T *alpha, T *x, int incx);      \
    cublasStatus_t CUBLASWINAPI cublas##S##copy_v2(cublasHandle_t handle, int n, const T *x, int incx, T *y, int incy); \
    cublasStatus_t CUBLASWINAPI cublas##S##swap_v2(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy);      \
    cublasStatus_t CUBLASWINAPI cublas##S##dot_v2(cublasHandle_t handle, int n, const T *x, int incx, const T *y,      \
                                                  int incy, T *result);                                                \
    cublasStatus_t CUBLASWINAPI cublas##S##nrm2_v2(cublasHandle_t handle, int n, const T *x, int incx, T *result);     \
    cublasStatus_t CUBLASWINAPI cublas##S##asum_v2(cublasHandle_t handle, int n, const T *x, int incx, T *result);
GPUSIM_BLAS(S, float)
GPUSIM_BLAS(D, double)
#undef GPUSIM_BLAS
cublasStatus_t CUBLASWINAPI cublasIsamax(cublasHandle_t handle, int n, const float *x, int incx, int *result);
cublasStatus_t CUBLASWINAPI cublasIdamax(cublasHandle_t handle, int n, const double *x, int incx, int *result);

#define GPUSIM_BATCHED(S, T)                                                                                           \
    cublasStatus_t CUBLASWINAPI cublas##S##gemmStridedBatched(                                                         \
        cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T *alpha,      \
        const T *A, int lda, long long strideA, const T *B, int ldb, long long strideB, const T *beta, T *C, int ldc,  \
        long long strideC, int batch);                                                                                 \
    cublasStatus_t CUBLASWINAPI cublas##S##gemmBatched(                                                                \
        cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T *alpha,      \
        const T *const A[], int lda, const T *const B[], int ldb, const T *beta, T *const C[], int ldc, int batch);
GPUSIM_BATCHED(S, float)
GPUSIM_BATCHED(D, double)
GPUSIM_BATCHED(H, __half)
#undef GPUSIM_BATCHED
cublasStatus_t CUBLASWINAPI cublasHgemm(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
                                        int n, int k, const __half *alpha, const __half *A, int lda, const __half *B,
                                        int ldb, const __half *beta, __half *C, int ldc);
cublasStatus_t CUBLASWINAPI cublasSgemmEx(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
                                          int n, int k, const float *alpha, const void *A, cudaDataType typeA, int lda,
                                          const void *B, cudaDataType typeB, int ldb, const float *beta, void *C,
                                          cudaDataType typeC, int ldc);
cublasStatus_t CUBLASWINAPI cublasGemmEx(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
                                         int n, int k, const void *alpha, const void *A, cudaDataType typeA, int lda,
                                         const void *B, cudaDataType typeB, int ldb, const void *beta, void *C,
                                         cudaDataType typeC, int ldc, cublasComputeType_t compute,
                                         cublasGemmAlgo_t algo);
cublasStatus_t CUBLASWINAPI cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const void *alpha,
    const void *A, cudaDataType typeA, int lda, long long strideA, const void *B, cudaDataType typeB, int ldb,
    long long strideB, const void *beta, void *C, cudaDataType typeC, int ldc, long long strideC, int batch,
    cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t CUBLASWINAPI cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,
                                                int m, int n, int k, const void *alpha, const void *const A[],
                                                cudaDataType typeA, int lda, const void *const B[], cudaDataType typeB,
                                                int ldb, const void *beta, void *const C[], cudaDataType typeC, int ldc,
                                                int batch, cublasComputeType_t compute, cublasGemmAlgo_t algo);

#ifdef __cplusplus
}
#endif
