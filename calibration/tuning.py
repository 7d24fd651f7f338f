"""Searches held against hardware: spaces that others measured whole, and the package's own launches in several tiles.

Run by hand.  ``python -m calibration.tuning draw TABLE STAMPS`` takes the FAIR hub's ``fair_convolution_a100.csv.gz``
and its ``convolution_milo/A100_T4.json.gz`` (the time stamps alone) into ``calibration/data/tuning``, and keeps what was
predicted.  ``python -m calibration.tuning predict FILE`` predicts what was not, quickly, and the best in full; it may be
stopped.  ``python -m calibration.tuning`` writes docs/tuning.md and what the package says of which times count as
different.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import itertools
import json
import math
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration import bench, published
from gpusim.catalogue import lookup
from gpusim.decide.apart import FILE
from gpusim.decide.space import Point, Space
from gpusim.decide.subject import DescribedSubject, SourceSubject, Subject
from gpusim.decide.sweep import predict_points
from gpusim.decide.tune import TOP
from gpusim.errors import GpusimError
from gpusim.measured import measurement
from gpusim.measured import published as measured_by_others
from gpusim.processors import processors
from gpusim.progress import ProgressLine
from gpusim.results.metric import CYCLES

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tuning.md"
FOLDER = Path(__file__).parent / "data" / "tuning"
SPACE, GPU = "convolution", "a100-40gb@765MHz"
KEPT = FOLDER / f"{SPACE}_a100-40gb.csv"
NAMES = published.SPACES[SPACE]
TOLD = ("measured", "unsteady", "quick", "full", "error")
"""Columns beside the parameters: seconds, whether the clock may have been raised, seconds predicted."""
OFTEN = 64
"""Points that are predicted between two writings of the file."""
FOUR_IN_FIVE = 0.8

Row = dict[str, str]


# ---------------------------------------------------------------- a space that others measured


def draw(table: Path, stamps: Path) -> None:
    """Take what was measured, and keep what was predicted."""
    with gzip.open(stamps, "rt") as file:
        raised = published.hurried(json.load(file)["results"])
    before = {_key(row): row for row in rows()} if KEPT.exists() else {}
    with gzip.open(table, "rt") as lines:
        found = [_row(row, raised) for row in csv.DictReader(lines)]
    for row in found:
        row |= {name: before.get(_key(row), {}).get(name, "") for name in ("quick", "full", "error")}
    write(found, KEPT)


def _row(row: Mapping[str, str], raised: set[tuple[str, ...]]) -> Row:
    values = [value for name, value in row.items() if name not in ("median_ms", "min_ms")]
    told = dict(zip(NAMES, values, strict=False))
    return told | {"measured": f"{float(row['median_ms']) * 1e-3:.6g}", "unsteady": str(int(tuple(values) in raised))}


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in NAMES)


def _digest(key: tuple[str, ...]) -> str:
    return hashlib.sha256(",".join(key).encode()).hexdigest()


def rows(file: Path = KEPT) -> list[Row]:
    """Every configuration."""
    with file.open() as lines:
        return list(csv.DictReader(lines))


def write(found: Sequence[Row], file: Path) -> None:
    """Write configurations."""
    partial = file.with_suffix(".part")
    with partial.open("w") as lines:
        writer = csv.DictWriter(lines, [*NAMES, *TOLD], lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    partial.replace(file)


def subject() -> SourceSubject:
    """Our kernel of the space."""
    sizes = ("4096", "BLOCK_X*TILE_X"), ("4096", "BLOCK_Y*TILE_Y")
    common = published.common(SPACE)
    args = [f"{one['buffer']}:{one['init']}:{one['count']}" for one in common["args"]]
    grid = ",".join(f"ceildiv({size},{tile})" for size, tile in sizes)
    told = {"kernel": common["kernel"], "grid": grid, "block": "BLOCK_X,BLOCK_Y", "args": args}
    return SourceSubject(measured_by_others.FOLDER / common["source"], told)


def predict(file: Path) -> None:
    """Predict what was not predicted: all quickly, then the best in full."""
    _predict(file, rows(file), "quick")
    found = rows(file)
    done = [row for row in found if row["quick"]]
    best = [
        ranked(part, "quick")[:TOP] for part in (done, [row for row in done if row["unsteady"] == "0"])
    ]  # fmt: skip
    keys = {_key(row) for part in best for row in part}
    _predict(file, [row for row in found if _key(row) in keys], "full")


def _predict(file: Path, wanted: Sequence[Row], how: str) -> None:
    """Predict configurations, some at a time."""
    missing = sorted((_key(row) for row in wanted if not row[how] and not row["error"]), key=_digest)
    kernel = subject()
    with ProgressLine() as progress:
        for start in range(0, len(missing), OFTEN):
            keys = missing[start : start + OFTEN]
            places = [(kernel, dict(zip(NAMES, key, strict=True)), GPU) for key in keys]
            given = {"sample": "quick" if how == "quick" else None}
            predicted = predict_points(places, given, processors(), progress)
            told = dict(zip(keys, predicted, strict=True))
            found = rows(file)
            for row in found:
                if (one := told.get(_key(row))) is not None:
                    known = {how: f"{one.profile.seconds:.6g}"} if one.profile else {"error": one.error.split("\n")[0]}
                    row |= known
            write(found, file)
            print(f"{how}: {start + len(keys)} of {len(missing)}", flush=True)


def ranked(found: Sequence[Row], how: str) -> list[Row]:
    """Configurations, the fastest predicted first."""
    return sorted(found, key=lambda row: float(row[how]))


# ---------------------------------------------------------------- spaces of our own

OWN_GPU = "h200"
LAUNCHES = FOLDER / "launches.json"
MEASURED = FOLDER / f"{OWN_GPU}.json"
PREDICTED = FOLDER / f"{OWN_GPU}_predicted.json"
DRAWN = 64
"""Points of the convolution that are measured: those with the lowest SHA-256."""


def own() -> dict[str, tuple[Subject, list[Point]]]:
    """Kernels, and the points of each that were measured."""
    tiled = DescribedSubject(lookup.get("matmul-register-tiled"), {"n": 1024})
    sides = [32, 64, 128]
    tiles = Space({"BM": sides, "BN": sides, "BK": [8, 16], "TM": [4, 8], "TN": [4, 8]}, ["BM*BN/(TM*TN) >= 32"])
    drawn = sorted(map(_key, rows()), key=_digest)[:DRAWN]
    return {
        "matmul-register-tiled": (tiled, [point for point in tiles.points() if _is_launch(tiled, point)]),
        SPACE: (subject(), [dict(zip(NAMES, key, strict=True)) for key in drawn]),
    }


def _is_launch(kernel: Subject, point: Point) -> bool:
    try:
        kernel.call(point, OWN_GPU, {})
    except GpusimError:
        return False
    return True


def write_launches() -> None:
    """Write the launch file of our own spaces, for ``gpusim measure``."""
    found = [entry for kernel, points in own().values() for point in points for entry in kernel.entries(point, FOLDER)]
    LAUNCHES.write_text(json.dumps(found, indent=1) + "\n")


def predict_own(file: Path) -> None:
    """Predict our own spaces, quickly and in full, and keep seconds by launch."""
    found: dict[str, dict[str, float]] = json.loads(file.read_text()) if file.exists() else {}
    with ProgressLine() as progress:
        for how in ("quick", "full"):
            for name, (kernel, points) in own().items():
                if how == "full" and name == SPACE:
                    continue  # minutes each
                ids = [kernel.entries(point, FOLDER)[0]["id"] for point in points]
                left = [(key, point) for key, point in zip(ids, points, strict=True) if how not in found.get(key, {})]
                places = [(kernel, point, OWN_GPU) for _, point in left]
                given = {"sample": "quick" if how == "quick" else None}
                for (key, _), row in zip(left, predict_points(places, given, processors(), progress), strict=True):
                    if row.profile is not None:
                        found.setdefault(key, {})[how] = float(f"{row.profile.seconds:.6g}")
                file.write_text(json.dumps(found, indent=1) + "\n")
                print(name, how, len(left), flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["launches"]:
            write_launches()
        case ["own", file]:
            predict_own(Path(file))
        case ["draw", table, stamps]:
            draw(Path(table), Path(stamps))
        case ["predict", file]:
            predict(Path(file))
