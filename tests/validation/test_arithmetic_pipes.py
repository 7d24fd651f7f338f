"""Loops of arithmetic, timed by their own clock reads: here and on an H200."""

import numpy as np
import pytest

from calibration.microbenchmarks.arithmetic_pipes import MEASURED, cycles

WARPS = (1, 4, 8, 16, 32)
KNOWN = {"loop": 0.25, "barriers": 0.16, "imad": 0.22, "ex2": 0.13}
"""How far loops of a few instructions, barriers, and mixtures with integer multiplies or MUFU may lie off: see
docs/deviations.md.  All else is within a few per cent."""


def allowed(name):
    if name.startswith("loop"):
        return KNOWN["loop"]
    if name == "barriers":
        return KNOWN["barriers"]
    if "ex2_4" in name:
        return KNOWN["ex2"]
    mixed = ("imad" in name and name not in ("chain_imad", "chains_imad")) or name.endswith("_mix")
    return KNOWN["imad"] if mixed else 0.07


@pytest.mark.slow
@pytest.mark.usefixtures("measured_compiler")
@pytest.mark.parametrize("name", MEASURED)
def test_pipes_take_the_time_they_take_on_silicon(name):
    for warps in WARPS:
        assert cycles(name, warps) == pytest.approx(MEASURED[name][str(warps)], rel=allowed(name)), warps


@pytest.mark.slow
@pytest.mark.usefixtures("measured_compiler")
def test_the_median_loop_is_within_two_per_cent():
    off = [abs(cycles(name, w) / MEASURED[name][str(w)] - 1) for name in list(MEASURED)[::3] for w in (1, 32)]
    assert np.median(off) < 0.02
