"""Launches too large to run whole: what sampling makes of them, beside an H200's counters."""

from __future__ import annotations

import csv
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


def errors() -> dict[str, list[Error]]:
    """For each metric measured, the error of every sampled launch."""
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    found: dict[str, list[Error]] = {}
    for row in csv.DictReader(lines):
        kernel, text = row.pop("kernel"), row.pop("params")
        if (kernel, text) not in CHECKED:
            continue
        params = {name: int(value) for name, value in (p.split("=") for p in text.split())}
        profile = gpusim.predict(kernel, gpu="h200", sample=True, **params)
        for metric, measured in row.items():
            if metric in profile.metrics:
                got, want = float(profile.metrics[metric].value), float(measured)
                found.setdefault(metric, []).append(Error(f"{kernel} {text}", got, want, relative(metric, got, want)))
    return {metric: sorted(rows, key=lambda e: -e.relative) for metric, rows in found.items()}
