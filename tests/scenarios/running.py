"""Runs a scenario as `python FILE` would, and reads its table."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import runpy
import sys
from pathlib import Path
from typing import Any
from unittest import mock

from gpusim.report.units import parse_bytes

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"


def names() -> list[str]:
    """Every scenario."""
    return sorted(path.stem for path in FOLDER.glob("[!_]*.py"))


def source(name: str) -> str:
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8")


def load(name: str) -> dict[str, Any]:
    """What the file defines, without running it."""
    return runpy.run_path(str(FOLDER / f"{name}.py"))


def run(name: str, *arguments: str) -> str:
    """What the scenario prints."""
    path, printed = str(FOLDER / f"{name}.py"), io.StringIO()
    with mock.patch.object(sys, "argv", [path, *arguments]), contextlib.redirect_stdout(printed):
        runpy.run_path(path, run_name="__main__")
    return printed.getvalue()


def printed(name: str, *arguments: str) -> str:
    """What a scenario prints, after a look at its form."""
    text, docstring = run(name, *arguments), ast.get_docstring(ast.parse(source(name)))
    assert max(map(len, text.splitlines())) <= 100
    assert docstring is not None
    assert text.startswith(docstring.splitlines()[0])
    assert name in ("softmax_three_ways", "formats") or "nan" not in text  # there it is what overflows
    return text


def rows(text: str) -> list[list[str]]:
    """Cells of the table, below the rule, up to the empty line that ends it."""
    lines = text.splitlines()
    below = lines[next(i for i, line in enumerate(lines) if set(line) == {"─"}) + 1 :]
    return [re.split(r" {2,}", line.strip()) for line in below[: below.index("")]]


def tables(text: str) -> list[list[list[str]]]:
    """Cells of every table, row by row."""
    found: list[list[list[str]]] = []
    lines = iter(text.splitlines())
    for line in lines:
        if set(line) == {"─"}:
            below = iter(lambda: next(lines, ""), "")
            found.append([re.split(r" {2,}", row.strip()) for row in below])
    return found


def second_table(text: str) -> dict[str, list[str]]:
    """Cells of the second table, by their first."""
    below = text.split("─\n")[2].partition("\n\n")[0]
    return {cells[0]: cells[1:] for cells in (re.split(r" {2,}", line.strip()) for line in below.splitlines())}


def column(text: str, index: int) -> list[str]:
    """One column of the table."""
    return [cells[index] for cells in rows(text)]


def numbers(text: str, index: int) -> list[float]:
    """One column of the table, of numbers."""
    return [float(cell.removesuffix(" %").replace(" ", "")) for cell in column(text, index)]


def seconds(text: str, index: int) -> list[float]:
    """One column of the table, of times."""
    cells = [cell.split() for cell in column(text, index)]
    return [float(time) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}[unit] for time, unit in cells]


def moved(text: str, index: int) -> list[float]:
    """One column of the table, of bytes."""
    return [parse_bytes(cell) for cell in column(text, index)]
