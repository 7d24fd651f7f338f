"""Does every block of code of the pages run, or say why it does not? Does a console print what stands below it?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.consoles import PROMPT, printed, sessions
from tests.docs.fences import ROOT, TYPED, Fence, fences, pages

ELSEWHERE = {
    "docs/testing-kernels.md": "tests/ask/test_pytest_plugin.py",
    "docs/bounds.md": "tests/bounds/test_page.py",
}
"""Pages of which another test runs the blocks, out of the page itself."""
TO_RUN = {
    page: blocks
    for page in pages()
    if page not in {*TYPED, *ELSEWHERE}
    and (blocks := [block for block in fences(page) if not (block.is_directive or block.excuse)])
}
"""Blocks that are run here: of a page one after the other, in one folder, Python in one namespace."""
RUN = ("console", "sh", "python")


@pytest.mark.parametrize("page", pages())
def test_a_block_runs_or_says_why_it_does_not(page: str) -> None:
    for block in fences(page):
        runs = page in {*TYPED, *ELSEWHERE} or block.language in RUN or block.title
        assert block.is_directive or block.excuse or runs, f"{page}:{block.line}: {block.language} is neither"


def test_every_fence_is_seen() -> None:
    for page in pages():
        opened = re.findall(r"^ *```+\S", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert len(opened) == len(fences(page)), page


@pytest.mark.parametrize(("page", "test"), ELSEWHERE.items())
def test_what_is_run_elsewhere_is_read_there(page: str, test: str) -> None:
    assert Path(page).name in (ROOT / test).read_text(encoding="utf-8")


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("page", TO_RUN)
def test_a_page_typed_from_top_to_bottom(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "typed"}
    for number, block in enumerate(TO_RUN[page]):
        if block.title:
            Path(block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            source = tmp_path / f"typed{number}.py"
            source.write_text(block.text, encoding="utf-8")
            exec(compile(block.text, source, "exec"), names)
        else:
            typed(block)


def typed(block: Fence) -> None:
    """Type the commands of a block; what a page shows of one is what it prints, to the last character."""
    if block.language == "sh":
        for line in block.text.splitlines():
            printed(line.partition("#")[0])
        return
    for command, output in sessions(block.text):
        shown = printed(command)
        assert not output or shown == output, f"python -m tests.docs.consoles {block.page} writes it anew"


# ---------------------------------------------------------------- the page that explains a result


def test_what_is_quoted_of_a_result_is_in_it() -> None:
    page = "docs/reading-a-result.md"
    (block,) = [block for block in fences(page) if block.language == "console"]
    shown = " ".join(block.text.split())
    prose = (ROOT / page).read_text(encoding="utf-8").split("```\n", 2)[-1]
    quoted = [
        span for span in re.findall(r"`([^`]+)`", re.sub(r"\{term\}`[^`]*`", "", prose)) if re.search(r"\d", span)
    ]
    assert len(quoted) >= 15
    assert [span for span in quoted if " ".join(span.split()) not in shown] == []


# ---------------------------------------------------------------- the taking apart itself


def test_sessions_are_commands_with_what_they_print() -> None:
    text = f"{PROMPT}gpusim a\n{PROMPT}gpusim b\none\n\ntwo\n"
    assert [*sessions(text)] == [("gpusim a", ""), ("gpusim b", "one\n\ntwo")]


def test_an_excuse_belongs_to_the_block_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.docs.fences.ROOT", tmp_path)
    (tmp_path / "page.md").write_text("<!-- not run: no GPU -->\n```sh\nnvidia-smi\n```\n\n```python\npass\n```\n")
    first, second = fences("page.md")
    assert (first.excuse, first.language, first.line) == ("no GPU", "sh", 2)
    assert (second.excuse, second.language) == ("", "python")
