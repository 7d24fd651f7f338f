"""Blocks of code in Markdown, and what says that one is not run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(
    r"(?:^ *<!-- not run: (?P<excuse>[^\n]+?) -->\n\n?)?"
    r"^ *```(?P<language>\w+|\{[\w-]+\})(?: ipython3)?(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^ *```$",
    re.DOTALL | re.MULTILINE,
)
HOW_TO = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs" / "howto").glob("*.md"))]
TYPED = ["README.md", "CONTRIBUTING.md", "docs/usage.md", "docs/commands.md", *HOW_TO]
"""Pages of which a reader types every command: ``tests/cli/test_documented.py`` does."""


class Fence(NamedTuple):
    """A block of code on a page: its language, the file it is, what is in it, why it is not run."""

    page: str
    line: int
    language: str
    title: str
    text: str
    excuse: str

    @property
    def is_directive(self) -> bool:
        """Whether it is for Sphinx, not code."""
        return self.language.startswith("{")


def fences(page: str) -> list[Fence]:
    """Every block of a page, in order; `page` is its path from the repository's root."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Fence(page, text.count("\n", 0, match.start("language")) + 1, match["language"], match["title"] or "",
              match["text"], match["excuse"] or "")
        for match in FENCE.finditer(text)
    ]  # fmt: skip


def pages() -> list[str]:
    """README, CONTRIBUTING and every page of the site but the diary, which is kept as it was written."""
    found = (path.relative_to(ROOT / "docs") for path in sorted((ROOT / "docs").rglob("*.md")))
    site = [path for path in found if path.parts[0] not in ("_build", "_static", "_templates", "reference", "log")]
    return ["README.md", "CONTRIBUTING.md", *(f"docs/{path.as_posix()}" for path in site)]
