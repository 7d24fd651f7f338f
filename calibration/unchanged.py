"""Is every metric of every launch the number it was, to the digit?  What a change of the house must leave alone.

The launches are the 54 of hand-written CUDA and the 266 that come with gpusim, on an H200, each by machine code and,
where there is one, by description.  ``python -m calibration.unchanged`` predicts them (80 minutes of one core)
and names the metrics that differ from those of the table; ``--record`` writes them into it.
"""

from __future__ import annotations

import argparse
import csv
import fnmatch
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import joblib

from calibration import described, handwritten, shipped
from gpusim.launches import file
from gpusim.launches.profiling import record
from gpusim.launches.spec import AnyLaunch, DescribedLaunch
from gpusim.simulate import load_engine

TABLE = Path(__file__).parent / "data" / "h200_predictions.csv"
HANDWRITTEN = Path(__file__).parent / "data" / "handwritten" / "launches.json"
Key = tuple[str, str]
Predictions = dict[Key, dict[str, float]]
"""Metrics by way and launch."""
INSTRUCTIONS = "smsp__inst_executed.sum"


def plan() -> dict[str, list[AnyLaunch]]:
    """The launches, by the way that leads to their numbers."""
    measured = handwritten.counters()
    written = [spec for spec in file.read(HANDWRITTEN) if spec.id in measured]
    by_description = [
        DescribedLaunch(name, case.kernel, {**case.params, "sample": False})
        for name, case in described.MEASURED.items()
        if name in measured
    ]
    emitted = file.read(shipped.PLAN)
    return {"machine_code": [*written, *emitted], "description": [*by_description, *emitted]}


def predict(chosen: Sequence[tuple[str, AnyLaunch]], jobs: int) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Records of launches, each by its way, as they come."""
    load_engine()  # once, where otherwise each process would compile what it needs
    tasks = (joblib.delayed(_predicted)(way, spec) for way, spec in chosen)
    yield from joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")(tasks)


def _predicted(way: str, spec: AnyLaunch) -> tuple[Key, dict[str, Any]]:
    os.environ["GPUSIM_QUIET"] = "1"  # the process that waits shows how far all are
    return (way, spec.id), record(spec, "h200", jobs=1, described=way == "description")


def write(found: Predictions) -> None:
    """Keep predictions as the table."""
    names = sorted({name for metrics in found.values() for name in metrics})
    with TABLE.open("w", newline="") as out:
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow(["way", "launch", *names])
        lines.writerows([*key, *(found[key].get(name, "") for name in names)] for key in found)


def read() -> Predictions:
    """The predictions of the table."""
    with TABLE.open(newline="") as rows:
        return {
            (row.pop("way"), row.pop("launch")): {name: json.loads(text) for name, text in row.items() if text}
            for row in csv.DictReader(rows)
        }


def of(way: str) -> dict[str, dict[str, float]]:
    """Those of one way, by launch."""
    return {launch: metrics for (by, launch), metrics in read().items() if by == way}


def differences(key: Key, metrics: Mapping[str, float], kept: Mapping[str, float]) -> Iterator[str]:
    """A line for each metric that is not what it was."""
    for name in sorted(metrics.keys() | kept.keys()):
        was, now = kept.get(name), metrics.get(name)
        if was != now:
            yield f"{key[1]}, {key[0].replace('_', ' ')}: {name} was {was}, is {now}"


def longest_first(pattern: str, kept: Predictions) -> list[tuple[str, AnyLaunch]]:
    """Launches whose names match a pattern; those of many instructions come first, so that none is waited for."""
    chosen = [(way, s) for way, specs in plan().items() for s in specs if fnmatch.fnmatchcase(s.id, pattern)]
    return sorted(chosen, key=lambda one: -kept.get((one[0], one[1].id), {}).get(INSTRUCTIONS, 0))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, or record; the exit status is 1 where a number differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="write into the table instead of comparing with it")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="launches whose names match it")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args(arguments)
    kept = read()
    chosen = longest_first(given.only, kept)
    found: Predictions = {}
    off = 0
    for key, one in predict(chosen, given.jobs):
        found[key] = one["metrics"]
        same = {} if given.record else kept.get(key, {})
        lines = [f"{key[1]}: {one['error']}"] if one["error"] else [*differences(key, found[key], same)]
        off += len(lines)
        if one["error"] or not given.record:
            print(*lines, sep="\n", end="\n" if lines else "", flush=True)
        _tell(len(found), len(chosen))
    if given.record:
        found = kept | found
        write({(way, spec.id): found[way, spec.id] for way, specs in plan().items() for spec in specs})
        return 0
    print(f"{len(found)} predictions, {sum(map(len, found.values()))} numbers: {off or 'none'} differ")
    return int(off > 0)


def _tell(done: int, total: int) -> None:
    print(f"\r{done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
