// cuBLAS as far as gpusim computes it: products of matrices by NumPy, vectors here.

#include "library.h"

#include <cmath>
#include <type_traits>

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
};

using namespace gpusim;

namespace {

// A vector's element; those of a negative increment begin at its end.
template <class T> struct Vector {
    T *first;
    int64_t n, step;

    Vector(T *at, int n, int step) : first(at), n(n), step(step) {}
    T &operator[](int64_t k) const { return first[step < 0 ? (k - n + 1) * step : k * step]; }
};

template <class T> Vector<T> vector(T *x, int n, int step, bool written) {
    if (n > 0) touched(x, (size_t(n - 1) * size_t(std::abs(step)) + 1) * sizeof(T), written);
    return {static_cast<T *>(view(x)), n, step};
}

// Does a call's work in its handle's stream, when all before it is done.
cublasStatus_t in_its_stream(const char *name, cublasHandle_t handle, std::function<cudaError_t()> work) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    library_call(name);
    return status_of(call([&] {
        return in_stream(handle->stream, [work](cudaStream_t) {
            if (faulted()) return faulted();
            catch_up();
            return work();
        });
    }));
}

struct Operand {
    const void *first;
    int64_t type;
    int ld;
    long long stride;
};

Matrix operand(const Operand &one, bool transposed, int rows, int columns) {
    return transposed ? matrix(one.first, columns, rows, one.ld, one.type, true, one.stride)
                      : matrix(one.first, rows, columns, one.ld, one.type, false, one.stride);
}

cublasStatus_t product(const char *name, cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
                       int n, int k, const void *alpha, Operand A, Operand B, const void *beta, Operand C, int batch,
                       int64_t scale) {
    if (m < 0 || n < 0 || k < 0 || batch < 0) return CUBLAS_STATUS_INVALID_VALUE;
    int least_a = opA == CUBLAS_OP_N ? m : k, least_b = opB == CUBLAS_OP_N ? k : n;
    if (A.ld < least_a || B.ld < least_b || C.ld < m) return CUBLAS_STATUS_INVALID_VALUE;
    return in_its_stream(name, handle, [=] {
        Product one;
        one.a = operand(A, opA != CUBLAS_OP_N, m, k), one.b = operand(B, opB != CUBLAS_OP_N, k, n);
        one.d = operand(C, false, m, n);
        one.alpha = scalar(alpha, scale), one.beta = scalar(beta, scale), one.batch = batch;
        if (one.beta != 0) one.c = one.d;
        return multiply(one);
    });
}

