"""How long launches take that do next to nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from calibration import bench

MOST_BLOCKS = 16_896
Row = dict[str, Any]
SHOWN: list[Row] = [
    row
    for row in bench.table("latency")["launches"]
    if row["kernel"].startswith(("e_", "w_coal")) and row["grid"] <= MOST_BLOCKS
]
WAVES: dict[str, float] = bench.table("micro")["wave_launch_us"]
FEWEST, EMPTY_BYTES = "132x32", 2560


def _arguments(kernel: str, threads: int, argument: int | None) -> list[Any]:
    """Of a kernel: what it writes or reads has a word for each thread and time."""
    if kernel == "e_empty":
        return []
    sink, times = np.zeros(1, np.uint32), argument or 1
    if kernel == "e_spin":
        return [np.int32(times), sink]
    words = np.zeros(threads * times, np.uint32)
    of: dict[str, list[Any]] = {"e_store": [words], "e_load": [words, sink], "w_coal": [words, np.int32(times)]}
    return of[kernel]


@cache
def cycles(kernel: str, grid: int, block: int, argument: int | None) -> float:
    """Cycles of a launch."""
    return bench.launch("latency.cu", kernel, grid, block, *_arguments(kernel, grid * block, argument)).cycles


def bytes_read(kernel: str) -> float:
    """Bytes from HBM of one block of a kernel that reads nothing."""
    return bench.launch("latency.cu", kernel, 1, 32).value("dram__bytes_read.sum")


def _seconds(shape: str) -> float:
    """Of a launch of empty blocks: ``"132x32"``."""
    grid, block = map(int, shape.split("x"))
    return bench.launch("micro.cu", "u_empty", grid, block).seconds


def beyond_one_wave(shape: str) -> float:
    """Microseconds that empty blocks take longer than one on each SM."""
    return (_seconds(shape) - _seconds(FEWEST)) * 1e6


def cases() -> Iterator[bench.Case]:
    """Launches of latency.cu by Nsight Compute, and empty ones between events."""
    for row in SHOWN:
        launch = row["kernel"], row["grid"], row["block"], row["argument"]
        name = "{0}({3}) {1}x{2}".format(*launch).replace("None", "")
        yield bench.Case("launches", name, "cycle", row["cycles_elapsed_max"], lambda launch=launch: cycles(*launch))
    yield bench.Case("launches", "HBM reads of e_empty() 1x32", "byte", EMPTY_BYTES, lambda: bytes_read("e_empty"))
    beyond = {shape: us - WAVES[FEWEST] for shape, us in WAVES.items() if shape != FEWEST}
    yield from bench.each("launches", "us", beyond, beyond_one_wave, f"u_empty beyond {FEWEST}:")
