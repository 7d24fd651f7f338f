"""Predictions of the launches measured on an H200, beside their counters."""

from __future__ import annotations

import csv
import statistics
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import gpusim

sys.path.insert(0, str(Path(__file__).parents[1] / "kernels"))
from measured import MEASURED

TABLE = Path(__file__).parent / "data" / "h200_counters.csv"
FLOOR = {"dram__bytes_write.sum": 4e6, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum": 2e4}
"""Below these a counter is judged by its absolute difference."""


class Error(NamedTuple):
    """One metric of one launch."""

    launch: str
    predicted: float
    measured: float
    relative: float


def counters() -> dict[str, dict[str, float]]:
    """Measured counters by launch."""
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return {row["id"]: {k: float(v) for k, v in row.items() if k != "id"} for row in csv.DictReader(lines)}


def predict(launch: str) -> gpusim.Profile:
    """The prediction of a measured launch, every block run."""
    case = MEASURED[launch]
    return gpusim.predict(case.kernel, gpu="h200", sample=False, **case.params)


def relative(metric: str, predicted: float, measured: float) -> float:
    """Relative error, against a floor where there is one; 1 where something was predicted and nothing measured."""
    if not measured and metric not in FLOOR:
        return float(predicted != 0)
    return abs(predicted - measured) / max(abs(measured), FLOOR.get(metric, 0.0))


def errors(profiles: dict[str, gpusim.Profile], measured: dict[str, dict[str, float]]) -> dict[str, list[Error]]:
    """For each metric that was measured, its error in every launch, worst first."""
    table: dict[str, list[Error]] = {}
    for launch, profile in profiles.items():
        for metric, want in measured[launch].items():
            if metric in profile.metrics:
                got = float(profile.metrics[metric].value)
                table.setdefault(metric, []).append(Error(launch, got, want, relative(metric, got, want)))
    return {metric: sorted(rows, key=lambda e: -e.relative) for metric, rows in table.items()}


def summary(rows: Iterable[Error]) -> dict[str, float | int]:
    """Median, nine in ten, worst, and how many are identical."""
    found = sorted(e.relative for e in rows)
    return {
        "n": len(found),
        "identical": sum(e == 0 for e in found),
        "median": round(statistics.median(found), 6),
        "p90": round(found[min(len(found) - 1, int(0.9 * len(found)))], 6),
        "max": round(found[-1], 6),
    }
