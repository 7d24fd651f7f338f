"""Does the record of what is too long for every change say what passed, when, and on which commit of this history?"""

from __future__ import annotations

import datetime
import json
import re
import subprocess
from pathlib import Path

import pytest

from calibration import validate

RECORD = validate.record()
ENTRY = {"commit": "0123456789abcdef" * 2 + "01234567", "date": "2026-11-28", "result": "3 passed in 1.00s"}


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=validate.ROOT, capture_output=True, text=True, check=False)


def test_only_steps_that_there_are_have_passed() -> None:
    assert set(RECORD) <= set(validate.STEPS)


@pytest.mark.parametrize("step", RECORD)
def test_an_entry_names_a_commit_a_day_and_a_result(step: str) -> None:
    entry = RECORD[step]
    assert set(entry) == set(ENTRY)
    assert re.fullmatch("[0-9a-f]{40}", entry["commit"])
    assert datetime.date.fromisoformat(entry["date"]) <= datetime.date.today() + datetime.timedelta(days=1)
    assert entry["result"]


@pytest.mark.parametrize("step", RECORD)
def test_what_passed_is_an_ancestor_where_history_reaches_that_far(step: str) -> None:
    commit = RECORD[step]["commit"]
    if git("cat-file", "-e", f"{commit}^{{commit}}").returncode:
        pytest.skip("not in this clone")
    assert git("merge-base", "--is-ancestor", commit, "HEAD").returncode == 0


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Two steps that take no time, one of which fails, and a record of their own."""
    (tmp_path / "passing.py").write_text("print('3 passed in 1.00s')\n")
    (tmp_path / "failing.py").write_text("raise SystemExit('1 failed')\n")
    (tmp_path / "validated.json").write_text("{}\n")
    monkeypatch.setattr(validate, "RECORD", tmp_path / "validated.json")
    monkeypatch.setattr(validate, "ROOT", tmp_path)
    monkeypatch.setattr(validate, "STEPS", {"good": ("passing",), "bad": ("failing",)})
    monkeypatch.setattr(validate, "commit", lambda: ENTRY["commit"])
    return tmp_path / "validated.json"


def test_a_step_that_passes_is_recorded_and_told_and_one_that_fails_is_not(
    steps: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert validate.main([]) == 1
    entry = {**ENTRY, "date": datetime.date.today().isoformat()}
    assert json.loads(steps.read_text()) == {"good": entry}
    assert validate.main(["good"]) == 0
    said = f"good: last passed on 0123456789ab, {entry['date']}: 3 passed in 1.00s"
    assert capsys.readouterr().out.splitlines()[-2:] == ["== all passed", said]


def test_nothing_is_recorded_of_files_that_differ_from_their_commit(
    steps: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validate, "commit", lambda: None)
    assert validate.main(["good"]) == 0
    assert json.loads(steps.read_text()) == {}


def test_a_step_that_there_is_not_is_refused(steps: Path) -> None:
    with pytest.raises(SystemExit) as refused:
        validate.main(["better"])
    assert refused.value.code == 2
