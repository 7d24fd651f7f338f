"""The same kernel as two Programs: machine code of its emitted CUDA, and its direct lowering."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim
from gpusim import hardware
from gpusim.catalogue import lookup
from gpusim.catalogue.algorithm import numpy_dtype
from gpusim.engine.state import counts as C
from gpusim.frontends import described
from gpusim.simulate import count
from tests.kernels.cases import CASES, REPRESENTATIVE
from tests.kernels.run import assert_as_referenced
from tests.marks import most_by_hand

pytestmark = pytest.mark.usefixtures("compiler")

SAME = [f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum" for what in ("requests", "sectors") for op in ("ld", "st")]


def through_cuda(algorithm, params, inputs):
    """Outputs and profile of the emitted source."""
    from gpusim import cuda

    bound = algorithm.launch(**params)
    source = bound.kernel.emit(**described.tiles_of(bound))
    kernel = cuda.compile(source, gpu="h200", options=["-fmad=true"]).kernel()
    arrays = {spec.name: np.zeros(spec.shape, numpy_dtype(spec.dtype)) for spec in bound.arrays}
    arrays |= {name: values.copy() for name, values in inputs.items()}
    args = [arrays[p.name] if p.name in arrays else np.int32(bound.params[p.name]) for p in kernel.parameters]
    dynamic = described.lower(bound, hardware.load("h200")).shared_bytes if "extern __shared__" in source else 0
    profile = gpusim.profile(kernel, bound.grid, bound.block, args, gpu="h200", dynamic_shared=dynamic)
    return {spec.name: arrays[spec.name] for spec in bound.arrays if spec.intent != "in"}, profile


def directly(algorithm, params, inputs):
    """What the lowered program asks for."""
    gpu, bound = hardware.load("h200"), algorithm.launch(**params)
    program = described.lower(bound, gpu)
    arrays = {spec.name: np.zeros(spec.shape, numpy_dtype(spec.dtype)) for spec in bound.arrays} | inputs
    launch = described.assemble(bound, program, arrays)
    held = hardware.occupancy(gpu, launch.threads, program.n_registers, launch.shared_bytes)
    total = count(launch, gpu, held, sample=False).total
    return [total[column] for column in (C.LD_REQ, C.ST_REQ, C.LD_SECTORS, C.ST_SECTORS)]


@pytest.mark.parametrize("name", most_by_hand(CASES, REPRESENTATIVE[::2]))
@settings(max_examples=2)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_both_compute_and_ask_for_the_same(name, data, seed):
    algorithm = lookup.get(name)
    compare(algorithm, algorithm.bind(**data.draw(CASES[name])), seed)


def compare(algorithm, params, seed):
    inputs = algorithm.inputs(np.random.default_rng(seed), **params)
    outputs, profile = through_cuda(algorithm, params, inputs)
    assert_as_referenced(outputs, algorithm, params, inputs)
    assert [profile.value(m) for m in SAME] == directly(algorithm, params, inputs)


def test_a_load_may_be_wider_than_what_is_left_of_shared_memory():
    algorithm = lookup.get("matmul-register-tiled")
    compare(algorithm, algorithm.bind(M=1, N=1, K=1, BM=4, BN=1, BK=3, TM=1, TN=1), 0)


@pytest.mark.xfail(strict=True, reason="nvcc lets the three to four passes of a ragged copy run together, not apart")
def test_a_ragged_copy_within_another_loop_asks_as_often():
    algorithm = lookup.get("flash-attention-1-swapped")
    compare(algorithm, algorithm.bind(B=1, H=1, N=1, d=5, Br=12, Bc=5), 0)
