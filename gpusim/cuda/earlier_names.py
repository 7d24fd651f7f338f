"""Names that CUB and Thrust had until CUDA 12, for sources that still use them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpusim.cuda import headers

_SAID = {
    "cub_functors.h": r"cub::(?:Sum|Difference|Division|Max|Min|Equality|Inequality|ArgMax|ArgMin)",
    "thrust_functors.h": r"thrust::(?:identity|unary_function|binary_function)",
    "cub_warps.h": r"cub::(?:LaneId|WarpId|LaneMask[LG][te]|CTA_SYNC|WARP_SYNC)",
    "cub_iterators.h": r"cub::(?:TransformInput|CountingInput|ConstantInput)Iterator",
}
"""Headers that declare earlier names, and the names."""


def declared(texts: Iterable[str]) -> str:
    """Declarations of the earlier names that sources use; empty where they use none.

    Parameters
    ----------
    texts : iterable of str
        A source, and headers of the user's that it includes.
    """
    used = [*texts]
    named = {header: re.compile(rf"\b{names}\b") for header, names in _SAID.items()}
    return "".join(headers.text(header) for header, name in named.items() if any(map(name.search, used)))
