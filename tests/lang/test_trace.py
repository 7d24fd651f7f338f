"""Tracing: the tree is what the description says."""

from pathlib import Path

import pytest

import gpusim.lang as gl
from gpusim.lang.tree import (
    Assign,
    Atomic,
    Barrier,
    Binary,
    Cast,
    Compare,
    Const,
    DType,
    For,
    If,
    Index,
    Let,
    Load,
    Param,
    Read,
    Select,
    Shuffle,
    Special,
    Store,
    Temp,
    statements,
)
from tests.lang import samples

N, T = Param("N", DType.I32, "size"), Param("T", DType.I32, "tile")


def traced(function, **options):
    """Body of a kernel of one block of 32 threads."""
    return gl.kernel(grid=lambda p: 1, block=lambda p: 32, **options)(function).tree.body


def kinds(body):
    return [type(s) for s in body]


def test_tiled_matmul_is_recorded_statement_by_statement():
    tree = samples.tiled.tree
    assert [p.name for p in tree.params] == ["M", "K", "N", "T"]
    assert [(a.name, a.intent) for a in tree.globals] == [("A", "in"), ("B", "in"), ("C", "out")]
    assert [a.name for a in tree.shared] == ["sA", "sB"]
    assert [v.name for v in tree.locals] == ["acc"]
    assert tree.defaults == {"T": 32}
    assert kinds(tree.body) == [Assign, For, If]
    assert kinds(tree.body[1].body) == [Load, Store, Load, Store, Barrier, For, Barrier]
    assert kinds(tree.body[1].body[5].body) == [Load, Load, Let, Assign]
    assert tree.body[1].body[5].unroll
    assert not tree.body[1].unroll


def test_lines_are_those_of_the_description():
    text = Path(samples.__file__).read_text().splitlines()
    for s in statements(samples.tiled.tree.body):
        if isinstance(s, Barrier):
            assert "gl.barrier()" in text[s.line - 1]
        if isinstance(s, For):
            assert "for" in text[s.line - 1]


def test_a_helper_of_the_same_file_gives_its_own_lines():
    def helper(y, i):
        y[i] = 1.0

    def kernel(y: gl.Out[gl.f32, "N"]):
        helper(y, gl.tid.x)

    (store,) = traced(kernel)
    assert store.line == helper.__code__.co_firstlineno + 1


def test_a_variable_is_read_where_it_is_used():
    def kernel(y: gl.Out[gl.f32, "N"]):
        v = gl.var(gl.f32, 1)
        before = v * 2.0
        v += 3.0
        y[0] = before + v

    init, first, second, update, third, store = traced(kernel)
    assert init.value == Const(1.0, DType.F32)
    assert isinstance(first.value, Read)
    assert update.value == Binary("add", second.temp, Const(3.0, DType.F32), DType.F32)
    two_v = Binary("mul", first.temp, Const(2.0, DType.F32), DType.F32)
    assert store.values == (Binary("add", two_v, third.temp, DType.F32),)


def test_every_in_place_operator_of_a_variable():
    def kernel(y: gl.Out[gl.i32, 1]):
        v = gl.var(gl.i32, 64)
        v += 1
        v -= 1
        v *= 2
        v //= 2
        v %= 7
        v <<= 1
        v >>= 1
        v &= 3
        v |= 4
        v ^= 1
        y[0] = v

    updates = [s.value.op for s in traced(kernel) if isinstance(s, Assign) and isinstance(s.value, Binary)]
    assert updates == ["add", "sub", "mul", "floordiv", "mod", "shl", "shr", "and", "or", "xor"]


def test_local_arrays_are_filled_and_updated():
    def kernel(y: gl.Out[gl.f32, "N"], T: gl.Tile = 4):
        a = gl.local(gl.f32, T, 2)
        b = gl.local(gl.i32, T)
        c = gl.local(gl.f32, T, init=None)
        for i in gl.unroll(T):
            a[i, 1] += 2.0
            c[i] = a[i, 1]
            b[i] += 1

    fill_a, fill_b, loop = traced(kernel)
    assert (fill_a.stop, fill_a.body[0].stop) == (T, Const(2, DType.I32))
    assert fill_a.unroll
    assert fill_b.body[0].value == Const(0, DType.I32)
    assert kinds(loop.body) == [Let, Assign, Let, Assign, Let, Assign]


