"""Pages for those who begin: no sentence has more than 30 words.

``python -m tests.docs.readable`` lists sentences that are longer, and how long sentences are; ``make docs`` runs it.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.docs.prose import ROOT, blocks, sentences, words

MOST = 30
FIRST = (
    "README.md", "docs/index.md", "docs/reading-a-result.md", "docs/language.md", "docs/glossary.md", "docs/trust.md",
    "docs/commands.md",
)  # fmt: skip
FOLDERS = ("docs/howto", "docs/tutorial")


def pages() -> list[Path]:
    """Pages that are read first; a tutorial's may be notebooks."""
    found = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".md", ".ipynb"))
    kept = (path for path in found if ".ipynb_checkpoints" not in path.parts)
    return [*(ROOT / name for name in FIRST), *sorted(kept)]


def text(path: Path) -> str:
    """What a page says; of a notebook the cells that are text."""
    said = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return said
    cells = (cell for cell in json.loads(said)["cells"] if cell["cell_type"] == "markdown")
    return "\n\n".join("".join(cell["source"]) for cell in cells)


def said(path: Path) -> Iterator[tuple[int, str]]:
    """Every sentence of a page, with the line on which its paragraph begins."""
    for block in blocks(text(path)):
        yield from ((block.line, sentence) for sentence in sentences(block.text))


def long_ones(path: Path) -> list[str]:
    """Sentences that are too long, each with its line and its words."""
    counted = ((line, words(sentence), sentence) for line, sentence in said(path))
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    return [f"{name}:{line}: {count} words: {sentence}" for line, count, sentence in counted if count > MOST]


def main() -> int:
    """Print what is too long; the exit status is 1 if anything is."""
    found = [line for path in pages() for line in long_ones(path)]
    counts = [words(sentence) for path in pages() for _, sentence in said(path)]
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(pages())} pages, {len(counts)} sentences: {statistics.mean(counts):.0f} words on average, "
          f"{max(counts)} at most; {len(found)} of more than {MOST}")  # fmt: skip
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
