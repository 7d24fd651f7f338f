// What libraries compute: gpusim does it by NumPy, in no time of the GPU's.

#include "runtime.h"

#include <library_types.h>

namespace gpusim {

void library_call(const char *name) { ask(Ask::library, name); }

size_t size_of(int64_t type) {
    switch (type) {
        case CUDA_R_64F: return 8;
        case CUDA_R_32F:
        case CUDA_R_32I: return 4;
        case CUDA_R_16F:
        case CUDA_R_16BF: return 2;
        case CUDA_R_8I: return 1;
        default: return 0;
    }
}

static size_t extent(const Matrix &one, int64_t batch) {
    int64_t elements = (one.rows - 1) + (one.columns - 1) * one.ld + (batch - 1) * one.stride + 1;
    return size_t(elements) * size_of(one.type);
}

cudaError_t multiply(const Product &product) {
    if (faulted()) return faulted();
    if (!product.batch || !product.d.rows || !product.d.columns) return cudaSuccess;
    catch_up();
    for (const Matrix *one : {&product.a, &product.b, &product.c, &product.d, &product.bias, &product.aux}) {
        if (!one->first || !one->rows || !one->columns) continue;
        if (!size_of(one->type)) refuse("a library's call for matrices of cudaDataType " + std::to_string(one->type));
        auto pointer = reinterpret_cast<const void *>(one->first);
        size_t nbytes = extent(*one, product.batch);
        if (!is_device(pointer) || !holds(allocation_at(one->first), one->first, nbytes)) {
            fault(cudaErrorIllegalAddress);
            return cudaSuccess;
        }
        touched(pointer, nbytes, one == &product.d);
    }
    std::string body;
    put(body, product);
    ask(Ask::product, body);
    return cudaSuccess;
}

}  // namespace gpusim
