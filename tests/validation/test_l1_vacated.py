"""Which lines L1 gives up when none of data is left, as an H200 does."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from calibration import bench
from gpusim import hardware
from gpusim.engine.hierarchy.l1 import ORDER, set_of
from gpusim.hardware.fixed import TAG_SETS
from gpusim.simulate.build import l1_table

MEASURED = bench.table("l1_vacated")
ROWS = hardware.load("h200").l1.vacated_lines // TAG_SETS
N_ROWS = 128


def lost(lines: int) -> list[int]:
    """Which of lines 0, 4, ... an SM has lost when it has read so many in a row."""
    gone = np.zeros(N_ROWS, np.uint8)
    bench.launch("l1_vacated.cu", "fill_and_look", 132, 32, np.zeros(2048 * 32, np.int32), np.int32(lines), gone)
    return (4 * np.flatnonzero(gone)).tolist()


def rows_of(lines: Iterable[int]) -> set[int]:
    """Rows of the sets of L1 in which lines belong."""
    table = l1_table(hardware.load("h200"))
    return {int(set_of(table, line)) // TAG_SETS for line in lines}


def test_rows_take_turns_in_the_measured_order() -> None:
    """Some place in the order explains all 24 launches, each of which goes on where the one before stopped."""
    order = l1_table(hardware.load("h200"))[ORDER, :N_ROWS]
    assert sorted(order) == list(range(N_ROWS))
    gone = [rows_of(lines) for lines in MEASURED["gone"]]
    turns = [
        [set(np.roll(order, -first - ROWS * k)[:ROWS].tolist()) for k in range(len(gone))] for first in range(N_ROWS)
    ]
    assert gone in turns


@pytest.mark.parametrize("lines", [1740, 1752, 1776, 2048])
def test_as_many_lines_are_lost_as_on_an_h200(lines: int) -> None:
    assert len(lost(lines)) == pytest.approx(MEASURED["lost"][str(lines)] / TAG_SETS, abs=1)
