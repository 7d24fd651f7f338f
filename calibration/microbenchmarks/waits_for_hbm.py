"""How long a read waits for HBM, by how much is asked for, and how far such waits are apart."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from calibration import bench

WARP, PIECE = 32, 128
"""Lanes; floats that a warp reads at a time."""
MEASURED = bench.table("waits")["cycles_a_piece"]


@cache
def pieces(rows: int, n: int, passes: int, threads: int) -> np.ndarray:
    """Cycles that each piece of each row takes in each pass: (rows, passes, pieces)."""
    each = passes * (n // PIECE) + 1
    when = np.zeros(rows * each, np.int32)
    args = np.int32(rows), np.int32(n), np.int32(passes), np.zeros(rows * n, np.float32)
    results, shared = (np.zeros(rows * WARP, np.float32), when), threads // WARP * each * 4
    bench.launch("waits.cu", "rows_noted", rows * WARP // threads, threads, *args, *results, shared=shared)
    return np.diff(when.reshape(rows, each)).reshape(rows, passes, -1)


def figures(key: str) -> dict[str, float]:
    """What is measured of them: ``"8192x1536x2x256 pass 1"`` is rows, floats, passes and threads of a block."""
    shape, _, number = key.partition(" pass ")
    found = pieces(*map(int, shape.split("x")))[:, int(number) - 1]
    tenth, nine = np.percentile(found, (10, 90))
    return {
        "mean": float(found.mean()),
        "spread": float(found.std()),
        "tenth": float(tenth),
        "nine_tenths": float(nine),
        "spread_of_rows": float(found.sum(axis=1).std() / found.shape[1]),
    }


def cases() -> Iterator[bench.Case]:
    """Cycles of pieces of 512 bytes: mean, spread, first and last tenth, and how far rows are apart."""
    for key, values in MEASURED.items():
        yield from bench.each("waits for HBM", "cycle", values, lambda name, key=key: figures(key)[name], f"{key}:")