def test_half_types_are_computed_with_as_f32():
    def kernel(x: gl.In[gl.f16, "N"], y: gl.Out[gl.bf16, "N"]):
        y[0] = x[0] + 1.0

    load, store = traced(kernel)
    assert load.temps[0].dtype is DType.F16
    total = Binary("add", Cast(load.temps[0], DType.F32), Const(1.0, DType.F32), DType.F32)
    assert store.values == (Cast(total, DType.BF16),)


def test_vector_accesses_guards_and_cache_operators():
    def kernel(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"]):
        quad = x.load(4 * gl.tid.x, vec=4, guard=gl.tid.x < 8, other=-1, cache="cg")
        y.store(4 * gl.tid.x, quad, guard=gl.tid.x < 8)

    load, store = traced(kernel)
    guard = Compare("lt", Special("tid.x"), Const(8, DType.I32))
    assert len(load.temps) == 4
    assert (load.guard, load.other, load.cache) == (guard, Const(-1.0, DType.F32), "cg")
    assert (store.values, store.guard) == (load.temps, guard)


def test_loops_of_every_kind():
    def kernel(y: gl.Out[gl.f32, "N"], T: gl.Tile):
        N = gl.sizes("N")
        for i in gl.range(N):
            y[i] = 0.0
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            y[i] = 0.0
        for i in gl.unroll(gl.tid.x, T, 4):
            y[i] = 0.0
        for i in gl.doubling(1, T):
            y[i] = 0.0

    plain, strided, unrolled, doubling = traced(kernel)
    assert (plain.start, plain.stop, plain.step) == (Const(0, DType.I32), N, Const(1, DType.I32))
    assert (strided.start, strided.step) == (Special("tid.x"), Special("ntid.x"))
    assert unrolled.unroll
    assert doubling.geometric
    assert [s.index.name for s in (plain, strided, unrolled, doubling)] == ["i"] * 4


def test_branches_nest():
    def kernel(y: gl.Out[gl.f32, "N"]):
        with gl.if_(gl.tid.x < 4):
            y[0] = 0.0
        with gl.else_():
            with gl.if_(gl.tid.x < 8):
                y[1] = 1.0
            with gl.else_():
                y[2] = 2.0

    (branch,) = traced(kernel)
    assert kinds(branch.then) == [Store]
    assert kinds(branch.orelse) == [If]
    assert kinds(branch.orelse[0].orelse) == [Store]


def test_shuffles_and_atomics():
    def kernel(y: gl.InOut[gl.f32, "N"]):
        v = gl.shfl_xor(y[gl.laneid], 16)
        v = gl.shfl_down(v, 1) + gl.shfl_up(v, 1) + gl.shfl(v, 0)
        old = gl.atomic_add(y, 3, v)
        gl.atomic_max(y, 4, old)

    body = traced(kernel)
    assert [s.kind for s in body if isinstance(s, Shuffle)] == ["xor", "down", "up", "idx"]
    assert [s.op for s in body if isinstance(s, Atomic)] == ["add", "max"]


def test_constants_fold_and_neutral_elements_vanish():
    i = Special("tid.x")
    assert i + 0 is i
    assert i * 1 is i
    assert i * 0 == Const(0, DType.I32)
    assert 0 + i is i
    assert i // 1 is i
    assert i % 1 == Const(0, DType.I32)
    assert Const(3, DType.I32) * 4 == Const(12, DType.I32)
    assert (i < 4) & True == (i < 4)
    assert (i < 4) | True == Const(True, DType.PRED)
    assert ~~(i < 4) == (i < 4)
    assert gl.cdiv(7, 2) == 4
    assert gl.select(True, i, 2) is i
    x = Temp(0, DType.F32)
    assert isinstance(x + 0.0, Binary), "-0.0 + 0.0 is 0.0"
    assert x * 1 is x


def test_structural_equality_and_hashing():
    assert Special("tid.x") + N == Special("tid.x") + N
    assert len({N + 1, N + 1, N + 2}) == 2
    assert N + 1 != N + 2


def test_equality_is_a_condition_in_a_description():
    made = []

    @gl.kernel(grid=lambda p: 1, block=lambda p: 32, requires=lambda p: [(p.N % 4 == 0, "fours")])
    def compared(x: gl.In[gl.i32, "N"], y: gl.Out[gl.i32, "N"]):
        v = gl.var(gl.i32, 3)
        made.extend([gl.tid.x == 0, gl.tid.x != 0, x[0] == x[1], v == v, gl.tid.x + 1 == gl.tid.x + 1])
        y[0] = gl.select(made[0], 1, 2)

    tid = Special("tid.x")
    assert [condition for condition, _ in compared.tree.requires] == [Compare("eq", N % 4, Const(0, DType.I32))]
    assert made[:2] == [Compare("eq", tid, Const(0, DType.I32)), Compare("ne", tid, Const(0, DType.I32))]
    assert [(type(e), e.op) for e in made[2:4]] == [(Compare, "eq")] * 2


def test_equality_decides_nothing_in_python():
    @gl.kernel(grid=lambda p: 1, block=lambda p: 32)
    def decided(y: gl.Out[gl.i32, 32]):
        y[gl.tid.x] = 1 if gl.tid.x == 0 else 2

    with pytest.raises(gl.DescriptionError, match=r"gl\.select"):
        _ = decided.tree


def test_functions():
    x, i = Temp(0, DType.F32), Temp(1, DType.I32)
    assert gl.exp(x).op == "exp"
    assert gl.abs(i).dtype is DType.I32
    assert gl.maximum(x, 0).b == Const(0.0, DType.F32)
    assert gl.minimum(N, 4).op == "min"
    assert gl.select(i < 0, x, 1) == Select(i < 0, x, Const(1.0, DType.F32), DType.F32)
    assert gl.cast(gl.f32, i) == Cast(i, DType.F32)
    assert gl.cast(gl.f16, x) == Cast(Cast(x, DType.F16), DType.F32)
    assert gl.fma(x, 2, 1.0).b == Const(2.0, DType.F32)
    assert (i * gl.cast(gl.u32, 3)).dtype is DType.U32
    assert (-x).op == "neg"
    assert (1 - i).a == Const(1, DType.I32)


def test_sizes_come_from_shapes_and_calls():
    def kernel(x: gl.In[gl.f32, "N * s", 3], y: gl.Out[gl.f32, "cdiv(N, T)"], T: gl.Tile, o: gl.Scalar[gl.u32]):
        gl.sizes("K")

    tree = gl.kernel(grid=lambda p: p.K, block=lambda p: p.T)(kernel).tree
    assert [(p.name, p.role) for p in tree.params] == [
        ("N", "size"), ("s", "size"), ("T", "tile"), ("o", "scalar"), ("K", "size")
    ]  # fmt: skip
    assert tree.globals[0].shape == (N * Param("s", DType.I32, "size"), Const(3, DType.I32))
    assert tree.globals[1].shape == (gl.cdiv(N, T),)


def test_it_is_traced_once_and_only_when_looked_at():
    calls = []

    @gl.kernel(grid=lambda p: 1, block=lambda p: 1)
    def kernel(y: gl.Out[gl.f32, "N"]):
        calls.append(1)

    assert not calls
    assert kernel.tree is kernel.tree
    assert calls == [1]


def test_indices_have_the_names_of_the_source():
    names = {s.index.name for s in statements(samples.tiled.tree.body) if isinstance(s, For)}
    assert names == {"t", "i"}
    assert isinstance(samples.tiled.tree.body[1].index, Index)


@pytest.mark.parametrize("kernel", samples.ALL, ids=lambda k: k.name)
def test_every_sample_traces(kernel):
    assert kernel.tree.body
