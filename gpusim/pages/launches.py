"""Pages about several launches: those of a table, of a program, of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from gpusim.errors import GpusimError
from gpusim.pages.content import Item, Section, items, picture
from gpusim.pages.launch import head, launch
from gpusim.report import table
from gpusim.report.tables import common_heading, label, varying
from gpusim.report.units import format_seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType

    from gpusim.profiles.profile import Profile
    from gpusim.results.program import Program

Page = tuple[str, list[str], list[Section]]
"""Title, lines below it, sections."""

MOST = 24
"""Launches that have a part of their own: the slowest ones."""


def launches(profiles: Sequence[Profile], advice: Sequence[Any] = ()) -> Page:
    """Give a page about several launches: their times, the table that compares them, and a part for each.

    Parameters
    ----------
    profiles : sequence of Profile
    advice : sequence of Advice
        On each of them, where it was asked for.

    Returns
    -------
    Page
    """
    from gpusim.pictures.launch import rooflines
    from gpusim.pictures.times import times

    high = 0.9 + 0.34 * len(profiles)
    shown = [
        *drawn(partial(times, profiles), "Predicted times", (8.0, high), (5.0, high)),
        *items(list(table(profiles))[1:]),
        *drawn(partial(rooflines, profiles), "Roofline", (8.4, 5.4), (5.0, 5.0)),
    ]
    return common_heading(profiles), [], [Section("Beside each other", shown), _parts(profiles, advice)]


def _parts(profiles: Sequence[Profile], advice: Sequence[Any] = ()) -> Section:
    """A part for each launch, the slowest ones where they are many."""
    names = varying(profiles)
    slowest = sorted(range(len(profiles)), key=lambda k: -profiles[k].seconds)[:MOST]
    parts = [
        _part(profiles[k], label(profiles[k], names), advice[k : k + 1]) for k in sorted(slowest)
    ]  # fmt: skip
    left = len(profiles) - len(parts)
    return Section(f"Each of them{f' ({left} faster ones left out)' if left else ''}", parts=parts)


def _part(profile: Profile, name: str, advice: Sequence[Any] = ()) -> Section:
    """All of one launch, folded."""
    title, lines = head(profile)
    return Section(f"{name}: {format_seconds(profile.seconds)}", items([title, *lines]), folded=True,
                   parts=launch(profile, advice))  # fmt: skip


def program(found: Program, printed: Iterable[RenderableType]) -> Page:
    """Give a page about a program: where its time goes, its launches in order, a part for each that was timed.

    Parameters
    ----------
    found : Program
    printed : iterable of rich renderables
        What the command prints of it.

    Returns
    -------
    Page
    """
    from gpusim.pictures.times import in_order, kernels

    groups = sum(1 for _ in found.alike())
    high = 1.2 + 0.34 * min(groups, 17)
    overall = [
        *drawn(partial(kernels, found), "Time by kernel", (8.0, high), (5.0, high)),
        *drawn(partial(in_order, found), "Launches in order", (10.0, 2.2), (5.0, 2.4)),
        *items(list(printed)[1:]),
    ]
    timed = [one for one in found.launches if one.profile is not None and one.as_launch == one.number]
    slowest = sorted(timed, key=lambda one: -(one.seconds or 0.0))[:MOST]
    parts = [
        _part(one.profile, f"launch {one.number}, {one.kernel}")  # type: ignore[arg-type]
        for one in sorted(slowest, key=lambda one: one.number)
    ]
    title = f"{found.name} on {found.gpu}"
    return title, [], [Section("Where the time goes", overall), Section("Launches that were timed", parts=parts)]


def drawn(draw: Callable[..., Axes], label: str, wide: tuple[float, float], narrow: tuple[float, float],
          caption: str = "") -> list[Item]:  # fmt: skip
    """Give a picture, or nothing where there is nothing to draw.

    Parameters
    ----------
    draw, label, wide, narrow, caption
        As for :func:`gpusim.pages.content.picture`.
    """
    try:
        return [picture(draw, label, wide, narrow, caption)]
    except GpusimError:
        return []


def sweep(profiles: Sequence[Any], printed: Iterable[RenderableType], plot: Callable[..., Axes]) -> Page:
    """Give a page about a sweep: its figure, its tables, and a part for each point, the slowest where they are many.

    Parameters
    ----------
    profiles : sequence of Profile or ChainProfile
    printed : iterable of rich renderables
        What the command prints of it.
    plot : callable
        Draws its figure into ``ax``.

    Returns
    -------
    Page
    """
    shown = [*drawn(plot, "Sweep", (9.0, 5.0), (5.0, 4.4)), *items(printed)]
    single = [profile for profile in profiles if not hasattr(profile, "steps")]
    names = ", ".join(dict.fromkeys(getattr(one, "chain", "") or one.kernel for one in profiles))
    title = f"Sweep of {names}: {len(profiles)} points"
    return title, [], [Section("Beside each other", shown), *([_parts(single)] if single else [])]
