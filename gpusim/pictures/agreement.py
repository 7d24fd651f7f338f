"""Predicted against measured: a mark for each launch, and how many lie within 10 and 25 per cent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpusim.errors import ParameterError
from gpusim.pictures.canvas import FAINT, INK, MARKS, SERIES, axes_of, styled, write_powers
from gpusim.report.units import format_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (6.4, 5.6)
BANDS = (0.10, 0.25)
NAMED = 3
"""Launches that are farthest off and have their names beside their marks."""

FAR = 0.1
"""How far off a launch must be to be named."""


class Pair(NamedTuple):
    """One launch, predicted and measured.

    Attributes
    ----------
    name, group : str
        The launch, and what it is drawn with, such as its family.
    predicted, measured : float
        In the same unit, above 0.
    """

    name: str
    group: str
    predicted: float
    measured: float

    @property
    def error(self) -> float:
        """By how much the prediction is above what was measured, relative to it."""
        return self.predicted / self.measured - 1


@styled()
def agreement(pairs: Iterable[Pair], what: str, ax: Axes | None = None) -> Axes:
    """Draw predictions against measurements, both on logarithmic axes.

    Parameters
    ----------
    pairs : iterable of Pair
    what : str
        What was predicted, with its unit: ``"cycles"``.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        There is no launch with both.
    """
    shown = [pair for pair in pairs if pair.predicted > 0 and pair.measured > 0]
    if not shown:
        raise ParameterError(f"no launch has {what} both predicted and measured")
    axes = axes_of(ax, SIZE)
    values = [value for pair in shown for value in (pair.predicted, pair.measured)]
    ends = np.array([min(values) / 1.5, max(values) * 1.5])
    _bands(axes, ends)
    groups = list(dict.fromkeys(pair.group for pair in shown))
    for number, group in enumerate(groups):
        of = [pair for pair in shown if pair.group == group]
        axes.plot([pair.measured for pair in of], [pair.predicted for pair in of], linestyle="none", alpha=0.8,
                  marker=MARKS[number % len(MARKS)], color=SERIES[number % len(SERIES)], markersize=5,
                  label=group)  # fmt: skip
    _name_worst(axes, shown)
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel=f"measured {what}", ylabel=f"predicted {what}")
    write_powers(axes, "x", "y")
    axes.set_title(_said(shown), fontsize="small")
    if 1 < len(groups) <= 2 * len(SERIES):
        axes.legend(loc="upper left", fontsize="x-small", ncols=1 + (len(groups) > 8))
    return axes


def _bands(axes: Axes, ends: np.ndarray) -> None:
    axes.plot(ends, ends, color=INK, linewidth=1)
    for share in BANDS:
        axes.fill_between(ends, ends * (1 - share), ends * (1 + share), color=FAINT, alpha=0.15, linewidth=0)


def _name_worst(axes: Axes, pairs: Sequence[Pair]) -> None:
    for pair in sorted(pairs, key=lambda pair: -abs(pair.error))[:NAMED]:
        if abs(pair.error) > FAR:
            axes.annotate(f"{pair.name}: {100 * pair.error:+.0f} %", (pair.measured, pair.predicted), (6, -9),
                          textcoords="offset points", fontsize="x-small")  # fmt: skip


def _said(pairs: Sequence[Pair]) -> str:
    errors = np.array([abs(pair.error) for pair in pairs])
    within = ", ".join(f"{format_share(float(np.mean(errors <= share)))} within {share:.0%}" for share in BANDS)
    return f"{len(pairs)} launches: {format_share(float(np.median(errors)))} off in the median\n{within} (grey)"