// The same for each of a batch whose addresses stand in the device's memory.
cublasStatus_t batched(const char *name, cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
                       int n, int k, const void *alpha, Operand A, Operand B, const void *beta, Operand C, int batch,
                       int64_t scale) {
    catch_up();
    for (int b = 0; b < batch; ++b) {
        auto nth = [b](Operand of) {
            of.first = static_cast<const void *const *>(view(of.first))[b];
            return of;
        };
        auto status = product(name, handle, opA, opB, m, n, k, alpha, nth(A), nth(B), beta, nth(C), 1, scale);
        if (status) return status;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t between(const char *name, int rows, int columns, int size, const void *from, size_t from_pitch, void *to,
                       size_t to_pitch, cudaMemcpyKind kind) {
    library_call(name);
    return status_of(cudaMemcpy2D(to, to_pitch, from, from_pitch, size_t(rows) * size, columns, kind));
}

// ---------------------------------------------------------------- vectors

template <class T> constexpr int64_t type_of = std::is_same<T, double>::value ? CUDA_R_64F : CUDA_R_32F;

template <class T>
cublasStatus_t matrix_vector(const char *name, cublasHandle_t handle, cublasOperation_t op, int m, int n, const T *alpha,
                             const T *A, int lda, const T *x, int incx, const T *beta, T *y, int incy) {
    if (m < 0 || n < 0 || lda < m || !incx || !incy) return CUBLAS_STATUS_INVALID_VALUE;
    int rows = op == CUBLAS_OP_N ? m : n, across = op == CUBLAS_OP_N ? n : m;
    return in_its_stream(name, handle, [=] {
        auto from = vector(x, across, incx, false);
        auto to = vector(y, rows, incy, true);
        touched(A, (size_t(n - 1) * lda + m) * sizeof(T), false);
        auto a = static_cast<const T *>(view(A));
        T by = T(scalar(alpha, type_of<T>)), keep = T(scalar(beta, type_of<T>));
        for (int r = 0; r < rows; ++r) {
            T sum = 0;
            for (int c = 0; c < across; ++c)
                sum += (op == CUBLAS_OP_N ? a[r + int64_t(c) * lda] : a[c + int64_t(r) * lda]) * from[c];
            to[r] = by * sum + (keep != 0 ? keep * to[r] : T(0));
        }
        return cudaSuccess;
    });
}

template <class T>
cublasStatus_t rank_one(const char *name, cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx,
                        const T *y, int incy, T *A, int lda) {
    return in_its_stream(name, handle, [=] {
        auto down = vector(x, m, incx, false), across = vector(y, n, incy, false);
        touched(A, (size_t(n - 1) * lda + m) * sizeof(T), true);
        auto a = static_cast<T *>(view(A));
        T by = T(scalar(alpha, type_of<T>));
        for (int c = 0; c < n; ++c)
            for (int r = 0; r < m; ++r) a[r + int64_t(c) * lda] += by * down[r] * across[c];
        return cudaSuccess;
    });
}

template <class T>
cublasStatus_t add(const char *name, cublasHandle_t handle, int n, const T *alpha, const T *x, int incx, T *y, int incy) {
    return in_its_stream(name, handle, [=] {
        auto from = vector(x, n, incx, false);
        auto to = vector(y, n, incy, true);
        T by = T(scalar(alpha, type_of<T>));
        for (int k = 0; k < n; ++k) to[k] += by * from[k];
        return cudaSuccess;
    });
}

template <class T> cublasStatus_t scale(const char *name, cublasHandle_t handle, int n, const T *alpha, T *x, int incx) {
    return in_its_stream(name, handle, [=] {
        auto all = vector(x, n, incx, true);
        T by = T(scalar(alpha, type_of<T>));
        for (int k = 0; k < n; ++k) all[k] *= by;
        return cudaSuccess;
    });
}

template <class T>
cublasStatus_t copy_vector(const char *name, cublasHandle_t handle, int n, const T *x, int incx, T *y, int incy) {
    return in_its_stream(name, handle, [=] {
        auto from = vector(x, n, incx, false);
        auto to = vector(y, n, incy, true);
        for (int k = 0; k < n; ++k) to[k] = from[k];
        return cudaSuccess;
    });
}

template <class T>
cublasStatus_t exchange(const char *name, cublasHandle_t handle, int n, T *x, int incx, T *y, int incy) {
    return in_its_stream(name, handle, [=] {
        auto one = vector(x, n, incx, true), other = vector(y, n, incy, true);
        for (int k = 0; k < n; ++k) std::swap(one[k], other[k]);
        return cudaSuccess;
    });
}

// A number that follows from a vector, into the host's memory or the device's.
template <class T, class R>
cublasStatus_t reduced(const char *name, cublasHandle_t handle, int n, const T *x, int incx, R *result,
                       R (*reduce)(const Vector<const T> &)) {
    return in_its_stream(name, handle, [=] {
        R found = reduce(vector(x, n, incx, false));
        std::memcpy(view(result), &found, sizeof found);
        return cudaSuccess;
    });
}

template <class T>
cublasStatus_t inner(const char *name, cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy,
                     T *result) {
    return in_its_stream(name, handle, [=] {
        auto one = vector(x, n, incx, false), other = vector(y, n, incy, false);
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += double(one[k]) * other[k];
        T found = T(sum);
        std::memcpy(view(result), &found, sizeof found);
        return cudaSuccess;
    });
}

template <class T> T length(const Vector<const T> &all) {
    long double sum = 0;
    for (int k = 0; k < all.n; ++k) sum += static_cast<long double>(all[k]) * all[k];
    return T(std::sqrt(sum));
}

template <class T> T sum_of_sizes(const Vector<const T> &all) {
    double sum = 0;
    for (int k = 0; k < all.n; ++k) sum += std::abs(double(all[k]));
    return T(sum);
}

template <class T> int largest(const Vector<const T> &all) {
    int best = 0;
    for (int k = 1; k < all.n; ++k)
        if (std::abs(all[k]) > std::abs(all[best])) best = k;
    return all.n > 0 ? best + 1 : 0;  // from 1 on, as in Fortran
}

}  // namespace

// ---------------------------------------------------------------- the handle

GPUSIM_LIBRARY cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
    library_call("cublasCreate_v2");
    *handle = new cublasContext;
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *version) {
    *version = CUDART_VERSION * 10;
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void *, size_t) { return CUBLAS_STATUS_SUCCESS; }

GPUSIM_LIBRARY cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream) {
    *stream = handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
    handle->pointers = mode;
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode) {
    *mode = handle->pointers;
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    handle->math = mode;
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode) {
    *mode = handle->math;
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) { return CUBLAS_STATUS_SUCCESS; }

