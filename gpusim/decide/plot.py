"""A figure of a sweep: one of its numbers over one of its names, a line for each combination of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpusim.errors import GpusimError, UnknownNameError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from gpusim.decide.sweep import Sweep

TIME = "seconds"
WORDS = {TIME: "gpu__time_duration.sum"}
"""Figures under the name of the metric whose interval is drawn, too."""


def draw(sweep: Sweep, y: str = TIME, x: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw a sweep.

    Parameters
    ----------
    sweep : Sweep
    y : str
        ``seconds``, or another column of :meth:`Sweep.to_dataframe`.
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
        No such name, nothing to draw, or matplotlib is not installed.
    """
    frame = sweep.to_dataframe()
    column = WORDS.get(y, y) if WORDS.get(y, y) in frame else y
    if column not in frame:
        raise UnknownNameError("column of the sweep", y, [str(name) for name in frame.columns])
    over = x or _first_with_numbers(sweep, frame)
    if over not in sweep.names:
        raise UnknownNameError("name that was swept over", over, sweep.names)
    axes = ax or _new_axes()
    others = ["kernel", "gpu", *(name for name in sweep.names if name != over)]
    told_apart = [name for name in others if frame[name].nunique(dropna=False) > 1]
    for label, part in _lines(frame[frame["error"] == ""], told_apart):
        _line(axes, part.sort_values(over), over, column, label)
    axes.set_xlabel(over)
    axes.set_ylabel(_label(sweep, column))
    axes.set_ylim(bottom=0)
    if told_apart:
        axes.legend(fontsize="small")
    return axes


def _first_with_numbers(sweep: Sweep, frame: pd.DataFrame) -> str:
    for name in sweep.names:
        if frame[name].nunique() > 1 and all(isinstance(value, int | float) for value in frame[name]):
            return name
    raise GpusimError("there is nothing to draw over: no name was swept over that has several numbers")


def _new_axes() -> Axes:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise GpusimError('a plot needs matplotlib: pip install "gpusim[plot]"') from None
    return Figure(figsize=(9, 5), layout="constrained").subplots()


def _lines(frame: pd.DataFrame, names: list[str]) -> list[tuple[str, pd.DataFrame]]:
    """Rows of each line, with what tells it apart."""
    if not names:
        return [("", frame)]
    groups = frame.groupby(names, dropna=False, sort=False)
    return [(" ".join(map(str, key)), part) for key, part in groups]


def _line(axes: Any, part: pd.DataFrame, x: str, y: str, label: str) -> None:
    """A line with its markers; the interval of a time lies behind it."""
    (drawn,) = axes.plot(part[x], part[y], marker="o", label=label)
    low, high = f"{y}.low", f"{y}.high"
    if low in part and part[low].notna().all():
        axes.fill_between(part[x], part[low], part[high], color=drawn.get_color(), alpha=0.15, linewidth=0)


def _label(sweep: Sweep, column: str) -> str:
    """What stands at the axis: the name, with the unit of a metric."""
    metrics = getattr(sweep.profiles[0], "metrics", {}) if sweep.profiles else {}
    return f"{column} ({metrics[column].unit})" if column in metrics else column
