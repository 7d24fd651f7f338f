"""Kernels that launch kernels (dynamic parallelism), which are refused in words rather than by a compiler's.

Source: what NVRTC 13.0 and nvcc 13.0 write where device code launches a kernel.
"""

from __future__ import annotations

import re

REFUSED = r"device-side kernel launch|kernel launch from __device__ or __global__ functions requires"
"""How compilers say that device code launches a kernel."""
RUNTIME = r"cudaLaunchDevice|cudaGetParameterBuffer|cudaDeviceSynchronize|__cudaCDP2"
"""Functions of the device's runtime that such a launch calls."""
WORDS = "launches a kernel from the device (dynamic parallelism), which is not simulated: launch it from the host"

_PLACE = re.compile(rf"^(.*)\((\d+)\): error.*(?:{REFUSED})", re.MULTILINE)


def refusal(log: str) -> str | None:
    """What to tell a user whose source does not compile because device code launches a kernel; None where it does not.

    Parameters
    ----------
    log : str
        What the compiler wrote.

    Examples
    --------
    >>> refusal("k.cu(2): error: device-side kernel launch could not be processed")[:28]
    'k.cu:2: launches a kernel fr'
    """
    found = _PLACE.search(log)
    return f"{found[1]}:{found[2]}: {WORDS}" if found else None


def meaning(function: str) -> str | None:
    """What a call of one of CUDA's own functions means, where it is of such a launch."""
    return WORDS if re.match(RUNTIME, function) else None
