"""A few blocks of each class, scattered over the grid, so that they show unequal work of a regular pattern.

Along an axis they are a step apart that has no factor of 2, 3, 5 or 7.  So they have different residues modulo each of
these, and modulo 8.  The axes are gone through in different orders, because a pattern may be one of several indices,
such as that of a chessboard.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

FACTORS = 2 * 3 * 5 * 7
"""What a step has no common factor with."""
FEW = 2 * 3
"""Along an axis too short for such a step, residues differ modulo 2 and 3 alone."""
ORDERS = {
    1: ((0,),) * 3,
    2: ((0, 1),) * 3,
    4: ((0, 1, 2, 3), (1, 3, 0, 2)),
    6: ((0, 1, 2, 3, 4, 5), (0, 1, 5, 4, 3, 2)),
    8: ((0, 1, 2, 3, 4, 5, 6, 7), (0, 3, 4, 5, 6, 7, 1, 2), (3, 6, 1, 5, 7, 0, 4, 2)),
}
"""In which order each axis is gone through, for so many blocks.

Of six or eight blocks every sum of multiples of their indices has all residues modulo 2 and 3, of four modulo 2.
"""
TRIED = {0: 1, 1: 8, 2: 6, 3: 8}
"""Blocks of the class of most blocks, by the axes along which it is inner."""


def scattered(grid: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Blocks of a grid, the class of each, and how many blocks each class has.

    Classes are numbered, and a block belongs to one, as :func:`classes_of` says.

    Parameters
    ----------
    grid : tuple of int

    Returns
    -------
    blocks, classes, population : int64 array
    """
    blocks, classes, population = [], [], []
    for k, ranges in enumerate(itertools.product(*map(_ranges, grid))):
        found = _some(ranges, grid)
        blocks += found
        classes += [k] * len(found)
        population.append(math.prod(map(len, ranges)))
    return np.array(blocks, np.int64), np.array(classes, np.int64), np.array(population, np.int64)


def classes_of(blocks: np.ndarray, grid: tuple[int, int, int]) -> np.ndarray:
    """Class of each block: by whether it lies at an inner, the first or the last index of each axis.

    Parameters
    ----------
    blocks : int64 array
    grid : tuple of int

    Returns
    -------
    int64 array
    """
    found, rest = np.zeros(len(blocks), np.int64), blocks
    for n in grid:
        rest, index = np.divmod(rest, n)
        parts = _ranges(n)
        place = np.zeros(len(blocks), np.int64)
        for k, indices in enumerate(parts):
            place[(index >= indices.start) & (index < indices.stop)] = k
        found = found * len(parts) + place
    return found


def _ranges(n: int) -> list[range]:
    """The inner, the first and the last index of an axis, as far as there are any."""
    parts = range(1, n - 1), range(1), range(n - 1, n)
    return [indices for indices in dict.fromkeys(parts) if indices]


def _some(ranges: Sequence[range], grid: tuple[int, int, int]) -> list[int]:
    """Some blocks of a class."""
    inner = [axis for axis, indices in enumerate(ranges) if indices == range(1, grid[axis] - 1)]
    most = len(inner) == sum(n > 2 for n in grid)
    count = TRIED[len(inner)] if most else 2 ** len(inner)
    at = [np.full(count, indices.start) for indices in ranges]
    for axis, order in zip(inner, ORDERS[count], strict=False):
        at[axis] = 1 + _spread(len(ranges[axis]), count)[list(order)]
    x, y, z = at
    return list(dict.fromkeys((x + grid[0] * (y + grid[1] * z)).tolist()))


def _spread(indices: int, count: int) -> np.ndarray:
    """So many numbers below that of the indices, from the first to about the last."""
    numbers = np.arange(count)
    apart = (indices - 1) / max(count - 1, 1)
    steps = (step for step in range(int(apart), 1, -1) if math.gcd(step, FACTORS) == 1)
    if step := next(steps, 0):
        return numbers * step
    moved = np.maximum(numbers * (apart - 1), 0) // FEW * FEW
    return np.asarray((numbers + moved.astype(np.int64)) % indices)
