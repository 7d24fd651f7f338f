"""Profiles and lists as text: tables of at most 100 columns, and the sentence under them.

The room imports nothing else of gpusim; it reads the attributes of the
profiles it is given.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.text import Text

from gpusim.report import tables
from gpusim.report.busy import busy_table
from gpusim.report.chain import chains
from gpusim.report.claims import legend, rows_legend
from gpusim.report.kept import kept_line
from gpusim.report.prose import folded
from gpusim.report.sentence import compare, explain
from gpusim.report.shared import wavefronts
from gpusim.report.tables import WIDTH
from gpusim.report.time import duration, why
from gpusim.report.where import where

__all__ = ["as_text", "chains", "show", "table", "text", "where", "why"]

if TYPE_CHECKING:
    from gpusim.results.figures import Figures

NARROWEST = 40
"""Columns that are filled even where a terminal has fewer, which wraps lines itself."""


def table(profiles: Figures | Sequence[Figures]) -> list[RenderableType]:
    """Lay profiles out: one by level of the memory hierarchy, several by row.

    Parameters
    ----------
    profiles : Profile or sequence of Profile

    Returns
    -------
    list of rich renderables
        Print them with :func:`show`.
    """
    if not isinstance(profiles, Sequence):
        return list(_one(profiles))
    return list(_one(profiles[0]) if len(profiles) == 1 else _several(profiles))


def as_text(profiles: Figures | Sequence[Figures], width: int = WIDTH) -> str:
    """Give :func:`table` as plain text, without colours and without a final newline.

    Parameters
    ----------
    profiles : Profile or sequence of Profile
    width : int
        Columns.

    Returns
    -------
    str
    """
    return text(table(profiles), width)


def text(renderables: Sequence[RenderableType], width: int = WIDTH) -> str:
    """Give renderables as :func:`show` prints them to a file, without a final newline.

    Parameters
    ----------
    renderables : sequence of rich renderables
    width : int
        Columns.
    """
    sink = io.StringIO()
    show(renderables, sink, width)
    return sink.getvalue().rstrip("\n")


def show(renderables: Sequence[RenderableType], file: IO[str] | None = None, width: int | None = None) -> None:
    """Print renderables: in colour on a terminal, as plain text anywhere else.

    Parameters
    ----------
    renderables : sequence of rich renderables
    file : file, optional
        Standard output unless given.
    width : int, optional
        Columns; unless given those of the terminal, 100 at most, and 100 anywhere else.
    """
    console = Console(file=file, highlight=False, markup=False, emoji=False)
    wide = width or (min(console.width, WIDTH) if console.is_terminal else WIDTH)
    console.width = max(wide, NARROWEST)
    with console.capture() as capture:
        for renderable in renderables:
            console.print(_fitted(renderable, console.width))
    console.file.write("\n".join(line.rstrip() for line in capture.get().split("\n")))
    console.file.flush()


def _fitted(renderable: RenderableType, width: int) -> RenderableType:
    """Prose with its lines broken where no number is; what else there is fits by itself."""
    if isinstance(renderable, str):
        return folded(_reflowed(renderable, width), width)
    if isinstance(renderable, Text):
        return Text(folded(renderable.plain, width), style=renderable.style)
    return renderable


def _reflowed(text: str, width: int) -> str:
    """Prose in which lines that belong together are one, where some are too long: "Claim: ..." begins another."""
    if max(map(len, text.splitlines()), default=0) <= width:
        return text
    return re.sub(r"(?<=\S)\n(?!\n|\w+: |\Z)", " ", text)


def _one(profile: Figures) -> Iterator[RenderableType]:
    yield Text(tables.heading(profile), style="bold")
    yield Text(tables.launch_line(profile))
    yield from (Text(line) for line in (duration(profile), why(profile)) if line)
    yield Text("")
    busy = busy_table(profile)
    yield from (busy, Text("")) if busy else ()
    yield tables.memory_table(profile)
    explained = legend(tables.shown_metrics(profile))
    yield from _footer((explain(profile), *wavefronts(profile), *profile.notes, explained, kept_line([profile.kept])))


def _several(profiles: Sequence[Figures]) -> Iterator[RenderableType]:
    names = tables.varying(profiles)
    yield Text(tables.common_heading(profiles), style="bold")
    yield Text("")
    yield tables.comparison_table(profiles)
    explained = rows_legend(profiles, tables.JUDGED)
    change = compare(profiles, lambda profile: tables.label(profile, names))
    yield from _footer((change, *_notes(profiles, names), explained, kept_line(p.kept for p in profiles)))


def _notes(profiles: Sequence[Figures], names: Sequence[str]) -> Iterator[str]:
    """The profiles' notes: those they all have, then the others with the profiles that they belong to."""
    shared = [note for note in profiles[0].notes if all(note in profile.notes for profile in profiles)]
    yield from shared
    whose: dict[str, list[str]] = {}
    for profile in profiles:
        own = " ".join(note for note in profile.notes if note not in shared)
        whose.setdefault(own, []).append(tables.label(profile, names))
    for notes, labels in whose.items():
        if notes:
            yield f"{'; '.join(labels)}: {notes}"


def _footer(lines: Sequence[str]) -> Iterator[RenderableType]:
    yield Text("")
    yield from (Text(line) for line in lines if line)
