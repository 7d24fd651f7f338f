"""Are the sentences of the pages that are read first short?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.docs import readable
from tests.docs.prose import ROOT


@pytest.mark.parametrize("path", readable.pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_sentence_has_more_than_thirty_words(path: Path) -> None:
    assert readable.long_ones(path) == []


def test_every_page_says_something() -> None:
    assert all(len([*readable.said(path)]) > 3 for path in readable.pages())


def test_a_definition_of_the_glossary_is_read() -> None:
    sentences = [sentence for _, sentence in readable.said(ROOT / "docs" / "glossary.md")]
    assert any("32 threads that execute the same instruction" in sentence for sentence in sentences)


def test_a_long_sentence_is_found_in_a_page_and_in_a_notebook(tmp_path: Path) -> None:
    long = " ".join(["word"] * 31) + ". A short one."
    page, notebook = tmp_path / "page.md", tmp_path / "page.ipynb"
    page.write_text(f"# Head\n\n{long}\n")
    cells = [{"cell_type": "code", "source": [long]}, {"cell_type": "markdown", "source": ["# Head\n", "\n", long]}]
    notebook.write_text(json.dumps({"cells": cells}))
    for path in (page, notebook):
        (found,) = readable.long_ones(path)
        assert found.startswith(f"{path.name}:3: 31 words")


@pytest.mark.parametrize(("words", "status"), [(30, 0), (31, 1)])
def test_make_docs_fails_of_a_long_sentence(
    words: int, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(" ".join(["word"] * words) + ".\n")
    monkeypatch.setattr(readable, "pages", lambda: [page])
    assert readable.main() == status
    assert f"{words} at most; {status} of more than 30" in capsys.readouterr().out
