"""Names that CUB and Thrust had until CUDA 12, for sources that still use them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_OPERATORS = {
    "Sum": "::cuda::std::plus<>",
    "Difference": "::cuda::std::minus<>",
    "Division": "::cuda::std::divides<>",
    "Max": "::cuda::maximum<>",
    "Min": "::cuda::minimum<>",
    "Equality": "::cuda::std::equal_to<>",
    "Inequality": "::cuda::std::not_equal_to<>",
}
"""What CUB's functors are called in CUDA 13."""

_BY_KEY = """\
struct Arg{name} {{
  template <class T, class Key>
  __host__ __device__ KeyValuePair<Key, T> operator()(KeyValuePair<Key, T> a, KeyValuePair<Key, T> b) const {{
    return (b.value {better} a.value) || (b.value == a.value && b.key < a.key) ? b : a;
  }}
}};
"""
"""The better value of two, and of equal ones that of the smaller key."""

_NAMES = re.compile(rf"\bcub::(?:{'|'.join(_OPERATORS)}|ArgMax|ArgMin)\b")
_THRUSTS = re.compile(r"\bthrust::(?:identity|unary_function|binary_function)\b")

_THRUST = """\
#if __CUDACC_VER_MAJOR__ >= 13
#include <thrust/functional.h>
namespace thrust {
template <class T> struct identity {
  using argument_type = T;
  using result_type = T;
  __host__ __device__ const T &operator()(const T &x) const { return x; }
};
template <class A, class R> struct unary_function {
  using argument_type = A;
  using result_type = R;
};
template <class A, class B, class R> struct binary_function {
  using first_argument_type = A;
  using second_argument_type = B;
  using result_type = R;
};
}
#endif
"""

_CUB = f"""\
#if __CUDACC_VER_MAJOR__ >= 13
#include <cuda/functional>
#include <cuda/std/functional>
#include <cub/util_type.cuh>
namespace cub {{
{"".join(f"using {name} = {now};" for name, now in _OPERATORS.items())}
{_BY_KEY.format(name="Max", better=">")}{_BY_KEY.format(name="Min", better="<")}}}
#endif
"""

_REGISTERS = {
    "LaneId": "laneid",
    "WarpId": "warpid",
    "LaneMaskLt": "lanemask_lt",
    "LaneMaskLe": "lanemask_le",
    "LaneMaskGt": "lanemask_gt",
    "LaneMaskGe": "lanemask_ge",
}
"""Functions of CUB that read a special register of PTX."""
_OF_WARPS = re.compile(rf"\bcub::(?:{'|'.join(_REGISTERS)}|CTA_SYNC|WARP_SYNC)\b")
_READ = """\
__device__ __forceinline__ unsigned int {name}() {{
  unsigned int value;
  asm volatile("mov.u32 %0, %%{register};" : "=r"(value));
  return value;
}}
"""
_WARPS = f"""\
#if __CUDACC_VER_MAJOR__ >= 13
namespace cub {{
{"".join(_READ.format(name=name, register=register) for name, register in _REGISTERS.items())}\
__device__ __forceinline__ void CTA_SYNC() {{ __syncthreads(); }}
__device__ __forceinline__ void WARP_SYNC(unsigned int lanes) {{ __syncwarp(lanes); }}
}}
#endif
"""

_ITERATORS = re.compile(r"\bcub::(?:TransformInput|CountingInput|ConstantInput)Iterator\b")
_ITERATOR = """\
#if __CUDACC_VER_MAJOR__ >= 13
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
namespace cub {
template <class Value, class F, class Iterator, class Offset = ptrdiff_t>
using TransformInputIterator = ::thrust::transform_iterator<F, Iterator, Value, Value>;
template <class Value, class Offset = ptrdiff_t> using CountingInputIterator = ::thrust::counting_iterator<Value>;
template <class Value, class Offset = ptrdiff_t> using ConstantInputIterator = ::thrust::constant_iterator<Value>;
}
#endif
"""

_SAID = {_NAMES: _CUB, _THRUSTS: _THRUST, _OF_WARPS: _WARPS, _ITERATORS: _ITERATOR}
"""What is declared where a name is used."""


def declared(texts: Iterable[str]) -> str:
    """Declarations of the earlier names that sources use; empty where they use none.

    Parameters
    ----------
    texts : iterable of str
        A source, and headers of the user's that it includes.
    """
    used = [*texts]
    return "".join(said for name, said in _SAID.items() if any(name.search(text) for text in used))
