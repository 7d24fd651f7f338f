"""The suite of wrong kernels under ``gpusim check``: what it says of each wrong one and of each twin, kept in a file.

``python -m calibration.wrong check`` runs all, kernels by :func:`gpusim.check`, programs by ``gpusim run --check``.
"""

from __future__ import annotations

import fnmatch
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from calibration import wrong
from calibration.wrong import Case
from gpusim.errors import GpusimError
from gpusim.progress import ProgressLine

KEPT = wrong.FOLDER / "gpusim.json"
GPU = "h200"
FORMS = ("wrong", "right")
SECONDS = 300
"""After these a program is taken not to end."""


def kernel(case: Case, form: str) -> list[dict[str, Any]]:
    """What a check of one kernel of a case says: of each finding its kind, lines of the case's file, how often."""
    import gpusim

    told = case.told
    try:
        found = gpusim.check(
            case.wrong, told.grid, told.block, told.arg,
            gpu=GPU, name=form, dynamic_shared=int(told.dynamic_shared),
        )  # fmt: skip
    except GpusimError as error:
        return [_note("not run", str(error))]
    return _in_short(found.to_dict(), case.wrong.name)


def program(case: Case, form: str) -> list[dict[str, Any]]:
    """The same of a whole program."""
    path = case.wrong if form == "wrong" else case.right
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        words = [sys.executable, "-m", "gpusim", "run", "--check", "--gpu", GPU, "--json", str(out), str(path)]
        try:
            ran = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return [_note("not run", f"ended after {SECONDS} s")]
        if not out.exists():
            return [_note("not run", ran.stderr.strip().rpartition("\n")[2])]
        return [row for one in json.loads(out.read_text())["checks"] for row in _in_short(one, path.name)]


def _in_short(check: dict[str, Any], file: str) -> list[dict[str, Any]]:
    rows = [_row(one, file) for one in check["findings"] if one["level"] != "note"]
    return [*rows, _note("ended", check["ended"].replace(f"{wrong.FOLDER}/", ""))] if check["ended"] else rows


def _row(finding: dict[str, Any], file: str) -> dict[str, Any]:
    spots = (finding["place"], finding["other"])
    lines = [spot["line"] for spot in spots if spot and Path(spot["file"]).name == file]
    return {"kind": finding["kind"], "lines": lines, "times": finding["times"]}


def _note(kind: str, text: str) -> dict[str, Any]:
    return {"kind": kind, "lines": [], "text": text}


def of(case: Case) -> tuple[str, dict[str, list[dict[str, Any]]]]:
    """What is said of both forms of a case, by its id."""
    ask = program if case.is_program else kernel
    return case.id, {form: ask(case, form) for form in FORMS}


def run(only: str, jobs: int) -> None:
    """Check the suite, or what of it a pattern of ids fits; keep what is said."""
    chosen = [case for case in wrong.cases() if fnmatch.fnmatch(case.id, only)]
    found = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    with ProcessPoolExecutor(jobs) as pool, ProgressLine() as progress:
        for done, (name, said) in enumerate(pool.map(of, chosen), 1):
            found[name] = said
            progress(done, len(chosen), "checked")
    KEPT.write_text("\n".join(_lines(found)) + "\n")


def _lines(found: dict[str, Any]) -> Iterator[str]:
    """JSON with a line for each case."""
    rows = [f"{json.dumps(name)}: {json.dumps(said)}" for name, said in sorted(found.items())]
    yield "{"
    yield ",\n".join(rows)
    yield "}"
