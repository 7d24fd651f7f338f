"""How busy units are, and what a launch is bound by, where the answer is plain."""

import pytest

import gpusim
import gpusim.lang as gl
from gpusim.report.busy import UNITS, ranked
from tests.kernels.run import mine
from tests.simulate.test_time import SMALL

FMA = "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"
DRAM = "dram__throughput.avg.pct_of_peak_sustained_elapsed"


def whole(kernel, **params):
    return gpusim.predict(kernel, sample=False, **params)


@gl.kernel(grid=lambda p: (p.B,), block=lambda p: (p.T,))
def multiply(x: gl.In[gl.f32, "B"], y: gl.Out[gl.f32, "B * T"], T: gl.Tile = 512):
    """Eight independent chains of fused multiply-adds a thread."""
    gl.sizes("B")
    S = gl.sizes("S")
    acc = [gl.var(gl.f32, float(k)) for k in range(8)]
    scale = x[gl.ctaid.x]
    for _ in gl.range(0, S):
        for _ in range(16):
            for a in acc:
                a.set(gl.fma(a, scale, 1.5))
    total = acc[0] + 0.0
    for a in acc[1:]:
        total = total + a
    y[gl.ctaid.x * T + gl.tid.x] = total


@gl.kernel(grid=lambda p: (p.B,), block=lambda p: (1024,))
def meet(x: gl.InOut[gl.f32, "B * 1024"]):
    """Barrier after barrier."""
    gl.sizes("B")
    S = gl.sizes("S")
    for _ in gl.range(0, S):
        gl.barrier()
    x[gl.ctaid.x * 1024 + gl.tid.x] = 1.0


@gl.kernel(grid=lambda p: (p.B,), block=lambda p: (32,))
def add_up(x: gl.In[gl.f32, "S * 32"], y: gl.Out[gl.f32, "B * 32"]):
    """A warp an SM, which waits for each of its loads."""
    gl.sizes("B")
    S = gl.sizes("S")
    total = gl.var(gl.f32, 0.0)
    for s in gl.range(0, S):
        total += x[s * 32 + gl.tid.x]
    y[gl.ctaid.x * 32 + gl.tid.x] = total


@pytest.mark.parametrize(("kernel", "params"), SMALL)
def test_no_unit_is_busier_than_always(kernel, params):
    found = whole(kernel, **params)
    assert all(0 <= found.value(unit.metric) <= 100 for unit in UNITS)
    assert len(ranked(found)) == len(UNITS)


@pytest.fixture(scope="module")
def arithmetic():
    return whole(mine(multiply, B=264, S=64))


def test_independent_multiply_adds_fill_the_fma_pipe(arithmetic):
    assert arithmetic.value(FMA) > 90
    assert arithmetic.bound == "compute"
    assert "bound by compute (FMA pipe" in repr(arithmetic).replace("\n", " ")


def test_a_copy_of_wide_loads_keeps_the_fabric_busiest_then_dram():
    busiest, next_one = ranked(whole("copy-vec4", N=1 << 24))[:2]
    assert busiest.name == "fabric between L2's halves"
    assert next_one.unit.metric == DRAM
    assert next_one.name == "HBM bandwidth"


def test_few_blocks_are_a_tail():
    found = whole(mine(multiply, B=20, S=128))
    assert found.value(FMA) > 80
    assert found.bound == "tail"
    assert "SMs have no work 85 % of the time" in repr(found).replace("\n", " ")


def test_barriers_bind():
    assert whole(mine(meet, B=264, S=200)).bound == "barrier"


def test_loads_that_are_waited_for_one_by_one_are_latency():
    assert whole(mine(add_up, B=132, S=200)).bound == "latency"


def test_an_empty_launch_is_bound_by_the_launch():
    found = whole("copy", N=1024)
    assert found.bound == "launch"
    assert "no SM has work" in repr(found).replace("\n", " ")


@pytest.mark.long
def test_a_stretch_says_how_busy_units_are(monkeypatch):
    from gpusim.simulate import counting
    from gpusim.simulate.window import WINDOW

    exact = whole("matmul-tiled", n=512, tile=16)
    monkeypatch.setattr(counting, "MOST_TIMED", 1e6)
    monkeypatch.setattr(counting, "WINDOW", WINDOW._replace(most=4e6))
    part = gpusim.predict("matmul-tiled", n=512, tile=16)
    for unit in UNITS[:4]:
        assert part.value(unit.metric) == pytest.approx(exact.value(unit.metric), rel=0.4, abs=3)
