"""The source of a kernel with counters beside each line."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import TYPE_CHECKING

from gpusim.pages.content import Cell, Item, Table
from gpusim.report.units import format_bytes, format_count, format_share

if TYPE_CHECKING:
    from gpusim.profiles.profile import Profile
    from gpusim.results.traffic import Traffic

AROUND, MOST = 3, 400
"""Lines that are shown before the first and after the last one with counters; lines that are shown at most."""

HEADINGS = ["line", "source", "sectors", "of all", "excess", "L1 hits", "L2", "{memory}", "wavefronts", "conflicts"]


def source(profile: Profile) -> list[Item]:
    """Give the stretch of the source that touches memory, a row a line; nothing where no line is known.

    Parameters
    ----------
    profile : Profile

    Returns
    -------
    list of Item
        A table; sorted by a counter, the lines that cost most come first.
    """
    known = {line.name: line for line in profile.lines if line.name}
    if not known:
        return []
    shown = _stretch(profile, known) or [(name, line.text) for name, line in known.items()]
    sectors = sum(line.sectors for line in profile.lines)
    rows = [
        [Cell(name, number), Cell(text, text.strip()), *_cells(known.get(name), sectors)]
        for number, (name, text) in enumerate(shown)
    ]
    headings = [heading.format(memory=profile.memory) for heading in HEADINGS]
    return [Table(headings, ["name", "code", *["number"] * 8], rows)]


def _stretch(profile: Profile, known: dict[str, Traffic]) -> list[tuple[str, str]]:
    """Lines of the kernel's own file, with their names; lines of other files behind them; empty: it is not there."""
    path = profile.rerun.source if profile.rerun is not None else ""
    own = Path(path).name
    numbers = [int(name.rpartition(":")[2]) for name in known if name.rpartition(":")[0] == own]
    text = linecache.getlines(path)
    if not numbers or not text or max(numbers) > len(text):
        return []
    first, last = max(min(numbers) - AROUND, 1), min(max(numbers) + AROUND, len(text))
    lines = [(f"{own}:{number}", text[number - 1].rstrip()) for number in range(first, last + 1)]
    if len(lines) > MOST:
        lines = [line for line in lines if line[0] in known]
    return lines + [(name, line.text) for name, line in known.items() if name.rpartition(":")[0] != own]


def _cells(line: Traffic | None, sectors: float) -> list[Cell]:
    if line is None:
        return [Cell("", "")] * 8
    of_global = [
        _number(format_count, line.sectors), _number(format_share, line.sectors / sectors if sectors else 0.0),
        _number(format_share, line.excess_sectors / line.sectors if line.sectors else 0.0),
        _number(format_share, line.l1_hit_rate), _number(format_bytes, line.l2_bytes),
        _number(format_bytes, line.dram_bytes),
    ] if line.sectors else [Cell("", "")] * 6  # fmt: skip
    of_shared = [_number(format_count, line.wavefronts), _number(format_count, line.conflicts)]
    return [*of_global, *(of_shared if line.wavefronts else [Cell("", "")] * 2)]


def _number(write: object, value: float) -> Cell:
    return Cell(write(value), float(value) if value == value else "")  # type: ignore[operator]
