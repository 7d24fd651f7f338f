"""Stretches of addresses, such as those of memory that nobody has written yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np


class Stretches:
    """A set of addresses, as sorted stretches of which no two touch.

    Parameters
    ----------
    stretches : iterable of (int, int)
        First byte of each, and one past its last.

    Examples
    --------
    >>> some = Stretches([(0, 8), (8, 16), (32, 40)])
    >>> some.remove(4, 36)
    >>> list(some)
    [(0, 4), (36, 40)]
    """

    def __init__(self, stretches: Iterable[tuple[int, int]] = ()) -> None:
        self._stretches: list[tuple[int, int]] = []
        for first, end in stretches:
            self.add(first, end)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._stretches)

    def __len__(self) -> int:
        return len(self._stretches)

    def add(self, first: int, end: int) -> None:
        """Take a stretch in."""
        if first >= end:
            return
        joined = [one for one in self._stretches if one[0] <= end and first <= one[1]]
        rest = [one for one in self._stretches if not (one[0] <= end and first <= one[1])]
        both = (min(first, *(one[0] for one in joined)), max(end, *(one[1] for one in joined))) if joined else None
        self._stretches = sorted([*rest, both or (first, end)])

    def remove(self, first: int, end: int) -> None:
        """Take a stretch out, whatever of it is there."""
        if first >= end:
            return
        kept = []
        for begin, last in self._stretches:
            kept += [(begin, min(last, first)), (max(begin, end), last)]
        self._stretches = [one for one in kept if one[0] < one[1]]

    def remove_marked(self, marks: np.ndarray, base: int, unit: int) -> None:
        """Take those units out that are marked.

        Parameters
        ----------
        marks : array
            One of each unit of memory: not 0 where it is to go.  Only those of stretches are read.
        base : int
            Address of the first unit.
        unit : int
            Bytes of one.  What of a stretch begins or ends within a unit is kept or goes with that unit.
        """
        self._stretches = [one for stretch in self._stretches for one in _unmarked(stretch, marks, base, unit)]

    def within(self, first: int, end: int) -> Sequence[tuple[int, int]]:
        """What of a stretch is here."""
        cut = ((max(begin, first), min(last, end)) for begin, last in self._stretches)
        return [one for one in cut if one[0] < one[1]]


def _unmarked(stretch: tuple[int, int], marks: np.ndarray, base: int, unit: int) -> Iterator[tuple[int, int]]:
    """Parts of a stretch whose units are not marked."""
    begin, end = stretch
    first, last = (begin - base) // unit, -(-(end - base) // unit)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], marks[first:last] == 0, [0])).astype(np.int8)))
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        yield max(begin, base + unit * (first + start)), min(end, base + unit * (first + stop))
