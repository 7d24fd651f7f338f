"""Times of several launches as bars: those of a table, of a program by kernel, of a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpusim.errors import ParameterError
from gpusim.pictures.bars import Bar, bars
from gpusim.pictures.canvas import SERIES, axes_of, cut, styled
from gpusim.report.tables import label, varying
from gpusim.report.units import format_seconds, format_share
from gpusim.results.metric import DURATION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.results.figures import Figures
    from gpusim.results.program import Program

SCALES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
"""Units of time, in seconds."""

MOST = 16
"""Kernels of a program that have bars of their own."""


def unit_of(seconds: float) -> tuple[float, str]:
    """Give the unit in which a time is a number from 1 on, in seconds, and its name."""
    return next(((size, name) for size, name in SCALES if seconds >= size), SCALES[-1])


@styled()
def times(profiles: Sequence[Figures], ax: Axes | None = None, *, labels: Sequence[str] = ()) -> Axes:
    """Draw how long launches take, and between what that lies.

    Parameters
    ----------
    profiles : sequence of Profile
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    labels : sequence of str
        A name for each; what tells them apart unless given.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        None of them has a time.
    """
    differing = varying(profiles)
    called = labels or [label(profile, differing) for profile in profiles]
    timed = [(name, profile) for name, profile in zip(called, profiles, strict=True) if profile.seconds > 0]
    if not timed:
        raise ParameterError("none of these launches has a time to draw")
    size, unit = unit_of(max(profile.seconds for _, profile in timed))
    axes = bars([_bar(profile, name, size) for name, profile in timed], f"time ({unit})", ax)
    if any(profile[DURATION].interval is not None for _, profile in timed):
        axes.set_title("Predicted times; lines: eight in ten launches like it", fontsize="small")
    return axes


def _bar(profile: Figures, name: str, size: float) -> Bar:
    interval = profile[DURATION].interval
    ends = None if interval is None else (interval.low / size, interval.high / size)
    return Bar(name, profile.seconds / size, format_seconds(profile.seconds), ends)


@styled()
def kernels(found: Program, ax: Axes | None = None) -> Axes:
    """Draw where the time of a program goes, kernel by kernel.

    Parameters
    ----------
    found : Program
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        No launch was timed.
    """
    if not found.seconds:
        raise ParameterError(f"{found.name}: no launch has a time to draw")
    groups = [(group[0].kernel, len(group), sum(one.seconds or 0.0 for one in group)) for group in found.alike()]
    groups.sort(key=lambda group: -group[2])
    shown, rest = groups[:MOST], groups[MOST:]
    if rest:
        shown = [*shown, (f"{len(rest)} others", sum(n for _, n, _ in rest), sum(of for _, _, of in rest))]
    size, unit = unit_of(shown[0][2])
    rows = [
        Bar(f"{name} ({n}×)" if n > 1 else name, seconds / size,
            f"{format_seconds(seconds)}, {format_share(seconds / found.seconds)}")
        for name, n, seconds in shown
    ]  # fmt: skip
    axes = bars(rows, f"predicted time of all launches ({unit})", ax)
    axes.set_title(
        f"{cut(found.name)} on {found.gpu}: {format_seconds(found.seconds)} in {len(found.launches)} launches"
    )
    return axes


@styled()
def in_order(found: Program, ax: Axes | None = None) -> Axes:
    """Draw the launches of a program one after another, a colour for each kernel.

    Parameters
    ----------
    found : Program
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    axes = axes_of(ax, (10.0, 2.2))
    names = list(dict.fromkeys(launch.kernel for launch in found.launches if launch.seconds))
    size, unit = unit_of(found.seconds)
    begin, stretches = 0.0, dict[str, list[tuple[float, float]]]()
    for launch in found.launches:
        stretches.setdefault(launch.kernel, []).append((begin / size, (launch.seconds or 0.0) / size))
        begin += launch.seconds or 0.0
    for number, name in enumerate(names):
        axes.broken_barh(stretches[name], (0, 1), color=SERIES[number % len(SERIES)], label=name[:40])
    axes.set_yticks([])
    axes.set_xlabel(f"predicted time, copies left out ({unit})")
    if len(names) <= len(SERIES):
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    return axes