GPUSIM_LIBRARY const char *cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
        case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
        case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
        case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
        default: return "CUBLAS_STATUS_INTERNAL_ERROR";
    }
}

GPUSIM_LIBRARY const char *cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

// ---------------------------------------------------------------- copies

GPUSIM_LIBRARY cublasStatus_t cublasSetVector(int n, int size, const void *x, int incx, void *y, int incy) {
    return between("cublasSetVector", 1, n, size, x, size_t(incx) * size, y, size_t(incy) * size, cudaMemcpyHostToDevice);
}

GPUSIM_LIBRARY cublasStatus_t cublasGetVector(int n, int size, const void *x, int incx, void *y, int incy) {
    return between("cublasGetVector", 1, n, size, x, size_t(incx) * size, y, size_t(incy) * size, cudaMemcpyDeviceToHost);
}

GPUSIM_LIBRARY cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void *A, int lda, void *B, int ldb) {
    return between("cublasSetMatrix", rows, columns, size, A, size_t(lda) * size, B, size_t(ldb) * size,
                   cudaMemcpyHostToDevice);
}

GPUSIM_LIBRARY cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void *A, int lda, void *B, int ldb) {
    return between("cublasGetMatrix", rows, columns, size, A, size_t(lda) * size, B, size_t(ldb) * size,
                   cudaMemcpyDeviceToHost);
}

// ---------------------------------------------------------------- products of matrices

#define ONE(pointer, type, ld) Operand{pointer, type, ld, 0}

#define PRODUCTS(S, T, R, suffix)                                                                                      \
    GPUSIM_LIBRARY cublasStatus_t cublas##S##gemm##suffix(                                                             \
        cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T *alpha,           \
        const T *A, int lda, const T *B, int ldb, const T *beta, T *C, int ldc) {                                      \
        return product("cublas" #S "gemm" #suffix, h, opA, opB, m, n, k, alpha, ONE(A, R, lda), ONE(B, R, ldb), beta,  \
                       ONE(C, R, ldc), 1, R);                                                                          \
    }                                                                                                                  \
    GPUSIM_LIBRARY cublasStatus_t cublas##S##gemmStridedBatched(                                                       \
        cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T *alpha,           \
        const T *A, int lda, long long strideA, const T *B, int ldb, long long strideB, const T *beta, T *C, int ldc,  \
        long long strideC, int batch) {                                                                                \
        return product("cublas" #S "gemmStridedBatched", h, opA, opB, m, n, k, alpha, Operand{A, R, lda, strideA},     \
                       Operand{B, R, ldb, strideB}, beta, Operand{C, R, ldc, strideC}, batch, R);                      \
    }                                                                                                                  \
    GPUSIM_LIBRARY cublasStatus_t cublas##S##gemmBatched(                                                              \
        cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T *alpha,           \
        const T *const A[], int lda, const T *const B[], int ldb, const T *beta, T *const C[], int ldc, int batch) {   \
        return batched("cublas" #S "gemmBatched", h, opA, opB, m, n, k, alpha, ONE(A, R, lda), ONE(B, R, ldb), beta,   \
                       ONE(C, R, ldc), batch, R);                                                                      \
    }
PRODUCTS(S, float, CUDA_R_32F, _v2)
PRODUCTS(D, double, CUDA_R_64F, _v2)
PRODUCTS(H, __half, CUDA_R_16F, )

GPUSIM_LIBRARY cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n,
                                            int k, const float *alpha, const void *A, cudaDataType typeA, int lda,
                                            const void *B, cudaDataType typeB, int ldb, const float *beta, void *C,
                                            cudaDataType typeC, int ldc) {
    return product("cublasSgemmEx", h, opA, opB, m, n, k, alpha, ONE(A, typeA, lda), ONE(B, typeB, ldb), beta,
                   ONE(C, typeC, ldc), 1, CUDA_R_32F);
}

GPUSIM_LIBRARY cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n,
                                           int k, const void *alpha, const void *A, cudaDataType typeA, int lda,
                                           const void *B, cudaDataType typeB, int ldb, const void *beta, void *C,
                                           cudaDataType typeC, int ldc, cublasComputeType_t compute,
                                           cublasGemmAlgo_t) {
    return product("cublasGemmEx", h, opA, opB, m, n, k, alpha, ONE(A, typeA, lda), ONE(B, typeB, ldb), beta,
                   ONE(C, typeC, ldc), 1, scale_type(compute));
}

