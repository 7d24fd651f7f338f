"""What compute-sanitizer prints, as findings: what it names, at which lines, how often."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

_BAR = "========="
_PLACE = re.compile(r" in (?:\S*/)?([\w.-]+\.cuh?):(\d+)")
"""``at wrong(int *)+0x90 in /some/where/case.cu:12``"""
_ACCESS = re.compile(r"\b(Read|Write|Atomic|Read-write)\w* access\b", re.IGNORECASE)
_HAZARDS = re.compile(r"\[(\d+) hazards?\]")
_LEAK = re.compile(r"^Leaked ([\d,]+) bytes at \S+")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_QUIET = (
    "COMPUTE-SANITIZER",
    "ERROR SUMMARY",
    "RACECHECK SUMMARY",
    "LEAK SUMMARY",
    "Target application",
    "No attachable",
)


class Report(NamedTuple):
    """An error as it was printed: its first line, and those indented below."""

    head: str
    below: Sequence[str]


def findings(text: str, file: str) -> list[dict[str, Any]]:
    """What was printed, the same things counted.

    Parameters
    ----------
    text : str
        All that compute-sanitizer wrote.
    file : str
        The name of the case's source: lines of other files (NVIDIA's headers) are left out.

    Returns
    -------
    list of dict
        ``kind``: the first line without places and addresses.  ``line``: the first of ``file``'s lines that is named,
        or None; ``lines``: all of them.  ``detail``: what is said of the address.  ``count``: how often; of a race
        the hazards.
    """
    counts: Counter[tuple[str, tuple[int, ...], str]] = Counter()
    for report in reports(text):
        for kind, lines, detail, count in _read(report, file):
            counts[kind, lines, detail] += count
    return [
        {"kind": kind, "line": lines[0] if lines else None, "lines": list(lines), "detail": detail, "count": count}
        for (kind, lines, detail), count in counts.items()
    ]


def is_whole(text: str) -> bool:
    """Whether the tool came to its summary; else it was ended, or did not start."""
    return re.search(rf"^{_BAR} (ERROR|RACECHECK) SUMMARY", text, re.MULTILINE) is not None


def reports(text: str) -> Iterator[Report]:
    """Errors, in the order in which they were printed."""
    head: str | None = None
    below: list[str] = []
    for line in text.splitlines():
        if not line.startswith(_BAR):
            continue
        rest = line.removeprefix(_BAR).rstrip()
        if rest.startswith("     "):
            below.append(rest.strip())
            continue
        if head:
            yield Report(head, below)
        head, below = rest.strip(), []
        if not head or head.startswith(_QUIET):
            head = None
    if head:
        yield Report(head, below)


def _read(report: Report, file: str) -> Iterator[tuple[str, tuple[int, ...], str, int]]:
    if "Race reported between" in report.head:
        yield from _races(report, file)
        return
    lines = tuple(dict.fromkeys(line for text in (report.head, *report.below) for line in _lines(text, file)))
    yield _kind(report.head), lines, _detail(report.below), 1


def _races(report: Report, file: str) -> Iterator[tuple[str, tuple[int, ...], str, int]]:
    """One for each access that the first one races with."""
    severity = report.head.split(":", 1)[0]
    for text in report.below:
        found = _HAZARDS.search(text)
        if not text.startswith("and ") or found is None:
            continue
        kind = f"{severity}: race between {_access(report.head)} and {_access(text)}"
        yield kind, (*_lines(report.head, file), *_lines(text, file)), "", int(found[1])


def _access(text: str) -> str:
    found = _ACCESS.search(text)
    return found[1].lower() if found else "?"


def _lines(text: str, file: str) -> list[int]:
    return [int(line) for name, line in _PLACE.findall(text) if name == file]


def _kind(head: str) -> str:
    leak = _LEAK.match(head)
    if leak:
        return f"Leaked {leak[1]} bytes"
    return _ADDRESS.sub("0x..", re.split(r" at \S+\+0x| on CUDA API call| on access at", head)[0]).rstrip(" .")


def _detail(below: Sequence[str]) -> str:
    """What is said of the address: that it is misaligned, or out of bounds."""
    said = [text for text in below if text.startswith(("Address ", "Access ", "and is ", "Barrier", "Mask"))]
    return re.sub(r"[\d,]+ bytes", "N bytes", _ADDRESS.sub("0x..", "; ".join(said)))
