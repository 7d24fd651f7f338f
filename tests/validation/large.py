"""Launches too large to run whole: what sampling makes of them, beside an H200's counters."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable
from pathlib import Path

import gpusim
from tests.validation.counters import Error, relative

TABLE = Path(__file__).parent / "data" / "h200_large.csv"
CHECKED = {
    ("matmul-tiled", "n=4096 T=32"),
    ("matmul-tiled", "n=4096 T=16"),
    ("matmul-register-tiled", "n=4096 BM=128 BN=128 BK=8 TM=8 TN=8"),
    ("matmul-register-tiled-vec4", "n=4096 BM=128 BN=128 BK=8 TM=8 TN=8"),
    ("matmul-coarsened", "n=4096 T=32 Cf=4"),
}
"""Those that are sampled and run in under a minute each."""


def launches() -> list[dict[str, str]]:
    """Rows of the table that are checked."""
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return [row for row in csv.DictReader(lines) if (row["kernel"], row["params"]) in CHECKED]


def predict(row: dict[str, str]) -> list[tuple[str, Error]]:
    """For each metric measured, the error of one launch."""
    name = f"{row['kernel']} {row['params']}"
    params = {key: int(value) for key, value in (p.split("=") for p in row["params"].split())}
    profile = gpusim.predict(row["kernel"], gpu="h200", sample=True, **params)
    metrics = [metric for metric in row if metric in profile.metrics]
    pairs = [(metric, float(profile.metrics[metric].value), float(row[metric])) for metric in metrics]
    return [(metric, Error(name, got, want, relative(metric, got, want))) for metric, got, want in pairs]


def errors(predicted: Iterable[list[tuple[str, Error]]]) -> dict[str, list[Error]]:
    """For each metric, the error of every launch, the worst first."""
    found: dict[str, list[Error]] = {}
    for metric, error in itertools.chain.from_iterable(predicted):
        found.setdefault(metric, []).append(error)
    return {metric: sorted(rows, key=lambda e: -e.relative) for metric, rows in found.items()}
