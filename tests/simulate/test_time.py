"""What must hold of time, whatever the constants are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpusim
from gpusim import hardware
from gpusim.engine.state import columns as state
from gpusim.simulate.clock import REASONS
from gpusim.simulate.window import unevenness
from tests.marks import most_by_hand

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
    assert p.seconds >= p.dram_bytes_read / gpu.dram_peak_bytes_per_s
    assert p.cycles >= p.value("sm__cycles_active.avg")
    assert 0 < p.achieved_occupancy <= p.occupancy + 1e-9
    assert p.seconds == pytest.approx(p.cycles / gpu.clock.sm_hz, rel=1e-3)


@pytest.mark.parametrize(("kernel", "params"), SMALL)
def test_the_same_input_takes_the_same_cycles(kernel, params):
    first, second = predict(kernel, params), predict(kernel, params)
    assert first.metrics == second.metrics


def with_more_dram(gpu):
    dram, clock = gpu.dram, gpu.clock
    return replace(
        gpu,
        dram=replace(dram, read_bytes_per_s=2 * dram.read_bytes_per_s),
        clock=replace(clock, memory_hz=2 * clock.memory_hz),
    )


def with_more_l2(gpu):
    l2, wires = gpu.l2, gpu.throughput
    return replace(
        gpu,
        l2=replace(l2, slice_bytes_per_cycle=2 * l2.slice_bytes_per_cycle,
                   slice_write_bytes_per_cycle=2 * l2.slice_write_bytes_per_cycle),
        throughput=replace(wires, l2_to_sm_bytes_per_cycle=2 * wires.l2_to_sm_bytes_per_cycle,
                           l2_read_bytes_per_cycle=2 * wires.l2_read_bytes_per_cycle),
    )  # fmt: skip


@pytest.mark.parametrize("more", most_by_hand([with_more_dram, with_more_l2], [with_more_dram]))
@pytest.mark.parametrize(
    ("kernel", "params"), [("copy-vec4", {"N": 1 << 24}), ("matmul-tiled", {"n": 512, "K": 256, "tile": 32})]
)
def test_more_bandwidth_never_slows_what_wants_it(kernel, params, more):
    gpu = hardware.load("h200")
    assert predict(kernel, params, more(gpu)).cycles <= 1.01 * predict(kernel, params, gpu).cycles


OF_SMS = """
base = "h200"
[sources]
question = "a what-if: other numbers of SMs"
[identity]
full_name = "H200 with {count} SMs"
sm_count = {{ value = {count}, unit = "1", kind = "assumed", source = "question" }}
gpcs = {{ value = {gpcs}, unit = "1", kind = "assumed", source = "question" }}
"""


FEWER, USUAL, MORE = [14] * 8, [16] * 6 + [18] * 2, [18] * 8
MATMUL = ("matmul-tiled", {"n": 512, "K": 64, "tile": 32})
COPY = ("copy-vec4", {"N": 1 << 24})


@pytest.mark.parametrize(
    ("launch", "few", "many"),
    [(MATMUL, FEWER, MORE), (COPY, FEWER, MORE), (COPY, USUAL, MORE)],
)
def test_more_sms_never_slow_what_wants_them(launch, few, many, tmp_path):
    took = []
    for gpcs in (few, many):
        path = tmp_path / f"sms{sum(gpcs)}.toml"
        path.write_text(OF_SMS.format(count=sum(gpcs), gpcs=gpcs))
        took.append(predict(*launch, str(path)).cycles)
    assert took[1] <= 1.01 * took[0]


def test_a_block_more_than_fits_takes_another_wave():
    """Steps after 132 and 264 blocks of 1024 threads (one and two an SM), little between them."""
    sides = {100: (10, 10), 132: (11, 12), 133: (7, 19), 264: (12, 22), 265: (5, 53)}
    took = {
        blocks: predict("matmul-tiled", {"M": 32 * rows, "N": 32 * columns, "K": 64, "tile": 32}).cycles
        for blocks, (rows, columns) in sides.items()
    }
    assert took[132] < 1.05 * took[100]
    assert took[133] > 1.2 * took[132]
    assert took[264] < 1.15 * took[133]
    assert took[265] > 1.15 * took[264]


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
    from gpusim.simulate import counting
    from gpusim.simulate.window import WINDOW

    whole = gpusim.predict("matmul-tiled", gpu="h200", n=512, tile=16)
    monkeypatch.setattr(counting, "MOST_TIMED", 1e6)
    monkeypatch.setattr(counting, "WINDOW", WINDOW._replace(most=4e6))
    part, again = (gpusim.predict("matmul-tiled", gpu="h200", n=512, tile=16) for _ in range(2))
    assert part.metrics == again.metrics  # although it is timed beside the counting
    assert part["gpc__cycles_elapsed.max"].claim is gpusim.Claim.EXTRAPOLATED
    # it has one wave, most of which is no steady state; at 4096 cubed a stretch is within 5 % of silicon
    assert part.cycles == pytest.approx(whole.cycles, rel=0.3)


@pytest.mark.parametrize("settled", [0.3, 0.6, 0.99])
def test_a_stretch_is_measured_before_its_last_blocks(settled, monkeypatch):
    """Four waves, of which such a share comes before measuring; the last one emptied the GPU and took twice as long."""
    from gpusim.simulate import counting
    from gpusim.simulate.window import WINDOW

    how = {"M": 1024, "N": 1056, "K": 64, "tile": 32}
    whole = predict("matmul-tiled", how)
    most = settled * whole.value("smsp__inst_executed.sum") / WINDOW.settled
    monkeypatch.setattr(counting, "MOST_TIMED", 1e5)
    monkeypatch.setattr(counting, "WINDOW", WINDOW._replace(most=most))
    part = gpusim.predict("matmul-tiled", gpu="h200", **how)
    assert part["gpc__cycles_elapsed.max"].claim is gpusim.Claim.EXTRAPOLATED
    assert part.cycles == pytest.approx(whole.cycles, rel=0.06)


def _machine(step: int, wave: int, begins: float):
    """A machine whose SMs issue in step, and how it goes on: at the beginning of each wave it issues nothing."""
    from types import SimpleNamespace

    m = SimpleNamespace(
        misc=np.zeros(state.STEPS + state.HORIZON + state.END + 1, np.int64),
        sms=np.zeros((1, state.NOW + 1), np.int64),
        schedulers=np.zeros((1, 1), np.int64),
    )  # fmt: skip

    def advance(until: float) -> bool:
        issued = -(-int(until) // step) * step
        m.misc[state.STEPS] = issued
        m.misc[state.HORIZON] = m.misc[state.END] = state.TICKS * int(issued + begins * (1 + (issued - 1) // wave))
        return False

    return m, advance


@pytest.mark.parametrize("wave", [2_000_000, 4_790_000, 6_000_000, 11_000_000])
def test_a_stretch_of_blocks_in_step_is_measured_by_whole_waves(wave, monkeypatch):
    """Of one and a half waves with two beginnings a third of a beginning was counted more than a launch has."""
    from gpusim.simulate import window

    monkeypatch.setattr(window, "booked", lambda m: {})
    m, advance = _machine(1000, wave, begins := 0.3 * wave)
    lengths = window.WINDOW.of_blocks(4 * 132, 132, wave / 132)
    since = window.measure(m, advance, lengths)
    measured = m.misc[state.STEPS] - since.issued
    cycles = (window.now(m) - since.tick) / state.TICKS
    assert m.misc[state.STEPS] <= 1.01 * lengths.most
    assert cycles / measured == pytest.approx((wave + begins) / wave, rel=0.01)


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


@pytest.mark.parametrize("kernel", ["matmul-tiled", "reduce-sequential"])
def test_a_warp_that_passes_a_barrier_waits_for_its_code(kernel):
    """However little code is fetched ahead, no warp issues before it is there, which would be a wait of less than 0."""
    gpu, params = hardware.load("h200"), {"n": 64, "tile": 8} if kernel == "matmul-tiled" else {"N": 4096}
    found = [
        predict(kernel, params, replace(gpu, sm=replace(gpu.sm, code_lines_ahead=lines), measured=False))
        for lines in (0, 1, gpu.sm.code_lines_ahead)
    ]
    for p in found:
        assert all(m.value >= 0 for name, m in p.metrics.items() if "stall" in name)
    active = [p["sm__cycles_active.avg"].value for p in found]
    assert active[0] > active[1] >= active[2]
