"""Headers that NVRTC has not: those of host code are empty, those of the standard library are libcu++'s."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gpusim.cuda import headers, pytorch

EMPTY = "#pragma once\nnamespace std {}\n"
"""What stands for a header that only host code uses."""

_HOST = (
    "atomic bitset chrono condition_variable deque exception execution filesystem fstream future initializer_list "
    "iomanip ios iosfwd iostream istream list locale map memory mutex new ostream queue random ratio regex set "
    "sstream stack stdexcept streambuf string string_view system_error thread typeinfo unordered_map "
    "unordered_set valarray vector ctype.h cctype errno.h cerrno signal.h csignal stdarg.h cstdarg locale.h "
    "sys/time.h sys/types.h sys/stat.h sys/mman.h unistd.h getopt.h fcntl.h omp.h pthread.h malloc.h windows.h "
    "mpi.h nccl.h nvToolsExt.h nvtx3/nvToolsExt.h cublas.h cublas_v2.h cublasLt.h cusparse.h cusolverDn.h cufft.h "
    "cudnn.h curand.h nvml.h nvrtc.h cuda_profiler_api.h cuda.h pybind11/pybind11.h "
)
_LIBRARY = "array complex functional iterator limits numeric optional tuple type_traits utility variant"


_QUIET = "#pragma nv_diagnostic push\n#pragma nv_diag_suppress 47, 1105\n"
_LOUD = "#pragma nv_diagnostic pop\n"
"""libcu++ defines the limits of integers again, and the runtime's header warns of one that it includes itself."""


def _of_libcu(name: str) -> str:
    """A header of the standard library, for which libcu++ stands in."""
    return f"#pragma once\n{_QUIET}#include <cuda/std/{name}>\n{_LOUD}namespace std {{ using namespace cuda::std; }}\n"


_NUMBERS = "#pragma once\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuComplex.h>\n"
"""Half, bfloat16 and complex numbers, which such headers declare by way of others."""

_HANDLES = {
    "cublas_v2.h": "cublasHandle_t",
    "cublasLt.h": "cublasHandle_t cublasLtHandle_t cublasLtMatmulDesc_t cublasLtMatrixLayout_t "
    "cublasLtMatmulPreference_t cublasLtMatrixTransformDesc_t",
    "cublas.h": "cublasHandle_t",
    "cudnn.h": "cudnnHandle_t cudnnTensorDescriptor_t cudnnFilterDescriptor_t cudnnConvolutionDescriptor_t "
    "cudnnActivationDescriptor_t cudnnPoolingDescriptor_t cudnnDropoutDescriptor_t cudnnRNNDescriptor_t",
    "cusparse.h": "cusparseHandle_t cusparseMatDescr_t cusparseSpMatDescr_t cusparseDnMatDescr_t",
    "cusolverDn.h": "cusolverDnHandle_t",
    "nccl.h": "ncclComm_t",
}
"""Types of libraries of the host that classes hold, of which device code may need other members."""
_CHOICES = {
    "cublas_v2.h": "cublasStatus_t cublasOperation_t cublasGemmAlgo_t cublasMath_t cublasComputeType_t",
    "cublasLt.h": "cublasStatus_t cublasOperation_t cublasComputeType_t cublasLtOrder_t cublasLtEpilogue_t "
    "cublasLtPointerMode_t cublasLtMatmulTile_t",
    "cublas.h": "cublasStatus_t cublasOperation_t",
    "cudnn.h": "cudnnStatus_t cudnnDataType_t cudnnTensorFormat_t cudnnPoolingMode_t cudnnActivationMode_t "
    "cudnnConvolutionFwdAlgo_t cudnnConvolutionBwdFilterAlgo_t cudnnConvolutionBwdDataAlgo_t",
    "cusparse.h": "cusparseStatus_t cusparseOperation_t",
    "cusolverDn.h": "cusolverStatus_t",
    "nccl.h": "ncclResult_t ncclDataType_t ncclRedOp_t",
}
"""Their enumerations."""
_STRUCTS = {"cublasLt.h": "typedef struct { unsigned long long data[8]; } cublasLtMatmulAlgo_t;\n"}
"""Their structs."""


def _of_library(name: str) -> str:
    """A header of a library of the host: numbers that it declares by way of others, and its types."""
    handles = "".join(f"typedef struct {_struct(one)} *{one};\n" for one in _HANDLES[name].split())
    choices = "".join(f"typedef int {one};\n" for one in _CHOICES[name].split())
    return _NUMBERS + handles + choices + _STRUCTS.get(name, "")


def _struct(handle: str) -> str:
    """What the library itself calls that to which a handle points."""
    return handle.removesuffix("_t").replace("Handle", "Context").replace("Descriptor", "Struct")


_DRIVER = (
    f"{EMPTY}#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)\n"
    "typedef struct alignas(64) CUtensorMap_st { unsigned long long opaque[16]; } CUtensorMap;\n"
)
"""What device code needs of the driver's header, whose functions are the host's."""

HEADERS = {
    **dict.fromkeys(_HOST.split(), EMPTY),
    "cuda.h": _DRIVER,
    **{name: _of_library(name) for name in _HANDLES},
    **{name: _of_libcu(name) for name in _LIBRARY.split()},
    "algorithm": f"#pragma once\n{_QUIET}#include <cuda/std/__algorithm/min.h>\n#include <cuda/std/__algorithm/max.h>\n"
    "#include <cuda/std/__algorithm/clamp.h>\n#include <cuda/std/utility>\n"
    f"{_LOUD}namespace std {{ using namespace cuda::std; }}\n",
}
"""Text of each header by the name it is included by."""


def stand_in(name: str) -> str:
    """What stands for a header that is not found, by the name it is included by.

    Parameters
    ----------
    name : str
    """
    return pytorch.declared() if pytorch.is_header(name) else HEADERS.get(name, EMPTY)


def is_known(name: str) -> bool:
    """Whether something of its own stands for a header, by the name it is included by."""
    return name in HEADERS or name in headers.HEADERS


_REAL = ("curand.h",)
"""Those of CUDA's own that NVRTC compiles, and device code may need."""


def without(folders: Iterable[Path]) -> dict[str, str]:
    """Stand-ins, but for headers of CUDA's that are there."""
    there = {name for folder in folders for name in _REAL if (folder / name).is_file()}
    return {name: text for name, text in HEADERS.items() if name not in there}


BEFORE = (
    "#define __asm__ asm\n#define __volatile__ volatile\n"
    "typedef unsigned char u_char; typedef unsigned short ushort; typedef unsigned int uint; "
    "typedef unsigned long ulong; namespace std {}\n"
    "#include <math.h>\n#include <limits.h>\n#include <stdint.h>\n"
    f"{_QUIET}#include <cuda_device_runtime_api.h>\n{_LOUD}"
)
"""What nvcc declares in every source by way of cuda_runtime.h (sys/types.h, math.h, limits.h)."""

BY_OTHERS = "#include <cfloat>\n#include <cmath>\n#include <cstdint>\n"
"""What sources have by way of headers that are not found."""
