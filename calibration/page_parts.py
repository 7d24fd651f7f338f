"""Parts of a page that are generated: each stands between two marks of its own."""

from __future__ import annotations

from pathlib import Path


class PageError(ValueError):
    """A page without the marks of a part."""


def part(page: Path, begin: str, end: str) -> str:
    """What stands between two marks."""
    return _split(page, begin, end)[1]


def write_part(page: Path, begin: str, end: str, text: str) -> None:
    """Put a text between two marks, in the place of what stands there."""
    before, _, after = _split(page, begin, end)
    page.write_text(f"{before}{begin}{text}{end}{after}", encoding="utf-8")


def _split(page: Path, begin: str, end: str) -> tuple[str, str, str]:
    """What stands before, between and after two marks."""
    before, begins, rest = page.read_text(encoding="utf-8").partition(begin)
    between, ends, after = rest.partition(end)
    if not begins or not ends:
        raise PageError(f"{page} has no part from {begin.strip()} to {end.strip()}")
    return before, between, after
