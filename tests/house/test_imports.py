import re

import pytest

from tests.house.imports import PACKAGE, ROOT, circles, files, floors, room, rooms

OFFERED_TO = {"cli", "mcp", "measure", "results", "tuners", "kept", "pages"}  # kept asks when the package was imported
"""Rooms that use what the package itself offers: its functions, its version."""


@pytest.fixture(scope="module")
def graph():
    return files()


def test_no_files_import_each_other(graph):
    assert circles(graph) == []


def test_no_rooms_import_each_other(graph):
    between = rooms(graph)
    assert circles(between) == []
    height = {name: level for level, floor in enumerate(floors(between)) for name in floor}
    assert all(height[a] > height[b] for a, b in between.edges)


def test_a_room_imports_exactly_what_the_table_says(graph):
    between = rooms(graph)
    short = {name: name.removeprefix(f"{PACKAGE}.") for name in between if name != f"{PACKAGE}.__main__"}
    built = {short[name]: {short[other] for other in between.successors(name)} for name in short}
    told = may_import(set(short.values()))
    told["cli"] = built["cli"]  # everything, the table says
    assert told == built


def test_few_use_what_the_package_offers(graph):
    assert {room(name) for name in graph.predecessors(PACKAGE)} == {f"{PACKAGE}.{name}" for name in OFFERED_TO}


def may_import(known):
    """The table of docs/architecture.md: what each room may import."""
    told = {}
    for line in (ROOT / "docs" / "architecture.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 3 and (found := re.fullmatch(rf"`{PACKAGE}/(\w+)(?:/|\.py)`", cells[0])):
            told[found[1]] = set(re.findall(r"\w+", cells[2])) & known
    return told
