"""Bounds as a table: a row for each level, and a sentence for each gap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.bounds.causes import gaps
from gpusim.report.grid import Grid
from gpusim.report.units import NOTHING, format_bytes, format_factor
from gpusim.results.metric import format_error

if TYPE_CHECKING:
    from gpusim.bounds.rungs import LevelBound, Rungs

RUNGS = {
    "bound": "bound",
    "steps": "by kernel",
    "best": "best tile",
    "derived": "its tile",
    "counted": "counted",
    "measured": "measured",
}
REASONS = {
    "compulsory": "what is given is read once, what is asked for written once",
    "reuse": "an element that is read can be used only as often as what fits beside it allows",
    "second pass": "a row's total decides its elements, and the row does not fit",
}
ONCE = "what is given is read once"
ALONE = "This kernel names no computation: its bound is that each element goes in or out once."


def table(found: Rungs) -> Iterator[RenderableType]:
    """Lay bounds out.

    Parameters
    ----------
    found : Rungs

    Yields
    ------
    rich renderables
        Print them with :func:`gpusim.report.show`.
    """
    yield Text(heading(found), style="bold")
    if found.computation:
        large = "where sizes are large and S elements fit the memory above"
        yield Text(f"{found.computation}   at least {found.formula} elements, {large}")
    yield Text("")
    yield _rungs(found)
    for level in found.levels:
        for line in sentences(level):
            yield Text(line)
    if found.gpu:
        yield Text("")
        yield Text(f"{found.levels[0].level.name}: what is read. L2, L1: what is read and written, atomics too.")
    for note in (*found.notes, *(() if found.computation else (ALONE,))):
        yield Text(note)


def heading(found: Rungs) -> str:
    """What the bound is of.

    Parameters
    ----------
    found : Rungs
    """
    params = " ".join(f"{name}={value}" for name, value in found.params.items())
    return "  ".join(part for part in (found.name, params, f"on {found.gpu}" if found.gpu else "") if part)


def _rungs(found: Rungs) -> Grid:
    """A row for each level, a column for each rung that one of them has."""
    grid = Grid()
    grid.add_column("from", "name", key=True)
    shown = [rung for rung in RUNGS if any(rung in level.rungs for level in found.levels)]
    for number, rung in enumerate(shown):
        grid.add_column(RUNGS[rung], "number")
        if number:
            grid.add_column("", "number")
    for level in found.levels:
        grid.add_row(level.level.name, *_cells(level, shown))
    return grid


def _cells(level: LevelBound, shown: list[str]) -> Iterator[str]:
    """Bytes of each rung, and how many times the bound it is."""
    rungs = level.rungs
    for number, rung in enumerate(shown):
        value = rungs.get(rung)
        error = f" ±{format_error(level.error)} %" if rung == "counted" and value and level.error is not None else ""
        yield NOTHING if value is None else f"{format_bytes(value)}{error}"
        if number:
            yield "" if value is None or not level.bound else f"{format_factor(value / level.bound)}x"


def sentences(level: LevelBound) -> Iterator[str]:
    """Why a level's bound is what it is, and each of its gaps.

    Parameters
    ----------
    level : LevelBound
    """
    reason = level.least.reason
    yield f"{level.level.name}: {ONCE if level.level.reads_only and reason == 'compulsory' else REASONS[reason]}."
    for gap in gaps(level):
        if gap.cause:
            yield f"  {RUNGS[gap.upper]} is {format_factor(gap.factor)} times {RUNGS[gap.lower]}: {gap.cause}."
