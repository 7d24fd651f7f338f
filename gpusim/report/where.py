"""Where traffic comes from: tables of source lines and of arrays, and the sentence that names the worst."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.report.grid import Grid
from gpusim.report.units import NOTHING, format_bytes, format_count, format_share

if TYPE_CHECKING:
    from gpusim.results.figures import Figures
    from gpusim.results.traffic import Traffic

MOST_LINES = 12
"""Lines of the source that a table shows: those with most sectors and wavefronts."""

NAME_COLUMNS = 18
WORTH_NAMING = 0.01
"""Share of what device memory reads from which it is said that it is of no array."""

WORTH_SAYING = 1.05
"""A request that touches this much more than it needs is worth a sentence."""


def where(profile: Figures) -> Iterator[RenderableType]:
    """Lay out where a profile's traffic comes from.

    Parameters
    ----------
    profile : Profile

    Yields
    ------
    rich renderables
        Nothing where no line of the source is known.
    """
    lines = costliest(profile.lines)
    if not lines:
        return
    yield Text("")
    yield _table(lines, "source line", profile.memory, of=profile.lines, shared=True)
    if len(lines) < len(profile.lines):
        yield Text(f"{len(profile.lines) - len(lines)} more lines cost less than each of these.")
    yield Text("")
    yield _table(profile.arrays, "array", profile.memory, of=profile.arrays, shared=False)
    if (beside := of_no_array(profile)) is not None:
        yield Text(beside)
    for sentence in verdicts(profile):
        yield Text("")
        yield Text(sentence)


def costliest(lines: Sequence[Traffic]) -> list[Traffic]:
    """The lines that cost most, in the order of the source."""
    ranked = sorted(lines, key=lambda line: line.sectors + line.wavefronts, reverse=True)[:MOST_LINES]
    return [line for line in lines if line in ranked]


def of_no_array(profile: Figures) -> str | None:
    """Say what device memory reads beside arrays, where it is more than a hundredth; None where it is not."""
    rest = profile.dram_bytes_read - sum(array.dram_bytes for array in profile.arrays)
    if not rest > WORTH_NAMING * profile.dram_bytes_read:
        return None
    local = ", local memory" if profile.local_load_bytes + profile.local_store_bytes > 0 else ""
    return f"{profile.memory} reads {format_bytes(rest)} besides the arrays: code, parameters{local} and constants."


def verdicts(profile: Figures) -> Iterator[str]:
    """Name the line with most sectors, and the one with most bank conflicts, where they are worth it.

    Parameters
    ----------
    profile : Profile

    Yields
    ------
    str
        Such as ``"mm.cu:41 costs 96 % of all sectors; each request touches 32 where 4 would do."``
    """
    sectors, conflicts = sum(line.sectors for line in profile.lines), sum(line.conflicts for line in profile.lines)
    worst = max(profile.lines, key=lambda line: line.excess_sectors, default=None)
    if worst is not None and worst.requests and worst.sectors > WORTH_SAYING * worst.ideal_sectors:
        yield (
            f"{worst.name} costs {format_share(worst.sectors / sectors)} of all sectors; each request touches "
            f"{worst.sectors / worst.requests:.3g} where {worst.ideal_sectors / worst.requests:.3g} would do."
        )
    worst = max(profile.lines, key=lambda line: line.conflicts, default=None)
    if worst is not None and worst.wavefronts > WORTH_SAYING * worst.ideal_wavefronts:
        yield (
            f"{worst.name} costs {format_share(worst.conflicts / conflicts)} of all bank conflicts; its "
            f"{format_count(worst.wavefronts)} wavefronts would be {format_count(worst.ideal_wavefronts)} without."
        )


def _table(rows: Sequence[Traffic], heading: str, memory: str, *, of: Sequence[Traffic], shared: bool) -> Grid:
    """A row for each line or array; ``of``: what shares are of."""
    sectors = sum(row.sectors for row in of)
    grid = Grid()
    grid.add_column(heading, "name", key=True)
    grid.add_column("", "excerpt", spared=0)
    for name in ("sectors", "of all", "excess", "L1 hits", "L2", memory, *(["conflicts"] if shared else [])):
        grid.add_column(name, spared={"of all": 1, "L1 hits": 2, "L2": 3}.get(name))
    for row, name in zip(rows, abbreviated([row.name for row in rows], NAME_COLUMNS), strict=True):
        grid.add_row(
            name,
            row.text,
            *_cells(row, sectors),
            *([format_count(row.conflicts) if row.wavefronts else NOTHING] * shared),
        )
    return grid


def abbreviated(names: Sequence[str], width: int) -> list[str]:
    """Cut the middle out of names that are too long, but of none so much that it becomes that of another.

    Parameters
    ----------
    names : sequence of str
    width : int
        Columns.

    Examples
    --------
    >>> abbreviated(["mm.cu:9", "input_activations_pointer", "output_activations_pointer"], 18)
    ['mm.cu:9', 'input_…ons_pointer', 'output…ons_pointer']
    """
    longest = max(map(len, names), default=0)
    ways = ([_cut(name, columns) for name in names] for columns in range(width, max(width, longest) + 1))
    return next(way for way in ways if len(set(way)) == len(set(names)))


def _cut(name: str, columns: int) -> str:
    first = columns // 3
    return name if len(name) <= columns else f"{name[:first]}…{name[len(name) + 1 + first - columns :]}"


def _cells(row: Traffic, sectors: float) -> list[str]:
    if not row.sectors:
        return [NOTHING] * 6
    return [
        format_count(row.sectors),
        format_share(row.sectors / sectors),
        format_share(row.excess_sectors / row.sectors),
        format_share(row.l1_hit_rate),
        format_bytes(row.l2_bytes),
        format_bytes(row.dram_bytes),
    ]
