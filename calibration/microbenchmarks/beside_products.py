"""Two warpgroups of a block: one at products, the other at its own products or at other instructions."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibration import bench

Row = dict[str, Any]
MEASURED: list[Row] = bench.table("beside_products")["rows"]
WARPS, NOTES, WARPGROUP = 8, 18, 4


def simulated(row: Row) -> Row:
    """A row as the simulator has it: when both warpgroups began, had issued each product, and were done."""
    notes, sink = np.zeros(WARPS * NOTES, np.uint32), np.zeros(32 * WARPS, np.uint32)
    args = np.int32(row["steps"]), np.int32(row["delay"]), np.zeros(128, np.uint32), notes, sink
    bench.launch("beside_products.cu", row["kernel"], 1, 32 * WARPS, *args)
    noted = notes.astype(np.int64).reshape(WARPS, NOTES)[::WARPGROUP]
    since = (noted - noted[0, 0]).tolist()
    issued = {"issued": [w[2 : 2 + len(row["issued"][0])] for w in since]} if "issued" in row else {}
    return {**row, "first": since[0][:2], "second": since[1][:2], **issued}


def name(row: Row) -> str:
    """The kernel, how many other instructions the second one has, and how much later it begins."""
    return f"{row['kernel']}, {row['steps']} steps, {row['delay']} turns later"
