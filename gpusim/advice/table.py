"""Advice as a table of what costs time, and what to do about each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.advice.finding import WORTH
from gpusim.report import tables
from gpusim.report.busy import ranked
from gpusim.report.grid import Grid
from gpusim.report.time import duration
from gpusim.report.units import NOTHING, format_factor, format_seconds, format_share

if TYPE_CHECKING:
    from gpusim.advice.finding import Finding, Place
    from gpusim.results.chain import ChainFigures
    from gpusim.results.figures import Figures

ESTIMATED = "What few blocks, or kernels apart, cost is an estimate from such runs."
LIMITS = "At most: what replaces it costs time, too; such findings come after the others."
MEANING = "Saves: share of the time that goes if this alone goes."
TRUST = "80 %: so many mended kernels gained that much; learnt from pairs measured on {}, with cold caches."
LITTLE = 0.005
"""Share of the time below which a cause is not named."""

LONGEST = 60
"""Characters of a line of source that are shown."""

NEVER = "How sure the gains are is not known: no kernels with such causes were measured so on {}."


def table(profile: Figures, findings: Sequence[Finding]) -> Iterator[RenderableType]:
    """Lay advice on a launch out.

    Parameters
    ----------
    profile : Profile
    findings : sequence of Finding
        What costs most first.

    Yields
    ------
    rich renderables
        Print them with :func:`gpusim.report.show`.
    """
    yield Text(tables.heading(profile), style="bold")
    yield Text(tables.launch_line(profile))
    yield Text(duration(profile))
    yield Text("")
    if not any(finding.gain >= WORTH for finding in findings):
        yield Text(nothing_left(profile))
    yield from _told(findings, profile.seconds, profile.gpu)


def chain_table(chain: ChainFigures, findings: Sequence[Finding]) -> Iterator[RenderableType]:
    """Lay advice on launches that follow one another out, as far as it is of all together.

    Parameters
    ----------
    chain : ChainProfile
    findings : sequence of Finding

    Yields
    ------
    rich renderables
        Print them with :func:`gpusim.report.show`.
    """
    params = " ".join(f"{name}={value}" for name, value in chain.params.items())
    yield Text(f"{chain.chain}  {params}  on {chain.gpu}  {chain.cache} caches", style="bold")
    yield Text(f"{len(chain.steps)} launches, {format_seconds(chain.seconds)} together")
    yield Text("")
    yield from _told(findings, chain.seconds, chain.gpu)


def nothing_left(profile: Figures) -> str:
    """Say that no cause costs much, and what the launch is bound by.

    Parameters
    ----------
    profile : Profile
    """
    units = ranked(profile)
    busiest = f" Busiest: {units[0].name}, {units[0]}." if units else ""
    return f"Nothing that was looked at costs 5 % of the time.{busiest}"


def _told(findings: Sequence[Finding], seconds: float, gpu: str) -> Iterator[RenderableType]:
    """Findings that are worth it as a table and a paragraph each, the others in a line."""
    worth = [finding for finding in findings if finding.gain >= WORTH]
    if worth:
        yield _costs(worth, seconds)
    for number, finding in enumerate(worth, 1):
        yield Text("")
        yield Text(f"{number}. {_paragraph(finding)}")
    yield from (line for text in _footer(findings, worth, gpu) for line in (Text(""), Text(text)))


def _costs(findings: Sequence[Finding], seconds: float) -> Grid:
    """A row for each finding of what takes so many seconds."""
    grid = Grid()
    grid.add_column("", "number", key=True)
    grid.add_column("what costs time", "name", key=True)
    for heading in ("saves", "time without", "speed-up"):
        grid.add_column(heading, "number")
    grid.add_column("80 %", "number", spared=1)
    placed = any(finding.places for finding in findings)
    if placed:
        grid.add_column("where", "name", spared=0)
    for number, finding in enumerate(findings, 1):
        left = seconds * finding.without / finding.cycles
        grid.add_row(
            str(number), finding.cause.value, _limit(finding, format_share(finding.gain)), format_seconds(left),
            f"{format_factor(finding.speedup)}x", _between(finding),
            *([finding.places[0].name if finding.places else NOTHING] * placed),
        )  # fmt: skip
    return grid


def _limit(finding: Finding, text: str) -> str:
    return f"at most {text}" if finding.at_most else text


def _between(finding: Finding) -> str:
    of = finding.interval
    return f"{format_factor(of.low)}x to {format_factor(of.high)}x" if of else NOTHING


def _paragraph(finding: Finding) -> str:
    """What a finding is, where, and what to do."""
    what = finding.what[0].upper() + finding.what[1:]
    where = f" {_places(finding.places)}" if finding.places else ""
    return f"{what}.{where} {finding.edit}"


def _places(places: tuple[Place, ...]) -> str:
    named = (
        f"{place.name} ({format_share(place.share)}) {shorten(place.text, LONGEST, placeholder=' …')}".rstrip()
        for place in places
    )
    return "; ".join(named) + "."


def _footer(findings: Sequence[Finding], worth: Sequence[Finding], gpu: str) -> Iterator[str]:
    small = [finding for finding in findings if LITTLE <= finding.gain < WORTH]
    if small:
        listed = ", ".join(f"{one.cause.value} {_limit(one, format_share(one.gain))}" for one in small)
        yield f"Less than 5 % each: {listed}."
    if worth:
        estimated = ESTIMATED if any(not finding.simulated for finding in worth) else ""
        limits = LIMITS if any(finding.at_most for finding in worth) else ""
        trust = (TRUST if any(finding.interval for finding in worth) else NEVER).format(gpu)
        yield " ".join(filter(None, (MEANING, estimated, limits, trust)))
