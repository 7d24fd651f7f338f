"""What must hold of time, whatever the constants are."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gpusim
from gpusim import hardware
from gpusim.engine import state
from gpusim.simulate.clock import REASONS
from gpusim.simulate.window import unevenness

SMALL = [
    ("copy", {"N": 1 << 20}), ("matmul-tiled", {"n": 256, "tile": 16}), ("matmul-naive", {"n": 128}),
    ("reduce-shuffle", {"N": 1 << 18}), ("transpose-naive", {"M": 256, "N": 256}),
]  # fmt: skip


def predict(kernel, params, gpu="h200"):
    return gpusim.predict(kernel, gpu=gpu, sample=False, **params)


@pytest.mark.parametrize(("kernel", "params"), SMALL)
def test_no_unit_does_more_than_it_can(kernel, params):
    p, gpu = predict(kernel, params), hardware.load("h200")
    per_sm = gpu.sm.schedulers * gpu.sm_count
    assert p.cycles >= p.instructions / per_sm
    assert p.cycles >= p.value("l1tex__data_pipe_lsu_wavefronts.sum") / gpu.sm_count
    assert p.seconds >= p.dram_bytes_read / gpu.dram.peak_bytes_per_s
    assert p.cycles >= p.value("sm__cycles_active.avg")
    assert 0 < p.achieved_occupancy <= p.occupancy + 1e-9
    assert p.seconds == pytest.approx(p.cycles / gpu.clock.sm_hz, rel=1e-3)


@pytest.mark.parametrize(("kernel", "params"), SMALL)
def test_the_same_input_takes_the_same_cycles(kernel, params):
    first, second = predict(kernel, params), predict(kernel, params)
    assert first.metrics == second.metrics


def test_more_bandwidth_never_slows_a_copy():
    gpu = hardware.load("h200")
    faster = replace(
        gpu, dram=replace(gpu.dram, peak_bytes_per_s=2 * gpu.dram.peak_bytes_per_s,
                          read_bytes_per_s=2 * gpu.dram.read_bytes_per_s),
    )  # fmt: skip
    size = {"N": 1 << 22}
    assert predict("copy-vec4", size, faster).cycles <= 1.01 * predict("copy-vec4", size, gpu).cycles


def test_what_a_warp_waits_for_adds_up():
    """Warps of a scheduler are those that issue and those that wait."""
    p = predict("matmul-tiled", {"n": 256, "tile": 32})
    assert set(p.stalls) == set(REASONS.values())
    gpu = hardware.load("h200")
    warps = p.achieved_occupancy * gpu.sm.max_warps / gpu.sm.schedulers
    issuing = p.value("smsp__issue_active.avg.pct_of_peak_sustained_active") / 100
    assert (1 + sum(p.stalls.values())) * issuing == pytest.approx(warps, rel=0.1)


def test_a_tiled_matmul_waits_for_shared_memory():
    p = predict("matmul-tiled", {"n": 512, "tile": 32})
    assert max(p.stalls, key=p.stalls.get) == "mio_throttle"


def test_a_launch_too_long_is_timed_by_a_stretch_of_it(monkeypatch):
    from gpusim.simulate import run, window

    whole = gpusim.predict("matmul-tiled", gpu="h200", n=512, tile=16)
    monkeypatch.setattr(run, "MOST_TIMED", 1e6)
    monkeypatch.setattr(window, "LENGTH", 4e6)
    part = gpusim.predict("matmul-tiled", gpu="h200", n=512, tile=16)
    assert part["gpc__cycles_elapsed.max"].claim is gpusim.Claim.EXTRAPOLATED
    # it has one wave, most of which is no steady state; at 4096 cubed a stretch is within 5 % of silicon
    assert part.cycles == pytest.approx(whole.cycles, rel=0.3)


def test_every_name_of_the_state_means_one_thing():
    import ast
    from collections import Counter
    from pathlib import Path

    tree = ast.parse(Path(state.__file__).read_text())
    targets = [t for node in tree.body if isinstance(node, ast.Assign) for t in node.targets]
    names = Counter(x.id for t in targets for x in (t.elts if isinstance(t, ast.Tuple) else [t]))
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize(("blocks", "times"), [(1024, 13 * 84 / 1024), (168, 1), (85, 2 * 84 / 85)])
def test_the_sm_with_most_blocks_ends_a_launch(blocks, times):
    assert unevenness(blocks, 84) == pytest.approx(times)
