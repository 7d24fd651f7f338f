"""Findings as SARIF 2.1.0, which editors and code hosts show beside the lines.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", 2020: 3.19 (tool component), 3.27
(result), 3.28 (location), 3.49 (reporting descriptor).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from gpusim.checks.kinds import KINDS
from gpusim.results.documents import document

if TYPE_CHECKING:
    from gpusim.checks.finding import Finding, Spot
    from gpusim.checks.outcome import Outcome

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
VERSION = "2.1.0"
FINGERPRINT = "gpusim/v1"
"""What identifies a finding when lines before it have moved."""


def log(results: Sequence[Outcome], failed: Sequence[str] = ()) -> dict[str, Any]:
    """Give findings of launches as one log.

    Parameters
    ----------
    results : sequence of Outcome
    failed : sequence of str
        Of launches that could not be run, which and why.

    Returns
    -------
    dict
        Ready for JSON.
    """
    driver = {"name": "gpusim", "version": document({})["gpusim"], "rules": [_rule(kind) for kind in KINDS]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "invocations": [_invocation(results, failed)],
        "results": list(_results(results)),
    }
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def _rule(kind: str) -> dict[str, Any]:
    known = KINDS[kind]
    return {
        "id": str(kind),
        "name": "".join(word.capitalize() for word in kind.split("-")),
        "shortDescription": {"text": f"{known.title[0].upper()}{known.title[1:]}."},
        "fullDescription": {"text": known.about},
        "help": {"text": f"{known.about} {known.edit}"},
        "defaultConfiguration": {"level": known.level.value},
        "properties": {"tags": ["cuda", str(known.tool)]},
    }


def _invocation(results: Sequence[Outcome], failed: Sequence[str]) -> dict[str, Any]:
    """Whether all runs came to their end, and what was not looked at."""
    told = [f"{one.kernel}: not looked at: {text}" for one in results for text in one.unseen]
    told += [f"{one.kernel}: the run came to no end: {one.ended}" for one in results if one.ended]
    told += [
        f"{one.kernel}: {one.blocks_run} of {one.blocks} blocks were run"
        for one in results
        if one.blocks_run < one.blocks
    ]
    levels = [("note", text) for text in told] + [("error", text) for text in failed]
    return {
        "executionSuccessful": not failed and not any(one.ended for one in results),
        "toolExecutionNotifications": [{"level": level, "message": {"text": text}} for level, text in levels],
    }


def _results(results: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    numbers = {kind: number for number, kind in enumerate(KINDS)}
    for result in results:
        for finding in result.findings:
            yield _result(finding, numbers[finding.kind])


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ruleId": str(finding.kind),
        "ruleIndex": rule,
        "level": finding.level.value,
        "message": {"text": f"{finding.kernel}: {finding.what}. {finding.edit}"},
        "locations": [_location(finding.spot)] if finding.spot is not None and finding.spot.file else [],
        "partialFingerprints": {FINGERPRINT: _fingerprint(finding)},
        "occurrenceCount": max(finding.times, 1),
        "properties": {"kernel": finding.kernel, "tool": finding.tool, "array": finding.array},
    }
    if finding.other is not None and finding.other.file:
        found["relatedLocations"] = [{**_location(finding.other), "id": 1, "message": {"text": _earlier(finding)}}]
    return found


def _earlier(finding: Finding) -> str:
    """What the other line has to do with it."""
    return "The earlier access." if finding.tool == "racecheck" else "Where the copy was started."


def _location(spot: Spot) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(spot.file)}}
    if spot.line:
        place["region"] = {"startLine": spot.line, **({"snippet": {"text": spot.text}} if spot.text else {})}
    return {"physicalLocation": place}


def _uri(file: str) -> str:
    """A file relative to the folder of the run, as code hosts look for it; elsewhere in full."""
    path = Path(file).resolve()
    if path.is_relative_to(Path.cwd()):
        return quote(path.relative_to(Path.cwd()).as_posix())
    return path.as_uri()


def _fingerprint(finding: Finding) -> str:
    """The same wherever the lines stand in their files, as long as they say the same."""
    spots = [one for one in (finding.spot, finding.other) if one is not None]
    parts = [finding.kind, finding.kernel, finding.space, finding.array]
    parts += [f"{Path(one.file).name}: {one.text or one.index}" for one in spots]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
