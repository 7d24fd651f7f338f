"""The memory hierarchy of a GPU: a row for each level, the nearest above, with size, latency and bandwidth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpusim.pictures.canvas import BLUE, INK, ORANGE, axes_of, divided, styled, write_powers
from gpusim.report.units import format_seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.model.memory_hierarchy import Level

SIZE = (10.0, 3.8)
SCALES = ((1e12, "TB/s"), (1e9, "GB/s"))
SIZES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


@styled()
def hierarchy(name: str, levels: Sequence[Level], ax: Axes | None = None) -> Axes:
    """Draw how fast and how far each level of memory is; both axes are logarithmic.

    Parameters
    ----------
    name : str
        Of the GPU.
    levels : sequence of Level
        As :func:`gpusim.model.memory_hierarchy.levels` gives them, the nearest first.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        It holds the two others.
    """
    axes = axes_of(ax, SIZE)
    axes.set_title(f"Memory of {name}, the nearest first")
    left, right = divided(axes, [(0.2, 0.1, 0.46, 0.86), (0.7, 0.1, 0.3, 0.86)])
    labels = [f"{level.name}{_size(level.nbytes)}" for level in levels]
    _rows(left, labels, [level.bytes_per_s for level in levels], [_rate(level.bytes_per_s) for level in levels], BLUE)
    left.set_xlabel("bandwidth of the whole GPU, bytes/s")
    latencies = [level.latency_s for level in levels]
    told = [_latency(level) for level in levels]
    _rows(right, [""] * len(levels), [1e9 * seconds for seconds in latencies], told, ORANGE)
    right.set_xlabel("latency, ns")
    return axes


def _rows(axes: Axes, labels: Sequence[str], values: Sequence[float], told: Sequence[str], colour: str) -> None:
    """Bars on a logarithmic axis; nothing where nothing is known."""
    known = [value for value in values if value > 0]
    least, most = min(known) / 4, max(known) * 12
    axes.set(xscale="log", xlim=(least, most))
    for place, (value, text) in enumerate(zip(values, told, strict=True)):
        if value > 0:
            axes.barh(place, value - least, left=least, color=colour, height=0.7)
            axes.annotate(text, (value, place), (4, 0), textcoords="offset points", va="center", fontsize="small",
                          color=INK)  # fmt: skip
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params("y", length=0)
    write_powers(axes, "x")


def _size(nbytes: float) -> str:
    """What a level holds, behind its name."""
    if math.isnan(nbytes):
        return ""
    size, unit = next((size, unit) for size, unit in SIZES if nbytes >= size)
    return f", {nbytes / size:.3g} {unit}"


def _rate(rate: float) -> str:
    if math.isnan(rate):
        return ""
    size, unit = next(((size, unit) for size, unit in SCALES if rate >= size), SCALES[-1])
    return f"{rate / size:.3g} {unit}"


def _latency(level: Level) -> str:
    if math.isnan(level.latency_s):
        return ""
    return f"{format_seconds(level.latency_s)}, {level.latency_cycles:.0f} cycles"
