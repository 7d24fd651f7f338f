"""The hierarchical roofline: roofs of GPUs, and a mark of each kernel for each level of memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpusim.errors import ParameterError
from gpusim.pictures.canvas import FAINT, INK, MARKS, SERIES, axes_of, cut, styled, write_powers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.results.roofline import Mark, Roof

SIZE = (8.4, 5.4)
SLANTS = ("-", "--", ":", "-.")
"""Kinds of lines, of GPUs."""

BEYOND = 4.0
"""How far the axes go beyond the outermost mark."""

WIDEST = 1e5
"""Intensity, FLOP/byte, at which a kernel is drawn that moves nothing."""


@styled()
def roofline(roofs: Sequence[Roof], marks: Sequence[Mark], ax: Axes | None = None) -> Axes:
    """Draw kernels below the roofs of GPUs.

    A level of memory has a colour, a kernel a shape, a GPU a kind of line.  Hollow marks are predicted, filled ones
    measured.  A mark's distance to the slanted line of its own colour says how near it comes to that level's bandwidth.

    Parameters
    ----------
    roofs : sequence of Roof
        One at least.
    marks : sequence of Mark
        None: the roofs alone.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        There is no roof, or no mark has a time.
    """
    timed = [mark for mark in marks if mark.flop_rate > 0]
    if not roofs or (marks and not timed):
        raise ParameterError("a roofline takes a roof, and kernels that compute something and have a time")
    axes = axes_of(ax, SIZE)
    low, high = _ends(roofs, timed)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=_heights(roofs, timed, low))
    colours = {level: SERIES[k] for k, level in enumerate(roofs[0].bandwidths)}
    for number, roof in enumerate(roofs):
        _roof(axes, roof, _peaks(timed, roof), (low, high), colours, SLANTS[number % len(SLANTS)], named=len(roofs) > 1)
    names = {mark: f"{mark.kernel} on {mark.gpu}" if len(roofs) > 1 else mark.kernel for mark in timed}
    shapes = {name: MARKS[k % len(MARKS)] for k, name in enumerate(dict.fromkeys(names.values()))}
    for mark, name in names.items():
        _mark(axes, mark, colours[mark.level], shapes[name], high)
    axes.set_xlabel("arithmetic intensity (FLOP/byte)")
    axes.set_ylabel("FLOP/s")
    axes.grid(which="major")
    write_powers(axes, "x", "y")
    _explain(axes, colours, shapes, timed)
    return axes


def _ends(roofs: Sequence[Roof], marks: Sequence[Mark]) -> tuple[float, float]:
    """Ends of the axis of intensities: all marks and all ridges lie between."""
    ridges = [
        peak / rate for roof in roofs for peak in _peaks(marks, roof).values() for rate in roof.bandwidths.values()
    ]
    places = [mark.intensity for mark in marks if math.isfinite(mark.intensity)] + ridges
    return min(places) / BEYOND, max(places) * BEYOND


def _heights(roofs: Sequence[Roof], marks: Sequence[Mark], low: float) -> tuple[float, float]:
    """Ends of the axis of rates: from below the lowest mark and the slowest memory to above all ceilings."""
    slowest = min(low * rate for roof in roofs for rate in roof.bandwidths.values())
    top = max(peak for roof in roofs for peak in _peaks(marks, roof).values())
    return min([slowest, *(mark.flop_rate for mark in marks)]) / 2, 2 * top


def _peaks(marks: Sequence[Mark], roof: Roof) -> dict[str, float]:
    """The ceilings that matter: those above the kernels."""
    names = dict.fromkeys(mark.peak for mark in marks if mark.gpu == roof.gpu) or list(roof.peak_flops)[:1]
    return {name: roof.peak_flops[name] for name in names if name in roof.peak_flops}


def _roof(
    axes: Axes, roof: Roof, peaks: dict[str, float], ends: tuple[float, float], colours: dict[str, str], slant: str,
    *, named: bool,
) -> None:  # fmt: skip
    """Slanted lines up to the highest ceiling, and each ceiling from where the fastest memory meets it."""
    low, high = ends
    top = max(peaks.values())
    for level, rate in roof.bandwidths.items():
        ridge = top / rate
        axes.plot([low, ridge], [low * rate, top], color=colours.get(level, FAINT), linestyle=slant, linewidth=1.4)
        _along(axes, level, rate, low, colours.get(level, FAINT))
    fastest = max(roof.bandwidths.values())
    for name, peak in peaks.items():
        axes.plot([peak / fastest, high], [peak, peak], color=INK, linestyle=slant, linewidth=1.4)
        whose = f"{roof.gpu}: " if named else ""
        axes.annotate(f"{whose}{name} {_flops(peak)}", (high, peak), (-4, 3), textcoords="offset points", ha="right",
                      fontsize="small")  # fmt: skip


def _along(axes: Axes, level: str, rate: float, low: float, colour: str) -> None:
    """The name of a level at the lower end of its line."""
    (x0, y0), (x1, y1) = axes.transData.transform([(low, low * rate), (10 * low, 10 * low * rate)])
    angle = math.degrees(math.atan2(y1 - y0, x1 - x0))
    axes.text(1.04 * low, 1.12 * low * rate, f"{level} {rate / 1e12:.3g} TB/s", color=colour, fontsize="small",
              rotation=angle, rotation_mode="anchor")  # fmt: skip


def _mark(axes: Axes, mark: Mark, colour: str, shape: str, high: float) -> None:
    x = mark.intensity if math.isfinite(mark.intensity) else min(WIDEST, high)
    face = colour if mark.measured else "none"
    axes.plot([x], [mark.flop_rate], marker=shape, markersize=9, markerfacecolor=face, markeredgecolor=colour,
              markeredgewidth=1.8, linestyle="none")  # fmt: skip
    ends = mark.flop_rate_interval
    if ends is not None:
        axes.plot([x, x], ends, color=colour, linewidth=1)


def _explain(axes: Axes, colours: dict[str, str], shapes: dict[str, str], marks: Sequence[Mark]) -> None:
    """Say which shape is which kernel, and which colour which level."""
    from matplotlib.lines import Line2D

    how: Any = {"linestyle": "none", "markerfacecolor": "none", "markeredgecolor": INK, "markersize": 8}
    handles = [Line2D([], [], marker=shape, label=cut(kernel), **how) for kernel, shape in shapes.items()]
    handles += [
        Line2D([], [], marker="o", linestyle="none", color=colour, label=f"at {level}")
        for level, colour in colours.items()
        if any(mark.level == level for mark in marks)
    ]
    if any(mark.measured for mark in marks):
        handles.append(Line2D([], [], marker="o", linestyle="none", color=INK, label="filled: measured"))
    axes.legend(handles=handles, loc="lower right", fontsize="small").set_in_layout(False)


def _flops(rate: float) -> str:
    return f"{rate / 1e12:.3g} TFLOP/s"
