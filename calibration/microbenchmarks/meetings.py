"""Instructions that a warp executes whose lanes come to a barrier of theirs by different ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibration import bench

Row = dict[str, Any]
MEASURED: list[Row] = bench.table("meetings")["rows"]
BLOCKS, THREADS = 2, 64  # threads of a block where a row does not say


def simulated(row: Row) -> Row:
    """A row as the simulator counts it."""
    sizes = [np.int32(row[name]) for name in ("n", "k") if name in row]
    out = np.zeros(256, np.int32)
    found = bench.launch("meetings.cu", row["kernel"], BLOCKS, row.get("block", THREADS), *sizes, out)
    counts = (found.metrics[f"smsp__{name}.sum"].value for name in ("inst_executed", "thread_inst_executed"))
    return {**row, **dict(zip(("instructions", "of_threads"), counts, strict=True))}


def name(row: Row) -> str:
    """The kernel and what it is given."""
    return " ".join(str(row[key]) for key in ("kernel", "n", "k", "block") if key in row)
