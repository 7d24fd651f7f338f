"""Time on GPUs that nobody measured: bound by what the datasheet says, and said to be unmeasured."""

from functools import cache

import pytest

import gpusim
import gpusim.lang as gl
from gpusim import hardware
from gpusim.simulate.known_errors import known_errors
from tests.kernels.run import mine

GPUS = hardware.names()
TIMES, CHAINS = 128, 8


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, 512),), block=lambda p: (512,))
def multiply_add(x: gl.Out[gl.f32, "N"]):
    """Square and add, over and over, in independent chains."""
    gl.sizes("N")
    i = gl.ctaid.x * 512 + gl.tid.x
    terms = gl.local(gl.f32, CHAINS, init=1.5)
    for _ in gl.range(0, TIMES, 4):
        for _ in gl.unroll(4):
            for j in gl.unroll(CHAINS):
                terms[j] += terms[j] * terms[j]
    total = gl.var(gl.f32, 0.0)
    for j in gl.unroll(CHAINS):
        total += terms[j]
    x[i] = total


@gl.kernel(grid=lambda p: (1,), block=lambda p: (1024,))
def two_loads(x: gl.Out[gl.f32, "N"], W: gl.Tile = 32):
    """Read shared memory N times: all lanes their own word, W lanes in one bank, and all lanes the same."""
    N = gl.sizes("N")
    words = gl.shared(gl.f32, 32 * 33)
    words[gl.tid.x] = 1.0
    with gl.if_(gl.tid.x < 32):
        words[1024 + gl.tid.x] = 1.0
    gl.barrier()
    total = gl.var(gl.f32, 0.0)
    for k in gl.range(0, N, 1):
        total += words[gl.laneid * W + k % 32] * words[k % 32]
    with gl.if_(gl.tid.x < N):
        x[gl.tid.x] = total


ARITHMETIC, TWO_LOADS = mine(multiply_add, N=512), mine(two_loads, tiles={"W": 32}, N=64)


@pytest.mark.parametrize(
    ("gpu", "ways", "cycles"), [("h200", 32, 32 + 1), ("rtx-a6000", 32, 32 + 1), ("rtx-a6000", 1, 2 + 2)]
)
def test_the_load_store_pipe_takes_loads_in_while_it_works_on_others(gpu, ways, cycles):
    short, long = (gpusim.predict(TWO_LOADS, gpu=gpu, N=n, W=ways).cycles for n in (256, 512))
    assert (long - short) / 256 / 32 == pytest.approx(cycles, rel=0.03)


@cache
def copied(gpu):
    fast = hardware.load(gpu).dram_peak_bytes_per_s > 4e12
    return gpusim.predict("copy-vec4", gpu=gpu, sample=False, N=1 << (23 if fast else 22))


def running(profile):
    """Seconds without those of launching."""
    launch = hardware.load(profile.gpu).launch
    return profile.seconds * (1 - (launch.overhead_cycles + launch.stores_done_cycles) / profile.cycles)


@pytest.mark.parametrize("gpu", GPUS)
def test_a_copy_moves_what_the_memory_can(gpu):
    p, peak = copied(gpu), hardware.load(gpu).dram_peak_bytes_per_s
    moved = p.dram_bytes_read + p.dram_bytes_written
    assert 0.5 < moved / running(p) / peak < 1


@pytest.mark.parametrize("gpu", GPUS)
def test_multiply_adds_come_near_the_peak(gpu):
    spec = hardware.load(gpu)
    threads = spec.sm_count * 1024
    p = gpusim.predict(ARITHMETIC, gpu=gpu, sample=False, N=threads)
    share = 2 * TIMES * CHAINS * threads / running(p) / spec.throughput.fp32_flops
    assert 0.75 < share < 1.05


@pytest.mark.parametrize("gpu", GPUS)
def test_a_small_matmul_takes_a_sane_time(gpu):
    p = gpusim.predict("matmul-tiled", gpu=gpu, sample=False, n=256, tile=16)
    assert 3_000 < p.cycles < 60_000


@pytest.mark.parametrize("gpu", GPUS)
def test_only_a_measured_gpu_is_calibrated(gpu):
    claim = copied(gpu)["gpc__cycles_elapsed.max"].claim_text
    if hardware.load(gpu).measured:
        assert claim.startswith("calibrated, 80 %: ")
    else:
        assert claim.startswith("modelled ±") if known_errors(gpu, "description") else claim == "modelled, unmeasured"


def test_launches_of_an_h100_were_measured_though_its_constants_were_not():
    assert [gpu for gpu in GPUS if known_errors(gpu, "description")] == ["h100-sxm", "h200"]
