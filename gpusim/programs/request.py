"""A launch as a program asks for it."""

from __future__ import annotations

from typing import NamedTuple


class Request(NamedTuple):
    """A launch as the program asks for it; a cluster of zeros is none.

    ``stored``: whether copies or sets have changed memory since the launch before.
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
    stored: bool

    @property
    def what(self) -> str:
        """What is launched, wherever and whenever it is."""
        return repr(self._replace(stream=0, stored=False))
