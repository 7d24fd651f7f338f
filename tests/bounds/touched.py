"""Distinct elements that a description reads before the launch has written them, by following every thread."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gpusim.lang.count_points import _bind_warp, _Follower
from gpusim.lang.evaluate import evaluate
from gpusim.lang.tree import Atomic, CopyAsync, GlobalArray, Load, Stmt, Store, Tree


class Toucher(_Follower):
    """Threads running side by side, of which it is noted which elements they read and write."""

    def __init__(self, values: dict[Any, Any]) -> None:
        super().__init__(values, Counter())
        self.read: dict[str, set[int]] = defaultdict(set)
        self.written: dict[str, set[int]] = defaultdict(set)

    def run(self, body: Iterable[Stmt], mask: np.ndarray) -> None:
        """Run statements, noting the accesses of each first."""
        for s in body:
            match s:
                case Load(array=GlobalArray() as array):
                    self._note_elements(self.read, array, s.index, len(s.temps), s.guard, mask)
                case CopyAsync():
                    self._note_elements(self.read, s.source, s.source_index, s.count, s.guard, mask)
                case Store(array=GlobalArray() as array):
                    self._note_elements(self.written, array, s.index, len(s.values), s.guard, mask)
                case Atomic(array=GlobalArray() as array):
                    self._note_elements(self.read, array, s.index, 1, None, mask)
                    self._note_elements(self.written, array, s.index, 1, None, mask)
            super().run([s], mask)

    def _note_elements(
        self, into: dict[str, set[int]], array: GlobalArray, index: Any, width: int, guard: Any, mask: np.ndarray
    ) -> None:
        taken = mask if guard is None else mask & self._value(guard)
        flat: Any = 0
        for e, extent in zip(index, array.shape, strict=True):
            flat = flat * evaluate(extent, self._values) + self._value(e)
        first = np.broadcast_to(flat, mask.shape)[np.broadcast_to(taken, mask.shape)]
        elements = {int(x) + n for x in np.unique(first) for n in range(width)}
        into[array.name] |= elements - self.written[array.name] if into is self.read else elements


def touched(tree: Tree, params: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, int]]:
    """Distinct elements of each array that are read from outside, and that are written.

    Parameters
    ----------
    tree : Tree
    params : mapping of str to int
        Complete.
    """
    grid, block = (tuple(int(evaluate(e, params)) for e in shape) for shape in (tree.grid, tree.block))
    threads, blocks = int(np.prod(block)), int(np.prod(grid))
    values: dict[Any, Any] = dict(params)
    for kind, count, extents, flat in (
        ("ctaid", "nctaid", grid, np.repeat(np.arange(blocks), threads)),
        ("tid", "ntid", block, np.tile(np.arange(threads), blocks)),
    ):
        for letter, extent in zip("xyz", extents, strict=True):
            values[f"{kind}.{letter}"], values[f"{count}.{letter}"] = flat % extent, extent
            flat = flat // extent
    _bind_warp(values)
    follower = Toucher(values)
    follower.run(tree.body, np.ones(threads * blocks, bool))
    return ({a.name: len(found[a.name]) for a in tree.globals} for found in (follower.read, follower.written))  # type: ignore[return-value]
