"""Tensor cores in descriptions: every type of element, both layouts of B, what a fragment's rows give."""

import numpy as np
import pytest

import gpusim
import gpusim.lang as gl
from gpusim.catalogue import lookup
from gpusim.catalogue.algorithm import numpy_dtype
from gpusim.isa.opcodes import Op
from gpusim.lang.description_errors import DescriptionError
from tests.kernels.run import mine

WARP = {"grid": lambda p: (1,), "block": lambda p: (32,)}
DEPTH = {gl.f16: 16, gl.bf16: 16, gl.f32: 8, gl.e4m3: 32}


def product(t, transposed, swizzled=True):
    """A 16 x 16 product of one step of K; B is [K, N], or [N, K] where it is transposed."""
    depth, piece = DEPTH[t], 16 // t.nbytes
    rows, columns = (16, depth) if transposed else (depth, 16)

    @gl.kernel(**WARP, name=f"product_{t.value}")
    def kernel(A: gl.In[t, 16, depth], B: gl.In[t, rows, columns], C: gl.Out[gl.f32, 16, 16]):
        sA = gl.shared(t, 16, depth, swizzled=swizzled)
        sB = gl.shared(t, rows, columns, swizzled=swizzled)
        acc = gl.accumulator(2)
        a = gl.fragment_a(t, 1)
        b = gl.fragment_b(t, 2)
        for tile, source in ((sA, A), (sB, B)):
            pieces = tile.shape[1].value // piece
            place = gl.tid.x // pieces, gl.tid.x % pieces * piece
            with gl.if_(gl.tid.x < tile.shape[0] * pieces):
                gl.copy_async(tile, place, source, place, vec=piece)
        gl.copy_commit()
        gl.copy_wait(0)
        gl.barrier()
        a.load(0, sA, (0, 0))
        b.load(0, sB, (0, 0), transposed=transposed)
        for j in gl.unroll(2):
            gl.mma(acc[j], a[0], b[j])
            acc[j].store(C, (0, j * 8))

    return kernel


CASES = [(gl.f16, False), (gl.f16, True), (gl.bf16, False), (gl.bf16, True), (gl.f32, True), (gl.e4m3, True)]


def drawn(t, shape, rng):
    """Numbers that every type holds exactly, tf32 too."""
    return rng.integers(-8, 9, shape).astype(numpy_dtype(t.value))


@pytest.mark.parametrize("swizzled", [False, True])
@pytest.mark.parametrize(("t", "transposed"), CASES)
def test_a_product_is_that_of_numpy(t, transposed, swizzled):
    kernel, rng = product(t, transposed, swizzled), np.random.default_rng(5)
    inputs = {a.name: drawn(t, kernel.array_shape(a.name), rng) for a in kernel.arrays if a.intent == "in"}
    A, B = (inputs[name].astype(np.float64) for name in "AB")
    C = gpusim.run(mine(kernel), inputs, "h200", checked=True)["C"]
    np.testing.assert_array_equal(C, A @ (B.T if transposed else B))


@pytest.mark.parametrize(("t", "transposed"), CASES)
def test_two_flops_for_each_product_added(t, transposed):
    assert product(t, transposed).flops().evaluate() == 2 * 16 * 16 * DEPTH[t]


@gl.kernel(**WARP)
def rows(A: gl.In[gl.f16, 16, 16], top: gl.Out[gl.f32, 16], sums: gl.Out[gl.f32, 16], O: gl.Out[gl.f32, 16, 16]):  # noqa: E741
    sA = gl.shared(gl.f16, 16, 16)
    place = gl.tid.x // 2, gl.tid.x % 2 * 8
    gl.copy_async(sA, place, A, place, vec=8)
    gl.copy_commit()
    gl.copy_wait(0)
    gl.barrier()
    acc = gl.accumulator(2)
    out = gl.accumulator(2)
    a = gl.fragment_a(gl.f16, 2)
    b = gl.fragment_b(gl.f16, 2)
    m = gl.row_values(1, init=-gl.inf)
    total = gl.row_values(1)
    a.load(0, sA, (0, 0))
    b.load(0, sA, (0, 0))
    for j in gl.unroll(2):
        gl.mma(acc[j], a[0], b[j])
        acc[j].map(lambda x, row, column, j=j: x + gl.cast(gl.f32, row * 100 + column + j * 8))
        m[0].fold(gl.maximum, acc[j])
        total[0].fold(lambda x, y: x + y, acc[j])
    m[0].across(gl.maximum)
    total[0].across(lambda x, y: x + y)
    m[0].store(top, (0,))
    total[0].store(sums, (0,), guard=lambda row: row < 15)
    a[1].take(acc[0], acc[1])
    for j in gl.unroll(2):
        gl.mma(out[j], a[1], b[j])
        out[j].map(lambda x, row, column, most: x - most, rows=m[0])
        out[j].store(O, (0, j * 8))


