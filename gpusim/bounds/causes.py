"""Why a kernel moves more than it must: each gap between two rungs as a factor, with its cause in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gpusim.bounds.tiles import words
from gpusim.report.units import format_bytes

if TYPE_CHECKING:
    from gpusim.bounds.rungs import LevelBound

SAME = 0.02
"""Two rungs that differ by less are one."""


class Gap(NamedTuple):
    """How much one rung is above another.

    Attributes
    ----------
    lower, upper : str
        Names of rungs.
    factor : float
    cause : str
        In words; empty where they are the same.
    """

    lower: str
    upper: str
    factor: float
    cause: str


def gaps(found: LevelBound) -> list[Gap]:
    """Give the gaps of a level, from the bound up.

    Parameters
    ----------
    found : LevelBound
    """
    rungs = list(found.rungs.items())
    return [
        Gap(lower, upper, high / low, _cause(found, lower, upper, high / low))
        for (lower, low), (upper, high) in pairwise(rungs)
        if low > 0
    ]


def _cause(found: LevelBound, lower: str, upper: str, factor: float) -> str:
    if abs(factor - 1) <= SAME:
        return ""
    if upper == "measured" and lower == "counted":
        return "how far the prediction is off"
    if upper == "best":
        return _above_bound(found)
    if upper == "steps":
        return "each kernel reads what the one before wrote; one kernel could keep it, or make it again"
    if upper == "derived" and found.best:
        return "".join(_chosen(found))
    if lower == "derived":
        return _asked_and_moved(factor)
    return _beyond(found, lower, factor)


def _above_bound(found: LevelBound) -> str:
    """Why even the best tiles of the kernel's form move more than the bound."""
    sm = format_bytes(found.level.memory)
    if found.least.reason == "reuse":
        return f"the bound has all {sm} of an SM for one tile: its registers, L1 and shared memory"
    return "other blocks or another pass ask for the same elements: the bound has each once"


def _chosen(found: LevelBound) -> Iterator[str]:
    """Which tiles were chosen, and which would move less."""
    if found.best and found.derived:
        other = {name: value for name, value in found.best.tiles.items() if value != found.derived.tiles[name]}
        own = {name: found.derived.tiles[name] for name in other}
        yield f"tiles {', '.join(words(own))} where {', '.join(words(other))} would fit"


def _asked_and_moved(factor: float) -> str:
    """Why threads ask for more, or less, than is moved."""
    if factor < 1:
        return "warps and L1 answer the rest: threads ask for the same elements"
    return "sectors of 32 bytes are moved whole, or again: more than what threads ask for"


def _beyond(found: LevelBound, lower: str, factor: float) -> str:
    """Why more is moved than the bound, where the kernel has no formula."""
    level = found.level
    if lower == "steps":
        return "each of these kernels moves more than its own bound"
    if level.name == "L2":
        return "SMs read the same elements again"
    if level.name == "L1":
        kept = format_bytes(level.memory)
        return f"operands are read again that {kept} of registers could keep, or a wavefront carries few bytes"
    if factor < 1:
        return "caches were not empty"
    if found.least.given > level.memory:
        return f"read again: the chip keeps {format_bytes(level.memory)} of {format_bytes(found.least.given)}"
    return "whole sectors and their neighbours are read, or what L2 had let go is read again"
