"""Kernels of Hopper's asynchronous units on an H100 and an H200: what is executed and asked for is counted alike."""

from __future__ import annotations

from hashlib import sha256

import pytest

from calibration import hopper
from calibration.exact_counters import ASKED, EXECUTED
from gpusim.launches.profiling import record
from gpusim.measured.measurement import MeasuredLaunch
from tests.marks import most_by_hand

BRANCHES = "smsp__sass_inst_executed_op_branch.sum"
FEW = 600_000  # warp instructions: launches of a second
PARTED = ("wgmma_specialised", "wgmma_persistent", "wgmma_cluster", "fa3_")
"""Launches whose warpgroups share out registers: a known gap. Hardware executes up to 3 % more, and up to 16 % fewer
branches; which are not counted is not known."""
TRIES_AGAIN = "loads_together 3 grid 132"
"""A few waits try again on an H200, which are 8 of 54 656 branches."""
KINDS = {(kind.gpu, kind.name): kind for kind in hopper.kinds()}
FAST = [
    (*key, launch.id)
    for key, kind in KINDS.items()
    for launch in kind.counted()
    if launch.value("smsp__inst_executed.sum") <= FEW
]


def measured(gpu: str, kind: str, name: str) -> MeasuredLaunch:
    return next(launch for launch in KINDS[gpu, kind].measured.launches if launch.id == name)


@pytest.mark.usefixtures("measured_compiler")
@pytest.mark.parametrize("key", KINDS, ids=" ".join)
def test_the_machine_code_is_the_one_that_ran(key):
    launches = {launch.machine_code: launch for launch in KINDS[key].measured.launches}
    with hopper.sources(key[1]) as folder:
        for ran, spec in zip(launches, hopper.specs(list(launches.values()), folder), strict=True):
            assert sha256(spec.compile(key[0]).kernel(spec.kernel).code.code).hexdigest() == ran, spec.id


@pytest.mark.parametrize("key", KINDS, ids=" ".join)
def test_a_third_is_held_out(key):
    counted = KINDS[key].counted()
    assert 0.2 < sum(launch.held_out for launch in counted) / len(counted) < 0.5


@pytest.mark.slow
@pytest.mark.usefixtures("measured_compiler")
@pytest.mark.parametrize(("gpu", "kind", "name"), most_by_hand(FAST, FAST[::2]))
def test_a_launch_executes_and_asks_for_what_the_hardware_counted(gpu, kind, name):
    launch = measured(gpu, kind, name)
    with hopper.sources(kind) as folder:
        (spec,) = hopper.specs([launch], folder)
        found = record(spec, gpu)
    assert found["error"] is None
    assert hopper.wrong(launch, found["metrics"], ASKED) == {}
    if not name.startswith((*PARTED, TRIES_AGAIN)):
        assert hopper.wrong(launch, found["metrics"], EXECUTED) == {}
    for metric in EXECUTED:
        most = 1.2 if metric == BRANCHES else 1.01
        assert found["metrics"][metric] <= most * launch.value(metric)
