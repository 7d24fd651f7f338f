"""Does docs/language.md have every name of the language, and do its tables of costs and mistakes say what happens?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gpusim.lang as gl
from tests.lang.written import message, mnemonics

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
ADDRESSES = {"EXIT", "IADD3", "IMAD", "LDC", "LEA", "LOP3", "MOV", "S2R", "SHF"}
FIRST = {"LDG", "STG", "STS", "BAR", "LDS"}
"""What stands around a statement: arguments that are loaded, a result that is stored."""
CAST = {"BRA", "BSSY", "BSYNC", "FADD", "FMUL", "FFMA", "FSEL", "IADD3", "ISETP", "SEL"}
"""What a construct may take besides, as the lowering sees fit."""


def rows(heading: str) -> list[list[str]]:
    """Cells of the table below a heading."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


COSTS, MISTAKES = rows("What each construct costs"), rows("Common mistakes")


def test_the_tables_are_long() -> None:
    assert len(COSTS) >= 20
    assert len(MISTAKES) >= 20


@pytest.mark.parametrize(("written", "named"), [(row[0].strip("`"), row[1]) for row in COSTS])
def test_a_construct_becomes_what_the_page_says(written: str, named: str, tmp_path: Path) -> None:
    said, found = set(re.findall(r"`(\w+)`", named)), mnemonics(written, tmp_path)
    assert said <= found
    assert found - ADDRESSES - FIRST - CAST <= said


@pytest.mark.parametrize(("written", "error"), [(row[0].strip("`"), row[1].strip("`")) for row in MISTAKES])
def test_a_mistake_is_told_what_the_page_says(written: str, error: str, tmp_path: Path) -> None:
    assert re.sub(r"line \d+", "line L", message(written, tmp_path)) == error


@pytest.mark.parametrize("instead", [row[2].strip("`") for row in MISTAKES])
def test_what_stands_there_instead_is_right(instead: str, tmp_path: Path) -> None:
    assert message(instead, tmp_path) == ""


def test_every_name_is_on_the_page() -> None:
    assert [name for name in gl.__all__ if not re.search(rf"\bgl\.{name}\b", PAGE)] == []


# ---------------------------------------------------------------- what gpusim.lang shows


def test_it_shows_its_vocabulary_alone() -> None:
    assert dir(gl) == sorted(gl.__all__)
    assert all(hasattr(gl, name) for name in gl.__all__)


@pytest.mark.parametrize(
    ("name", "meant"), [("barier", "gl.barrier"), ("threadIdx", "gl.tid"), ("syncthreads", "gl.barrier")]
)
def test_a_name_that_is_not_there_is_told_the_nearest(name: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=rf"gpusim.lang has no '{name}': did you mean {re.escape(meant)}\?"):
        getattr(gl, name)


def test_what_others_call_a_name_has_one_here() -> None:
    assert set(gl.CUDA.values()) <= set(gl.__all__)
    assert not set(gl.CUDA) & set(gl.__all__)
