"""The least that any schedule of a computation reads into a fast memory: the largest of several bounds.

* Compulsory: what is given is read once.
* Reuse: a schedule is cut into segments that read so much each; with what was in memory before, a segment has X bytes
  at hand, and does chi(X) points at most (:mod:`.holder`).  Several memories side by side each have a last segment.
* Second pass: where all of a row decides what is done with each of its elements, what did not stay is read again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from gpusim.bound import stencils
from gpusim.bound.computation import Computation, Statement
from gpusim.bound.footprint import elements, read_arrays
from gpusim.bound.holder import Problem
from gpusim.bound.roles import points

SEGMENTS = tuple(1 + 0.1 * 1.35**power for power in range(22))
"""Bytes at hand over those of the memory, among which the best is looked for."""


@dataclass(frozen=True, slots=True)
class Least:
    """The least traffic into memories, in bytes read.

    Attributes
    ----------
    compulsory : int
        What is given, once.
    reuse : float
        By segments; 0 where that says nothing.
    second_pass : float
        What is given, and again what did not stay; 0 where nothing is needed twice.
    stored : int
        What is made, written once.
    memory : float
        Bytes of each fast memory.
    memories : int
        How many work side by side.
    """

    compulsory: int
    reuse: float
    second_pass: float
    stored: int
    memory: float
    memories: int

    @property
    def nbytes(self) -> float:
        """The bound: bytes read."""
        return max(self.compulsory, self.reuse, self.second_pass)

    @property
    def reason(self) -> str:
        """Which of the bounds it is: ``"compulsory"``, ``"reuse"`` or ``"second pass"``."""
        if self.nbytes <= self.compulsory:
            return "compulsory"
        return "reuse" if self.reuse >= self.second_pass else "second pass"


def least(
    computation: Computation,
    sizes: Mapping[str, int],
    memory: float,
    memories: int = 1,
    element_bytes: Mapping[str, int] | int = 4,
) -> Least:
    """Bound what is read into fast memories.

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
    >>> from gpusim.bound.computation import parse
    >>> gemm = parse("C[m,n] += A[m,k] * B[k,n]")
    >>> found = least(gemm, {"m": 10000, "n": 10000, "k": 10000}, 4e4)
    >>> round(found.reuse / (4 * 2 * 1e12 / 1e2), 2), found.reason  # 2 m n k / sqrt(S) floats
    (0.99, 'reuse')
    """
    each = element_bytes if isinstance(element_bytes, Mapping) else dict.fromkeys(computation.arrays, element_bytes)
    given = sum(_given(computation, array, sizes) * each[array] for array in read_arrays(computation))
    again = sum(_again(computation, one, sizes, each, memory * memories) for one in computation.statements)
    made = sum(elements(computation, array, sizes, written=True) * each[array] for array in _kept(computation))
    reuse = by_segments(computation, sizes, each, memory, memories)
    return Least(given, max(0.0, reuse), given + again if again else 0.0, made, memory, memories)


def _given(computation: Computation, array: str, sizes: Mapping[str, int]) -> int:
    """Elements of an array that is given; of a stencil over time those of the first step."""
    for statement in computation.statements:
        if statement.out.base == array and (space := stencils.axes(statement)):
            return prod(sizes[loop] for loop in space)
    return elements(computation, array, sizes)


def _kept(computation: Computation) -> list[str]:
    """Arrays that are written for somebody else: those that only this computation reads need never leave."""
    read = {access.base for one in computation.statements for access in one.inputs if access.base != one.out.base}
    return [array for array in computation.written if array not in read]


# ------------------------------------------------------------------ segments


def by_segments(
    computation: Computation,
    sizes: Mapping[str, int],
    element_bytes: Mapping[str, int],
    memory: float,
    memories: int,
) -> float:
    """Bound reads by what segments can do with what they have at hand; below 0 where that says nothing.

    Values that a segment has without reading them are those it makes: sums that it begins, and finished values of arrays
    that are read again.  Each is made once in all, so that they are taken off at the end.

    Parameters
    ----------
    computation, sizes, element_bytes, memory, memories
        As for :func:`least`.
    """
    works = [_Work(computation, one, sizes, element_bytes) for one in computation.statements]
    made = sum(elements(computation, a, sizes, written=True) * element_bytes[a] * n for a, n in _made(computation))
    best = max(
        (at_hand - memory) * (sum(work.segments(at_hand) for work in works) - memories)
        for at_hand in (memory * factor for factor in SEGMENTS)
    )
    return best - made


def _made(computation: Computation) -> Iterator[tuple[str, int]]:
    """Arrays with how often each of their values is made without a read: as a sum begun, and as a finished value."""
    primed = {access.base for one in computation.statements for access in one.inputs}
    for array in computation.written:
        writers = [one for one in computation.statements if one.out.base == array]
        if not any(stencils.axes(one) for one in writers):
            yield array, sum(one.gathers for one in writers) + (array in primed)


class _Work:
    """A statement's points, and how many segments they need."""

    def __init__(
        self,
        computation: Computation,
        statement: Statement,
        sizes: Mapping[str, int],
        element_bytes: Mapping[str, int],
    ) -> None:
        self._sizes, self._points = sizes, points(computation, statement, sizes)
        self._space = stencils.axes(statement)
        self._word = element_bytes[statement.out.base]
        self._problem = Problem(computation, statement, sizes, element_bytes)

    def segments(self, at_hand: float) -> float:
        """How many segments there are at least, each with so many bytes at hand."""
        if not self._points:
            return 0.0
        if self._space:
            return math.exp(math.log(self._points) - stencils.log_points(self._space, self._sizes, at_hand / self._word))
        log_bytes = math.log(at_hand)
        return math.exp(math.log(self._points) - self._problem.capacity(log_bytes).log_points(log_bytes))


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
