"""Subspaces of loops, exactly: what Hölder-Brascamp-Lieb inequalities must be checked on.

Christ, Demmel, Knight, Scanlon, Yelick: Communication lower bounds and optimal algorithms for programs that reference
arrays (2013, arXiv 1308.0068): of all subspaces those suffice that sums and intersections of the kernels of the
projections make.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from gpusim.errors import GpusimError

Row = tuple[Fraction, ...]
Basis = tuple[Row, ...]
"""Reduced row echelon form: one basis for each subspace."""

MOST = 400
"""Subspaces; more make no answer in time."""


class TangledError(GpusimError):
    """Indices that share loops in so many ways that there is no answer."""


def reduced(rows: Iterable[Sequence[int | Fraction]]) -> Basis:
    """Reduced row echelon form.

    Parameters
    ----------
    rows : iterable of sequence of int or Fraction

    Examples
    --------
    >>> [[int(x) for x in row] for row in reduced([[2, 4], [1, 2], [0, 3]])]
    [[1, 0], [0, 1]]
    """
    left = [[Fraction(x) for x in row] for row in rows]
    done: list[list[Fraction]] = []
    for column in range(len(left[0]) if left else 0):
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        pivot = [x / pivot[column] for x in pivot]
        left = [_less(row, pivot, column) for row in left]
        done = [*(_less(row, pivot, column) for row in done), pivot]
    return tuple(tuple(row) for row in done)


def _less(row: list[Fraction], pivot: list[Fraction], column: int) -> list[Fraction]:
    return [x - row[column] * p for x, p in zip(row, pivot, strict=True)]


def kernel(rows: Iterable[Sequence[int | Fraction]], size: int) -> Basis:
    """Vectors that all rows map to 0.

    Parameters
    ----------
    rows : iterable of sequence of int or Fraction
    size : int
        Loops.
    """
    echelon = reduced(rows)
    pivots = [next(n for n, x in enumerate(row) if x) for row in echelon]
    found = []
    for free in (n for n in range(size) if n not in pivots):
        vector = [Fraction(int(n == free)) for n in range(size)]
        for row, pivot in zip(echelon, pivots, strict=True):
            vector[pivot] = -row[free]
        found.append(vector)
    return reduced(found)


def together(a: Basis, b: Basis) -> Basis:
    """Sum of two subspaces."""
    return reduced([*a, *b])


def common(a: Basis, b: Basis, size: int) -> Basis:
    """Intersection of two subspaces."""
    return kernel([*kernel(a, size), *kernel(b, size)], size)


def lattice(kernels: Iterable[Basis], size: int) -> list[Basis]:
    """All subspaces but 0 that sums and intersections of these make, and the whole space.

    Raises
    ------
    TangledError
        More than 400.
    """
    whole = reduced([[int(n == m) for m in range(size)] for n in range(size)])
    found: list[Basis] = list(dict.fromkeys([*(one for one in kernels if one), whole]))
    known = set(found)
    for number, one in enumerate(found):  # grows meanwhile
        for other in found[:number]:
            for made in (together(one, other), common(one, other, size)):
                if made and made not in known:
                    known.add(made)
                    found.append(made)
        if len(found) > MOST:
            raise TangledError(
                "the indices share loops in too many ways: write the computation with fewer sums of loops"
            )
    return found


def image_rank(rows: Sequence[Sequence[int | Fraction]], space: Basis) -> int:
    """Dimension of what the rows map a subspace to."""
    images = ([sum(x * y for x, y in zip(row, vector, strict=True)) for row in rows] for vector in space)
    return len(reduced(images)) if rows else 0
