"""Leaving out what decides no address and no branch leaves every count as it is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim import catalog
from gpusim.engine import counts as C
from gpusim.engine import errors as E
from gpusim.engine import state as S
from gpusim.engine.machine import drive
from gpusim.isa.encode import bind_constants, encode
from gpusim.isa.slice import counting_image, needs_data
from gpusim.simulate.build import machine
from gpusim.simulate.launch import constant_bank, fill_memory, lay_out
from gpusim.simulate.sample import EXECUTED
from tests.kernels.cases import CASES
from tests.kernels.run import prepare

NAMES = {
    number: name for name, number in vars(C).items() if isinstance(number, int) and not name.startswith(("A_", "N_"))
}
OF_CACHES = {
    C.LD_HIT, C.L2_READ, C.L2_WRITE, C.L2_READ_REQ, C.L2_WRITE_REQ, C.L2_MISS, C.FABRIC, C.DRAM_READ, C.DRAM_WRITE,
    C.MERGED, C.PENDING,
}  # fmt: skip


def counted(launch, gpu, held, image, *, data):
    """Counts of the launch and of its arrays when it only executes, on one SM."""
    layout = lay_out(launch)
    image = bind_constants(image, constant_bank(launch, layout))
    memory = fill_memory(launch, layout) if data else np.zeros(1, np.uint32)
    m = machine(gpu, launch, held, image, layout, memory, 1, timeless=True, n_sm=1)
    queue = np.arange(launch.blocks, dtype=np.int64)
    while not drive(m, queue, np.zeros(len(queue), np.int64), 1 << 20):
        pass
    assert m.misc[S.E_CODE] == E.OK
    return m.counts[0], m.arrays


def compare(launch, gpu, held):
    short = counting_image(launch.program)
    full, full_arrays = counted(launch, gpu, held, encode(launch.program), data=True)
    cut, cut_arrays = counted(launch, gpu, held, short, data=needs_data(short))
    assert {NAMES[c]: full[c] for c in EXECUTED} == {NAMES[c]: cut[c] for c in EXECUTED}
    np.testing.assert_array_equal(full_arrays, cut_arrays)
    return short


def test_every_column_follows_from_execution_or_from_caches():
    assert set(EXECUTED) | OF_CACHES == set(range(C.N_COUNTS))
    assert not set(EXECUTED) & OF_CACHES


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=12)
@given(data=st.data(), gpu=st.sampled_from(["h200", "v100"]))
def test_the_counting_image_counts_what_the_program_does(name, data, gpu):
    compare(*prepare(catalog.get(name), data.draw(CASES[name]), gpu))


@pytest.mark.parametrize("name", sorted(a.name for a in catalog.all()))
def test_it_does_so_with_default_tiles(name):
    algorithm = catalog.get(name)
    sizes = {size: min(value, 132) for size, value in algorithm.sizes.items()}
    launch, gpu, held = prepare(algorithm, sizes)
    short = compare(launch, gpu, held)
    assert len(short.code) <= 1.1 * len(launch.program) + 2


@pytest.mark.parametrize("name", ["matmul-tiled", "matmul-register-tiled", "matmul-coarsened"])
def test_a_matmul_becomes_much_shorter(name):
    launch, _, _ = prepare(catalog.get(name), {"M": 64, "N": 64, "K": 64})
    short = counting_image(launch.program)
    assert len(short.code) < 0.7 * len(launch.program)
    assert not needs_data(short)
