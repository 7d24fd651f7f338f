"""The launches of hand-written CUDA measured on an H200, and the described kernels that do the same."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import gpusim
from calibration.described import MEASURED
from gpusim.measured.measurement import MeasuredLaunch

TABLE = Path(__file__).parent / "data" / "h200_counters.csv"


def counters() -> dict[str, dict[str, float]]:
    """Measured counters by launch."""
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return {row["id"]: {k: float(v) for k, v in row.items() if k != "id"} for row in csv.DictReader(lines)}


def as_measured(table: dict[str, dict[str, float]]) -> dict[str, MeasuredLaunch]:
    """Launches of a table of counters, each measured once."""
    return {
        launch: MeasuredLaunch(launch, {}, metrics={metric: [value] for metric, value in of.items()})
        for launch, of in table.items()
    }


def values(profile: gpusim.Profile) -> dict[str, float]:
    """What was predicted, by metric."""
    return {name: float(metric.value) for name, metric in profile.metrics.items()}


def predict(launch: str, gpu: str = "h200") -> gpusim.Profile:
    """The prediction of a measured launch, every block run."""
    case = MEASURED[launch]
    params: dict[str, Any] = dict(case.params)
    return gpusim.predict(case.kernel, gpu=gpu, sample=False, **params)
