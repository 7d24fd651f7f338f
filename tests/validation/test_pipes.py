"""Loops of arithmetic, timed by their own clock reads: here and on an H200."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gpusim import cuda
from gpusim.profiling import profile
from tests.validation.test_emitted import other_compiler

FOLDER = Path(__file__).parent
MEASURED = json.loads((FOLDER / "data" / "h200_pipes.json").read_text())["cycles"]
TIMES = 64  # iterations of each loop
WARPS = (1, 4, 8, 16, 32)
KNOWN = {"loop": 0.25, "barriers": 0.16, "imad": 0.35, "ex2": 0.13}
"""How far loops of a few instructions, barriers, and mixtures with integer multiplies or MUFU may lie off: see
docs/validation.md.  All else is within a few per cent."""


@cache
def module():
    return cuda.compile(FOLDER / "pipes.cu", gpu="sm_90")


def cycles(name, warps):
    """Cycles an iteration, from the first warp's start to the last one's end."""
    clocks, sink = np.zeros(64, np.int64), np.zeros(1024, np.uint32)
    profile(module().kernel(name), 1, 32 * warps, [np.int32(TIMES), clocks, sink], gpu="h200")
    begin, end = clocks.reshape(-1, 2)[:warps].T
    return (end.max() - begin.min()) / TIMES


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
@pytest.mark.skipif(bool(other_compiler()), reason=other_compiler())
@pytest.mark.parametrize("name", MEASURED)
def test_pipes_take_the_time_they_take_on_silicon(name):
    for warps in WARPS:
        assert cycles(name, warps) == pytest.approx(MEASURED[name][str(warps)], rel=allowed(name)), warps


@pytest.mark.slow
@pytest.mark.skipif(bool(other_compiler()), reason=other_compiler())
def test_the_median_loop_is_within_two_per_cent():
    off = [abs(cycles(name, w) / MEASURED[name][str(w)] - 1) for name in list(MEASURED)[::3] for w in (1, 32)]
    assert np.median(off) < 0.02
