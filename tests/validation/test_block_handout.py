"""In which order SMs get the blocks of a grid, when the first wave is over: as on an H200."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from calibration import bench
from gpusim import hardware

BLOCKS, FIRST_WAVE = 4096, 1056
GPC = np.array(hardware.load("h200").placement.sm_gpc)


class Order(NamedTuple):
    """What is to be said of an order."""

    in_a_turn: float  # blocks that one GPC gets before another one does
    ascending: float  # share of such turns that go to SMs of rising numbers
    next_gpc: float  # share of turns after which the next GPC has its turn
    soon_again: float  # share of blocks of which the SM had one less than six blocks before


def order_of(sms: np.ndarray) -> Order:
    """Of blocks past the first wave, given the SM of each."""
    later = sms[FIRST_WAVE:]
    turns = np.split(later, np.flatnonzero(np.diff(GPC[later])) + 1)
    steps = np.diff([GPC[turn[0]] for turn in turns]) % (GPC.max() + 1)
    soon = [sms[k] in sms[k - 5 : k] for k in range(FIRST_WAVE, len(sms))]
    rising = [bool((np.diff(turn) > 0).all()) for turn in turns if len(turn) > 1]
    return Order(len(later) / len(turns), np.mean(rising), np.mean(steps == 1), np.mean(soon))


def simulated() -> np.ndarray:
    """SM of each block of the measured launch."""
    sms, words = np.zeros(BLOCKS, np.uint32), 256 * BLOCKS
    bench.launch("handout.cu", "copied", BLOCKS, 256, np.zeros(words, np.float32), np.zeros(words, np.float32), sms)
    return sms.astype(int)


def test_gpcs_take_turns() -> None:
    runs = [order_of(np.array(line.split(), int)) for line in bench.table("handout")["sms"]]
    measured, got = Order(*np.mean(runs, axis=0)), order_of(simulated())
    assert got.in_a_turn == pytest.approx(measured.in_a_turn, rel=0.25)
    assert min(got.ascending, measured.ascending) > 0.9
    assert min(got.next_gpc, measured.next_gpc) > 0.5
    assert max(got.soon_again, measured.soon_again) < 0.03
