"""Faults as a run has noted them -> findings: those of the same lines together, the worst first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gpusim.checks.finding import Finding, Spot
from gpusim.checks.kinds import KINDS, TOOLS, Level
from gpusim.checks.sentences import edit, sentence
from gpusim.checks.whereabouts import UNKNOWN, Freed, Variables, whereabouts
from gpusim.isa.program import lines_of
from gpusim.simulate.places import coordinates

if TYPE_CHECKING:
    from gpusim.results.faults import Access, Observed
    from gpusim.simulate.launch import Launch


class Checkable(NamedTuple):
    """A launch, and what findings call what is in it.

    Attributes
    ----------
    launch : Launch
    kernel : str
    freed : sequence of Freed
        What of global memory has been freed.
    variables : Variables
    """

    launch: Launch
    kernel: str
    freed: Sequence[Freed] = ()
    variables: Variables = UNKNOWN


def findings(of: Checkable, faults: Iterable[Observed]) -> list[Finding]:
    """Give what a run has noted as findings.

    Parameters
    ----------
    of : Checkable
    faults : iterable of Observed

    Returns
    -------
    list of Finding
        The worst first.
    """
    return merged(_finding(of, found) for found in faults)


def merged(found: Iterable[Finding]) -> list[Finding]:
    """Put findings of a kind at the same lines and the same array together, and sort them: the worst first.

    Parameters
    ----------
    found : iterable of Finding

    Returns
    -------
    list of Finding
        Each as it was found first, with how often all of them were.
    """
    groups: dict[object, Finding] = {}
    for one in found:
        key = _lines(one)
        before = groups.get(key)
        groups[key] = one if before is None else replace(before, times=before.times + one.times)
    return sorted(groups.values(), key=_badness)


def _lines(one: Finding) -> object:
    """What findings share that are one."""
    places = tuple((spot.file, spot.line or -spot.index) if spot else None for spot in (one.spot, one.other))
    return one.kind, one.kernel, one.space, one.array, places, one.what if one.spot is None else ""


def _badness(one: Finding) -> tuple[int, int, int]:
    return one.level is Level.NOTE, TOOLS.index(one.tool), -one.times


def _finding(of: Checkable, found: Observed) -> Finding:
    where = whereabouts(found, of.launch, of.freed, of.variables)
    spot = _spot(of.launch, found.access)
    other = None if found.other is None else _spot(of.launch, found.other)
    return Finding(
        str(found.fault), of.kernel, sentence(found, spot, other, where, _verb(of.launch, found.access)),
        edit(found, where, dynamic_shared=bool(of.launch.dynamic_shared)), spot, other,
        "" if found.space is None else str(found.space), where.array, found.address, found.nbytes, found.times,
        KINDS[found.fault].level,
    )  # fmt: skip


def _verb(launch: Launch, access: Access) -> str:
    """What an instruction does to memory."""
    info = launch.program.instrs[access.index].op.info
    return "changes" if info.is_atomic else "reads" if info.is_load else "writes"


def _spot(launch: Launch, access: Access) -> Spot:
    """A thread at an instruction, with its line."""
    file, line = launch.program.place_of(access.index)
    text = lines_of([(file, line)])[0].strip() if line else ""
    thread, block = coordinates(access.thread, launch.block), coordinates(access.block, launch.grid)
    return Spot(file, line, text, thread, block, access.value, access.index)
