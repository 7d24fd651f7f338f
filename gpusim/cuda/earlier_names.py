"""Names that CUDA's libraries had until CUDA 12, for sources that still use them."""

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


def declared(texts: Iterable[str]) -> str:
    """Declarations of the earlier names that sources use; empty where they use none.

    Parameters
    ----------
    texts : iterable of str
        A source, and headers of the user's that it includes.
    """
    return _CUB if any(_NAMES.search(text) for text in texts) else ""
