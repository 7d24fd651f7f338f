"""C headers for NVRTC, which has none.

Nearly every .cu file includes some of them, for what NVRTC declares by itself (``printf``, ``assert``,
``expf``, ``memcpy``, ``size_t``) or for what is said here: integer types of a width, limits, constants.
Types are those of libcu++ (``cuda/std/cstdint``), so that both can be included together.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_INCLUDE = Path(__file__).parent / "include"


@cache
def text(name: str) -> str:
    """A header that comes with gpusim: what it says.

    Parameters
    ----------
    name : str
        Of its file, in the folder ``include``.
    """
    return (_INCLUDE / name).read_text(encoding="utf-8")


_DECLARED = "#pragma once\n"

HEADERS = {
    **dict.fromkeys(("stdint.h", "cstdint", "inttypes.h", "cinttypes"), text("stdint.h")),
    **dict.fromkeys(("limits.h", "climits"), text("limits.h")),
    **dict.fromkeys(("float.h", "cfloat"), text("float.h")),
    "math.h": text("math.h"),
    "cmath": text("cmath.h"),
    **dict.fromkeys(
        ("stdio.h", "cstdio", "stdlib.h", "cstdlib", "string.h", "cstring", "assert.h", "cassert"), _DECLARED
    ),
    **dict.fromkeys(("stddef.h", "cstddef"), text("stddef.h")),
    **dict.fromkeys(("time.h", "ctime", "stdbool.h"), _DECLARED),
}
"""Text of each header by the name it is included by."""
