"""Leaving out what decides no address and no branch leaves every count of every kernel as it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.catalogue import lookup
from gpusim.isa.image_memory import needs_data
from gpusim.isa.slice import counting_image
from tests.engine.images import compare_images
from tests.kernels.cases import CASES, REPRESENTATIVE, gpus
from tests.kernels.run import prepare
from tests.marks import most_by_hand


@pytest.mark.parametrize("name", most_by_hand(CASES, REPRESENTATIVE[::2]))
@settings(max_examples=4)
@given(data=st.data())
def test_the_counting_image_counts_what_the_program_does(name, data):
    gpu = data.draw(gpus(name, "h200", "v100"))
    compare_images(prepare(lookup.get(name), data.draw(CASES[name]), gpu)[0], gpu)


@pytest.mark.parametrize("name", most_by_hand(sorted(a.name for a in lookup.all()), REPRESENTATIVE[::2]))
def test_it_does_so_with_default_tiles(name):
    algorithm = lookup.get(name)
    sizes = {size: min(value, 144) for size, value in algorithm.sizes.items()}
    launch, _, _ = prepare(algorithm, sizes)
    short = compare_images(launch, "h200")
    assert len(short.code) <= 1.1 * len(launch.program) + 2


@pytest.mark.parametrize("name", ["matmul-tiled", "matmul-register-tiled", "matmul-coarsened"])
def test_a_matmul_becomes_much_shorter(name):
    launch, _, _ = prepare(lookup.get(name), {"M": 64, "N": 64, "K": 64})
    short = counting_image(launch.program)
    assert len(short.code) < 0.7 * len(launch.program)
    assert not needs_data(short)
