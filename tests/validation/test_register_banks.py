"""Loops of FFMAs whose registers lie in chosen banks: cycles here and on an H200."""

import pytest

from calibration.microbenchmarks.register_banks import LOOP, MEASURED, simulated, spelled

PLAIN = [s for s in MEASURED if s == s.lower()]
REUSE = [s for s in MEASURED if s not in set(PLAIN)]


def apart(sequence):
    """Cycles a round by which a sequence takes longer on silicon than here, of all its 64 instructions."""
    return round(MEASURED[sequence]) - round(simulated(sequence))


def test_what_reads_registers_takes_the_cycles_that_it_takes_on_silicon():
    assert len(PLAIN) > 1400
    assert {s: apart(s) for s in PLAIN if apart(s)} == {}


def test_registers_kept_for_reuse_are_not_read_again():
    off = [apart(s) for s in REUSE]
    assert len(off) > 290
    assert off.count(0) / len(off) > 0.94
    assert max(map(abs, off)) <= 2  # of 78 and more


@pytest.mark.parametrize(("sequence", "each"), [("eee", 3), ("eez", 2), ("eoz", 1), ("eeo ooe", 1.5), ("Eoe", 1)])
def test_a_bank_gives_one_register_a_cycle(sequence, each):
    once = simulated("zzz")
    assert simulated(sequence) - once == pytest.approx(LOOP * (each - 1), abs=3)


def test_a_sequence_fills_the_loop():
    assert spelled("eez zzz8") == ["eez", "zzz8"] * 32
    assert spelled("eez zzz ooo8") == ["eez", "zzz", "ooo8"] * 21 + ["zzz8"]
