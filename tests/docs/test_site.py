"""Does the site build without a warning, with every page in it?"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.fences import fences, pages
from tests.docs.prose import ROOT

NEEDS = ("sphinx", "myst_nb", "ipykernel", "numpydoc", "pydata_sphinx_theme")


@pytest.mark.long
def test_it_builds_without_a_warning(tmp_path: Path) -> None:
    if missing := [name for name in NEEDS if importlib.util.find_spec(name) is None]:
        pytest.skip(f"{', '.join(missing)} is not installed: pip install --group docs")
    source, built = tmp_path / "docs", tmp_path / "html"
    shutil.copytree(ROOT / "docs", source, ignore=shutil.ignore_patterns("_build", "reference"))
    for name in ("CONTRIBUTING.md", "gpusim"):  # what pages take and link to
        (tmp_path / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", source, built]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=600, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert ended.returncode == 0, ended.stderr
    for page in pages()[2:]:
        assert (built / page.removeprefix("docs/")).with_suffix(".html").exists(), page


def test_every_page_is_listed_once_by_another() -> None:
    listed = list[Path]()
    for page in pages()[2:]:
        for block in fences(page):
            if block.language == "{toctree}":
                entries = (line for line in block.text.splitlines() if line and not line.startswith(":"))
                listed += [(ROOT / page).parent.joinpath(f"{entry}.md").resolve() for entry in entries]
    there = {ROOT / page for page in pages()[2:]} - {ROOT / "docs" / "index.md"}
    assert {path for path in listed if "log" not in path.parts} == there
    assert len(set(listed)) == len(listed)


def test_every_word_that_is_linked_is_in_the_glossary() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^(\S[^\n]*)\n  \S", glossary, re.MULTILINE))
    linked = {
        re.sub(r".*<(.*)>", r"\1", word)
        for page in pages()
        for word in re.findall(r"\{term\}`([^`]+)`", (ROOT / page).read_text(encoding="utf-8"))
    }
    assert len(known) >= 80
    assert len(linked) >= 20
    assert linked - known == set()
