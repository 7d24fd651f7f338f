"""Atomics of warps whose lanes meet at addresses, lines and slices of L2: requests, sectors and cycles.

What was measured had its loop unrolled.  So cycles of few warps that wait for old values are no cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import gpusim
from calibration import bench

Row = dict[str, Any]
MEASURED: list[Row] = bench.table("atomics")["rows"]
GROUP = "atomics"
STEPS = ("rounds", "warp_step", "lane_step", "round_step", "mask", "stride", "hashed", "lanes")
TYPES = {"f32": np.float32, "f64": np.float64, "u64": np.uint64}
MOST_UPDATES = 1 << 19
"""By lanes, of a launch that is simulated each time."""
MANY = 1 << 13
"""Threads that hide how long it takes until old values are back."""
SECTORS = ("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum")
REQUESTS = "lts__t_requests_srcunit_tex.sum"


def updates(row: Row) -> int:
    """How many lanes change something in all."""
    return int(row["blocks"] * row["threads"] * row["rounds"] * row["lanes"]) // 32


def profile(row: Row) -> gpusim.Profile:
    """The second of two launches of a row."""
    return _profile(row["kernel"], row["blocks"], row["threads"], *(row[name] for name in STEPS))


@cache
def _profile(kernel: str, blocks: int, threads: int, *steps: int) -> gpusim.Profile:
    mask, stride = steps[STEPS.index("mask")], steps[STEPS.index("stride")]
    to = np.zeros((mask + 1) * stride, TYPES.get(kernel.rpartition("_")[2], np.uint32))
    sink = np.zeros(1, np.int32)
    return bench.launch("atomics.cu", kernel, blocks, threads, to, *map(np.int32, steps), sink, cache="warm")


def counted(row: Row) -> tuple[int, int]:
    """Sectors of L1 and requests to L2, as the simulator counts them."""
    found = profile(row)
    return sum(int(found.value(name)) for name in SECTORS), int(found.value(REQUESTS))


def name(row: Row) -> str:
    """A row in words."""
    where = f"{row['mask'] + 1} places {4 * row['stride']} bytes apart"
    how = "at random" if row["hashed"] else f"lanes {row['lane_step']}, warps {row['warp_step']} places apart"
    return f"{row['kernel']}, {row['blocks']} x {row['threads']} threads, {row['lanes']} lanes, {where}, {how}"


def is_bound(row: Row) -> bool:
    """Whether units bind a launch, and not the time until its old values are back."""
    return row["kernel"].startswith("red_") or row["blocks"] * row["threads"] >= MANY


def cases() -> Iterator[bench.Case]:
    """Cycles of every row that is not too long."""
    for row in MEASURED:
        if is_bound(row) and updates(row) <= MOST_UPDATES:
            yield bench.Case(GROUP, name(row), "cycle", row["cycles"], lambda row=row: profile(row).cycles)
