"""Is what a kernel's bound stands on what its description does?"""

from typing import Any

import numpy as np
import pytest

import gpusim.lang as gl
from gpusim import hardware
from gpusim.bounds.answer import bound
from gpusim.bounds.computation import parse
from gpusim.bounds.following import follow, products
from gpusim.bounds.kernels import computed, given_and_stored, least_of
from gpusim.bounds.levels import levels
from gpusim.bounds.tiles import best, fits, formula_bytes, free_tiles
from gpusim.catalogue import lookup
from gpusim.catalogue.algorithm import Algorithm, BareKernel
from tests.bounds.touched import touched
from tests.marks import most_by_hand

SMALL = {"M": 48, "N": 48, "K": 40, "L": 2, "B": 2, "H": 2, "S": 2, "w": 64}
BY_DATA = ("gather", "flash-attention-block-sparse", "flash-attention-block-sparse-f16")
"""Kernels of which data decides what they read."""

KERNELS = [one for one in lookup.search([], [], hidden=True) if isinstance(one, Algorithm)]
TOLD = [one for one in KERNELS if one.computation]
FOLLOWED = {
    "matmul-naive": "C[m,n] += A[m,k] * B[k,n]",
    "matmul-coalesced": "C[m,n] += A[m,k] * B[k,n]",
    "matmul-tiled": "C[m,n] += A[m,k] * B[k,n]",
    "matmul-tiled-fp8": "C[m,n] += A[m,k] * B[k,n]",
    "matmul-coarsened": "C[m,n] += A[m,k] * B[k,n]",
    "matmul-register-tiled": "C[m,n] += A[m,k] * B[k,n]",
    "matmul-register-tiled-vec4": "C[m,n] += A[m,k] * B[k,n]",
    "matmul-batched-nn": "C[l,m,n] += A[l,m,k] * B[l,k,n]",
    "matmul-batched-nt": "C[l,m,n] += A[l,m,k] * B[l,n,k]",
    "matmul-batched-tn": "C[l,m,n] += A[l,k,m] * B[l,k,n]",
    "attention-scores-f16": "C[l,m,n] += A[l,m,k] * B[l,n,k]",
}


def small(algorithm: Algorithm) -> dict[str, int]:
    """Sizes that every thread of a grid can be followed at."""
    if algorithm.family in ("vector", "pointwise", "reduction", "recomputation"):
        return {"N": 640}
    sizes = {name: SMALL.get(name, size) for name, size in algorithm.sizes.items()}
    return {**sizes, "H": 8} if "decode" in algorithm.name else sizes


@pytest.mark.parametrize("algorithm", [one for one in KERNELS if one.name not in BY_DATA], ids=lambda one: one.name)
def test_what_must_come_in_and_go_out_is_what_threads_touch(algorithm: Algorithm) -> None:
    launch = algorithm.launch(**small(algorithm))
    read, written = touched(algorithm.kernel.tree, launch.params)
    nbytes = {spec.name: spec.element_bytes for spec in launch.arrays}
    given = sum(read[spec.name] * nbytes[spec.name] for spec in launch.arrays if spec.intent != "out")
    stored = sum(count * nbytes[name] for name, count in written.items())
    assert given_and_stored(algorithm, launch) == (given, stored)


@pytest.mark.parametrize("name", FOLLOWED)
def test_products_are_followed_back_to_global_memory(name: str) -> None:
    algorithm = lookup.get(name)
    assert not algorithm.computation
    found = computed(algorithm, algorithm.launch())
    assert found is not None
    assert found.text == FOLLOWED[name]


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_was_followed_computes_what_the_reference_does(name: str) -> None:
    algorithm = lookup.get(name)
    sizes = {size: value for size, value in {"L": 2, "M": 12, "N": 20, "K": 8}.items() if size in algorithm.sizes}
    inputs = algorithm.inputs(np.random.default_rng(0), **sizes)
    out, a, b = parse(FOLLOWED[name]).statements[0].accesses
    text = f"{''.join(a.loops)},{''.join(b.loops)}->{''.join(out.loops)}"
    ours = np.einsum(text, *(inputs[one.array].astype(float) for one in (a, b)))
    scale = 8**-0.5 if "scores" in name else 1.0
    reference = algorithm.reference(inputs, **algorithm.bind(**sizes))[out.array].astype(float)
    assert np.allclose(ours * scale, reference, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("algorithm", most_by_hand(TOLD, TOLD[::2]), ids=lambda one: one.name)
def test_a_computation_that_is_told_is_of_the_kernels_arrays_and_no_larger_than_its_work(algorithm: Algorithm) -> None:
    launch = algorithm.launch(**small(algorithm))
    found = parse(algorithm.computation)
    sizes = found.sizes(launch.params)
    shapes = {spec.name: spec.shape for spec in launch.arrays}
    for access in (one for statement in found.statements for one in statement.inputs if one.array in shapes):
        axes = {form.terms: [sizes[loop] for loop in form.loops] for form in access.forms if form.loops}
        extents = [sum(axis) - len(axis) + 1 for axis in axes.values()] + [sizes[loop] for loop in access.whole]
        assert sorted(extents) == sorted(shapes[access.array]), str(access)
    whole = [sizes[loop] for loop in dict.fromkeys(x for one in found.statements for a in one.inputs for x in a.whole)]
    points = sum(found.points(one, sizes) for one in found.statements)
    if algorithm.family in ("matmul", "attention") and any(one.gathers for one in found.statements):
        assert algorithm.kernel.flops().evaluate(**launch.params) >= 2 * points * int(np.prod(whole, initial=1))


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, 16), gl.cdiv(p.N, 16)), block=lambda p: (16, 16))
def triangular(A: gl.In[gl.f32, "N", "N"], B: gl.In[gl.f32, "N", "N"], C: gl.Out[gl.f32, "N", "N"]) -> None:
    """Multiply with a lower triangle: half of the products."""
    N = gl.sizes("N")
    row, col = gl.ctaid.y * 16 + gl.tid.y, gl.ctaid.x * 16 + gl.tid.x
    with gl.if_((row < N) & (col < N)):
        acc = gl.var(gl.f32, 0.0)
        for k in gl.range(0, row + 1):
            acc += A[row, k] * B[k, col]
        C[row, col] = acc


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, 16), gl.cdiv(p.N, 16)), block=lambda p: (16, 16))
def guarded(A: gl.In[gl.f32, "N", "N"], B: gl.In[gl.f32, "N", "N"], C: gl.Out[gl.f32, "N", "N"]) -> None:
    """Multiply with zeros for the upper triangle, which is not read."""
    N = gl.sizes("N")
    row, col = gl.ctaid.y * 16 + gl.tid.y, gl.ctaid.x * 16 + gl.tid.x
    with gl.if_((row < N) & (col < N)):
        acc = gl.var(gl.f32, 0.0)
        for k in gl.range(0, N):
            acc += A.load(row, k, guard=k <= row, other=0.0) * B[k, col]
        C[row, col] = acc


