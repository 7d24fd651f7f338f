"""Which requests of bulk copies of SMs of one GPC become one L2 read, by when they come, for one block or for two."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import gpusim
from calibration import bench

Row = dict[str, Any]
MEASURED: list[Row] = bench.table("bulk_joins")["rows"]
BLOCKS, PERIOD, SHARED, SECTOR = 16, 6000, 40_000, 32
READ = "lts__t_sectors_srcunit_tex_op_read.sum"


def simulated(row: Row) -> Row:
    """A row as the simulator has it: sectors that L2 was asked to read, and how long copies took."""
    delays, latency = np.zeros(BLOCKS, np.int32), np.zeros(2 * BLOCKS, np.int64)
    delays[: len(row["delays"])] = row["delays"]
    sizes = (np.int32(x) for x in (row["n"], PERIOD, row["step"], len(row["delays"])))
    args = _map(), np.zeros(64 << 14, np.uint8), *sizes, delays, np.uint32(row["bytes"]), np.int32(row["warm"]), latency
    read = bench.launch("bulk_joins.cu", row["kernel"], BLOCKS, 32, *args, shared=SHARED).value(READ)
    before = row["warm"] * row["n"] * row["bytes"] // SECTOR
    return {**row, "read": read - before, "took": [int(x) for x in latency[::2] if x]}


def share(row: Row) -> float:
    """Of what was asked for, how much L2 was asked to read."""
    return row["read"] / row["asked"]


@cache
def _map() -> gpusim.TensorMap:
    return gpusim.TensorMap(np.zeros((1024, 4096), np.uint16), (128, 64), swizzle=128)


def name(row: Row) -> str:
    """What is copied from where, and when."""
    where = "L2" if row["warm"] else "HBM"
    return f"{where}, {row['kernel']} of {row['bytes']}, {row['step']} apart: {' '.join(map(str, row['delays']))}"
