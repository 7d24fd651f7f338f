"""Advice as a table of what costs time, and what to do about each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.report import tables
from gpusim.report.busy import ranked
from gpusim.report.grid import Grid
from gpusim.report.time import duration
from gpusim.report.units import NOTHING, format_factor, format_seconds, format_share

if TYPE_CHECKING:
    from gpusim.advice.advise import Advice
    from gpusim.advice.finding import Finding, Place

ESTIMATED = "Estimated, not simulated: idle SMs' share of the time."
MEANING = "Saves: share of the time that goes if this alone goes."
TRUST = "80 %: so many mended kernels gained that much; learnt from pairs measured on {}."
NEVER = "No pair of a kernel and its mended form was measured on {}: how sure the gains are is not known."


def table(advice: Advice) -> Iterator[RenderableType]:
    """Lay advice out.

    Parameters
    ----------
    advice : Advice

    Yields
    ------
    rich renderables
        Print them with :func:`gpusim.report.show`.
    """
    profile = advice.profile
    yield Text(tables.heading(profile), style="bold")
    yield Text(duration(profile))
    yield Text("")
    if advice.worth:
        yield _costs(advice)
    else:
        yield Text(nothing_left(advice))
    for number, finding in enumerate(advice.worth, 1):
        yield Text("")
        yield Text(f"{number}. {_paragraph(finding)}")
    yield from (line for text in _footer(advice) for line in (Text(""), Text(text)))


def nothing_left(advice: Advice) -> str:
    """Say that no cause costs much, and what the launch is bound by."""
    units = ranked(advice.profile)
    by = f": {units[0].name} {'are' if units[0].name.endswith('s') else 'is'} {units[0]}" if units else ""
    return f"Nothing that was looked at costs 5 % of the time{by}."


def _costs(advice: Advice) -> Grid:
    """A row for each finding that is worth it."""
    grid = Grid()
    grid.add_column("", "number", key=True)
    grid.add_column("what costs time", "name", key=True)
    for heading in ("saves", "time without", "speed-up"):
        grid.add_column(heading, "number")
    grid.add_column("80 %", "number", spared=1)
    grid.add_column("where", "name", spared=0)
    for number, finding in enumerate(advice.worth, 1):
        seconds = advice.profile.seconds * finding.without / finding.cycles
        grid.add_row(
            str(number), finding.cause.value, format_share(finding.gain), format_seconds(seconds),
            f"{format_factor(finding.speedup)}x", _between(finding),
            finding.places[0].name if finding.places else NOTHING,
        )  # fmt: skip
    return grid


def _between(finding: Finding) -> str:
    of = finding.interval
    return f"{format_factor(of.low)}x to {format_factor(of.high)}x" if of else NOTHING


def _paragraph(finding: Finding) -> str:
    """What a finding is, where, and what to do."""
    what = finding.what[0].upper() + finding.what[1:]
    where = f" {_places(finding.places)}" if finding.places else ""
    return f"{what}.{where} {finding.edit}"


def _places(places: tuple[Place, ...]) -> str:
    named = (f"{place.name} ({format_share(place.share)}) {place.text.strip()}".rstrip() for place in places)
    return "; ".join(named) + "."


def _footer(advice: Advice) -> Iterator[str]:
    small = [finding for finding in advice.findings if finding not in advice.worth]
    if small:
        listed = ", ".join(f"{finding.cause.value} {format_share(max(finding.gain, 0))}" for finding in small)
        yield f"Less than 5 % each: {listed}."
    if advice.worth:
        trusted = any(finding.interval for finding in advice.worth)
        estimated = any(not finding.simulated for finding in advice.worth)
        yield " ".join(
            [MEANING, *([ESTIMATED] if estimated else []), (TRUST if trusted else NEVER).format(advice.profile.gpu)]
        )
