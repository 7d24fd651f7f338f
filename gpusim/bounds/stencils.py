"""Stencils over time steps: a segment of a schedule keeps less of them with each step.

Of ``h`` points of a step their neighbours in the step before are more: along some axis at least ``h^((d-1)/d)`` lines
meet them (Loomis and Whitney 1949), and each line that is not full adds a point.  Those that the segment did not
compute it must have at hand.  So X values give at most ``d/(d+1) X^((d+1)/d)`` points where the grid is wide; near the
width L of the grid, divided by ``1 - X^(1/d)/L``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from gpusim.bounds.computation import Access, Statement


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


def log_points(space: tuple[str, ...], sizes: Mapping[str, int], values: float) -> float:
    """Logarithm of the most points that so many values at hand give; infinite where a grid fits.

    Parameters
    ----------
    space : tuple of str
        Loops of space.
    sizes : mapping of str to int
        Extents of loops.
    values : float
    """
    d = len(space)
    growth = 1 - values ** (1 / d) / min(sizes[loop] for loop in space)
    if growth <= 0:
        return math.inf
    return math.log(d / (d + 1) / growth) + (d + 1) / d * math.log(values)
