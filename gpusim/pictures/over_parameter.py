"""A figure of a sweep: one of its numbers over one of its names, a line for each combination of the others."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpusim.errors import GpusimError, UnknownNameError
from gpusim.pictures.canvas import MARKS, axes_of, styled
from gpusim.results.metric import DURATION

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

TIME = "seconds"
WORDS = {TIME: DURATION}
"""Figures under the name of the metric whose interval is drawn, too."""
SCALES = ((1.0, "s"), (1e3, "ms"), (1e6, "us"))
"""Units of a time, by how many of them a second has."""


@styled()
def over_parameter(
    frame: pd.DataFrame, names: Sequence[str], units: Mapping[str, str], y: str = TIME, x: str | None = None,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw a sweep.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a point, as :meth:`gpusim.Sweep.to_dataframe` gives it.
    names : sequence of str
        What was swept over.
    units : mapping of str to str
        Of metrics.
    y : str
        ``seconds``, or another column.
    x : str, optional
        A name that was swept over; the first with several numbers unless given.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    GpusimError
        No such name, or nothing to draw.
    """
    column = WORDS.get(y, y) if WORDS.get(y, y) in frame else y
    if column not in frame:
        raise UnknownNameError("column of the sweep", y, [str(name) for name in frame.columns])
    if frame[column].dtype.kind not in "iufb":
        raise GpusimError(f"{column} has no numbers to draw")
    over = x or _first_with_numbers(names, frame)
    if over not in names:
        raise UnknownNameError("name that was swept over", over, names)
    axes = axes_of(ax, (9.0, 5.0))
    others = ["kernel", "gpu", *(name for name in names if name != over)]
    told_apart = [name for name in others if frame[name].nunique(dropna=False) > 1]
    done = frame[frame["error"] == ""]
    scale, label = _unit(units, done, column)
    for number, (words, part) in enumerate(_lines(done, told_apart, names)):
        _line(axes, part.sort_values(over), (over, column), scale, words, MARKS[number % len(MARKS)])
    _ticks(axes, over, sorted(set(done[over])))
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0)
    if told_apart:
        axes.legend(fontsize="small")
    return axes


def _ticks(axes: Any, over: str, values: list[float]) -> None:
    """Marks at the values; those that double stand equally far apart."""
    if len(values) > 2 and values[0] > 0 and all(b >= 2 * a for a, b in itertools.pairwise(values)):
        axes.set_xscale("log", base=2)
    axes.set_xticks(values, [f"{value:g}" for value in values])
    axes.minorticks_off()
    axes.set_xlabel(over)


def _first_with_numbers(names: Sequence[str], frame: pd.DataFrame) -> str:
    for name in names:
        if frame[name].nunique() > 1 and all(isinstance(value, int | float) for value in frame[name]):
            return name
    raise GpusimError("there is nothing to draw over: no name was swept over that has several numbers")


def _lines(frame: pd.DataFrame, names: list[str], swept: Sequence[str]) -> list[tuple[str, pd.DataFrame]]:
    """Rows of each line, with what tells it apart."""
    if not names:
        return [("", frame)]
    groups = frame.groupby(names, dropna=False, sort=False)
    named = [f"{name}=" if name in swept else "" for name in names]
    return [(" ".join(f"{n}{k}" for n, k in zip(named, key, strict=True)), part) for key, part in groups]


def _line(axes: Any, part: pd.DataFrame, names: tuple[str, str], scale: float, label: str, mark: str) -> None:
    """A line with its markers; the interval of a time lies behind it."""
    x, y = names
    (drawn,) = axes.plot(part[x], scale * part[y], marker=mark, label=label)
    low, high = f"{y}.low", f"{y}.high"
    if low in part and part[low].notna().all():
        axes.fill_between(
            part[x], scale * part[low], scale * part[high], color=drawn.get_color(), alpha=0.15, linewidth=0
        )


def _unit(units: Mapping[str, str], done: pd.DataFrame, column: str) -> tuple[float, str]:
    """What numbers are multiplied by, and what stands at the axis: the name with its unit."""
    unit = "s" if column == TIME else units.get(column, "")
    if unit != "s":
        return 1.0, f"{column} ({unit})" if unit else column
    most = done[column].max()
    scale, unit = next(((scale, unit) for scale, unit in SCALES if most * scale >= 1), SCALES[-1])
    return scale, f"{'time' if column == DURATION else column} ({unit})"
