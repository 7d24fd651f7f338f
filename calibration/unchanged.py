"""Is every metric of every launch the number it was, to the digit?  What a change of the house must leave alone.

The launches are the 54 of hand-written CUDA and the 266 that come with gpusim, on an H200, each by machine code and,
where there is one, by description.  ``python -m calibration.unchanged`` predicts them (80 minutes of one core)
and names the metrics that differ from those of the table; ``--record`` writes the table anew.
"""

from __future__ import annotations

import argparse
import csv
import fnmatch
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from calibration import described, handwritten, shipped
from gpusim.launches import file
from gpusim.launches.profiling import record_all
from gpusim.launches.spec import AnyLaunch, DescribedLaunch

TABLE = Path(__file__).parent / "data" / "h200_predictions.csv"
HANDWRITTEN = Path(__file__).parent / "data" / "handwritten" / "launches.json"
Predictions = dict[tuple[str, str], dict[str, float]]
"""Metrics by way and launch."""


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


def predict(plan: Mapping[str, Sequence[AnyLaunch]], jobs: int) -> Predictions:
    """Every metric of every launch; of one that fails, none, and a word on why."""
    found: Predictions = {}
    for way, specs in plan.items():
        for record in record_all(specs, "h200", jobs=jobs, progress=_tell(way), described=way == "description"):
            if record["error"]:
                print(f"{record['id']}, {way.replace('_', ' ')}: {record['error']}")
            found[way, record["id"]] = record["metrics"]
    return found


def _tell(way: str) -> Any:
    def tell(done: int, total: int, text: str) -> None:
        print(f"\r{way}: {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return tell


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
            (row.pop("way"), row.pop("launch")): {name: float(text) for name, text in row.items() if text}
            for row in csv.DictReader(rows)
        }


def differences(found: Predictions, kept: Predictions) -> Iterator[str]:
    """A line for each metric that is not what it was."""
    for key, metrics in found.items():
        before = kept.get(key, {})
        for name in sorted(metrics.keys() | before.keys()):
            was, now = before.get(name), metrics.get(name)
            if was != now:
                yield f"{key[1]}, {key[0].replace('_', ' ')}: {name} was {was}, is {now}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, or record; the exit status is 1 where a number differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="write the table instead of comparing with it")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="launches whose names match it")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args(arguments)
    chosen = {way: [s for s in specs if fnmatch.fnmatchcase(s.id, given.only)] for way, specs in plan().items()}
    found = predict({way: specs for way, specs in chosen.items() if specs}, given.jobs)
    if given.record:
        write(found)
        return 0
    lines = list(differences(found, read()))
    print(*lines, sep="\n", end="\n" if lines else "")
    numbers = sum(map(len, found.values()))
    print(f"{len(found)} predictions, {numbers} numbers: {len(lines) or 'none'} differ")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
