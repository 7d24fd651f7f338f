"""Run what is too long for every change, and keep on which commit it last passed.

``python -m calibration.validate`` runs every step, or those named; each that passes gets a new entry in the record,
which is committed.  Nothing is recorded of files that differ from their commit.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).parent / "data" / "validated.json"
STEPS: dict[str, tuple[str, ...]] = {
    "long": ("pytest", "-n", "auto", "-q", "-m", "long"),
    "unchanged": ("calibration.unchanged",),
}
"""Modules that are run, and their arguments."""
Passed = dict[str, str]
"""The ``commit`` on which a step last passed, the ``date``, and the last line that it printed, its ``result``."""


def record() -> dict[str, Passed]:
    """When each step last passed."""
    found: dict[str, Passed] = json.loads(RECORD.read_text())
    return found


def told(step: str, passed: Mapping[str, Passed]) -> str:
    """A line on when a step last passed."""
    if step not in passed:
        return f"{step}: no pass is recorded"
    return "{step}: last passed on {commit:.12}, {date}: {result}".format(step=step, **passed[step])


def run(arguments: Sequence[str]) -> tuple[bool, str]:
    """Run a module; whether it passed, and the last line that it printed."""
    last = ""
    with subprocess.Popen([sys.executable, "-m", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip(" =\n") or last
    return process.returncode == 0, last


def commit() -> str | None:
    """The commit whose files lie here; none where they differ from it, or where git knows of none."""
    if _git("status", "--porcelain", "--", ".", f":!{RECORD.relative_to(ROOT).as_posix()}") != "":
        return None
    return _git("rev-parse", "HEAD")


def _git(*arguments: str) -> str | None:
    try:
        found = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run steps and record those that pass; the exit status is 1 where one fails."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"{', '.join(STEPS)}; all, if none is named")
    steps = parser.parse_args(arguments).steps or [*STEPS]
    if unknown := [step for step in steps if step not in STEPS]:
        parser.error(f"no such step: {', '.join(unknown)}")
    passed, before, failed = record(), commit(), []
    print(*(told(step, passed) for step in steps), sep="\n", flush=True)
    for step in steps:
        print(f"== {step}: python -m {' '.join(STEPS[step])}", flush=True)
        good, result = run(STEPS[step])
        if not good:
            failed.append(step)
        elif before is not None and commit() == before:
            passed[step] = {"commit": before, "date": datetime.date.today().isoformat(), "result": result}
            RECORD.write_text(json.dumps(passed, indent=2) + "\n")
        else:
            print(f"{step} passed; not recorded, for files here differ from their commit")
    print(f"== failed: {', '.join(failed)}" if failed else "== all passed")
    print(*(told(step, passed) for step in steps), sep="\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
