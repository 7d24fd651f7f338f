"""Hand-written CUDA on an H200, and its machine code here: what is executed and asked for is counted alike."""

import json

import pytest

from calibration import bench
from calibration.exact_counters import ASKED, EXECUTED, differing
from calibration.handwritten import values
from gpusim.launches import profiling
from gpusim.launches.file import read
from tests.marks import most_by_hand

FOLDER = bench.DATA / "handwritten"
LARGEST = 2_500_000  # warp instructions
RANDOM = {"gather"}
"""Their indices are drawn at random, from another generator than the measured ones."""
MEASURED = {launch["id"]: launch for launch in json.loads((FOLDER / "h200.json").read_text())["launches"]}
SMALL = [
    spec
    for spec in read(FOLDER / "launches.json")
    if MEASURED[spec.id]["metrics"]["smsp__inst_executed.sum"] <= LARGEST and spec.id.split("_")[0] not in RANDOM
]


def test_every_launch_is_measured_and_has_a_name_of_its_own():
    ids = [spec.id for spec in read(FOLDER / "launches.json")]
    assert len(set(ids)) == len(ids)
    assert set(ids) == set(MEASURED)


@pytest.mark.slow
@pytest.mark.usefixtures("measured_compiler")
@pytest.mark.parametrize("spec", most_by_hand(SMALL, SMALL[::2]), ids=lambda spec: spec.id)
def test_machine_code_executes_what_silicon_executed(spec):
    launch = MEASURED[spec.id]
    profile = profiling.profile(spec, "h200")
    assert differing(values(profile), launch["metrics"], ASKED + EXECUTED) == {}
    waves = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"  # hardware repeats some that meet data from L2
    assert profile.value(waves) == pytest.approx(launch["metrics"][waves], rel=0.03, abs=0)
    assert profile.dram_bytes_read == pytest.approx(launch["metrics"]["dram__bytes_read.sum"], rel=0.15, abs=1.3e6)
