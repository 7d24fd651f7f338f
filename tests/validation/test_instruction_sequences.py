"""Loops of instructions with chosen registers and control bits: cycles here and on an H200."""

import pytest

from calibration.microbenchmarks.instruction_sequences import LOOP, MEASURED, cycles, instructions
from tests.marks import most_by_hand

WITHIN, WARPS = 0.035, (1, 8, 32)
HALF_A_CYCLE = {"Woz Lo", "Woz Fo"}
"""Half of the odd factors cost one more there, by their number; why is not known."""
NOT_NEEDED = {"Wep5y Le"}
"""ptxas gives IMAD.WIDE a stall count of 5 where the next instruction needs its result; here it does not."""
NEVER_WRITTEN = {"Fey Foy"}
"""A stall count of 1 and the bit that yields: one cycle more, and no compiler was seen to write it."""
CONVOYS = {"Fe2 Lo2", "Fe2y Lo2y", "Fe4 Fo4", "Ie Lo Le", "Fe2 Fo2", "Fe3 Fo3"}
"""Of warps that want one unit the one that issued last goes first there, unless it yields, and all come to want it at
once; here they take turns.  (Of the last two at times and with 32 warps alone; ``Fe Fo Fe2`` is 4 % off with 16.)"""
ONE_WARP = {"Wop Lo", "Wop Fo"}
"""By one warp alone 4 % slow, since the upper half of what is added is read in the third stage."""
OFF = HALF_A_CYCLE | NOT_NEEDED | NEVER_WRITTEN | CONVOYS | ONE_WARP

RIGHT = [s for s in MEASURED if s not in OFF]
KNOWN = [pytest.param(s, marks=pytest.mark.xfail(strict=True)) for s in MEASURED if s in OFF]

pytestmark = pytest.mark.usefixtures("measured_compiler")


@pytest.mark.parametrize("sequence", [*most_by_hand(RIGHT, RIGHT[::2]), *KNOWN])
def test_a_sequence_takes_the_cycles_that_it_takes_on_silicon(sequence):
    for warps in WARPS:
        assert cycles(sequence, warps) == pytest.approx(MEASURED[sequence][str(warps)], rel=WITHIN), warps


def test_a_sequence_fills_the_loop():
    assert len(list(instructions("Wep Le Fo Fe"))) == LOOP
