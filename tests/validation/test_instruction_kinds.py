"""Does every counter count the kinds of instructions that it counts on an H100?"""

from __future__ import annotations

import json

import pytest

from calibration import bench
from calibration.exact_counters import differing
from calibration.handwritten import values
from gpusim.launches import profiling
from gpusim.launches.file import read

FOLDER = bench.DATA / "instruction_kinds"
MEASURED = {launch["id"]: launch["metrics"] for launch in json.loads((FOLDER / "h100.json").read_text())["launches"]}
ALL_WAVES, SHARED_WAVES = "l1tex__data_pipe_lsu_wavefronts.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
FENCES = "fences"
"""A fence of the whole system runs something on the GPU that is not in the cubin: 9 instructions and a stack."""
IN_A_ROW = "barrier"
"""Of eight barriers right after one another the hardware has two take a wavefront, the engine one, in two blocks."""


@pytest.fixture(scope="module")
def predicted(measured_compiler: None) -> dict[str, dict[str, float]]:
    return {spec.id: values(profiling.profile(spec, "h100-sxm")) for spec in read(FOLDER / "launches.json")}


def test_every_kind_is_measured(predicted):
    assert set(predicted) == set(MEASURED)


@pytest.mark.parametrize("kind", sorted(set(MEASURED) - {FENCES}))
def test_counters_are_the_hardwares(predicted, kind):
    metrics = sorted(MEASURED[kind].keys() & predicted[kind].keys() - {ALL_WAVES, SHARED_WAVES})
    assert len(metrics) > 25
    assert differing(predicted[kind], MEASURED[kind], metrics) == {}


@pytest.mark.parametrize("kind", sorted(set(MEASURED) - {FENCES}))
def test_wavefronts_of_shared_memory_are_the_hardwares(predicted, kind):
    assert predicted[kind][SHARED_WAVES] - MEASURED[kind][SHARED_WAVES] == (-2 if kind == IN_A_ROW else 0)


@pytest.mark.parametrize("kind", sorted(set(MEASURED) - {FENCES}))
def test_the_data_stage_has_a_few_wavefronts_more_on_the_hardware(predicted, kind):
    """A known gap: up to two a warp, which hang on no counter that is known."""
    assert 0 <= MEASURED[kind][ALL_WAVES] - predicted[kind][ALL_WAVES] <= 8


def test_a_fence_of_the_system_executes_more_on_the_hardware(predicted):
    """A known gap; what it does besides is not in the cubin."""
    more = MEASURED[FENCES]["smsp__inst_executed.sum"] - predicted[FENCES]["smsp__inst_executed.sum"]
    assert more == 9 * 8 * 4  # 8 fences of 4 warps
