"""Which exponents an inequality of Hölder, Brascamp and Lieb may have, and the least sum of them: exactly.

At any points H of the loops, ``|H| <= prod |A_j|^s_j prod |L_i|^t_i``: of every access j as many elements as H touches,
and of every loop i its extent.  The exponents must satisfy an inequality for each subspace U:
``dim U <= sum s_j dim A_j(U) + sum t_i dim L_i(U)``.  Loops that share no index can be looked at apart, for the
subspaces then are sums of their parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gpusim.bounds.computation import Access
from gpusim.bounds.subspaces import image_rank, kernel, lattice


@dataclass(frozen=True, slots=True)
class Inequality:
    """``sum s_j accesses_j + sum t_i loops_i >= least``."""

    accesses: tuple[int, ...]
    loops: tuple[int, ...]
    least: int


def inequalities(loops: Sequence[str], accesses: Sequence[Access]) -> list[Inequality]:
    """All that exponents must satisfy.

    Parameters
    ----------
    loops : sequence of str
    accesses : sequence of Access

    Examples
    --------
    >>> from gpusim.bounds.computation import parse
    >>> gemm = parse("C[m,n] += A[m,k] * B[k,n]").statements[0]
    >>> [one.accesses for one in inequalities(gemm.loops, gemm.accesses)]
    [(1, 1, 0), (1, 0, 1), (0, 1, 1)]
    """
    return [one for block in _blocks(loops, accesses) for one in _of_block(block, loops, accesses)]


def _blocks(loops: Sequence[str], accesses: Sequence[Access]) -> list[tuple[str, ...]]:
    """Loops that indices tie together."""
    block = {loop: {loop} for loop in loops}
    for form in (form for access in accesses for form in access.forms):
        joined = set[str]().union(*(block[loop] for loop in form.loops))
        block |= dict.fromkeys(joined, joined)
    found = (tuple(loop for loop in loops if loop in block[first]) for first in loops)
    return list(dict.fromkeys(found))


def _of_block(block: tuple[str, ...], loops: Sequence[str], accesses: Sequence[Access]) -> Iterator[Inequality]:
    maps = [_rows(access, block) for access in accesses]
    units = [[int(n == m) for m in range(len(block))] for n in range(len(block))]
    kernels = [kernel(rows, len(block)) for rows in (*maps, *([unit] for unit in units)) if rows]
    for space in lattice(kernels, len(block)):
        along = {loop: image_rank([unit], space) for loop, unit in zip(block, units, strict=True)}
        of_loops = tuple(along.get(loop, 0) for loop in loops)
        yield Inequality(tuple(image_rank(rows, space) for rows in maps), of_loops, len(space))


def _rows(access: Access, block: tuple[str, ...]) -> list[list[int]]:
    """An access's indices as rows over the loops of a block."""
    forms = [dict(form.terms) for form in access.forms if set(form.loops) & set(block)]
    return [[form.get(loop, 0) for loop in block] for form in forms]


def least_sum(found: Sequence[Inequality]) -> Fraction | None:
    """The least sum of the accesses' exponents where no loop is short; None where they cannot bound it.

    The dual program, ``max sum least_k y_k`` with ``sum_k y_k accesses_kj <= 1``, has a start (0) at once: a tableau of
    fractions, by the first column that gains (Bland's rule), so that it ends.

    Examples
    --------
    >>> from gpusim.bounds.computation import parse
    >>> gemm = parse("C[m,n] += A[m,k] * B[k,n]").statements[0]
    >>> least_sum(inequalities(gemm.loops, gemm.accesses))
    Fraction(3, 2)
    """
    accesses = len(found[0].accesses)
    slack = [[Fraction(int(n == m)) for m in range(accesses)] for n in range(accesses)]
    table = [[*(Fraction(one.accesses[n]) for one in found), *slack[n], Fraction(1)] for n in range(accesses)]
    price = [*(Fraction(-one.least) for one in found), *([Fraction(0)] * (accesses + 1))]
    basis = [len(found) + n for n in range(accesses)]
    while (column := next((n for n, x in enumerate(price[:-1]) if x < 0), None)) is not None:
        rows = [(row[-1] / row[column], basis[n], n) for n, row in enumerate(table) if row[column] > 0]
        if not rows:
            return None
        at = min(rows)[2]
        basis[at] = column
        table[at] = [x / table[at][column] for x in table[at]]
        table = [row if n == at else _cleared(row, table[at], column) for n, row in enumerate(table)]
        price = _cleared(price, table[at], column)
    return price[-1]


def _cleared(row: list[Fraction], pivot: list[Fraction], column: int) -> list[Fraction]:
    return [x - row[column] * p for x, p in zip(row, pivot, strict=True)]
