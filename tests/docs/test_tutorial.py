"""Do the tutorial's notebooks run, show pictures of gpusim's, and say numbers that hold?"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "tutorial"
PAGES = sorted(path.name for path in FOLDER.glob("[0-9]*.md"))
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"^:(\w+): *(.*)$\n?", re.MULTILINE)
QUESTIONS = 11


def cells(page: str) -> list[tuple[str, str]]:
    """Code cells of a page: options, code."""
    found = []
    for match in CELL.finditer((FOLDER / page).read_text(encoding="utf-8")):
        options = " ".join(value for _, value in OPTION.findall(match[1]))
        found.append((options, OPTION.sub("", match[1])))
    return found


def test_there_is_a_page_for_each_question() -> None:
    assert [int(page[:2]) for page in PAGES] == list(range(1, QUESTIONS + 1))


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("page", PAGES)
def test_a_notebook_runs_and_what_it_says_holds(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "notebook"}
    for number, (_, code) in enumerate(cells(page)):
        source = tmp_path / f"cell{number}.py"
        source.write_text(code, encoding="utf-8")
        exec(compile(code, source, "exec", dont_inherit=True), names)
    assert not os.environ.get("GPUSIM_KERNELS")


@pytest.mark.parametrize("page", PAGES)
def test_a_notebook_has_pictures_and_checks_its_numbers(page: str) -> None:
    found = cells(page)
    assert any("plot" in code or "gpusim.pictures" in code for _, code in found)
    hidden = "".join(code for options, code in found if "remove-cell" in options)
    assert hidden.count("assert ") >= 3
