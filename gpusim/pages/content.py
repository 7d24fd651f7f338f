"""What a page consists of: sections with pictures, tables and text, and how each becomes HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.text import Text

from gpusim.report.grid import Grid
from gpusim.report.prose import joined

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType


@dataclass(frozen=True)
class Picture:
    """A picture, drawn twice where narrow pages need another.

    Attributes
    ----------
    wide, narrow : str
        ``<svg>`` elements; the second may be empty.
    caption : str
    """

    wide: str
    narrow: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes
    ----------
    text : str
    order : float or str
        What rows are sorted by.
    share : float or None
        Of a bar, how much of it is full (0 to 1).
    """

    text: str
    order: float | str
    share: float | None = None


@dataclass(frozen=True)
class Table:
    """A table that sorts.

    Attributes
    ----------
    headings : list of str
    kinds : list of str
        Of each column: ``"number"``, ``"name"``, ``"code"`` or ``"bar"``.
    rows : list of list of Cell
    """

    headings: list[str]
    kinds: list[str]
    rows: list[list[Cell]]


@dataclass(frozen=True)
class Paragraph:
    """Text of a line or more."""

    text: str
    is_title: bool = False


Item = Picture | Table | Paragraph


@dataclass(frozen=True)
class Section:
    """A part of a page.

    Attributes
    ----------
    title : str
    items : list of Item
    folded : bool
        Whether it opens when it is clicked.
    parts : list of Section
        Sections within it.
    """

    title: str
    items: list[Item] = field(default_factory=list)
    folded: bool = False
    parts: list[Section] = field(default_factory=list)


def picture(draw: Callable[..., Axes], label: str, wide: tuple[float, float], narrow: tuple[float, float],
            caption: str = "", **of_narrow: object) -> Picture:  # fmt: skip
    """Draw for wide and for narrow pages.

    Parameters
    ----------
    draw : callable
        Draws into ``ax``.
    label : str
        What the picture shows, for who cannot see it.
    wide, narrow : (float, float)
        Width and height of each, inches.
    caption : str
    **of_narrow
        What else the narrow one is drawn with.

    Returns
    -------
    Picture
    """
    from gpusim.pictures.canvas import axes_of, inline, styled

    sizes: tuple[tuple[str, tuple[float, float], dict[str, object]], ...] = (
        ("wide", wide, {}),
        ("narrow", narrow, of_narrow),
    )
    found = []
    for which, size, how in sizes:
        with styled():
            axes = draw(ax=axes_of(None, size), **how)
        found.append(inline(axes, label, which))
    return Picture(found[0], found[1], caption)


def items(renderables: Iterable[RenderableType]) -> list[Item]:
    """Give what a report prints as parts of a page: tables as tables, lines that belong together as paragraphs.

    Parameters
    ----------
    renderables : iterable of rich renderables

    Returns
    -------
    list of Item
    """
    found: list[Item] = []
    for one in renderables:
        if isinstance(one, Grid):
            found.append(_table(one))
        elif isinstance(one, Text | str):
            plain = one.plain if isinstance(one, Text) else one
            if plain.strip():
                found.append(Paragraph(joined(plain).strip(), isinstance(one, Text) and "bold" in str(one.style)))
    return found


def _table(grid: Grid) -> Table:
    kinds = [column.kind if column.kind in ("number", "bar") else "name" for column in grid.columns]
    columns = [[_cell(cell) for cell in column.cells] for column in grid.columns]
    return Table([column.heading for column in grid.columns], kinds, [list(row) for row in zip(*columns, strict=True)])


def _cell(cell: str | float | tuple[str, str]) -> Cell:
    if isinstance(cell, float):
        return Cell("", cell, min(max(cell, 0.0), 1.0))
    text = cell[0] if isinstance(cell, tuple) else cell
    return Cell(joined(text), order_of(joined(text)))


_NUMBER = re.compile(r"^[+-]?(\d[\d ]*(?:\.\d+)?)\s*([a-zA-Z%]*)")
_SIZES = {
    "": 1.0, "%": 1e-2, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
    "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0,
}  # fmt: skip


def order_of(text: str) -> float | str:
    """Give what a cell is sorted by: the number that it shows, in its unit; the text itself where it shows none.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> order_of("8 192"), order_of("2.10 MB"), order_of("71 % ±4.3 %"), order_of("exact")
    (8192.0, 2100000.0, 0.71, 'exact')
    """
    found = _NUMBER.match(text.strip())
    if found is None:
        return text
    size = _SIZES.get(found[2])
    number = float(found[1].replace(" ", ""))
    return (-1 if text.startswith("-") else 1) * number * (size if size is not None else 1.0)
