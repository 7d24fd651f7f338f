"""Latency of loads each timed by itself, that find their line in L2 or nowhere, and of loads from every SM."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibration import bench

SINGLE = 512  # loads each timed by itself
LINES, APART = 24, 1024  # that every SM loads; words from one to the next
SPANS = {"rand2M": 2 << 20, "rand16M": 16 << 20}
WORD = 4
LATENCY = bench.table("latency")


def _order(pattern: str) -> np.ndarray:
    """Words to load one after another."""
    if pattern in SPANS:
        return np.random.default_rng(0).integers(0, SPANS[pattern] // 128, SINGLE).astype(np.uint32) * (128 // WORD)
    return np.arange(SINGLE, dtype=np.uint32) * (bench.size_of(pattern.removeprefix("seq")) // WORD)


def single(pattern: str, lanes: int, state: str) -> float:
    """Mean cycles of a load of one lane or of a warp."""
    order, found = _order(pattern), np.zeros(SINGLE, np.uint32)
    words = np.zeros(int(order.max()) + 32, np.uint32)
    kernel = "lat" if lanes == 1 else "latw"
    bench.launch("latency.cu", kernel, 1, lanes, words, order, np.int32(SINGLE), found, cache=state)
    return float(found.mean())


def from_everywhere() -> float:
    """Mean cycles of loads that hit in L2, from every SM to the same lines."""
    ids, cycles, sink = (np.zeros(bench.SMS * n, kind) for n, kind in ((1, "u4"), (LINES, "u2"), (1, "u4")))
    args = np.zeros(LINES * APART, np.uint32), np.int32(LINES), np.int32(APART), ids, cycles, sink
    bench.launch("placement.cu", "w_lat", bench.SMS, 1, *args, cache="warm")
    return float(cycles.mean())


def cases() -> Iterator[bench.Case]:
    """Single loads, loads from each SM."""
    group = "latency of loads"
    for row in LATENCY["idle"]:
        if row["pattern"] != "rand":
            at = row["pattern"], row["lanes"], row["cache"]
            name = f"lat {at[0]}, {at[1]} lanes, {at[2]}"
            yield bench.Case(group, name, "cycle", row["mean"], lambda at=at: single(*at))
    halves = bench.table("placement")
    yield bench.Case(group, "w_lat", "cycle", (halves["near"]["mean"] + halves["far"]["mean"]) / 2, from_everywhere)
