// cuBLASLt as far as gpusim computes it: products of matrices with what is done to each on its way out.

#include "cublasLt.h"
#include "library.h"

using namespace gpusim;

namespace {

struct Description {
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    int32_t scale = CUDA_R_32F, transA = CUBLAS_OP_N, transB = CUBLAS_OP_N, pointers = 0, bias_type = -1;
    uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    void *bias = nullptr, *aux = nullptr;
    int64_t aux_ld = 0, bias_stride = 0, aux_stride = 0;
};

struct Layout {
    int32_t type = CUDA_R_32F, order = CUBLASLT_ORDER_COL, batch = 1;
    uint64_t rows = 0, columns = 0;
    int64_t ld = 0, stride = 0;
};

// What stands behind the library's handles.
template <class Own, class Handle> Own *behind(Handle handle) { return reinterpret_cast<Own *>(handle); }

struct Place {
    void *at;
    size_t nbytes;
};

template <class T> Place place(T &value) { return {&value, sizeof value}; }

cublasStatus_t set(Place place, const void *value, size_t nbytes) {
    if (nbytes != place.nbytes || !value) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(place.at, value, nbytes);
    return CUBLAS_STATUS_SUCCESS;
}

Place place_of(Description &of, cublasLtMatmulDescAttributes_t name) {
    switch (int(name)) {
        case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return place(of.compute);
        case CUBLASLT_MATMUL_DESC_SCALE_TYPE: return place(of.scale);
        case CUBLASLT_MATMUL_DESC_POINTER_MODE: return place(of.pointers);
        case CUBLASLT_MATMUL_DESC_TRANSA: return place(of.transA);
        case CUBLASLT_MATMUL_DESC_TRANSB: return place(of.transB);
        case CUBLASLT_MATMUL_DESC_EPILOGUE: return place(of.epilogue);
        case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return place(of.bias);
        case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE: return place(of.bias_stride);
        case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER: return place(of.aux);
        case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD: return place(of.aux_ld);
        case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE: return place(of.aux_stride);
        case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return place(of.bias_type);
        default: refuse("cublasLtMatmulDescSetAttribute of attribute " + std::to_string(int(name)));
    }
}

Place place_of(Layout &of, cublasLtMatrixLayoutAttribute_t name) {
    switch (int(name)) {
        case CUBLASLT_MATRIX_LAYOUT_TYPE: return place(of.type);
        case CUBLASLT_MATRIX_LAYOUT_ORDER: return place(of.order);
        case CUBLASLT_MATRIX_LAYOUT_ROWS: return place(of.rows);
        case CUBLASLT_MATRIX_LAYOUT_COLS: return place(of.columns);
        case CUBLASLT_MATRIX_LAYOUT_LD: return place(of.ld);
        case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return place(of.batch);
        case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return place(of.stride);
        default: refuse("cublasLtMatrixLayoutSetAttribute of attribute " + std::to_string(int(name)));
    }
}

// A matrix row by row is its transpose column by column.
Matrix laid_out(const void *first, cublasLtMatrixLayout_t handle, int32_t operation) {
    const Layout &of = *behind<Layout>(handle);
    bool transposed = operation != CUBLAS_OP_N;
    if (of.order == CUBLASLT_ORDER_COL)
        return matrix(first, of.rows, of.columns, of.ld, of.type, transposed, of.stride);
    if (of.order != CUBLASLT_ORDER_ROW) refuse("cublasLtMatmul of matrices in tiles");
    return matrix(first, of.columns, of.rows, of.ld, of.type, !transposed, of.stride);
}

Product product(const Description &how, const void *alpha, Matrix a, Matrix b, const void *beta, Matrix c, Matrix d) {
    Product one{a, b, {}, d, {}, {}};
    one.alpha = scalar(alpha, how.scale), one.beta = scalar(beta, how.scale), one.epilogue = how.epilogue;
    if (one.beta != 0) one.c = c;
    int64_t rows = d.transposed ? d.columns : d.rows, columns = d.transposed ? d.rows : d.columns;
    int64_t across = how.epilogue == CUBLASLT_EPILOGUE_BGRADB ? columns : rows;
    if (how.bias) one.bias = matrix(how.bias, across, 1, across, how.bias_type < 0 ? d.type : how.bias_type);
    if (how.aux) one.aux = matrix(how.aux, rows, columns, how.aux_ld, d.type, false, how.aux_stride);
    one.bias.stride = how.bias_stride;
    return one;
}

}  // namespace

GPUSIM_LIBRARY cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
    library_call("cublasLtCreate");
    *handle = reinterpret_cast<cublasLtHandle_t>(new char);
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    delete behind<char>(handle);
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *made, cudaDataType type, uint64_t rows,
                                                         uint64_t columns, int64_t ld) {
    auto one = new Layout;
    one->type = type, one->rows = rows, one->columns = columns, one->ld = ld;
    *made = behind<cublasLtMatrixLayoutOpaque_t>(one);
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t made) {
    delete behind<Layout>(made);
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t made,
                                                               cublasLtMatrixLayoutAttribute_t name, const void *value,
                                                               size_t nbytes) {
    return set(place_of(*behind<Layout>(made), name), value, nbytes);
}

GPUSIM_LIBRARY cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *made, cublasComputeType_t compute,
                                                       cudaDataType_t scale) {
    auto one = new Description;
    one->compute = compute, one->scale = scale;
    *made = behind<cublasLtMatmulDescOpaque_t>(one);
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t made) {
    delete behind<Description>(made);
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t made,
                                                             cublasLtMatmulDescAttributes_t name, const void *value,
                                                             size_t nbytes) {
    return set(place_of(*behind<Description>(made), name), value, nbytes);
}

GPUSIM_LIBRARY cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *made) {
    *made = new cublasLtMatmulPreferenceOpaque_t{};
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t made) {
    delete made;
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                                   cublasLtMatmulPreferenceAttributes_t, const void *,
                                                                   size_t) {
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t,
                                                             cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                             cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                             cublasLtMatmulPreference_t, int most,
                                                             cublasLtMatmulHeuristicResult_t found[], int *count) {
    if (most < 1) return CUBLAS_STATUS_INVALID_VALUE;
    found[0] = cublasLtMatmulHeuristicResult_t{};
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

GPUSIM_LIBRARY cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t made, const void *alpha,
                                             const void *A, cublasLtMatrixLayout_t layoutA, const void *B,
                                             cublasLtMatrixLayout_t layoutB, const void *beta, const void *C,
                                             cublasLtMatrixLayout_t layoutC, void *D, cublasLtMatrixLayout_t layoutD,
                                             const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t stream) {
    library_call("cublasLtMatmul");
    const Description &how = *behind<Description>(made);
    Matrix a = laid_out(A, layoutA, how.transA), b = laid_out(B, layoutB, how.transB);
    Matrix c = laid_out(C, layoutC, CUBLAS_OP_N), d = laid_out(D, layoutD, CUBLAS_OP_N);
    Product one = product(how, alpha, a, b, beta, c, d);
    one.batch = behind<Layout>(layoutD)->batch;
    return status_of(call([&] { return in_stream(stream, [one](cudaStream_t) { return multiply(one); }); }));
}
