"""Where a thread stands in its launch, and an address in its memory, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gpusim.simulate.launch import Layout, lay_out

if TYPE_CHECKING:
    from gpusim.simulate.launch import Launch

NEAR_NULL = 1 << 32  # bytes around address 0 in which an access is taken for one through a null pointer


class Nearby(NamedTuple):
    """The buffer in which an address lies, or next to which it does.

    Attributes
    ----------
    name : str
    first, nbytes : int
        Its first byte, and how many it has.
    offset : int
        Of the address from that byte on.
    """

    name: str
    first: int
    nbytes: int
    offset: int

    @property
    def where(self) -> str:
        """The address next to the buffer, in words."""
        if self.offset < 0:
            return f"{-self.offset} byte{'' if self.offset == -1 else 's'} before the start of {self.name}"
        if self.offset >= self.nbytes:
            past = self.offset - self.nbytes
            return f"{past} byte{'' if past == 1 else 's'} past the end of {self.name}"
        return f"byte {self.offset} of {self.name}"


def coordinates(number: int, extent: tuple[int, int, int]) -> tuple[int, int, int]:
    """Place in x, y, z of a thread in its block, or of a block in its grid, of its linear number."""
    return number % extent[0], number // extent[0] % extent[1], number // (extent[0] * extent[1])


def nearby(address: int, layout: Layout) -> Nearby | None:
    """The buffer in which an address lies, or the nearest one; None where there is none at all."""
    if not layout.address:
        return None

    def distance(name: str) -> int:
        first, n = layout.address[name], layout.nbytes[name]
        return max(first - address, address - (first + n - 1), 0)

    name = min(layout.address, key=distance)
    return Nearby(name, layout.address[name], layout.nbytes[name], address - layout.address[name])


def global_place(address: int, launch: Launch) -> str:
    """An address of global memory: where it lies next to the nearest buffer, or from which null pointer it comes."""
    if abs(address) < NEAR_NULL:
        nulls = " and ".join(launch.nulls)
        one = f": {nulls} {'is one' if len(launch.nulls) == 1 else 'are such'}" if nulls else ""
        return f"address {address:#x}, as from a null pointer{one}"
    found = nearby(address, lay_out(launch))
    if found is None:
        return f"address {address:#x}, and there is no buffer"
    return f"address {address:#x}, {found.where} ({found.nbytes} bytes at {found.first:#x})"


def shared_place(launch: Launch, address: int) -> str:
    """The shared memory that a block has, and where in it an address lies."""
    if not launch.shared_bytes:
        return (
            "the block has none: dynamic_shared (--dynamic-shared) gives it what the kernel declares extern __shared__"
        )
    dynamic = "" if launch.dynamic_shared else ", none of them dynamic"
    return f"this is byte {address - launch.program.shared_base} of the block's {launch.shared_bytes}{dynamic}"
