"""What changed between two launches, as bars: causes of time, or figures level by level."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpusim.report.units import format_count, format_factor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.decide.diff_found import Found
    from gpusim.pictures.bars import Bar


def plot(found: Found, ax: Axes | None = None) -> Axes:
    """Draw a difference.

    Parameters
    ----------
    found : Diff
    ax : matplotlib.axes.Axes, optional
        Where to draw; a figure of its own unless given.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        Nothing changed.
    """
    from gpusim.pictures.bars import bars
    from gpusim.pictures.canvas import styled

    with styled():
        if found.why is not None and found.why.reasons:
            axes = bars(list(_causes(found)), "SM cycles that B takes longer (below 0: shorter)", ax)
        else:
            axes = bars(list(_levels(found)), "B over A, as a power of two (0: the same)", ax)
        axes.set_title(f"A: {found.a.name}\nB: {found.b.name}", fontsize="small")
    return axes


def _causes(found: Found) -> Iterator[Bar]:
    from gpusim.pictures.bars import Bar
    from gpusim.pictures.canvas import BLUE, FAINT, RED

    assert found.why is not None
    for of in (*found.why.reasons, found.why.other):
        colour = FAINT if of.cause == "other" else RED if of.change > 0 else BLUE
        yield Bar(of.cause, of.change, f"{'-' if of.change < 0 else '+'}{format_count(abs(of.change))}", None, colour)


def _levels(found: Found) -> Iterator[Bar]:
    from gpusim.pictures.bars import Bar
    from gpusim.pictures.canvas import BLUE, RED

    for of in found.levels:
        if of.factor > 0 and math.isfinite(of.factor) and of.factor != 1:
            power = math.log2(of.factor)
            yield Bar(of.name, power, f"{format_factor(of.factor)}×", None, RED if power > 0 else BLUE)
