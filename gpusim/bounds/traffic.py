"""The least that any schedule of a computation moves into a fast memory and out of it: the largest of several bounds.

* Compulsory: what is given is read once, and what is asked for is written once.
* Reuse: a schedule is cut into segments that move so much each; with what was in memory before, a segment has X bytes
  at hand, and does chi(X) points at most (:mod:`.holder`).  Several memories side by side each have a last segment.
* Second pass: where all of a row decides what is done with each of its elements, what did not stay is read again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from gpusim.bounds import stencils
from gpusim.bounds.computation import Computation, Statement
from gpusim.bounds.footprint import elements, is_given, read_arrays
from gpusim.bounds.holder import Problem
from gpusim.bounds.roles import points

SOLVED = (1.5, 3.0, 10.0, 100.0)
"""Bytes at hand over those of the memory for which the best exponents are looked for."""

TRIED = np.geomspace(1.05, 200, 80)
"""The same, among which the best segments are looked for; exponents of one are allowed for all others."""


@dataclass(frozen=True, slots=True)
class Least:
    """The least traffic between a memory and nearer ones, in bytes.

    Attributes
    ----------
    given : int
        What the computation is given, once.
    stored : int
        What is asked for, once.
    reuse : float
        Read and written, by segments; 0 where that says nothing.
    again : float
        What is read a second time; 0 where nothing is needed twice.
    """

    given: int
    stored: int
    reuse: float
    again: float

    @property
    def nbytes(self) -> float:
        """The bound on what is read and written together."""
        return max(self.compulsory + self.again, self.reuse)

    @property
    def read(self) -> float:
        """The bound on what is read, by schedules that write each output once.

        One that writes sums half-made may read less, and then writes as much more.
        """
        return max(self.given + self.again, self.reuse - self.stored)

    @property
    def compulsory(self) -> int:
        """What is given and what is asked for, once each."""
        return self.given + self.stored

    @property
    def reason(self) -> str:
        """Which bound :attr:`nbytes` is: ``"compulsory"``, ``"reuse"`` or ``"second pass"``."""
        if self.reuse > self.compulsory + self.again:
            return "reuse"
        return "second pass" if self.again else "compulsory"


def least(
    computation: Computation,
    sizes: Mapping[str, int],
    memory: float,
    memories: int = 1,
    element_bytes: Mapping[str, int] | int = 4,
) -> Least:
    """Bound what is moved between a memory and nearer, faster ones.

    Parameters
    ----------
    computation : Computation
    sizes : mapping of str to int
        Extents of loops, as :meth:`Computation.sizes` gives them.
    memory : float
        Bytes of each.
    memories : int
        How many share the work.
    element_bytes : int or mapping of str to int
        Of each array.

    Returns
    -------
    Least

    Examples
    --------
    >>> from gpusim.bounds.computation import parse
    >>> gemm = parse("C[m,n] += A[m,k] * B[k,n]")
    >>> found = least(gemm, {"m": 10000, "n": 10000, "k": 10000}, 4e4)
    >>> round(found.reuse / (4 * 2 * 1e12 / 1e2), 2), found.reason  # 2 m n k / sqrt(S) floats
    (1.0, 'reuse')
    """
    each = element_bytes if isinstance(element_bytes, Mapping) else dict.fromkeys(computation.arrays, element_bytes)
    given = sum(elements(computation, array, sizes) * each[array] for array in read_arrays(computation))
    stored = sum(elements(computation, array, sizes, written=True) * each[array] for array in _kept(computation))
    again = sum(_again(computation, one, sizes, each, memory * memories) for one in computation.statements)
    return Least(given, stored, max(0.0, by_segments(computation, sizes, each, memory, memories)), again)


def _kept(computation: Computation) -> list[str]:
    """Arrays that are written for somebody else: those that only this computation reads need never leave."""
    read = {
        access.base
        for one in computation.statements
        for access in one.inputs
        if access.base not in {out.base for out in one.outs}
    }
    return [array for array in computation.written if array not in read or is_given(computation, array)]


# ------------------------------------------------------------------ segments


def by_segments(
    computation: Computation,
    sizes: Mapping[str, int],
    element_bytes: Mapping[str, int],
    memory: float,
    memories: int,
) -> float:
    """Bound reads and writes by what segments can do with what they have at hand; below 0 where that says nothing.

    What a segment has at hand without reading it are sums that it begins, and values that it finishes and uses.  A sum
    of an output that is begun leaves the memory by a write, so reads and writes together count it.  Others are begun
    and finished once each, and taken off at the end.

    Parameters
    ----------
    computation, sizes, element_bytes, memory, memories
        As for :func:`least`.
    """
    counts = max([1, *(len(stencils.ways(one, sizes)) for one in computation.statements)])
    return max(_by_way(computation, sizes, element_bytes, memory, memories, way) for way in range(counts))


def _by_way(
    computation: Computation,
    sizes: Mapping[str, int],
    element_bytes: Mapping[str, int],
    memory: float,
    memories: int,
    way: int,
) -> float:
    """The same, by one of the ways in which points of stencils can be counted."""
    works = [_Work(computation, one, sizes, element_bytes, way) for one in computation.statements]
    at_hand = memory * TRIED
    log_points = np.array([work.log_points(memory) for work in works])
    points = np.array([[float(work.points)] for work in works])
    needed = (points * np.exp(-log_points)).sum(axis=0)
    made = sum(count * element_bytes[array] for array, count in _made(computation, sizes))
    free = made + sum(work.free for work in works)
    full = ((at_hand - memory) * (needed - memories)).max()
    return float(max(full, _from_empty(at_hand, memory, points, log_points))) - free


def _from_empty(at_hand: np.ndarray, memory: float, points: np.ndarray, log_points: np.ndarray) -> float:
    """The same however many memories there are, for each of them is empty when a launch begins.

    One that does less than a segment of Z bytes can do moves its share of Z.  One that does more has, beside its last
    segment, those of X bytes, and the last is less than what Z bytes can do.  So each point costs the less of the two.
    """
    inverse = np.exp(-log_points)
    share = at_hand * inverse
    beyond = (at_hand - memory)[None, :, None] * (inverse[:, :, None] - inverse[:, None, :])
    each = np.minimum(share[:, None, :], beyond)
    return float((points[:, :, None] * each).sum(axis=0).max())


def _made(computation: Computation, sizes: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Arrays with how many of their values are at hand without a read or a write: sums begun, and finished values."""
    used = {access.base for one in computation.statements for access in one.inputs}
    kept = _kept(computation)
    for one in computation.statements:
        for array in {out.base for out in one.outs if one.gathers} - {*kept}:
            yield array, elements(computation, array, sizes, written=True)
        if stencils.steps(one) is not None and not stencils.ways(one, sizes):
            yield one.out.base, computation.points(one, sizes)
    for array in (one for one in computation.written if one in used):
        yield array, _uses(computation, array) * elements(computation, array, sizes, written=True)


