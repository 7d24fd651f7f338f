"""How far the warps of an SM come apart, at their start and behind a barrier, and what they then ask for together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from tests.validation import bench

SMS, WARP = 132, 32
KEPT = 4096  # words for what the warps of one SM note
ROUNDS, PERIOD, STAMPS = 16, 4000, 3
REQUESTS = "lts__t_requests_srcunit_tex_op_read.sum"
MEASURED = bench.table("in_step")
NOTED = {"entered": 4, "copy_2": 3}  # stamps of a warp


def _counter() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(1, np.uint32), np.zeros(KEPT, np.uint32)


@cache
def _entered(key: str) -> np.ndarray:
    """Clocks of the warps of one SM in the order of their blocks' ends: ``"1024x2"`` is threads and blocks an SM."""
    threads, blocks = map(int, key.split("x"))
    slots, noted = _counter()
    bench.launch("in_step.cu", "entered", SMS * blocks, threads, slots, noted, np.uint32(0))
    return noted[: blocks * threads // WARP * NOTED["entered"]].reshape(-1, NOTED["entered"]).astype(np.int64)


def entered(key: str) -> float:
    """Cycles from the first to the last of an SM's warps to issue its first instruction."""
    first = _entered(key)[:, 0]
    return float(first.max() - first.min())


def behind(key: str) -> float:
    """Requests a round for as many half lines as there are warps behind a barrier: ``"16"``."""
    threads = WARP * int(key)
    noted = np.zeros(ROUNDS * int(key) * STAMPS, np.uint32)
    args = np.zeros(ROUNDS * threads, np.uint16), np.int32(ROUNDS), np.int32(PERIOD), noted
    return bench.launch("in_step.cu", "behind_2", 1, threads, *args).value(REQUESTS) / ROUNDS


def copied(key: str) -> float:
    """Requests for each line of a copy of halves: ``"1024x6"`` is threads and blocks an SM."""
    threads, blocks = map(int, key.split("x"))
    elements = SMS * blocks * threads
    words = np.zeros(elements, np.uint16), np.zeros(elements, np.uint16)
    return (
        bench.launch("in_step.cu", "copy_2", SMS * blocks, threads, *words, *_counter()).value(REQUESTS) * 64 / elements
    )


def cases() -> Iterator[bench.Case]:
    """Starts of warps, and requests for lines that several warps share."""
    yield from bench.each("warps in step", "cycle", MEASURED["entered"], entered, "entered, threads x blocks:")
    yield from bench.each("warps in step", "1", MEASURED["behind"], behind, "requests behind a barrier, warps:")
    yield from bench.each(
        "warps in step", "1", MEASURED["copied"], copied, "requests a line of a copy, threads x blocks:"
    )