GPUSIM_LIBRARY cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const void *alpha,
    const void *A, cudaDataType typeA, int lda, long long strideA, const void *B, cudaDataType typeB, int ldb,
    long long strideB, const void *beta, void *C, cudaDataType typeC, int ldc, long long strideC, int batch,
    cublasComputeType_t compute, cublasGemmAlgo_t) {
    return product("cublasGemmStridedBatchedEx", h, opA, opB, m, n, k, alpha, Operand{A, typeA, lda, strideA},
                   Operand{B, typeB, ldb, strideB}, beta, Operand{C, typeC, ldc, strideC}, batch, scale_type(compute));
}

GPUSIM_LIBRARY cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t opA, cublasOperation_t opB, int m,
                                                  int n, int k, const void *alpha, const void *const A[],
                                                  cudaDataType typeA, int lda, const void *const B[],
                                                  cudaDataType typeB, int ldb, const void *beta, void *const C[],
                                                  cudaDataType typeC, int ldc, int batch, cublasComputeType_t compute,
                                                  cublasGemmAlgo_t) {
    return batched("cublasGemmBatchedEx", h, opA, opB, m, n, k, alpha, ONE(A, typeA, lda), ONE(B, typeB, ldb), beta,
                   ONE(C, typeC, ldc), batch, scale_type(compute));
}

// ---------------------------------------------------------------- vectors

#define VECTORS(S, T)                                                                                                  \
    GPUSIM_LIBRARY cublasStatus_t cublas##S##gemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n,             \
                                                     const T *alpha, const T *A, int lda, const T *x, int incx,        \
                                                     const T *beta, T *y, int incy) {                                  \
        return matrix_vector("cublas" #S "gemv_v2", h, op, m, n, alpha, A, lda, x, incx, beta, y, incy);               \
    }                                                                                                                  \
    GPUSIM_LIBRARY cublasStatus_t cublas##S##ger_v2(cublasHandle_t h, int m, int n, const T *alpha, const T *x,        \
                                                    int incx, const T *y, int incy, T *A, int lda) {                   \
        return rank_one("cublas" #S "ger_v2", h, m, n, alpha, x, incx, y, incy, A, lda);                               \
    }                                                                                                                  \
    GPUSIM_LIBRARY cublasStatus_t cublas##S##axpy_v2(cublasHandle_t h, int n, const T *alpha, const T *x, int incx,    \
                                                     T *y, int incy) {                                                 \
        return add("cublas" #S "axpy_v2", h, n, alpha, x, incx, y, incy);                                              \
    }                                                                                                                  \
    GPUSIM_LIBRARY cublasStatus_t cublas##S##scal_v2(cublasHandle_t h, int n, const T *alpha, T *x, int incx) {        \
        return scale("cublas" #S "scal_v2", h, n, alpha, x, incx);                                                     \
    }                                                                                                                  \
    GPUSIM_LIBRARY cublasStatus_t cublas##S##copy_v2(cublasHandle_t h, int n, const T *x, int incx, T *y, int incy) {  \
        return copy_vector("cublas" #S "copy_v2", h, n, x, incx, y, incy);                                             \
    }                                                                                                                  \
    GPUSIM_LIBRARY cublasStatus_t cublas##S##swap_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy) {        \
        return exchange("cublas" #S "swap_v2", h, n, x, incx, y, incy);                                                \
    }                                                                                                                  \
    GPUSIM_LIBRARY cublasStatus_t cublas##S##dot_v2(cublasHandle_t h, int n, const T *x, int incx, const T *y,         \
                                                    int incy, T *result) {                                             \
        return inner("cublas" #S "dot_v2", h, n, x, incx, y, incy, result);                                            \
    }                                                                                                                  \
    GPUSIM_LIBRARY cublasStatus_t cublas##S##nrm2_v2(cublasHandle_t h, int n, const T *x, int incx, T *result) {       \
        return reduced("cublas" #S "nrm2_v2", h, n, x, incx, result, length<T>);                                       \
    }                                                                                                                  \
    GPUSIM_LIBRARY cublasStatus_t cublas##S##asum_v2(cublasHandle_t h, int n, const T *x, int incx, T *result) {       \
        return reduced("cublas" #S "asum_v2", h, n, x, incx, result, sum_of_sizes<T>);                                 \
    }
VECTORS(S, float)
VECTORS(D, double)

GPUSIM_LIBRARY cublasStatus_t cublasIsamax_v2(cublasHandle_t h, int n, const float *x, int incx, int *result) {
    return reduced("cublasIsamax_v2", h, n, x, incx, result, largest<float>);
}

GPUSIM_LIBRARY cublasStatus_t cublasIdamax_v2(cublasHandle_t h, int n, const double *x, int incx, int *result) {
    return reduced("cublasIdamax_v2", h, n, x, incx, result, largest<double>);
}
