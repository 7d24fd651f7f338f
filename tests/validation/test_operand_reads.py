"""Loops of accesses among arithmetic: cycles here and on an H200."""

import pytest

from calibration.microbenchmarks.operand_reads import LOOP, MEASURED, cycles, spelled
from tests.marks import most_by_hand

WITHIN, EVERY = 0.01, 18
FIRST = [s for s in MEASURED if s.endswith("|")][::EVERY]
"""Sequences whose parts do not meet those of the next one: some of them here, all of them in docs/calibration/."""

pytestmark = pytest.mark.usefixtures("measured_compiler")


@pytest.mark.slow
@pytest.mark.parametrize("sequence", most_by_hand(FIRST, FIRST[::2]))
def test_what_reads_registers_late_holds_up_others_as_on_silicon(sequence):
    assert cycles(sequence, 1) == pytest.approx(MEASURED[sequence]["1"], rel=WITHIN)


def test_a_sequence_fills_the_loop():
    assert len(spelled("ldg Wep zzz |")) == len(spelled("ldg Wep zzz")) == LOOP
