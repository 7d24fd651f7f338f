"""What the driver puts into constant bank 0 before a kernel's parameters, by where these start."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

WORD = 4


class Abi(NamedTuple):
    """What lies where in constant bank 0, beside the parameters (byte offsets; -1: nowhere)."""

    block: int  # ntid.x, y, z
    grid: int  # nctaid.x, y, z
    stack: int  # first byte after a thread's local memory
    local_window: int  # address at which local memory appears in the generic space, 8 bytes
    shared_window: int  # the same of shared memory
    dynamic_shared: int  # bytes of a block's dynamic shared memory
    reserved_shared: int  # bytes of a block's shared memory that are the system's: none here
    descriptor: int  # how global memory is reached, 8 bytes: nothing here depends on it

    def holds(self, offset: int, nbytes: int = WORD) -> bool:
        """Whether every word of these bytes is one of those that are listed.

        Examples
        --------
        >>> ABIS[0x210].holds(0x28, 8), ABIS[0x210].holds(0x10C)
        (True, False)
        """
        return _words(self).issuperset(range(offset // WORD, -(-(offset + nbytes) // WORD)))


ABIS = {
    0x160: Abi(0x0, 0xC, 0x28, 0x20, 0x18, 0x2C, 0x114, 0x118),  # sm_70 to sm_89
    0x210: Abi(0x0, 0xC, 0x28, 0x20, -1, 0x2C, 0x114, 0x208),  # sm_90
    0x380: Abi(0x360, 0x370, 0x37C, 0x2F8, -1, 0x20C, 0x16C, 0x358),  # sm_100 to sm_121
}
"""By where the parameters start.

Source: what nvcc 13.0's code for sm_75, 80, 86, 89, 90, 100 and 120 reads for blockDim, gridDim, the stack
pointer (R1), conversions to generic addresses, and PTX's %dynamic_smem_size and %total_smem_size; sm_70 shares the
numbers of sm_75.
"""


@cache
def _words(abi: Abi) -> frozenset[int]:
    """Words of all that is listed."""
    sizes = Abi(3, 3, 1, 2, 2, 1, 1, 2)
    return frozenset(
        first // WORD + k for first, count in zip(abi, sizes, strict=True) if first >= 0 for k in range(count)
    )
