"""Stencils over time steps: how many points a segment can do with the values that it has at hand.

Those of a step's neighbours that the segment did not compute it must have at hand.  Three ways to count them:

* At the rim, too: along some axis at least ``h^((d-1)/d)`` lines meet the h points of a step (Loomis and Whitney
  1949), and each that is not full adds a neighbour.  So X values give ``d/(d+1) X^((d+1)/d)`` points at most; near the
  width L of the grid, divided by ``1 - X^(1/d)/L``.
* Inside: points that are not at the rim have all of their neighbours, and these are more by ``c h^((d-1)/d)``
  (:func:`growth`).  Values of the rim that a segment makes are taken off, once each.
* By chains, where the neighbours are others: along a vector by which points depend on one another, each line that meets
  the segment enters it, by a value at hand.  With n such vectors X values give ``X^(n/(n-1))`` points at most.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from gpusim.bounds.computation import Access, Statement
from gpusim.bounds.subspaces import reduced


def axes(statement: Statement) -> tuple[str, ...]:
    """Loops of space of a stencil over time; empty where the statement is none.

    Each point is of itself and of both neighbours along each axis, and of others as may be.  Without itself, points at
    the rim would add none.

    Parameters
    ----------
    statement : Statement

    Examples
    --------
    >>> from gpusim.bounds.computation import parse
    >>> axes(parse("A[t+1,i] = A[t,i-1] + A[t,i] + A[t,i+1]").statements[0])
    ('i',)
    """
    out = statement.out
    if statement.gathers or not all(len(form.terms) == 1 and form.terms[0][1] == 1 for form in out.forms):
        return ()
    steps = [_step(out, access) for access in statement.inputs if access.array == out.array]
    time = [n for n in range(len(out.forms)) if steps and all(step is not None and step[n] == -1 for step in steps)]
    if len(time) != 1 or len(out.loops) != len(out.forms):
        return ()
    space = [n for n in range(len(out.forms)) if n != time[0]]
    around = {tuple(step[n] for n in space) for step in steps if step is not None}
    full = all(_unit(n, len(space), sign) in around for n in range(len(space)) for sign in (1, 0, -1))
    return tuple(out.forms[n].loops[0] for n in space) if full and space else ()


def steps(statement: Statement) -> tuple[str, ...] | None:
    """Loops over steps, of a statement that makes values of its own array from earlier ones: None where it is none.

    Of the steps only the first must be given, and only the last is asked for.  All loops are steps where no axis tells
    earlier values from later ones.

    Parameters
    ----------
    statement : Statement

    Examples
    --------
    >>> from gpusim.bounds.computation import parse
    >>> steps(parse("A[t+1,i] = A[t,i-1] + A[t,i+1]").statements[0])
    ('t',)
    """
    own = [access for access in statement.inputs if access.base == statement.out.base]
    if statement.gathers or not own:
        return None
    found = [_step(statement.out, access) for access in own]
    forms = enumerate(statement.out.forms)
    back = [form.loops for n, form in forms if all(step is not None and step[n] < 0 for step in found)]
    loops = tuple(loop for one in back for loop in one)
    return loops or (*statement.loops, *statement.out.whole)


def _step(out: Access, access: Access) -> tuple[int, ...] | None:
    """Where an access lies, seen from the output."""
    if access.linear != out.linear:
        return None
    return tuple(a.constant - b.constant for a, b in zip(access.forms, out.forms, strict=True))


def _unit(axis: int, size: int, sign: int) -> tuple[int, ...]:
    return tuple(sign if n == axis else 0 for n in range(size))


@dataclass(frozen=True, slots=True)
class Way:
    """A way to count the points of a segment: X values give ``factor X^power`` at most.

    Attributes
    ----------
    points : int
        Of the whole grid: those that are counted so.
    power, factor : float
    free : int
        Values that segments make and use without having had them at hand, all together.
    width : int
        Shortest side of the grid, where segments may reach from rim to rim; 0 where that does not matter.
    """

    points: int
    power: float
    factor: float
    free: int = 0
    width: int = 0

    def log_points(self, values: float) -> float:
        """Logarithm of the most points that so many values at hand give; infinite where a grid fits.

        Parameters
        ----------
        values : float
        """
        room = 1 - values ** (self.power - 1) / self.width if self.width else 1.0
        return math.log(self.factor / room) + self.power * math.log(values) if room > 0 else math.inf


def ways(statement: Statement, sizes: Mapping[str, int]) -> list[Way]:
    """Ways to count the points of a stencil, each of which holds; none where the statement is no stencil.

    Parameters
    ----------
    statement : Statement
    sizes : mapping of str to int
        Extents of loops.
    """
    points = prod(sizes[loop] for loop in statement.loops)
    if space := axes(statement):
        d, widths = len(space), [sizes[loop] for loop in space]
        inner = points // prod(widths) * prod(max(0, width - 2) for width in widths)
        power, factor = (d + 1) / d, d / (d + 1)
        rim = Way(points, power, factor, width=min(widths))
        return [rim, Way(inner, power, factor / growth(d), points - inner)]
    if vectors := chains(statement):
        n = len(vectors)
        return [Way(points, n / (n - 1), 1.0, _from_outside(statement, vectors, sizes))]
    return []


def growth(d: int) -> float:
    """How many more a set's neighbours in d dimensions are than its h points, over ``h^((d-1)/d)``, at least.

    The set and all that are next to it along an axis: ``2`` in one dimension.  In two it is ``2 sqrt(2)``, as balls
    ``|x| + |y| <= r`` show (Wang and Wang 1977).  From d - 1 to d: with p lines along an axis there are 2 p ends, and
    layers across it add ``c h / p^(1/(d-1))``; the larger of both is least where they are equal.

    Parameters
    ----------
    d : int

    Examples
    --------
    >>> growth(1), round(growth(2) ** 2, 9), round(growth(3) ** 3, 9)
    (2.0, 8.0, 16.0)
    """
    return 2.0 if d == 1 else 2 ** (1 + 1 / d)


def chains(statement: Statement) -> tuple[tuple[int, ...], ...]:
    """As many independent vectors as there are loops by which points depend on one another; empty without these.

    Parameters
    ----------
    statement : Statement

    Examples
    --------
    >>> from gpusim.bounds.computation import parse
    >>> chains(parse("A[t+1,i] = A[t+1,i-1] + A[t,i]").statements[0])
    ((0, 1), (1, 0))
    """
    out = statement.out
    single = all(len(form.terms) == 1 and form.terms[0][1] == 1 for form in out.forms) and not out.whole
    if statement.gathers or not single or not len(statement.loops) == len(out.loops) == len(out.forms) > 1:
        return ()
    found = [_step(out, access) for access in statement.inputs if access.array == out.array]
    back = {tuple(-x for x in step) for step in found if step is not None}
    if any(step is None for step in found) or not all(_is_later(vector) for vector in back):
        return ()
    chosen: list[tuple[int, ...]] = []
    for vector in sorted(back, key=lambda one: (sum(map(abs, one)), one)):
        if len(reduced([*chosen, vector])) > len(chosen):
            chosen.append(vector)
    return tuple(chosen) if len(chosen) == len(out.forms) else ()


def _is_later(vector: tuple[int, ...]) -> bool:
    """Whether a point comes later than the one from which this vector leads to it, loops from the outermost in."""
    return next((x for x in vector if x), 0) > 0


def _from_outside(statement: Statement, vectors: tuple[tuple[int, ...], ...], sizes: Mapping[str, int]) -> int:
    """No fewer points than those that some vector reaches from outside the grid."""
    extents = [sizes[form.loops[0]] for form in statement.out.forms]
    reach = [max(0, *(v[n] for v in vectors)) + max(0, *(-v[n] for v in vectors)) for n in range(len(extents))]
    return prod(extents) - prod(max(0, e - r) for e, r in zip(extents, reach, strict=True))
