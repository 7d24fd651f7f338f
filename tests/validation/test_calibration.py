"""Do microbenchmarks take the time they took on an H200?  A fast part of what ``calibration.calibrate`` runs whole."""

from fnmatch import fnmatchcase

import pytest

from calibration import bench, constants
from calibration.microbenchmarks import (
    bandwidths,
    block_scheduling,
    instruction_latency,
    launch_overhead,
    load_latency,
    peak_rates,
    pointer_chase,
    wave_tail,
)
from tests.marks import most_by_hand

WITHIN = {
    "latency of instructions/*": 0.02,
    "barriers/*": 0.07,
    "throughput of one SM/*, stride: 1": 0.05,  # the oldest warps are left over at the end, by more than on silicon
    "throughput of one SM/*, stride: 8": 0.01,
    "throughput of one SM/u_*_tp, warps: 8": 0.12,  # so here, for HMMA
    "instruction fetch/1*KiB_4warps": 0.05,
    "chains of loads/chase_ca 16KiB*": 0.001,
    "chains of loads/chase_cg 1024KiB*": 0.02,
    "latency of loads/lat seq1K, * lanes, *": 0.04,
    "bandwidth by warps: l2/l2_*_1sm_32warps": 0.065,
    "bandwidth by warps: hbm/hbm_b16_*_1sm_32warps": 0.04,
    "bandwidth/u_stream_cg_1sm*": 0.03,
    "launches/u_empty*": 0.1,
    "peak rates/*": 0.001,
}
"""How far off the cases of each kind may be."""
CASES = {
    f"{case.group}/{case.name}": case
    for module in (instruction_latency, load_latency, pointer_chase, bandwidths, launch_overhead, peak_rates)
    for case in module.cases()
}
CHOSEN = [(name, within) for pattern, within in WITHIN.items() for name in CASES if fnmatchcase(name, pattern)]
ONE_SM = {"hbm/hbm_b16_u1", "hbm/hbm_b16_u4"}
"""Of 4 to 9 %: what one SM gets by many loads under way."""
LATE_WARPS = {"launches/u_empty beyond 132x32: 21120x1024"}
"""By 14 %: blocks of 32 warps that do nothing.  Warps start two cycles apart here as there; there that keeps no block
waiting."""
IN_FOURS = {"s_fma"}
"""Of the 16 warps of a scheduler that all want the FMA pipe four at a time get ahead there, also of the younger block:
the older one ends after three quarters of the time, here after half of it."""
needs_compiler = pytest.mark.usefixtures("measured_compiler")


@needs_compiler
@pytest.mark.parametrize(("name", "within"), most_by_hand(CHOSEN, CHOSEN[::2]))
def test_a_microbenchmark_takes_the_time_it_takes_on_silicon(name, within, request):
    if name in LATE_WARPS | {f"bandwidth by warps: {case}_1sm_32warps" for case in ONE_SM}:
        request.applymarker(pytest.mark.xfail(strict=True))
    assert abs(bench.run(CASES[name]).residual) <= within


@needs_compiler
@pytest.mark.parametrize(("kernel", "steps"), [("s_fma", 32), ("s_lds", 64), ("s_ldg", 256)])
def test_the_older_of_two_blocks_goes_first_unless_both_wait_for_l2(kernel, steps, request):
    if kernel in IN_FOURS:
        request.applymarker(pytest.mark.xfail(strict=True))
    ends = ("older_block_end", "younger_block_end")
    got, want = (
        [row[end] for end in ends]
        for row in (block_scheduling.compete(kernel, steps), block_scheduling.MEASURED[kernel])
    )
    assert got[0] / got[1] == pytest.approx(want[0] / want[1], abs=0.1)


@needs_compiler
@pytest.mark.parametrize("blocks", [132, 133, 264, 265])
def test_a_block_more_than_fits_costs_what_it_costs_on_silicon(blocks):
    assert wave_tail.wave("s_fma", blocks) == pytest.approx(wave_tail.MEASURED["s_fma"][str(blocks)], rel=0.06)


def test_every_constant_says_what_it_is():
    for constant in (*constants.of_generation(), *constants.of_gpu()):
        assert constant.meaning or constant.source, constant.name


def test_the_cases_that_show_a_constant_are_of_one_that_there_is():
    known = {constant.name for constant in (*constants.of_generation(), *constants.of_gpu())}
    assert constants.SHOWN_BY.keys() <= known
