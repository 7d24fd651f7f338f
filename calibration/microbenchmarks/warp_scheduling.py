"""Which warps of a scheduler get ahead where all want the same unit, and how long all take."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from calibration import bench

Row = dict[str, Any]
MEASURED: list[Row] = bench.table("order")["rows"]
STAMPS, SCHEDULERS = 32, 4
ARRAY = 32 * 32 * 32 + 64  # words that the loads may touch


def clocks(row: Row) -> np.ndarray:
    """Cycles at which each warp came to each stamp, from the first one on, shaped (warps, STAMPS)."""
    return _clocks(row["kernel"], row["warps"], np.int32(row["n"]), np.int32(row["stride"]))


@cache
def _clocks(kernel: str, warps: int, n: np.int32, stride: np.int32) -> np.ndarray:
    times, sink = np.zeros(warps * STAMPS, np.int32), np.zeros(1, np.int32)
    args = {
        "fma": (n, np.float32(1)),
        "lds": (n, stride),
        "ldg": (n, stride, np.zeros(ARRAY, np.int32)),
    }[kernel]
    bench.launch("order.cu", f"order_{kernel}", 1, warps * 32, *args, sink, times, np.int32(STAMPS))
    return times.reshape(-1, STAMPS).astype(np.int64) - times.min()


def rounds(times: np.ndarray) -> np.ndarray:
    """How far each warp of a scheduler is when the first of the block is done, of 1: by number, the oldest first.

    Means of the four schedulers.
    """
    return done(times, times[:, -1].min()).reshape(-1, SCHEDULERS).mean(axis=1)


def done(times: np.ndarray, at: float) -> np.ndarray:
    """How far each warp is at a clock, of 1, by the clocks at which it came to each stamp, shaped (warps, stamps)."""
    stamps = times.shape[1]
    return np.array([np.interp(at, warp, np.arange(stamps)) for warp in times]) / (stamps - 1)


def name(row: Row) -> str:
    """What a row is about."""
    stride = f", stride {row['stride']}" if row["kernel"] in ("lds", "ldg") else ""
    return f"{row['kernel']}, {row['warps']} warps{stride}"


def cases() -> Iterator[bench.Case]:
    """Cycles of each, and how far the oldest warps are when the first one is done."""
    for row in MEASURED:
        yield bench.Case(
            "warp scheduling", f"{name(row)}: all", "cycle", row["cycles"], lambda row=row: float(clocks(row).max())
        )
        oldest = row["rounds"][0]
        yield bench.Case(
            "warp scheduling", f"{name(row)}: oldest", "1", oldest, lambda row=row: float(rounds(clocks(row))[0]), 1.0
        )
