"""Sections of a page about predictions held against what a GPU did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gpusim.pages.content import Section, items, picture
from gpusim.pages.launches import drawn
from gpusim.pictures.compared import WORDS, any_of, both, scatter

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gpusim.measured.comparison import Row

MOST = 24
"""Launches that have a chart of their own: those whose time is farthest off."""


def sections(found: Mapping[str, Sequence[Row]], printed: Sequence[RenderableType]) -> list[Section]:
    """Give the sections: marks of all launches, the tables, and a memory chart of each launch.

    Parameters
    ----------
    found : mapping of str to sequence of Row
        By launch.
    printed : sequence of rich renderables
        What the command prints.

    Returns
    -------
    list of Section
    """
    marks = [
        mark
        for metric, name in WORDS.items()
        if len(found) > 1 and any_of(found, metric)
        for mark in drawn(partial(scatter, found, metric), f"Predicted and measured {name}", (6.4, 5.6), (5.0, 4.6))
    ]
    farthest = sorted(found, key=lambda name: -max((abs(row.error) for row in found[name]), default=0.0))[:MOST]
    charts = [
        Section(name, [picture(partial(both, name, found[name]), f"Memory chart of {name}", (10.0, 4.6), (5.0, 7.2),
                               direction="down")], folded=len(found) > 1)
        for name in farthest
    ]  # fmt: skip
    left = len(found) - len(charts)
    title = f"Memory charts{f' ({left} launches that are nearer left out)' if left else ''}"
    overall = [Section("Predicted against measured", marks)] if marks else []
    return [*overall, Section("Errors", items(printed)), Section(title, parts=charts)]
