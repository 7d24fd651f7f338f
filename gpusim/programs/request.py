"""A launch as a program asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gpusim.engine.hierarchy.copies import FROM_HOST, WRITTEN

if TYPE_CHECKING:
    from gpusim.simulate.counted import Moved

STORES = (WRITTEN, FROM_HOST)


class Request(NamedTuple):
    """A launch as the program asks for it; a cluster of zeros is none.

    ``moved``: what was copied and set since the launch before.
    """

    module: int
    kernel: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int]
    dynamic_shared: int
    cooperative: bool
    stream: int
    stack: int
    params: bytes
    moved: tuple[Moved, ...]

    @property
    def what(self) -> str:
        """What is launched, wherever and whenever it is."""
        return repr(self._replace(stream=0, moved=()))

    @property
    def stored(self) -> bool:
        """Whether memory was changed since the launch before."""
        return any(one.what in STORES for one in self.moved)
