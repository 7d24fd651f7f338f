"""Does emitted source compute what it should?  Run on the CPU, with a stand-in for CUDA."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.catalogue import lookup
from gpusim.lang import Kernel
from tests.emit import constructs, cpu
from tests.host.build import COMPILER
from tests.kernels.cases import CASES, REPRESENTATIVE
from tests.kernels.run import assert_as_referenced
from tests.lang import samples
from tests.lower import test_language as language
from tests.lower.running import run_kernel
from tests.marks import most_by_hand

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++")

SIZES = {"M": 21, "N": 37, "K": 19, "H": 2, "G": 3, "A": 3, "B": 4, "C": 9, "R": 4, "blocks": 3, "w": 3}
TILES = {"samples.register_tiled": {"BM": 16, "BN": 8, "BK": 4, "TM": 2, "TN": 4}}
CONSTRUCTS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": kernel
    for module in (language, samples, constructs)
    for name, kernel in vars(module).items()
    if isinstance(kernel, Kernel) and kernel is not constructs.float_extreme
}


@pytest.mark.parametrize("name", most_by_hand(CASES, REPRESENTATIVE[::2]))
@settings(max_examples=2)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_kernels_match_their_reference(name, data, seed):
    algorithm = lookup.get(name)
    params = algorithm.bind(**data.draw(CASES[name]))
    inputs = algorithm.inputs(np.random.default_rng(seed), **params)
    outputs = cpu.run(algorithm.kernel, inputs, **params)
    assert_as_referenced(outputs, algorithm, params, inputs)


def drawn(kernel, params):
    """Inputs of no meaning, all above zero, so that they can be divided by."""
    rng = np.random.default_rng(7)
    made = {}
    for array in kernel.arrays:
        shape = kernel.array_shape(array.name, **params)
        whole = rng.integers(1, 90, shape)
        if array.dtype.value == "bf16":
            made[array.name] = (whole.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        elif array.intent != "out":
            made[array.name] = rng.uniform(0.1, 4, shape).astype(np.float32) if array.dtype.is_float else whole
    return made


@pytest.mark.parametrize("name", most_by_hand(CONSTRUCTS, list(CONSTRUCTS)[::2]))
def test_constructs_match_the_lowered_program(name):
    kernel = CONSTRUCTS[name]
    defaults = {p.name: SIZES.get(p.name, 5) for p in kernel.params if p.role != "tile"}
    params = {**defaults, **kernel.defaults, **TILES.get(name, {})}
    inputs = drawn(kernel, params)
    wanted, _ = run_kernel(kernel, inputs, **params)
    for array, values in cpu.run(kernel, inputs, **params).items():
        np.testing.assert_allclose(values, wanted[array].view(values.dtype), rtol=1e-5, atol=1e-5)
