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

_SAID = {_NAMES: _CUB, _THRUSTS: _THRUST}


def declared(texts: Iterable[str]) -> str:
    """Declarations of the earlier names that sources use; empty where they use none.

    Parameters
    ----------
    texts : iterable of str
        A source, and headers of the user's that it includes.
    """
    used = [*texts]
    return "".join(said for name, said in _SAID.items() if any(name.search(text) for text in used))
