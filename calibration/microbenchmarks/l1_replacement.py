"""What L1 replaces: one block passes over regions, reading and writing, again and again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from calibration import bench

Row = dict[str, Any]
MEASURED: list[Row] = bench.table("l1_passes")["rows"]
REGIONS = "abcw"
BUFFERS = (1 << 19, 1 << 19, 1 << 20, 1 << 19)
"""Words allocated for each: where a region begins decides who shares a set."""
HITS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"


@cache
def hits(passes: str, *kib: int) -> float:
    """Share of the sectors read that hit: letters of l1_passes.cu, and how large its regions are."""
    buffers = [np.zeros(words, np.int32) for words in BUFFERS]
    text = np.uint64(int.from_bytes(passes.encode(), "little"))
    args = *buffers, *map(np.int32, kib), text, np.zeros(1, np.int32)
    counted = bench.launch("l1_passes.cu", "l1_passes", 1, 1024, *args)
    return counted.value(HITS) / counted.value(SECTORS)


def simulated(row: Row) -> float:
    """The same for a measured row."""
    return hits(row["passes"], *(row[r] for r in REGIONS))


def share(row: Row) -> float:
    """What was measured."""
    return row["hits"] / row["sectors"]


def name(row: Row) -> str:
    """Passes, and the regions that they use."""
    return " ".join([row["passes"], *(f"{r}={row[r]}" for r in REGIONS if row[r])])


def cases() -> Iterator[bench.Case]:
    """Shares of the sectors read that hit."""
    for row in MEASURED:
        yield bench.Case("L1 replacement", name(row), "1", share(row), lambda row=row: simulated(row), 1)
