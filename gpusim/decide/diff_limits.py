"""Limits on what may grow from one side to the other: ``time>5%``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gpusim.decide.changes import factor
from gpusim.decide.diff_sides import DiffError
from gpusim.errors import UnknownNameError, shown
from gpusim.profiles.profile import DERIVED
from gpusim.report.tables import number
from gpusim.report.units import format_number, format_seconds

if TYPE_CHECKING:
    from gpusim.decide.diff_found import Found
    from gpusim.results.figures import Figures

TIME = "time"
NAMED = ("cycles", "seconds", "instructions", "registers_per_thread", "dram_bytes", *DERIVED)
"""Properties of a profile that a limit may name, besides metrics and :data:`TIME`."""

_LIMIT = re.compile(r"\s*(?P<figure>[\w.]+)\s*>\s*(?P<percent>\d+(?:\.\d+)?)\s*(?P<unit>%?)\s*")


class Limit(NamedTuple):
    """By how much a figure may grow.

    Attributes
    ----------
    figure : str
        ``"time"``, a metric, or a property of a profile.
    percent : float
    """

    figure: str
    percent: float


def read_limit(text: str) -> Limit:
    """Read ``FIGURE>PERCENT%``.

    Parameters
    ----------
    text : str

    Raises
    ------
    DiffError

    Examples
    --------
    >>> read_limit("time>5%")
    Limit(figure='time', percent=5.0)
    """
    found = _LIMIT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise DiffError(f"{shown(text)} is no limit: FIGURE>PERCENT% is, such as 'time>5%' or 'dram_bytes_read>0%'")
    if not found["unit"]:
        meant = f"{found['figure']}>{found['percent']}%"
        raise DiffError(f"{shown(text)} says not of what: {meant!r} is {found['percent']} % more than A has")
    return Limit(found["figure"], float(found["percent"]))


def exceeded(diff: Found, limits: Sequence[Limit]) -> Iterator[str]:
    """Say of each limit that B exceeds by how much its figure grew.

    Parameters
    ----------
    diff : Found
    limits : sequence of Limit

    Raises
    ------
    UnknownNameError
        A figure that nobody knows.
    DiffError
        One that a side does not have.
    """
    for limit in limits:
        a, b = (_value(diff, limit.figure, side) for side in ("a", "b"))
        if b > a * (1 + limit.percent / 100):
            grown = factor(a, b) - 1
            by = f"by {100 * grown:.3g} %" if math.isfinite(grown) else "from nothing"
            before, after = (_shown(diff, limit.figure, value) for value in (a, b))
            yield f"{limit.figure} grew {by}, from {before} to {after}: the limit is {limit.percent:g} %"


def _shown(diff: Found, figure: str, value: float) -> str:
    if figure == "seconds" or (figure == TIME and diff.time is not None and diff.time.in_seconds):
        return format_seconds(value)
    return format_number(value)


def _value(diff: Found, name: str, label: str) -> float:
    """A figure of a side."""
    side: Figures = getattr(diff, label).whole
    if name == TIME:
        found = math.nan if diff.time is None else float(getattr(diff.time, label))
    elif name in NAMED or name in diff.a.whole.metrics or name in diff.b.whole.metrics:
        found = number(side, name)
    else:
        raise UnknownNameError("figure", name, [TIME, *NAMED, *side.metrics])
    if math.isnan(found):
        raise DiffError(f"{name} is not known of {label.upper()}: a limit on it cannot be held")
    return found
