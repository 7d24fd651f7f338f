"""Kernels below a roof, as tables: what roofs allow, and what of it each kernel reaches at each level of memory."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.report.claims import INTERVAL
from gpusim.report.grid import Grid
from gpusim.report.units import NOTHING, format_bytes, format_count, format_number, format_seconds, format_share

if TYPE_CHECKING:
    from gpusim.results.roofline import Mark, Roof

ASSUMED = "*"
"""Stands behind a number that follows from one nobody printed or measured."""

LEGEND = (
    "roof: what the peak and the level's bandwidth allow at that FLOP/byte; share: of that roof; bound: what makes it, "
    "the level or compute. The lowest roof of a kernel counts. HBM: device memory, whatever its type."
)


def roofs(found: Sequence[Roof]) -> list[RenderableType]:
    """Show roofs: a row for each peak, and the ridge point with each level of memory.

    Parameters
    ----------
    found : sequence of Roof

    Returns
    -------
    list of rich renderables
    """
    levels = list(dict.fromkeys(level for roof in found for level in roof.bandwidths))
    grid = Grid()
    grid.add_column("GPU", "name", key=True)
    grid.add_column("peak", "name", key=True)
    grid.add_column("FLOP/s")
    for level in levels:
        grid.add_column(f"ridge {level}")
    for number, roof in enumerate(found):
        rates = [f"{format_bytes(rate)}/s" + _star(roof, level) for level, rate in roof.bandwidths.items()]
        grid.add_row(roof.gpu, "bandwidth", "", *_aligned(roof, levels, rates))
        for name, peak in roof.peak_flops.items():
            ridges = [format_number(round(peak / rate, 3)) for rate in roof.bandwidths.values()]
            last = number + 1 < len(found) and name == list(roof.peak_flops)[-1]
            cells = _aligned(roof, levels, ridges)
            grid.add_row("", name, format_count(peak) + _star(roof, name), *cells, end_section=last)
    about = "Ridge points in FLOP/byte: from there on the peak is in the way, no longer the level's bandwidth."
    stars = [f"{ASSUMED} follows from a number that is assumed."] if _assumed(found) else []
    return [grid, Text(""), *map(Text, [about, *stars])]


def _aligned(roof: Roof, levels: Sequence[str], cells: Sequence[str]) -> list[str]:
    known = dict(zip(roof.bandwidths, cells, strict=True))
    return [known.get(level, NOTHING) for level in levels]


def _star(roof: Roof, name: str) -> str:
    return ASSUMED if roof.kinds.get(name) == "assumed" else ""


def _assumed(found: Sequence[Roof]) -> bool:
    return any(kind == "assumed" for roof in found for kind in roof.kinds.values())


def marks(found: Sequence[Mark], given: Sequence[Roof] = ()) -> list[RenderableType]:
    """Show kernels below their roofs: a row for each level, then a sentence for each launch.

    Parameters
    ----------
    found : sequence of Mark
        Those of a launch beside one another.
    given : sequence of Roof
        Theirs, as far as their assumed numbers are to be marked.

    Returns
    -------
    list of rich renderables
    """
    groups = [list(group) for _, group in itertools.groupby(found, key=_launch)]
    known = {roof.gpu: roof for roof in given}
    grid = Grid()
    grid.add_column("kernel", "text", key=True)
    grid.add_column("level", "name", key=True)
    grid.add_column("FLOPs", spared=0)
    for heading in ("bytes", "FLOP/byte", "FLOP/s", "roof", "share"):
        grid.add_column(heading)
    grid.add_column("bound", "name")
    for number, group in enumerate(groups):
        for place, mark in enumerate(group):
            last = number + 1 < len(groups) and mark is group[-1]
            grid.add_row(_titles(group)[place], mark.level, *_cells(mark, known.get(mark.gpu)), end_section=last)
    said = [Text(line) for group in groups for line in _sentences(group)]
    stars = [Text(f"{ASSUMED} follows from a number of the GPU that is assumed.")] if _assumed(given) else []
    return [grid, Text(""), *said, Text(""), Text(LEGEND), *stars, *map(Text, _legend(found))]


def _launch(mark: Mark) -> tuple[str, str, bool]:
    return mark.kernel, mark.gpu, mark.measured


def _titles(group: Sequence[Mark]) -> list[str]:
    """What stands in front of a launch's rows: the kernel, its GPU; parameters are in the sentence below the table."""
    mark = group[0]
    words = itertools.takewhile(lambda word: "=" not in word, mark.kernel.split())
    said = [" ".join(words), f"on {mark.gpu}" + (", measured" if mark.measured else "")]
    return [*said, *[""] * (len(group) - 2)] if len(group) > 1 else [" ".join(said)]


def _cells(mark: Mark, roof: Roof | None) -> Iterator[str]:
    star = "" if roof is None else _star(roof, mark.peak if mark.bound == "compute" else mark.level)
    yield format_count(mark.flops)
    yield format_bytes(mark.nbytes)
    yield format_number(mark.intensity) if math.isfinite(mark.intensity) else "∞"
    yield format_count(mark.flop_rate)
    yield format_count(mark.roof_flops) + star
    yield format_share(mark.share)
    yield mark.bound


def _sentences(group: Sequence[Mark]) -> Iterator[str]:
    """What a launch takes, how far to trust it, and the lowest of its roofs."""
    first, lowest = group[0], min(group, key=lambda mark: mark.roof_flops)
    what = "measured" if first.measured else "predicted"
    time = f"{format_seconds(first.seconds)} {what}" if math.isfinite(first.seconds) else "not predicted"
    claim = f" ({_time_claim(first)})" if first.seconds_claim and not first.measured else ""
    work = f"{format_count(first.flops)} FLOPs, {time}{claim}"
    yield f"{first.kernel} on {first.gpu}: {work}, below the {first.peak} peak."
    how = f"{format_count(lowest.roof_flops)}FLOP/s by {_maker(lowest)}"
    share = f", {format_share(lowest.share)} of it reached" if math.isfinite(lowest.share) else ""
    ends = lowest.flop_rate_interval
    between = f" ({' to '.join(format_share(end / lowest.roof_flops) for end in ends)})" if ends else ""
    yield f"  Its lowest roof is {how}{share}{between}. Bytes: {_byte_claims(group)}."
    yield from (f"  {mark.note}" for mark in group if mark.note)


def _time_claim(mark: Mark) -> str:
    """The claim of the time, with the ends of its interval in a unit that fits."""
    if mark.interval is None:
        return mark.seconds_claim
    ends = f"{format_seconds(mark.interval.low)} to {format_seconds(mark.interval.high)}"
    return f"{mark.seconds_claim.partition(',')[0]}, {INTERVAL}: {ends}"


def _maker(mark: Mark) -> str:
    return "its peak" if mark.bound == "compute" else f"the bandwidth of {mark.level}"


def _byte_claims(group: Sequence[Mark]) -> str:
    return ", ".join(f"{mark.level} {mark.bytes_claim or 'as given'}" for mark in group)


def _legend(found: Sequence[Mark]) -> Iterator[str]:
    """Over which launches the intervals of times are."""
    among = dict.fromkeys(mark.interval.among for mark in found if mark.interval is not None)
    if among:
        yield f"{INTERVAL}: so many launches like it fall within; learnt from {'; '.join(among)}."
