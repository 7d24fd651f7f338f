"""Do findings fit a terminal, follow the published schema, and read as SARIF?"""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest

import gpusim
from gpusim import report
from gpusim.checks import KINDS, CheckResult
from gpusim.checks.sarif import log
from gpusim.checks.table import several
from gpusim.results.documents import document
from gpusim.results.faults import Access, Fault, Observed
from tests.ask.documents import faults as schema_faults
from tests.check.observed import ARGUMENTS, READ, WRITE, beyond, race, unwritten

EVERYTHING = lambda launch: [  # noqa: E731
    race(launch), race(launch, Fault.WAR), beyond(launch), unwritten(launch),
    Observed(Fault.DIVERGENT_BARRIER, Access(3, 0, 4)),
]  # fmt: skip


@pytest.fixture
def result(observing, source, monkeypatch):
    """A launch with several findings, of a source in the current folder."""
    monkeypatch.chdir(source.parent)
    observing(EVERYTHING, blocks_run=1, unseen=("local memory",))
    return gpusim.check("reverse.cu", 2, 64, ARGUMENTS)


@pytest.mark.parametrize("width", [40, 80, 100])
def test_a_table_fits(result, width):
    text = report.text(result.table(), width)
    assert max(map(len, text.splitlines())) <= width
    for finding in result.findings:
        assert finding.title.split()[0] in text


def test_a_table_says_what_was_not_looked_at(result):
    text = repr(result)
    assert "1 of 2 blocks run" in text
    assert "Not run: 1 block " in text
    assert "Not looked at: local memory." in text
    assert "nothing found" not in text


def test_a_clean_launch_takes_two_lines(observing, compiler, source):
    observing()
    found = gpusim.check(source, 2, 64, ARGUMENTS)
    assert found.clean
    assert repr(found).splitlines() == [
        "reverse  2 x 64  on h200: nothing found",
        "memcheck, racecheck, initcheck, synccheck; 2 of 2 blocks run",
    ]


def test_a_run_without_an_end_is_not_clean(observing, source):
    observing(ended="reverse.cu:3: it never ends")
    found = gpusim.check(source, 2, 64, ARGUMENTS)
    assert not found.clean
    assert "It came to no end: reverse.cu:3: it never ends." in repr(found)


def test_many_findings_are_cut_with_a_word_on_where_the_rest_is(result):
    many = replace(result, findings=tuple(itertools.repeat(result.findings[0], 50)))
    assert "10 more findings: --json and --sarif have all." in repr(many)


def test_several_launches_are_shown_apart(result):
    clean = CheckResult("saxpy", "h200", (4, 1, 1), (256, 1, 1), (), ("memcheck",), 4, 4)
    lines = report.text(list(several([clean, clean, result, clean]))).splitlines()
    heads = [number for number, line in enumerate(lines) if "on h200" in line]
    assert heads[:2] == [0, 2]
    assert all(not lines[number - 1] for number in heads[2:])


def test_json_follows_the_schema(result):
    written = json.loads(json.dumps({"checks": [result.to_dict()], "failed": []}, allow_nan=False))
    assert schema_faults(document(written), "check") == []
    first = written["checks"][0]["findings"][0]
    assert (first["kind"], first["place"]["line"], first["array"]) == ("out-of-bounds", WRITE, "a")


def test_sarif_names_rules_lines_and_the_other_line(result):
    written = json.loads(json.dumps(result.to_sarif(), allow_nan=False))
    assert written["version"] == "2.1.0"
    (run,) = written["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [str(kind) for kind in KINDS]
    assert all(rule["help"]["text"] and rule["defaultConfiguration"]["level"] for rule in rules)
    assert len(run["results"]) == len(result.findings)
    for one, finding in zip(run["results"], result.findings, strict=True):
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"] == finding.kind
        place = one["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "reverse.cu"
        assert place["region"]["startLine"] == finding.spot.line
    (raw,) = (one for one in run["results"] if one["ruleId"] == "race-raw")
    assert raw["locations"][0]["physicalLocation"]["region"]["startLine"] == READ
    assert raw["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == WRITE
    assert [one["message"]["text"] for one in run["invocations"][0]["toolExecutionNotifications"]] == [
        "reverse: not looked at: local memory",
        "reverse: 1 of 2 blocks were run",
    ]


def test_a_fingerprint_outlives_lines_that_move_and_no_other_line_has_it(result):
    one = result.findings[0]
    spots = one.spot, replace(one.spot, line=one.spot.line + 10), replace(one.spot, text="x = 2;")
    logs = [log([replace(result, findings=(replace(one, spot=spot),))]) for spot in spots]
    first, moved, other = (each["runs"][0]["results"][0]["partialFingerprints"] for each in logs)
    assert first == moved != other