def _uses(computation: Computation, array: str) -> int:
    """How often a value of an array can be at hand without room of its own: once for each pattern that reads it.

    Twice where the statement that gathers it reads it, too: its value then may also be the one with which a sum begins.
    """
    ways = {access.linear for one in computation.statements for access in one.inputs if access.base == array}
    makes = [one for one in computation.statements if one.gathers and array in {out.base for out in one.outs}]
    own = any(access.base == array for one in makes for access in one.inputs)
    return len(ways) * (1 + own)


class _Work:
    """A statement's points, how many of them a segment can do, and bytes of values that it makes on the way."""

    def __init__(
        self,
        computation: Computation,
        statement: Statement,
        sizes: Mapping[str, int],
        element_bytes: Mapping[str, int],
        way: int,
    ) -> None:
        ways = stencils.ways(statement, sizes)
        self._way = ways[min(way, len(ways) - 1)] if ways else None
        self._word = element_bytes[statement.out.base]
        self.points = self._way.points if self._way else points(computation, statement, sizes)
        self.free = self._way.free * self._word if self._way else 0
        self._problem = Problem(computation, statement, sizes, element_bytes)

    def log_points(self, memory: float) -> np.ndarray:
        """Logarithms of the most points, for the bytes at hand that are tried."""
        at_hand = memory * TRIED
        if self._way:
            return np.array([self._way.log_points(x / self._word) for x in at_hand])
        found = [self._problem.capacity(math.log(memory * factor)) for factor in SOLVED]
        return np.array([min(one.log_points(math.log(x)) for one in found) for x in at_hand])


# ------------------------------------------------------------------ what is needed twice


def _again(
    computation: Computation,
    statement: Statement,
    sizes: Mapping[str, int],
    element_bytes: Mapping[str, int],
    memory: float,
) -> float:
    """Bytes that a statement reads again, because a total of a row decides what becomes of each of its elements.

    When the total is there all of the row has been read; no more of it than fits is still there.
    """
    found = 0.0
    for total in computation.statements:
        if total is statement or not total.gathers or total.out.array not in {one.array for one in statement.inputs}:
            continue
        if all(one.linear != total.out.linear for one in statement.inputs if one.array == total.out.array):
            continue
        for access in statement.inputs:
            over = [loop for loop in access.loops if loop not in total.out.loops]
            rows = prod(sizes[loop] for loop in access.loops if loop in total.out.loops)
            if over and access in total.inputs and set(total.out.loops) <= set(access.loops):
                row = prod(sizes[loop] for loop in over) * element_bytes[access.base]
                found = max(found, rows * max(0.0, row - memory))
    return found
