"""What does the load/store pipe lose to global loads whose data is not there yet: as much as on an H200?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibration import bench

Row = dict[str, Any]
MEASURED: list[Row] = bench.table("awaited")["rows"]
CYCLES, LOADING, A_ROUND = 60_000, 16, 4
THERE, NEW = (1 << 10) - 1, (1 << 20) - 1


def shared_loads(mask: int, lines: int, words: int, rounds: int) -> float:
    """Of the warps that load from shared memory, in as many cycles."""
    out = np.zeros(64, np.int64)
    numbers = np.uint32(mask), np.int32(lines), np.int32(words), np.int32(rounds), np.int64(CYCLES)
    bench.launch("awaited.cu", "awaited", 1, 1024, np.zeros(1 << 21, np.uint8), *numbers, out, np.zeros(4, np.uint32))
    loads, took = out.reshape(32, 2)[LOADING:].T
    return float(loads.sum() / took.mean() * CYCLES)


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: f"{row['lines']} lines of {row['words']} words")
def test_new_lines_cost_the_pipe_more(row: Row) -> None:
    """Than lines that are there: shared loads lose a quarter of a cycle a load, however many lines it is of."""
    there, new = (shared_loads(mask, row["lines"], row["words"], row["rounds"]) for mask in (THERE, NEW))
    more = (there - new) / (row["rounds"] * A_ROUND * LOADING)
    assert more == pytest.approx(row["new"] - row["there"], abs=0.09)
