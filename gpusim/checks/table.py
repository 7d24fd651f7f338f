"""Findings as a table, and a paragraph on each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.checks.kinds import Level
from gpusim.report.grid import Grid
from gpusim.report.units import NOTHING, format_count

if TYPE_CHECKING:
    from gpusim.checks.finding import Finding, Spot
    from gpusim.checks.outcome import Outcome

MOST = 40
"""Findings of a launch that are shown; JSON and SARIF have all."""

LONGEST = 56
"""Characters of a line of source that are shown."""


def table(result: Outcome) -> Iterator[RenderableType]:
    """Lay out what checking a launch has come to.

    Parameters
    ----------
    result : Outcome

    Yields
    ------
    rich renderables
        Print them with :func:`gpusim.report.show`.
    """
    yield Text(f"{_heading(result)}: {_verdict(result)}", style="bold")
    yield from (Text(line) for line in _covered(result))
    shown = result.findings[:MOST]
    if shown:
        yield Text("")
        yield _listing(shown)
    for number, finding in enumerate(shown, 1):
        yield Text("")
        yield from (Text(line) for line in _paragraph(number, finding))
    if len(result.findings) > MOST:
        yield Text("")
        yield Text(f"{len(result.findings) - MOST} more findings: --json and --sarif have all.")


def several(results: Sequence[Outcome], after: Sequence[Outcome] = ()) -> Iterator[RenderableType]:
    """Lay out what checking several launches has come to, with an empty line between those that have findings.

    Parameters
    ----------
    results : sequence of Outcome
    after : sequence of Outcome
        What stands above already.

    Yields
    ------
    rich renderables
        Print them with :func:`gpusim.report.show`.
    """
    above = after[-1] if after else None
    for result in results:
        if above is not None and (result.findings or above.findings):
            yield Text("")
        yield from table(result)
        above = result


def _heading(result: Outcome) -> str:
    name = f"{result.id}: {result.kernel}" if result.id and result.id != result.kernel else result.kernel
    sizes = f"{_size(result.grid)} x {_size(result.block)}" if result.grid and result.block else ""
    many = f"{result.launches} launches" if result.launches > 1 else ""
    return "  ".join(filter(None, (name, sizes, many, f"on {result.gpu}")))


def _verdict(result: Outcome) -> str:
    notes = sum(one.level is Level.NOTE for one in result.findings)
    counts = (("finding", len(result.findings) - notes), ("note", notes))
    found = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for what, n in counts if n) or "nothing found"
    found += "" if result.grid else " in its host code"
    return f"{found}; the run came to no end" if result.ended else found


def _covered(result: Outcome) -> Iterator[str]:
    """What was looked for, in how much of the launch, and what was not looked at."""
    of = ""
    if result.blocks:
        run = format_count(result.blocks_run)
        of = f"; {run} of {format_count(result.blocks)} block{'' if result.blocks == 1 else 's'} run"
    others = f"; {result.orders} other order{'' if result.orders == 1 else 's'} compared" if result.orders else ""
    yield f"{', '.join(result.tools)}{of}{others}"
    left = result.blocks - result.blocks_run
    if left > 0 and not result.ended:
        yield f"Not run: {format_count(left)} block{'' if left == 1 else 's'} (--blocks runs more)."
    yield from (f"Not looked at: {text}." for text in result.unseen)
    yield from result.notes
    if result.ended:
        yield f"It came to no end: {result.ended}."


def _listing(findings: Sequence[Finding]) -> Grid:
    grid = Grid()
    grid.add_column("", "number", key=True)
    grid.add_column("what", "text", key=True)
    told = [(_name(one.spot), _name(one.other), one.array or NOTHING) for one in findings]
    columns = [("where", None), ("other line", 1), ("array", 0)]
    kept = [k for k in range(len(columns)) if any(row[k] != NOTHING for row in told)]
    for k in kept:
        grid.add_column(columns[k][0], "name", spared=columns[k][1])
    grid.add_column("times", "number")
    for number, (finding, row) in enumerate(zip(findings, told, strict=True), 1):
        grid.add_row(str(number), finding.title, *(row[k] for k in kept), format_count(finding.times))
    return grid


def _name(spot: Spot | None) -> str:
    return NOTHING if spot is None else spot.name


def _paragraph(number: int, finding: Finding) -> Iterator[str]:
    """What a finding is, the lines themselves, and what to do."""
    level = "" if finding.level == "error" else f" ({finding.level})"
    yield f"{number}. {finding.title}{level}: {finding.what}."
    for spot in _lines(finding):
        yield f"   {spot.name}  {shorten(spot.text, LONGEST, placeholder=' …')}"
    yield f"   {finding.edit}"


def _lines(finding: Finding) -> list[Spot]:
    """Lines of the source that are shown, each once."""
    spots = [spot for spot in (finding.other, finding.spot) if spot is not None and spot.text]
    return list({spot.name: spot for spot in spots}.values())


def _size(size: Sequence[int] | None) -> str:
    """A size without the ones at its end."""
    x, y, z = size or (1, 1, 1)
    return ",".join(map(str, (x, y, z) if z > 1 else (x, y) if y > 1 else (x,)))
