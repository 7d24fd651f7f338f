"""``--html``: a result as one HTML file."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli.files import write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType

    from gpusim.pages.content import Section
    from gpusim.profiles.profile import Profile
    from gpusim.results.figures import Figures

HtmlFile = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a page with pictures, tables that sort, and the source."),
]


def save_page(file: Path | None, title: str, head: Sequence[str], sections: Sequence[Section]) -> None:
    """Write a page, whole or not at all, with the command that made it."""
    if file is None:
        return
    from gpusim.pages.page import page

    write(page(title, head, sections, f"gpusim {shlex.join(sys.argv[1:])}"), file, "--html")


def save_result(
    file: Path | None, title: str, plot: Callable[..., Axes], printed: Iterable[RenderableType], rows: int,
    launches: Sequence[tuple[str, Figures]] = (),
) -> None:  # fmt: skip
    """Write a page about a result that has one picture: that, and what the command prints.

    ``rows``: bars of the picture; ``launches``: those whose memory charts stand below, with their names.
    """
    if file is None:
        return
    from gpusim.pages.content import Section, items
    from gpusim.pages.launch import pictures
    from gpusim.pages.launches import drawn

    high = 1.2 + 0.34 * rows
    charts = [Section(f"What moves in {name}", pictures(one, ("memory",))) for name, one in launches]
    first = Section("", [*drawn(plot, title, (8.0, high), (5.0, high)), *items(printed)])
    save_page(file, title, [], [first, *charts])


def save_profiles(file: Path | None, profiles: Sequence[Profile], advice: Sequence[Any] = ()) -> None:
    """Write a page about launches: one with all that is known of it, several with a part each."""
    if file is None:
        return
    from gpusim.pages.launch import head, launch
    from gpusim.pages.launches import launches

    if len(profiles) == 1:
        save_page(file, *head(profiles[0]), launch(profiles[0], advice))
    else:
        save_page(file, *launches(profiles, advice))
