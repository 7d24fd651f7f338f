"""Tables that fit whatever width there is: a number is shown whole, or not at all.

Where a table is too wide bars give way first, then long headings and text are folded, then columns that can be
spared are left out, then cells take their short form.  What is still too wide goes on below, beside the same columns
that tell rows apart, or the rows' numbers where these are too wide themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from gpusim.report.prose import folded, joined, name_lines
from gpusim.report.units import NOTHING

GAP = 2
"""Columns between two columns of a table."""

LEAST_BAR, LONGEST_WORD = 10, 24
"""A shorter bar says nothing; a longer word of a text may be folded."""

LEAST_TEXT = 10
"""Columns to which texts and names shrink, their words folded, where not even two columns fit otherwise."""

Kind = Literal["number", "name", "text", "names", "excerpt", "bar"]
"""Numbers and names stay whole; a text is folded; of several names, with commas between them, as many are shown as a
line takes; an excerpt ends in "…"; a bar takes what room is left."""

Cell = str | float | tuple[str, str]
"""What stands in a column; of a bar the share (0 to 1) that is full; a pair is a long and a short form."""


@dataclass(eq=False)
class Column:
    """One column.

    Parameters
    ----------
    heading : str
    kind : Kind
    spared : int or None
        Among the columns that can be left out, those with the least number go first; None: it stays.
    key : bool
        Whether it tells rows apart: where a table goes on below, such columns are repeated.
    about : bool
        Whether it tells of the numbers beside it: where columns are left out, so are rows with no number left.
    full : int
        Columns of a bar that is full, where there is room for it.
    cells : list of Cell
    """

    heading: str
    kind: Kind
    spared: int | None = None
    key: bool = False
    about: bool = False
    full: int = 0
    cells: list[Cell] = field(default_factory=list)

    def texts(self) -> list[str]:
        """Cells in their long form; of bars none."""
        return [cell[0] if isinstance(cell, tuple) else cell for cell in self.cells if not isinstance(cell, float)]

    def shortened(self) -> Column:
        """The column with its cells in their short form."""
        cells: list[Cell] = [cell[1] if isinstance(cell, tuple) else cell for cell in self.cells]
        return replace(self, cells=cells)

    @property
    def has_short(self) -> bool:
        """Whether a cell has a short form."""
        return any(isinstance(cell, tuple) for cell in self.cells)

    @property
    def most(self) -> int:
        """Width in which nothing is folded."""
        return self.full if self.kind == "bar" else max(map(len, (self.heading, *self.texts())))

    @property
    def least(self) -> int:
        """Width below which a number would be cut or a word torn apart."""
        if self.kind == "bar":
            return LEAST_BAR
        if self.kind == "excerpt":
            return max(len(self.heading), min(LEAST_BAR, *map(len, self.texts()), self.most))
        if self.kind == "names":
            return max(map(len, (self.heading, *(some_names(text, 0) for text in self.texts()))))
        words = [*self.heading.split(), *(self.texts() if self.kind in ("number", "name") else self._words())]
        return max(map(len, words), default=0)

    @property
    def folded(self) -> int:
        """Width below which not even words are folded any more."""
        return min(self.least, LEAST_TEXT) if self.kind in ("text", "name") else self.least

    def _words(self) -> Iterator[str]:
        if self.kind == "text":
            yield from (word[:LONGEST_WORD] for text in self.texts() for word in joined(text).split(" "))


class Grid:
    """A table that is drawn to fit the width there is."""

    def __init__(self, *, headings: bool = True) -> None:
        self.columns: list[Column] = []
        self._ends: list[bool] = []
        self.has_headings = headings

    def add_column(self, heading: str, kind: Kind = "number", **how: Any) -> None:
        """Add a column; see :class:`Column`, whose fields `how` are."""
        self.columns.append(Column(heading, kind, **how))

    def add_row(self, *cells: Cell, end_section: bool = False) -> None:
        """Add a row with a cell for every column; a rule follows that ends a section."""
        for column, cell in zip(self.columns, cells, strict=True):
            column.cells.append(cell)
        self._ends.append(end_section)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for number, columns in enumerate(blocks(self.columns, options.max_width)):
            if number:
                yield Text("")
            yield self._drawn(columns, widths(columns, options.max_width))

    def _drawn(self, columns: Sequence[Column], widths: Sequence[int]) -> Table:
        table = _new_table(headings=self.has_headings)
        for column, width in zip(columns, widths, strict=True):
            right = column.kind == "number"
            cut = column.kind == "excerpt"
            table.add_column(
                column.heading, width=width, justify="right" if right else "left", no_wrap=cut,
                overflow="ellipsis" if cut else "fold",
            )  # fmt: skip
        rows = zip(*(_texts(column, width) for column, width in zip(columns, widths, strict=True)), strict=True)
        for row, end in zip(rows, self._ends, strict=True):
            if len(columns) == len(self.columns) or _says(columns, row):
                table.add_row(*row, end_section=end)
        return table


def _new_table(*, headings: bool = True) -> Table:
    """Give an empty table in the house style: a rule under the headings, no frame, two spaces between columns."""
    return Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, GAP - 1, 0, 0), show_edge=False, header_style="bold",
        show_header=headings,
    )  # fmt: skip


def blocks(columns: Sequence[Column], width: int) -> list[list[Column]]:
    """Give the columns that are shown: in one table where that is possible, else in several, one below the other.

    Parameters
    ----------
    columns : sequence of Column
    width : int

    Returns
    -------
    list of list of Column
        Each begins with what tells rows apart.
    """
    shown = list(columns)
    if needs(shown) > width:
        shown = [column for column in shown if column.kind != "bar"]
    while needs(shown) > width:
        spare = [column for column in shown if column.spared is not None]
        if spare:
            shown.remove(min(spare, key=lambda column: column.spared or 0))
        elif any(column.has_short for column in shown):
            shown = [column.shortened() for column in shown]
        else:
            return _below_one_another(shown, width)
    return [shown]


def _below_one_another(columns: Sequence[Column], width: int) -> list[list[Column]]:
    keys = [column for column in columns if column.key] or list(columns[:1])
    rest = [column for column in columns if column not in keys]
    widest = max((column.least for column in rest), default=width)
    if sum(column.folded + GAP for column in keys) + widest > width:
        numbers = Column("row", "number", key=True, cells=[str(k) for k in range(1, len(columns[0].cells) + 1)])
        keys, rest = [numbers], [replace(column, key=False) for column in columns]
    found = [list(keys)]
    for column in rest:
        if len(found[-1]) > len(keys) and needs([*found[-1], column]) > width:
            found.append(list(keys))
        found[-1].append(column)
    return found


def needs(columns: Sequence[Column]) -> int:
    """Give the least width that columns need."""
    return sum(column.least for column in columns) + GAP * (len(columns) - 1)


def widths(columns: Sequence[Column], width: int) -> list[int]:
    """Give every column's width: bars and lists of names shrink first, then whatever is widest and can be folded.

    Parameters
    ----------
    columns : sequence of Column
    width : int

    Returns
    -------
    list of int
    """
    found = [column.most for column in columns]
    whole = [column.least for column in columns]
    torn = [column.folded for column in columns]
    others: tuple[Kind, ...] = ("number", "name", "text", "excerpt")
    for kinds, least in ((("bar", "names"), whole), (others, whole), (("text",), torn), (("name",), torn)):
        can = [k for k, column in enumerate(columns) if column.kind in kinds]
        while sum(found) + GAP * (len(columns) - 1) > width and any(found[k] > least[k] for k in can):
            widest = max((k for k in can if found[k] > least[k]), key=lambda k: found[k])
            found[widest] -= 1
    return found


def _says(columns: Sequence[Column], row: Sequence[str]) -> bool:
    """Whether a row of some of the columns has anything but what tells it apart, or of its numbers."""
    nothing = ("", NOTHING) if any(column.about for column in columns) else ("",)
    cells = zip(columns, row, strict=True)
    return any(cell not in nothing for column, cell in cells if not (column.key or column.about))


def _texts(column: Column, width: int) -> list[str]:
    """Cells as they are drawn."""
    if column.kind == "text":
        return [folded(text, width) for text in column.texts()]
    if column.kind == "name":
        return ["\n".join(name_lines(text, width)) for text in column.texts()]
    if column.kind == "names":
        return [some_names(text, width) for text in column.texts()]
    if column.kind != "bar":
        return column.texts()
    return ["█" * round(width * min(cell, 1)) for cell in column.cells if isinstance(cell, float)]


def some_names(text: str, width: int) -> str:
    """Give as many of several names as a line takes, but one at least, and none of them cut.

    Parameters
    ----------
    text : str
        Names with commas between them.
    width : int

    Examples
    --------
    >>> some_names("copy, scale, add", 16), some_names("copy, scale, add", 15), some_names("copy, scale, add", 0)
    ('copy, scale, add', 'copy, ...', 'copy, ...')
    """
    names = text.split(", ")
    for count in range(len(names), 1, -1):
        shown = ", ".join((*names[:count], *(["..."] if count < len(names) else [])))
        if len(shown) <= width:
            return shown
    return text if len(names) == 1 else f"{names[0]}, ..."