@pytest.mark.parametrize("kernel", [triangular, guarded], ids=["triangular", "guarded"])
def test_half_of_the_products_are_not_taken_for_all(kernel: Any) -> None:
    algorithm = BareKernel.of(kernel)
    launch = algorithm.launch(N=64)
    assert computed(algorithm, launch) is None
    assert least_of(algorithm, launch, levels(hardware.load("h200"))[1]).reason == "compulsory"


@gl.kernel(grid=lambda p: (gl.cdiv(p.N, 64),), block=lambda p: (64,))
def every_other(x: gl.In[gl.f32, "2 * N"], y: gl.Out[gl.f32, "N"]) -> None:
    """Copy every other element."""
    N = gl.sizes("N")
    i = gl.ctaid.x * 64 + gl.tid.x
    with gl.if_(i < N):
        y[i] = x[2 * i]


def test_a_kernel_of_ones_own_is_not_taken_to_touch_more_than_it_loads() -> None:
    algorithm = BareKernel.of(every_other)
    assert given_and_stored(algorithm, algorithm.launch(N=1000)) == (4000, 4000)
    found = bound(algorithm, count=False, N=1000)
    assert "taken for granted" in repr(found)


def test_products_are_counted_over_all_threads() -> None:
    followed = follow(triangular.tree)
    assert followed is not None
    assert products(triangular.tree, followed.statement, triangular.bind(N=64)) == 64 * 64 * 65 // 2


def test_the_best_tile_fits_and_moves_no_more_than_its_own() -> None:
    algorithm, gpu = lookup.get("matmul-register-tiled"), hardware.load("h200")
    launch = algorithm.launch(n=2048)
    found, own = best(algorithm, launch, gpu), formula_bytes(algorithm, launch)
    assert found is not None
    assert own is not None
    assert found.nbytes <= own.nbytes
    assert fits(algorithm, {**launch.params, **found.tiles}, gpu)
    assert not fits(algorithm, {**launch.params, "BM": 1024, "BN": 1024, "TM": 32, "TN": 32}, gpu)


@pytest.mark.parametrize("name", ["flash-attention-1-backward", "flash-attention-2-backward-causal-f16"])
@pytest.mark.parametrize("N", [256, 4096, 65536])
def test_backward_passes_ask_for_more_than_their_bound(name: str, N: int) -> None:
    algorithm, l2 = lookup.get(name), levels(hardware.load("h200"))[1]
    launch = algorithm.launch(B=1, H=16, N=N)
    found, asked = least_of(algorithm, launch, l2), formula_bytes(algorithm, launch)
    assert asked is not None
    assert found.nbytes <= asked.nbytes
    assert found.reason == "reuse" or N < 65536


def test_backward_passes_add_to_three_arrays_at_every_pair() -> None:
    for name in ("flash-attention-1-backward", "flash-attention-2-backward"):
        (statement,) = parse(lookup.get(name).computation).statements
        assert [out.base for out in statement.outs] == ["dQ", "dK", "dV"]


def test_extents_of_arrays_are_no_tiles() -> None:
    assert free_tiles(lookup.get("flash-attention-2")) == ["Br", "Bc"]


def test_levels_hold_what_is_nearer_too() -> None:
    hbm, l2, l1 = levels(hardware.load("h200"))
    assert l1.memory == 65536 * 4
    assert l2.memory == l1.memory + 256 * 1024
    assert hbm.memory == 60 * 2**20 + 132 * l2.memory
    assert (
        l2.counted({"lts__t_sectors_srcunit_tex_op_read.sum": 3, "lts__t_sectors_srcunit_tex_op_write.sum": 1}) == 128
    )
    assert l2.counted({}) is None