def test_rows_of_accumulators_and_accumulators_as_operands():
    A = drawn(gl.f16, (16, 16), np.random.default_rng(1)) / np.float16(4)
    S = A.astype(np.float64) @ A + np.arange(16)[:, None] * 100 + np.arange(16)
    got = gpusim.run(mine(rows), {"A": A}, "h200", checked=True)
    np.testing.assert_array_equal(got["top"], S.max(axis=1))
    np.testing.assert_allclose(got["sums"][:15], S.sum(axis=1)[:15], rtol=1e-6)
    assert got["sums"][15] == 0
    wanted = S.astype(np.float16).astype(np.float64) @ A - S.max(axis=1)[:, None]
    np.testing.assert_allclose(got["O"], wanted, rtol=1e-5, atol=1e-2)


def test_swizzled_tiles_have_no_bank_conflicts():
    profile = gpusim.predict("matmul-tensor", gpu="h200", n=256)
    assert profile.bank_conflicts == 0


def test_a_sum_stays_in_its_registers():
    program = lookup.get("matmul-tensor").kernel.lower()
    products = [i for i in program.instrs if i.op is Op.HMMA]
    assert len(products) == 128
    assert all(i.dst.index == i.srcs[2].index for i in products)


@pytest.mark.parametrize(("arch", "lacks"), [("sm_70", "async copy"), ("sm_75", "async copy")])
def test_an_architecture_without_them_is_refused(arch, lacks):
    with pytest.raises(DescriptionError, match=f"{arch} has no instructions for {lacks}; take a GPU of sm_80 or later"):
        lookup.get("matmul-tensor").kernel.lower(arch=arch, BK=32, S=2)


def test_ada_multiplies_8_bit_floats_in_another_way():
    with pytest.raises(DescriptionError, match="sm_89 multiplies e4m3 by instructions of its own"):
        product(gl.e4m3, True).lower(arch="sm_89")


# ------------------------------------------------------------------ what is wrong with a description


def described(body):
    """The error of a kernel of one warp."""

    @gl.kernel(**WARP)
    def kernel(A: gl.In[gl.f16, 64, 64], C: gl.Out[gl.f32, 64, 64]):
        body(A, C)

    with pytest.raises(DescriptionError) as error:
        kernel.lower()
    return str(error.value)


def test_a_fragment_comes_from_shared_memory():
    assert "A, which is in global memory" in described(lambda A, C: gl.fragment_a(gl.f16, 1).load(0, A, (0, 0)))


def test_a_fragment_and_its_tile_are_of_one_type():
    def body(A, C):
        gl.fragment_a(gl.bf16, 1).load(0, gl.shared(gl.f16, 16, 16), (0, 0))

    assert "a fragment of bf16 loaded from s of f16" in described(body)


def test_only_halves_are_transposed():
    def body(A, C):
        gl.fragment_b(gl.f32, 2).load(0, gl.shared(gl.f32, 16, 16), (0, 0))

    assert "say transposed=True" in described(body)


def test_a_product_takes_one_type():
    def body(A, C):
        gl.mma(gl.accumulator(1)[0], gl.fragment_a(gl.f16, 1)[0], gl.fragment_b(gl.bf16, 2)[0])

    assert "gl.mma of fragments of f16 and bf16" in described(body)


def test_a_product_is_the_whole_warps():
    def body(A, C):
        sums, a, b = gl.accumulator(1), gl.fragment_a(gl.f16, 1), gl.fragment_b(gl.f16, 2)
        with gl.if_(gl.tid.x < 7):
            gl.mma(sums[0], a[0], b[0])

    assert "gl.mma where threads of a block part ways" in described(body)


def test_a_copy_is_of_whole_words():
    def body(A, C):
        gl.copy_async(gl.shared(gl.f16, 16, 16), (0, 0), A, (0, 0), vec=1)

    assert "a thread copies 4, 8 or 16 bytes" in described(body)


def test_swizzled_rows_fit_the_banks():
    def body(A, C):
        tile = gl.shared(gl.f16, 16, 24, swizzled=True)
        gl.copy_async(tile, (gl.tid.x, 0), A, (gl.tid.x, 0), vec=8)

    assert "a row has 48 bytes; make it 16, 32, 64 or a multiple of 128" in described(body)


def test_a_fragment_beyond_the_last_is_refused():
    def body(A, C):
        tile = gl.shared(gl.f16, 16, 16)
        gl.copy_async(tile, (gl.tid.x // 2, gl.tid.x % 2 * 8), A, (gl.tid.x // 2, gl.tid.x % 2 * 8), vec=8)
        gl.fragment_b(gl.f16, 1).load(0, tile, (0, 0))

    assert "[1, 0] is out of bounds" in described(body)
