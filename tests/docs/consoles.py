"""Blocks of a console in the pages: commands, and what they print, which is held to be what they print now.

``python -m tests.docs.consoles docs/reading-a-result.md`` writes anew what a page's commands print.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.docs.fences import FENCE, ROOT

PROMPT = "$ "


class Typed(NamedTuple):
    """A command, and the lines below it."""

    command: str
    output: str


def sessions(text: str) -> Iterator[Typed]:
    """Each command of a block, in order; what stands before the first prompt belongs to none."""
    command, lines = "", list[str]()
    for line in [*text.splitlines(), PROMPT]:
        if not line.startswith(PROMPT):
            lines.append(line)
            continue
        if command:
            yield Typed(command, "\n".join(lines).rstrip())
        command, lines = line.removeprefix(PROMPT), []


def printed(command: str) -> str:
    """What a command of gpusim prints, typed in the folder one is in; 1 is the status of one that found something."""
    from gpusim.cli import main

    program, *words = shlex.split(command)
    assert program == "gpusim", command
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        assert main(words) in (0, 1), command
    return "\n".join(line.rstrip() for line in shown.getvalue().splitlines()).rstrip()


def renew(page: Path) -> None:
    """Write what the commands of a page print below them."""
    text = page.read_text(encoding="utf-8")
    for match in reversed([*FENCE.finditer(text)]):
        if match["language"] == "console" and not match["excuse"]:
            blocks = (f"{PROMPT}{typed.command}\n{printed(typed.command)}\n" for typed in sessions(match["text"]))
            start, end = match.span("text")
            text = text[:start] + "".join(blocks) + text[end:]
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ["GPUSIM_FORGET"] = "1"
    for name in sys.argv[1:]:
        renew(ROOT / name)
