"""A table read back as it is printed, cell by cell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.table import Table

from gpusim import report
from gpusim.report.grid import GAP, Column, Grid, blocks, widths

WIDTHS = (60, 80, 100, 120)
CUT = ("excerpt", "names", "bar")
"""Kinds of columns that show a part of a text and say so, or none."""


def assert_whole(shown: Iterable[Any], width: int) -> None:
    """Hold every table against what is printed of it: every cell, and in every part what tells rows apart.

    Parameters
    ----------
    shown : iterable of renderables
    width : int
        Columns of the screen.
    """
    for each in shown:
        assert not isinstance(each, Table), "a table that is no Grid may lose what does not fit"
        if isinstance(each, Grid):
            _assert_grid(each, width)


def _assert_grid(grid: Grid, width: int) -> None:
    parts = blocks(grid.columns, width)
    printed = [report.text([grid._drawn(columns, widths(columns, width))], width) for columns in parts]
    assert report.text([grid], width) == "\n\n".join(printed)
    if len(parts) > 1:
        rows = _distinct(grid.columns)
        assert all(_distinct([column for column in columns if column.key] or columns[:1]) == rows for columns in parts)
    for columns, text in zip(parts, printed, strict=True):
        shown = _rows(columns, whole=len(columns) == len(grid.columns))
        for column, read in zip(columns, _read(text, widths(columns, width)), strict=True):
            if column.kind not in CUT:
                wanted = [column.heading] * grid.has_headings + [column.texts()[row] for row in shown]
                assert read == _letters(*wanted)


def _distinct(columns: list[Column]) -> int:
    """Rows that differ in these columns; what is left empty is as in the row above."""
    filled: list[list[Any]] = []
    for column in columns:
        filled.append([])
        for cell in column.cells:
            filled[-1].append(cell or (filled[-1][-1] if filled[-1] else cell))
    return len(set(zip(*filled, strict=True)))


def _rows(columns: list[Column], *, whole: bool) -> list[int]:
    """Rows that are shown: of a part of the columns those that have something in it."""
    rest = [column for column in columns if not (column.key or column.about)]
    empty = ("", "–") if any(column.about for column in columns) else ("",)
    rows = range(len(columns[0].cells))
    return [row for row in rows if whole or any(column.cells[row] not in empty for column in rest)]


def _read(text: str, widths: list[int]) -> list[str]:
    """What stands in each column, from top to bottom."""
    lines = [line for line in text.split("\n") if set(line) != {"─"}]
    found, start = [], 0
    for width in widths:
        found.append(_letters(*(line[start : start + width] for line in lines)))
        assert not any(line[start + width : start + width + GAP].strip() for line in lines)
        start += width + GAP
    return found


def _letters(*texts: str) -> str:
    return "".join("".join(text.split()) for text in texts)
