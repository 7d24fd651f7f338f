"""Can a stranger read the documents: short paragraphs and sentences, and does everything that they name exist?"""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from tests.docs.prose import ROOT, blocks, headings, links, names, sentences, words

MOST_WORDS, MOST_IN_SENTENCE = 120, 40
GENERATED = {"docs/validation.md", "docs/ladder.md", "docs/attention.md", "docs/published.md"}
"""Their heads are in ``calibration/notes``."""
HEADS = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "calibration" / "notes").glob("*.md"))]
OTHERS = [
    path.relative_to(ROOT).as_posix() for folder in ("", "howto", "tutorial")
    for path in sorted((ROOT / "docs" / folder).glob("*.md"))
]  # fmt: skip
FOR_STRANGERS = ["README.md", "CONTRIBUTING.md", "tests/README.md", "calibration/README.md", *HEADS, *OTHERS]
BY_HAND = [name for name in FOR_STRANGERS if name not in GENERATED]
DIARY = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs" / "log").glob("*.md"))]
TABLES = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs" / "calibration").glob("*.md"))]
FOLDERS = ("gpusim", "calibration", "tests", "docs", "kernels", "scenarios", "benchmarks")
MADE = ("docs/_build", "docs/reference")
"""What ``make docs`` makes."""


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*FOR_STRANGERS, *TABLES])
def test_no_paragraph_is_long(name: str) -> None:
    long = [f"line {b.line}: {words(b.text)} words" for b in blocks(read(name)) if words(b.text) > MOST_WORDS]
    assert not long


@pytest.mark.parametrize("name", BY_HAND)
def test_no_sentence_is_long(name: str) -> None:
    said = ((block.line, sentence) for block in blocks(read(name)) for sentence in sentences(block.text))
    long = [f"line {line}: {words(s)} words: {s}" for line, s in said if words(s) > MOST_IN_SENTENCE]
    assert not long


@pytest.mark.parametrize("name", [*FOR_STRANGERS, *TABLES, *DIARY])
def test_every_link_leads_somewhere(name: str) -> None:
    folder = (ROOT / name).parent
    if name in HEADS:
        folder = ROOT / "docs"
    for link in links(read(name)):
        path, _, heading = link.partition("#")
        target = (folder / path).resolve() if path else ROOT / name
        assert target.exists(), link
        if heading:
            assert heading in headings(target.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("name", [*FOR_STRANGERS, *TABLES])
def test_every_file_that_is_named_exists(name: str) -> None:
    for path in filter(is_path, names(read(name))):
        assert path.startswith(MADE) or [*ROOT.glob(path.rstrip("/"))], path


@pytest.mark.parametrize("name", FOR_STRANGERS)
def test_every_name_of_the_package_exists(name: str) -> None:
    for dotted in names(read(name)):
        if re.fullmatch(r"(gpusim|calibration)(\.\w+)+", dotted) and not dotted.endswith((".kernels", ".toml")):
            assert resolves(dotted), dotted


def is_path(name: str) -> bool:
    """Whether it is the path of a file or a folder of the repository, not a module, an option or a placeholder."""
    return re.fullmatch(rf"({'|'.join(FOLDERS)})/[\w./*-]*", name) is not None and "NAME" not in name


def resolves(dotted: str) -> bool:
    """Whether a module, or what a module has, goes by that name."""
    module, _, attribute = dotted.rpartition(".")
    try:
        import_module(dotted)
    except ImportError:
        try:
            return hasattr(import_module(module), attribute)
        except ImportError:
            owner, _, name = module.rpartition(".")
            return hasattr(getattr(import_module(owner), name), attribute)
    return True


# ---------------------------------------------------------------- the taking apart itself


PAGE = """# Head

Two words.
Three more words.

- an item
  of it
- another

| a | b c |

```sh
not this
```
End."""


def test_code_tables_and_lists_are_told_apart() -> None:
    assert [(block.text, block.kind) for block in blocks(PAGE)] == [
        ("Head", "heading"), ("Two words. Three more words.", "paragraph"), ("an item of it", "paragraph"),
        ("another", "paragraph"), ("a", "cell"), ("b c", "cell"), ("End.", "paragraph"),
    ]  # fmt: skip


def test_a_name_in_code_is_a_word_and_ends_no_sentence() -> None:
    assert words("See `gpusim. And more` or [the page](there.md), 8 %.") == 6
    assert sentences("By Huerta et al. It is 1.5. `a. B` Ends.") == ["By Huerta et al It is 1.5.", "Code Ends."]


def test_links_in_code_are_none() -> None:
    assert links("`[a](b.md)` [c](d.md#e) [f](https://g.h)") == ["d.md#e"]
