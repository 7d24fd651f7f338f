"""Labelled bars: one number for each of several things, with the interval in which it lies where one is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gpusim.errors import ParameterError
from gpusim.pictures.canvas import BLUE, FAINT, INK, axes_of, cut, styled, write_powers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAR, MARGIN, WIDE = 0.34, 0.9, 8.0
"""Height of a bar and of what stands above and below, and width of a figure, inches."""

LONGEST = 44
"""Letters of a label; a longer one is cut."""


class Bar(NamedTuple):
    """One of several bars.

    Attributes
    ----------
    label : str
    value : float
    text : str
        What stands at its end.
    interval : (float, float), optional
        Between what the value lies.
    colour : str
        One of :mod:`gpusim.pictures.canvas`.
    """

    label: str
    value: float
    text: str
    interval: tuple[float, float] | None = None
    colour: str = BLUE


@styled()
def bars(rows: Sequence[Bar], axis: str, ax: Axes | None = None, *, logarithmic: bool = False) -> Axes:
    """Draw bars, the first one above.

    Parameters
    ----------
    rows : sequence of Bar
    axis : str
        What the values are, with their unit.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    logarithmic : bool
        Whether the axis is; values are above 0 then.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        There is nothing to draw.
    """
    if not rows:
        raise ParameterError("there is nothing to draw")
    axes = axes_of(ax, (WIDE, MARGIN + BAR * len(rows)))
    places = range(len(rows))
    axes.barh(places, [row.value for row in rows], color=[row.colour for row in rows])
    for place, row in zip(places, rows, strict=True):
        end = row.value
        if row.interval is not None:
            low, high = row.interval
            axes.plot([low, high], [place, place], color=INK, linewidth=1.2, marker="|", markersize=7)
            end = max(end, high)
        axes.annotate(row.text, (max(end, 0.0), place), (5, 0), textcoords="offset points", va="center",
                      fontsize="small")  # fmt: skip
    axes.set_yticks(places, [cut(row.label, LONGEST) for row in rows])
    axes.invert_yaxis()
    axes.tick_params("y", length=0)
    axes.set_xlabel(axis)
    _end(axes, [row.value for row in rows], logarithmic=logarithmic)
    return axes


def _end(axes: Axes, values: Sequence[float], *, logarithmic: bool) -> None:
    """Where the axis begins and ends: with room for what stands at the bars' ends."""
    if logarithmic:
        known = [value for value in values if value > 0]
        axes.set(xscale="log", xlim=(min(known) / 3, max(known) * 8))
        write_powers(axes, "x")
        return
    axes.margins(x=0.22)
    if min(values) < 0:
        axes.axvline(0, color=FAINT, linewidth=1)
    else:
        axes.set_xlim(left=0)
