"""Does the site build without a warning, with every page in it?"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.fences import pages
from tests.docs.prose import ROOT

NEEDS = ("sphinx", "myst_parser", "numpydoc", "pydata_sphinx_theme")


@pytest.mark.long
def test_it_builds_without_a_warning(tmp_path: Path) -> None:
    if missing := [name for name in NEEDS if importlib.util.find_spec(name) is None]:
        pytest.skip(f"{', '.join(missing)} is not installed: pip install --group docs")
    source, built = tmp_path / "docs", tmp_path / "html"
    shutil.copytree(ROOT / "docs", source, ignore=shutil.ignore_patterns("_build", "reference"))
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", source, built]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=600, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert ended.returncode == 0, ended.stderr
    for page in pages()[2:]:
        assert (built / page.removeprefix("docs/")).with_suffix(".html").exists(), page


def test_every_page_is_on_the_start_page() -> None:
    start = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").splitlines()
    folder = {"docs/index.md", *(page for page in pages() if page.startswith("docs/calibration/"))}
    listed = [page for page in pages()[2:] if page not in folder]
    assert [page for page in listed if page.removeprefix("docs/").removesuffix(".md") not in start] == []
    assert "calibration/index" in start
