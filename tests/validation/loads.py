"""Latency of loads one after another: chains of addresses through L1, L2 and DRAM, and loads each timed by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from gpusim.engine.state import GLOBAL_BASE
from tests.validation import bench

LEAST_STEPS = 8192
COLD_STEPS = 4096
SINGLE = 512  # loads each timed by itself
LARGEST_MIB = 256  # a larger footprint takes longer to set up than to run
SPANS = {"rand2M": 2 << 20, "rand16M": 16 << 20}
WORD = 4
MICRO, LATENCY = bench.table("micro"), bench.table("latency")


def _bytes(text: str) -> int:
    """``"64KiB"``, ``"1K"`` or ``"32B"`` as bytes."""
    number, unit = re.fullmatch(r"(\d+)([KM]?)(?:i?B)?", text).groups()  # type: ignore[union-attr]
    return int(number) << {"": 0, "K": 10, "M": 20}[unit]


def _chain(footprint: int, stride: int) -> np.ndarray:
    """What the first argument holds: nodes a stride apart, each with the address of the next, in an order at random."""
    order = np.random.default_rng(0).permutation(footprint // stride)
    words = np.zeros(footprint // 8, np.uint64)
    words[order * (stride // 8)] = int(GLOBAL_BASE) + np.roll(order, -1) * stride
    return words


def chase(kernel: str, key: str, *, cold: bool = False) -> float:
    """Cycles a step of a chain: ``"64KiB/32B"`` is its footprint and the distance of its nodes."""
    footprint, stride = map(_bytes, key.split("/"))
    steps = COLD_STEPS if cold else max(LEAST_STEPS, 2 * footprint // stride)
    clocks, words = np.zeros(1, np.int64), _chain(footprint, stride)
    args = words, np.int32(steps), clocks, np.zeros(1, np.uint64)
    bench.launch("micro.cu", kernel, 1, 1, *args, cache="cold" if cold else "warm")
    return float(clocks[0] / steps)


def _order(pattern: str) -> np.ndarray:
    """Words to load one after another."""
    if pattern in SPANS:
        return np.random.default_rng(0).integers(0, SPANS[pattern] // 128, SINGLE).astype(np.uint32) * (128 // WORD)
    return np.arange(SINGLE, dtype=np.uint32) * (_bytes(pattern.removeprefix("seq")) // WORD)


def single(pattern: str, lanes: int, state: str) -> float:
    """Mean cycles of a load of one lane or of a warp."""
    order, found = _order(pattern), np.zeros(SINGLE, np.uint32)
    words = np.zeros(int(order.max()) + 32, np.uint32)
    kernel = "lat" if lanes == 1 else "latw"
    bench.launch("latency.cu", kernel, 1, lanes, words, order, np.int32(SINGLE), found, cache=state)
    return float(found.mean())


def from_everywhere() -> float:
    """Mean cycles of loads that hit in L2, from every SM to the same lines."""
    lines, apart, sms = 256, 1024, 132
    ids, cycles = np.zeros(sms, np.uint32), np.zeros(sms * lines, np.uint16)
    args = np.zeros(lines * apart, np.uint32), np.int32(lines), np.int32(apart), ids, cycles, np.zeros(sms, np.uint32)
    bench.launch("placement.cu", "w_lat", sms, 1, *args, cache="warm")
    return float(cycles.mean())


def cases() -> Iterator[bench.Case]:
    """Chains through each level, single loads, loads from each SM."""
    group = "latency of loads"
    for name in ("ca", "cg"):
        kernel = "u_chase" if name == "ca" else "u_chase_cg"
        measured = MICRO[f"latency_chase_{name}"]
        yield from bench.each(group, "cycle", measured, lambda key, kernel=kernel: chase(kernel, key), kernel)
    cold = {k: v for k, v in MICRO["latency_dram_cold"].items() if _bytes(k.split("/")[0]) <= LARGEST_MIB << 20}
    yield from bench.each(group, "cycle", cold, lambda key: chase("u_chase_cg", key, cold=True), "u_chase_cg, cold")
    for row in LATENCY["idle"]:
        if row["pattern"] != "rand":
            at = row["pattern"], row["lanes"], row["cache"]
            name = f"lat {at[0]}, {at[1]} lanes, {at[2]}"
            yield bench.Case(group, name, "cycle", row["mean"], lambda at=at: single(*at))
    halves = bench.table("placement")
    yield bench.Case(group, "w_lat", "cycle", (halves["near"]["mean"] + halves["far"]["mean"]) / 2, from_everywhere)
