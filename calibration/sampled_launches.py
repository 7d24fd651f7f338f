"""Launches too large to run whole: what sampling makes of them, beside an H200's counters."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import gpusim

TABLE = Path(__file__).parent / "data" / "h200_large.csv"
CHECKED = {
    ("matmul-tiled", "n=4096 T=32"),
    ("matmul-tiled", "n=4096 T=16"),
    ("matmul-register-tiled", "n=4096 BM=128 BN=128 BK=8 TM=8 TN=8"),
    ("matmul-register-tiled-vec4", "n=4096 BM=128 BN=128 BK=8 TM=8 TN=8"),
    ("matmul-coarsened", "n=4096 T=32 Cf=4"),
}
"""Those that are sampled and run in under a minute each."""


def counters() -> dict[str, dict[str, float]]:
    """Measured counters by launch, a kernel and its parameters, of those that are checked."""
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    rows = {(row.pop("kernel"), row.pop("params")): row for row in csv.DictReader(lines)}
    return {" ".join(key): {k: float(v) for k, v in row.items()} for key, row in rows.items() if key in CHECKED}


def predict(launch: str) -> gpusim.Profile:
    """The prediction of a measured launch, part of it run."""
    kernel, *params = launch.split()
    sizes: dict[str, Any] = {name: int(value) for name, value in (p.split("=") for p in params)}
    return gpusim.predict(kernel, gpu="h200", sample=True, **sizes)
