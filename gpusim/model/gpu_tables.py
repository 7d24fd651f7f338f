"""GPUs side by side, and the memory hierarchy of one, as tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.model import gpu_figures
from gpusim.model.memory_hierarchy import HOST, Level, levels
from gpusim.report.grid import Grid
from gpusim.report.units import NOTHING, format_bytes, format_capacity, format_count, format_number

if TYPE_CHECKING:
    from gpusim.hardware import Cpu, Gpu
    from gpusim.model.gpu_figures import Figure

ASSUMED = "*"
"""Stands behind a number that is assumed, or follows from one that is."""

LETTERS = {"datasheet": "d", "measured": "m", "fitted": "f", "assumed": "a"}

KNOWN = ("capacity", "latency", "sm_bandwidth", "bandwidth", "reached")

_FORMATS: Mapping[str, Callable[[float], str]] = {
    "1": lambda value: f"{value:.0f}",
    "Hz": lambda value: f"{value / 1e6:.0f} MHz",
    "flop/s": lambda value: f"{format_count(value)}FLOP/s",
    "byte": format_capacity,
    "byte/s": lambda value: f"{format_bytes(value)}/s",
    "cycle": lambda value: f"{value:.0f} cycles",
    "flop/cycle": lambda value: f"{value:.0f}",
    "flop/byte": format_number,
}


def comparison(processors: Sequence[Gpu | Cpu]) -> list[RenderableType]:
    """Show GPUs side by side: a column each, and ratios to the first.

    Parameters
    ----------
    processors : sequence of Gpu or Cpu

    Returns
    -------
    list of rich renderables
    """
    rows = gpu_figures.side_by_side(processors)
    grid = Grid()
    grid.add_column("", "name", key=True)
    first, *others = processors
    grid.add_column(first.name)
    for other in others:
        grid.add_column(other.name)
        grid.add_column("ratio")
    for row in rows:
        grid.add_row(row[0].name, *_cells(row))
    names = " and ".join(one.name for one in others)
    about = (
        f"ratio: {names} to {first.name}. Peaks are dense; links are one way; HBM is device memory, of whatever type."
    )
    stars = f"{ASSUMED} is assumed, or follows from a number that is: gpusim gpus NAME has all sources."
    assumed = any(one.kind == "assumed" for row in rows for one in row)
    return [grid, Text(""), Text(about), *([Text(stars)] if assumed else [])]


def _cells(row: Sequence[Figure]) -> Iterator[str]:
    first, *others = row
    yield _cell(first)
    for other in others:
        yield _cell(other)
        times = gpu_figures.ratio(other, first)
        yield f"{times:#.3g}".rstrip(".") if math.isfinite(times) else NOTHING


def _cell(figure: Figure) -> str:
    if not math.isfinite(figure.value):
        return NOTHING
    return _FORMATS[figure.unit](figure.value) + (ASSUMED if figure.kind == "assumed" else "")


def hierarchy(gpu: Gpu) -> list[RenderableType]:
    """Show the levels of a GPU's memory, a row each.

    Parameters
    ----------
    gpu : Gpu

    Returns
    -------
    list of rich renderables
    """
    grid = Grid()
    grid.add_column(gpu.name, "name", key=True)
    for heading in ("size an SM", "size", "cycles", "ns", "B/cycle an SM", "bandwidth", "reached"):
        grid.add_column(heading)
    grid.add_column("known", "name")
    for level in levels(gpu):
        grid.add_row(level.name, *_level_cells(level), "".join(_letters(level)))
    return [grid, Text(""), *map(Text, _notes(gpu))]


def _level_cells(level: Level) -> Iterator[str]:
    """A cell for each number; one that is not known, or does not apply, is left open."""
    wide = level.sm_bytes_per_cycle
    cells = (
        (level.sm_bytes, format_capacity(level.sm_bytes), "capacity"),
        (level.nbytes, format_capacity(level.nbytes), "capacity"),
        (level.latency_cycles, f"{level.latency_cycles:.0f}", "latency"),
        (level.latency_s, f"{1e9 * level.latency_s:.0f}", "latency"),
        (wide, f"{wide:.3g}" if wide < 100 else f"{wide:.0f}", "sm_bandwidth"),
        (level.bytes_per_s, f"{format_bytes(level.bytes_per_s)}/s", "bandwidth"),
        (level.reached_bytes_per_s, f"{format_bytes(level.reached_bytes_per_s)}/s", "reached"),
    )
    for value, text, what in cells:
        yield NOTHING if math.isnan(value) else text + (ASSUMED if level.kinds[what] == "assumed" else "")


def _letters(level: Level) -> Iterator[str]:
    """A letter for each thing that is known of a level, in their order."""
    yield from (LETTERS[level.kinds[what]] for what in KNOWN if what in level.kinds)


def _notes(gpu: Gpu) -> Iterator[str]:
    letters = f"d datasheet, m measured, f fitted, a assumed (then {ASSUMED} stands at the number)"
    yield f"known: {letters}, in the order of size, latency, an SM's bandwidth, the GPU's, and reached."
    shares = f"Registers: what multiply-adds at their peak read. {gpu.memory} and links: of an SM its share."
    clock = f"{gpu.clock.sm_hz / 1e6:.0f} MHz"
    yield f"{shares} Links: one way. CPU DRAM: a socket of {HOST}. reached: by reads of all SMs. ns: at {clock}."
