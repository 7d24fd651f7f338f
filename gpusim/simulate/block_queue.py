"""Blocks to run, in their order: stretches of the grid, so that a grid of any size takes no memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np


class Stretch(NamedTuple):
    """Blocks of a grid that follow one another.

    Attributes
    ----------
    first : int
        Number of the first one.
    blocks : int
    kind : int
        Row of counts that they add to.
    """

    first: int
    blocks: int
    kind: int = 0


class BlockQueue:
    """Stretches of blocks, one after another.

    Parameters
    ----------
    stretches : iterable of Stretch
        Empty ones are left out.

    Examples
    --------
    >>> queue = BlockQueue([Stretch(0, 5), Stretch(2147483000, 3, kind=1)])
    >>> len(queue), queue.of_kind(1), queue.numbers().tolist()
    (8, 3, [0, 1, 2, 3, 4, 2147483000, 2147483001, 2147483002])
    """

    def __init__(self, stretches: Iterable[Stretch] = ()) -> None:
        self.stretches = tuple(one for one in stretches if one.blocks)

    @classmethod
    def whole(cls, blocks: int) -> BlockQueue:
        """Every block of a grid."""
        return cls([Stretch(0, blocks)])

    @classmethod
    def single(cls, blocks: Iterable[int], *, kinds: bool = False) -> BlockQueue:
        """Some blocks, one by one; with ``kinds`` each has a row of counts of its own."""
        return cls(Stretch(int(block), 1, k if kinds else 0) for k, block in enumerate(blocks))

    def __len__(self) -> int:
        """How many blocks there are."""
        return sum(one.blocks for one in self.stretches)

    def of_kind(self, kind: int) -> int:
        """How many blocks add to a row of counts."""
        return sum(one.blocks for one in self.stretches if one.kind == kind)

    def begins(self) -> Iterator[tuple[int, Stretch]]:
        """Each stretch, and how many blocks come before it."""
        before = 0
        for one in self.stretches:
            yield before, one
            before += one.blocks

    def numbers(self) -> np.ndarray:
        """Every block's number, for queues that are short.

        Returns
        -------
        int64 array, shape (blocks,)
        """
        return self.first(len(self))

    def first(self, blocks: int) -> np.ndarray:
        """The numbers of so many blocks that come first.

        Parameters
        ----------
        blocks : int
            No more than there are.

        Returns
        -------
        int64 array, shape (blocks,)
        """
        parts = [np.arange(one.first, one.first + min(one.blocks, blocks - before)) for before, one in self.begins()]
        return np.concatenate(parts)

    def rows(self) -> np.ndarray:
        """The stretches as the engine has them.

        Returns
        -------
        int64 array, shape (stretches, N_STRETCH)
            See :mod:`gpusim.engine.core.block_queue`.
        """
        return np.array(self.stretches, np.int64).reshape(-1, len(Stretch._fields))
