"""Markdown, taken apart for the tests of its prose: paragraphs, sentences, links, names in code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`(?!`)")
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
GLOSSARY = re.compile(r"^```\{glossary\}$(.*?)^```$", re.MULTILINE | re.DOTALL)
ITEM = re.compile(r"^\s*(?:[-*]|\d{1,2}\.) ")
ENDS = re.compile(r"(?<=[.!?])[*)\"]*\s+(?=[*(\[\"]*[A-Z0-9`])")
ABBREVIATIONS = re.compile(r"\b(?:et al|vs|approx|S|e\.g|i\.e)\.(?= )")


class Block(NamedTuple):
    """A paragraph, an item of a list, a heading or a cell of a table."""

    line: int
    text: str
    kind: str


def blocks(text: str) -> Iterator[Block]:
    """What a page says, without blocks of code, in its order."""
    fenced, start, lines = False, 0, list[str]()
    text = GLOSSARY.sub(r"\1", text)  # a fence whose inside is prose
    for number, line in enumerate([*text.splitlines(), ""], 1):
        bare = line.strip()
        fence = bare.startswith("```")
        breaks = fence or fenced or not bare or bare.startswith(("|", "#")) or ITEM.match(line) is not None
        if breaks and lines:
            yield Block(start, " ".join(lines), "paragraph")
            lines = []
        if fence:
            fenced = not fenced
        elif fenced or not bare:
            continue
        elif bare.startswith("#"):
            yield Block(number, bare.lstrip("# "), "heading")
        elif bare.startswith("|"):
            for cell in re.split(r"(?<!\\)\|", bare)[1:-1]:
                yield Block(number, cell.strip(), "cell")
        else:
            start = number if not lines else start
            lines.append(ITEM.sub("", line).strip())


def words(text: str) -> int:
    """How many words a reader reads; a name in code is one, and so is a link's text word by word."""
    plain = LINK.sub(lambda link: link[0][1:].partition("](")[0], CODE_SPAN.sub("Code", text))
    return sum(any(c.isalnum() for c in word) for word in plain.split())


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph."""
    plain = ABBREVIATIONS.sub(lambda short: short[0].replace(".", ""), CODE_SPAN.sub("Code", text))
    return ENDS.split(plain)


def links(text: str) -> list[str]:
    """Targets of links to files of the repository, each with its heading."""
    return [to for to in LINK.findall(_without_code(text)) if not to.startswith(("http:", "https:", "mailto:"))]


def names(text: str) -> list[str]:
    """What stands in code in the prose, outside of blocks."""
    return [
        " ".join(name.split()) for name in CODE_SPAN.findall(re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S))
    ]


def headings(text: str) -> set[str]:
    """Headings as links name them."""
    found = (block.text for block in blocks(text) if block.kind == "heading")
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def _without_code(text: str) -> str:
    return CODE_SPAN.sub("", re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S))
