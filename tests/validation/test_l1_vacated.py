"""Which lines L1 gives up when none of data is left, as an H200 does."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim import hardware
from gpusim.engine.l1 import TAG_SETS, VACATED
from gpusim.simulate.build import l1_table
from tests.validation import bench

MEASURED = bench.table("l1_vacated")
ROWS = VACATED // TAG_SETS
N_ROWS = 128


def row_of(line: int) -> int:
    """Row of the sets of L1 in which a line belongs."""
    table = l1_table(hardware.load("h200"))
    number = table[0, line & 255] ^ table[1, line >> 8 & 255] ^ table[2, line >> 16 & 255] ^ table[3, line >> 24 & 255]
    return int(number) // TAG_SETS


def test_rows_take_turns_in_the_measured_order() -> None:
    """Some place in the order explains all 24 launches, each of which goes on where the one before stopped."""
    order = l1_table(hardware.load("h200"))[4, :N_ROWS]
    assert sorted(order) == list(range(N_ROWS))
    gone = [{row_of(line) for line in lines} for lines in MEASURED["gone"]]
    turns = [
        [set(np.roll(order, -first - ROWS * k)[:ROWS].tolist()) for k in range(len(gone))] for first in range(N_ROWS)
    ]
    assert gone in turns


@pytest.mark.parametrize("lines", [1740, 1752, 1776, 2048])
def test_as_many_lines_are_lost_as_on_an_h200(lines: int) -> None:
    gpu = hardware.load("h200")
    room = (gpu.l1.unified_bytes - (32 << 10)) // gpu.l1.line_bytes - gpu.l1.unused_lines
    lost = max(-(-(lines - room) // VACATED), 0) * VACATED
    assert lost == pytest.approx(MEASURED["lost"][str(lines)], abs=4)
