"""When warps have their code: as a launch begins, and in code that is new to the SM; here and on an H200."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from calibration import bench

MEASURED = bench.table("fetches")
NOTING, WARPS_OF_SM, STAMPS = 8, 64, 2  # SMs whose warps note when they begin and when they have asked
PASSES = 3


@cache
def _entered(key: str) -> np.ndarray:
    """Mean cycles from the first warp of an SM to begin until one begins, and until one has asked; two numbers."""
    blocks, threads = map(int, key.split("x"))
    noted = np.zeros(NOTING * WARPS_OF_SM * STAMPS, np.uint32)
    args = np.zeros(blocks * threads, np.uint32), np.zeros(NOTING, np.uint32), noted, np.int32(NOTING)
    bench.launch("fetches.cu", "enter", blocks, threads, *args, cache="warm")
    stamps = noted.reshape(NOTING, WARPS_OF_SM, STAMPS).astype(np.int64)
    there = stamps.any(axis=2, keepdims=True)
    first = np.where(there, stamps, stamps.max()).min(axis=(1, 2), keepdims=True)
    return np.where(there, stamps - first, 0).sum(axis=(0, 1)) / max(int(there.sum()), 1)


def begun(key: str) -> float:
    """When warps begin, from the first one of their SM on: ``"132x128"`` is blocks and threads."""
    return float(_entered(key)[0])


def asked(key: str) -> float:
    """When they have asked for what they load first, for which they need constants."""
    return float(_entered(key)[1])


@cache
def _passes(kilobytes: str) -> np.ndarray:
    """Cycles of each time that a warp goes through so much straight code."""
    clocks = np.zeros((PASSES, 2), np.int64)
    bench.launch("fetches.cu", f"straight_{kilobytes}", 1, 32, np.int32(PASSES), clocks.reshape(-1))
    return clocks[:, 1] - clocks[:, 0]


def cases() -> Iterator[bench.Case]:
    """The first wave of launches, and straight code the first time and the last."""
    yield from bench.each("instruction fetch", "cycle", MEASURED["begun"], begun, "begun, blocks x threads:")
    yield from bench.each("instruction fetch", "cycle", MEASURED["asked"], asked, "asked, blocks x threads:")
    yield from bench.each(
        "instruction fetch", "cycle", MEASURED["first"], lambda k: float(_passes(k)[0]), "first pass, KB:"
    )
    yield from bench.each(
        "instruction fetch", "cycle", MEASURED["later"], lambda k: float(_passes(k)[-1]), "later pass, KB:"
    )
