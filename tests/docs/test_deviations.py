"""Is every deviation in the table, told by the same columns, and is its status one that the page explains?"""

from __future__ import annotations

import re

from tests.docs.prose import ROOT

TEXT = (ROOT / "docs" / "deviations.md").read_text(encoding="utf-8")
HEAD = ["number", "topic", "what differs", "how large", "which launches", "why", "status"]
NOTES = 32


def rows() -> list[list[str]]:
    """Cells of every row with seven of them."""
    found = ([cell.strip() for cell in line.strip("|\n").split("|")] for line in TEXT.splitlines() if line[:1] == "|")
    return [cells for cells in found if len(cells) == len(HEAD) and not set(cells[0]) <= {"-"}]


def test_every_table_has_the_same_columns() -> None:
    tables = [cells for cells in rows() if cells[0] == HEAD[0]]
    assert len(tables) >= 3
    assert all(cells == HEAD for cells in tables)


def test_every_number_is_there_once() -> None:
    numbers = [cells[0] for cells in rows() if cells[0] != HEAD[0]]
    assert len(set(numbers)) == len(numbers)
    assert {int(re.match(r"\d+", number)[0]) for number in numbers} == set(range(1, NOTES + 1))


def test_every_status_is_explained() -> None:
    explained = set(re.findall(r"^\| (\w+) \| [^|]* \|$", TEXT, re.MULTILINE)) - {"status"}
    assert {re.match(r"\w+", cells[-1])[0] for cells in rows() if cells[0] != HEAD[0]} == explained


def test_a_deviation_says_what_differs_and_where() -> None:
    for number, topic, differs, large, where, why, _ in rows():
        assert topic, number
        assert differs, number
        assert large or where, number
        assert large or why, number
