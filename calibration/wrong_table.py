"""The suite of wrong kernels: what gpusim finds of it, and what compute-sanitizer finds, kind by kind.

``python -m calibration.wrong`` writes the table of ``docs/check.md``, from what ``calibration/data/wrong`` keeps:
``gpusim.json`` by ``python -m calibration.wrong check``, ``sanitizer-h200.json`` from a run of ``python -m
calibration.wrong sanitizer`` on an H200.  A case is found by who names one of its marked lines: gpusim under the tool
that the case belongs to, compute-sanitizer under any of its four.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from calibration import page_parts, wrong, wrong_checked
from calibration.wrong import Case
from gpusim.checks import KINDS
from gpusim.results.faults import Tool

SANITIZER = "compute-sanitizer 2025.3.1"
THERE = wrong.FOLDER / "sanitizer-h200.json"
PAGE = Path(__file__).parents[1] / "docs" / "check.md"
BEGIN, END = "<!-- wrong kernels -->\n", "<!-- end of wrong kernels -->\n"
MISSED = {
    "memcheck/into-the-next-shared-array": "the access stays in the block's shared memory",
    "racecheck/same-value": "benign: writes of the same value are not told",
    "synccheck/barrier-after-return": "lanes of a warp that have returned: allowed since Volta",
    "synccheck/bulk-store-at-exit": "what a bulk store still reads when its block ends is not looked at",
    "synccheck/shuffle-in-a-short-block": "lanes that there are not need not come, and no lane reads from one",
    "synccheck/syncwarp-in-a-branch": "the compiler has the other lanes end first: they need not come",
}
"""Why gpusim does not find them by line."""
ALSO = {"unawaited-copy": Tool.RACECHECK}
"""Kinds that may be told under another tool: an access beside a copy that runs is a race, too."""
Row = dict[str, Any]


@cache
def _kept(path: Path) -> dict[str, dict[str, list[Row]]]:
    found: dict[str, dict[str, list[Row]]] = json.loads(path.read_text())
    return found


def here(case: Case, form: str = "wrong") -> list[Row]:
    """What gpusim says of a case, as it is kept."""
    return _kept(wrong_checked.KEPT)[case.id][form]


def there(case: Case, form: str = "wrong") -> list[Row]:
    """What compute-sanitizer says of it, all four tools together."""
    return _kept(THERE)[case.id][form]


def names(case: Case, rows: Sequence[Row]) -> bool:
    """Whether one of a case's marked lines is among those that are named."""
    marked = {mark.line for mark in case.marks}
    return any(marked & set(row["lines"]) for row in rows)


def of_its_tool(case: Case, rows: Sequence[Row]) -> list[Row]:
    """Findings of gpusim under the tool that a case belongs to, or one that its kind may be told under."""
    tools = {case.tool, *(ALSO[kind] for kind in case.kinds if kind in ALSO)}
    return [row for row in rows if row["kind"] in KINDS and KINDS[row["kind"]].tool in tools]


def is_found(case: Case) -> bool:
    """Whether gpusim names a marked line of it, for what it is."""
    return names(case, of_its_tool(case, here(case)))


def is_found_there(case: Case) -> bool:
    """Whether compute-sanitizer names a marked line of it."""
    return names(case, there(case))


def is_endless_there(case: Case) -> bool:
    """Whether it comes to no end under one of compute-sanitizer's tools, which then says nothing."""
    return any(row["kind"].startswith("no summary") for row in there(case))


def is_told(case: Case) -> bool:
    """Whether gpusim tells it for what it is, be it without a line."""
    return bool(of_its_tool(case, here(case)))


def missed() -> list[Case]:
    """Cases of which gpusim names no marked line."""
    return [case for case in wrong.cases() if not is_found(case)]


def alarms(said: Callable[[Case, str], list[Row]]) -> list[Case]:
    """Cases of whose twin, which is right, something is said."""
    return [case for case in wrong.cases() if said(case, "right")]


def by_kind() -> Iterator[str]:
    """The table: a row for each kind, and one for all."""
    yield "| kind | cases | both | gpusim alone | compute-sanitizer alone | neither |"
    yield "|---|--:|--:|--:|--:|--:|"
    every = wrong.cases()
    for kind in wrong.KINDS:
        yield _row(f"`{kind}`", [case for case in every if kind in case.kinds])
    yield _row("**all cases**", every)


def _row(name: str, cases: Sequence[Case]) -> str:
    found = [(is_found(case), is_found_there(case)) for case in cases]
    counts = (found.count(one) for one in ((True, True), (True, False), (False, True), (False, False)))
    return f"| {name} | {len(cases)} | " + " | ".join(map(str, counts)) + " |"


def summary() -> Iterator[str]:
    """How many each finds, and what each says of what is right."""
    every = wrong.cases()
    endless = [case for case in every if is_endless_there(case) and not is_found_there(case)]
    kernels = [case for case in every if not case.is_program]
    told = [case for case in every if is_told(case) and not is_found(case)]
    found, of_kernels = (sum(map(is_found, of)) for of in (every, kernels))
    programs = len(every) - len(kernels)
    yield f"- **gpusim** names a marked line of {found} of {len(every)} cases:"
    yield f"  of {of_kernels} of {len(kernels)} kernels, and of {found - of_kernels} of {programs} programs."
    yield f"  Told without a line: {_listed(told)}."
    yield f"  Alarms on twins: {_listed(alarms(here))}."
    yield f"- **{SANITIZER}**, all four tools on an H200, names one of {sum(map(is_found_there, every))}."
    yield f"  Alarms on twins: {_listed(alarms(there))}."
    yield f"- **No end there**, and no line: {_listed(endless)}."


def _listed(cases: Sequence[Case]) -> str:
    return ", ".join(f"`{case.id}`" for case in cases) or "none"


def reasons() -> Iterator[str]:
    """What gpusim misses, and why."""
    yield "| no line by gpusim | why |"
    yield "|---|---|"
    for case in missed():
        yield f"| `{case.id}` | {MISSED.get(case.id, 'not known')} |"


def text() -> str:
    """What stands between the markers of the page."""
    return "\n".join([*summary(), "", *by_kind(), "", *reasons(), ""])


def write() -> None:
    """Put it there."""
    page_parts.write_part(PAGE, BEGIN, END, text())
