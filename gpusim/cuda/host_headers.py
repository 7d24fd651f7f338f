"""Headers that NVRTC has not: those of host code are empty, those of the standard library are libcu++'s."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gpusim.cuda import pytorch

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


_QUIET = "#pragma nv_diagnostic push\n#pragma nv_diag_suppress 47\n"
_LOUD = "#pragma nv_diagnostic pop\n"
"""libcu++ defines the limits of integers again, as other words for the same values."""


def _of_libcu(name: str) -> str:
    """A header of the standard library, for which libcu++ stands in."""
    return f"#pragma once\n{_QUIET}#include <cuda/std/{name}>\n{_LOUD}namespace std {{ using namespace cuda::std; }}\n"


_NUMBERS = "#pragma once\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuComplex.h>\n"
_WITH_NUMBERS = "cublas_v2.h cublasLt.h cublas.h cudnn.h"
"""Headers that declare half, bfloat16 and complex numbers by way of others."""

_DRIVER = (
    f"{EMPTY}#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)\n"
    "typedef struct alignas(64) CUtensorMap_st { unsigned long long opaque[16]; } CUtensorMap;\n"
)
"""What device code needs of the driver's header, whose functions are the host's."""

HEADERS = {
    **dict.fromkeys(_HOST.split(), EMPTY),
    "cuda.h": _DRIVER,
    **dict.fromkeys(_WITH_NUMBERS.split(), _NUMBERS),
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
    return pytorch.DECLARED if pytorch.is_header(name) else HEADERS.get(name, EMPTY)


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
    "#include <math.h>\n#include <limits.h>\n#include <stdint.h>\n#include <cuda_device_runtime_api.h>\n"
)
"""What nvcc declares in every source by way of cuda_runtime.h (sys/types.h, math.h, limits.h)."""

BY_OTHERS = "#include <cfloat>\n#include <cmath>\n#include <cstdint>\n"
"""What sources have by way of headers that are not found."""
