"""Symbolic IO and FLOPs equal what every thread of the grid does, ragged edges included."""

import math
from contextlib import nullcontext

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim.lang as gl
from gpusim.lang import DescriptionError
from gpusim.lang.count import count_by_enumeration
from gpusim.lang.count_points import points
from gpusim.lang.tree import Binary, Fma, Unary, children, operands, statements
from tests.lang import samples

M, N, K, T, F, BM, BN, BK, B, D, H = sympy.symbols("M N K T F BM BN BK B D H", integer=True, positive=True)
ceil = sympy.ceiling

FORMULAS = {
    "vector_add": {"a": (N, 0), "b": (N, 0), "c": (0, N)},
    "tiled": {"A": (M * K * ceil(N / T), 0), "B": (K * N * ceil(M / T), 0), "C": (0, M * N)},
    "coarsened": {"A": (M * K * ceil(N / (F * T)), 0), "B": (K * N * ceil(M / T), 0), "C": (0, M * N)},
    "register_tiled": {"A": (M * K * ceil(N / BN), 0), "B": (K * N * ceil(M / BM), 0), "C": (0, M * N)},
    "transpose": {"x": (M * N, 0), "y": (0, M * N)},
    "reduction": {"x": (N, 0), "y": (0, ceil(N / B))},
    "stencil": {
        "x": (5 * sympy.Max(0, M - 2) * sympy.Max(0, N - 2), 0),
        "y": (0, sympy.Max(0, M - 2) * sympy.Max(0, N - 2)),
    },
    "grid_stride": {"x": (N, 0)},
    "causal": {"O": (0, H * N)},
    "suffixes": {"x": (N * ceil(N / B) - B * ceil(N / B) * (ceil(N / B) - 1) / 2, 0), "y": (0, N)},
}

RANGES = {"M": 40, "N": 70, "K": 30, "T": 9, "F": 5, "X": 40, "Y": 12, "B": 130, "w": 6, "H": 3, "G": 4, "blocks": 5,
          "R": 8, "C": 6, "TM": 4, "TN": 4, "BK": 9, "BM": 6, "BN": 6, "D": 3}  # fmt: skip
MULTIPLES = {"register_tiled": {"BM": "TM", "BN": "TN"}, "transpose": {"T": "R"}, "causal": {"D": 4}}


@st.composite
def launches(draw, kernel, small=False):
    """Parameters that the kernel's requirements admit."""
    params = {p.name: draw(st.integers(1, min(RANGES[p.name], 5 if small else 99)), p.name) for p in kernel.params}
    for name, unit in MULTIPLES.get(kernel.name, {}).items():
        params[name] *= params[unit] if isinstance(unit, str) else unit
    return params


@pytest.mark.parametrize("name", FORMULAS)
def test_the_formulas_are_the_textbook_ones(name):
    io = next(k for k in samples.ALL if k.name == name).io()
    for array, (loaded, stored) in FORMULAS[name].items():
        assert sympy.simplify(io[array].loaded - loaded) == 0
        assert sympy.simplify(io[array].stored - stored) == 0


@pytest.mark.parametrize("kernel", samples.ALL, ids=lambda k: k.name)
@given(data=st.data())
@settings(max_examples=25)
def test_evaluated_counts_are_what_every_thread_does(kernel, data):
    params = data.draw(launches(kernel))
    assert kernel.io().evaluate(**params) == count_by_enumeration(kernel.tree, **params)


@pytest.mark.parametrize("kernel", [k for k in samples.ALL if k.name != "warps"], ids=lambda k: k.name)
@given(data=st.data())
@settings(max_examples=4)
def test_the_formulas_themselves_are_exact_sums_included(kernel, data):
    params = data.draw(launches(kernel, small=True))
    expected = count_by_enumeration(kernel.tree, **params)
    for name, array in kernel.io(**params).items():
        assert (summed(array.loaded), summed(array.stored)) == expected[name]


def summed(e):
    """Value of a formula whose parameters are numbers: sums term by term (sympy gives up where limits depend)."""
    if not e.has(sympy.Sum):
        return int(e)
    if not isinstance(e, sympy.Sum):
        assert isinstance(e, (sympy.Add, sympy.Mul))
        return int(e.func(*(summed(part) for part in e.args)))
    body, (symbol, low, high) = e.args[0], e.args[-1]
    inner = sympy.Sum(body, *e.args[1:-1]) if len(e.args) > 2 else body
    return sum(summed(inner.subs(symbol, value)) for value in range(int(low), int(high) + 1))


def unhoisted_flops(kernel, params):
    """Operations as written, each statement on its own: exact where no operation is shared or hoisted."""

    def cost(e):
        own = 2 if isinstance(e, Fma) else isinstance(e, (Binary, Unary)) and e.dtype.is_float
        return own + sum(cost(child) for child in children(e))

    from gpusim.lang.count_points import follow

    threads = follow(kernel.tree, params)
    return sum(threads[id(s)] * sum(cost(e) for e in operands(s)) for s in statements(kernel.tree.body))


@pytest.mark.parametrize("kernel", samples.ALL, ids=lambda k: k.name)
@given(data=st.data())
@settings(max_examples=8)
def test_flops_are_what_every_thread_does(kernel, data):
    params = data.draw(launches(kernel))
    assert kernel.flops().evaluate(**params) == unhoisted_flops(kernel, params)


def test_flops_by_kind():
    flops = samples.tiled.flops()
    each = T**3 * ceil(M / T) * ceil(N / T) * ceil(K / T)
    assert flops.by_kind == {"mul": each, "add": each}
    assert flops.total == 2 * each
    assert flops.subs({"M": 64, "N": 64, "K": 64, "T": 32}) == 2 * 64**3
    assert flops.evaluate(M=64, N=64, K=64) == 2 * 64**3
    assert str(samples.vector_add.flops()) == "N"


def test_shared_and_loop_invariant_operations_count_once():
    @gl.kernel(grid=lambda p: 1, block=lambda p: 32)
    def kernel(x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"], T: gl.Tile):
        a, b = x[0], x[1]
        power = gl.exp(a - b)
        for i in gl.range(T):
            y[i] = x[i] * power + power * power
        with gl.if_(gl.tid.x < 4):
            y[0] = gl.fma(power, a, b) + -a

    assert kernel.flops().by_kind == {"sub": 32, "exp": 32, "mul": 32 * T + 32, "add": 32 * T + 4, "fma": 4, "neg": 4}
    assert kernel.flops().total == 64 + 64 * T + 32 + 8 + 4


def test_totals_and_intensity():
    io = samples.vector_add.io()
    assert (io.bytes_loaded, io.bytes_stored, io.total_bytes) == (8 * N, 4 * N, 12 * N)
    assert io.arithmetic_intensity == sympy.Rational(1, 12)
    assert samples.coarsened.io()["A"].bytes_loaded == 2 * M * K * ceil(N / (F * T))
    assert str(samples.tiled.io()).splitlines()[1].split() == ["A", "K*M*ceiling(N/T)", "0"]


def test_some_parameters_may_be_fixed():
    io = samples.tiled.io(T=16, N=100)
    assert io["A"].loaded == 7 * M * K
    assert io.evaluate(M=3, K=5) == {"A": (105, 0), "B": (500, 0), "C": (0, 300)}
    with pytest.raises(DescriptionError, match="no parameter 'Q'"):
        samples.tiled.io(Q=1)


def test_counts_hold_only_for_launches_that_are_allowed():
    with pytest.raises(DescriptionError, match="TM must divide BM"):
        samples.register_tiled.io().evaluate(M=1, N=1, K=1, BM=7, TM=2)


def test_large_launches_are_counted_in_no_time():
    n = 8192
    counts = samples.tiled.io().evaluate(M=n, N=n, K=n, T=32)
    assert counts == {"A": (n**3 // 32, 0), "B": (n**3 // 32, 0), "C": (0, n * n)}


def test_rest_of_a_division():
    @gl.kernel(grid=lambda p: 1, block=lambda p: p.B)
    def kernel(y: gl.Out[gl.f32, "B"], B: gl.Tile, w: gl.Tile):
        y.store(gl.tid.x, 1.0, guard=gl.tid.x % w == 2)

    stored = kernel.io()["y"].stored
    for b in range(1, 40):
        for w in range(1, 8):
            assert stored.subs({B: b, sympy.Symbol("w", integer=True, positive=True): w}) == sum(
                t % w == 2 for t in range(b)
            )


def test_minimum_sizes_are_used():
    @gl.kernel(grid=lambda p: gl.cdiv(p.N, p.B), block=lambda p: p.B, requires=lambda p: [(p.N >= 3, "an interior")])
    def inner(y: gl.Out[gl.f32, "N"], B: gl.Tile):
        size = gl.sizes("N")
        i = gl.ctaid.x * B + gl.tid.x
        y.store(i, 1.0, guard=(i > 0) & (i < size - 1))

    assert inner.io()["y"].stored == N - 2


def test_parts_of_a_length_are_the_whole_of_it():
    """A row is bounded by its part and by the whole: the second bound is on a sum that the first is part of."""

    @gl.kernel(grid=lambda p: p.H, block=lambda p: p.B)
    def parts(x: gl.In[gl.f32, "N"], H: gl.Tile, B: gl.Tile, F: gl.Tile):
        size = gl.sizes("N")
        rows = gl.cdiv(size, H)
        for j in gl.range(0, rows, B * F):
            for u in gl.unroll(F):
                row = j + u * B + gl.tid.x
                x.load(gl.ctaid.x * rows + row, guard=(row < rows) & (gl.ctaid.x * rows + row < size))

    assert parts.io()["x"].loaded == N
    assert parts.io().evaluate(N=10, H=7, B=2, F=3) == count_by_enumeration(parts.tree, N=10, H=7, B=2, F=3)


@pytest.mark.parametrize("branch", [True, False])
def test_tiles_of_parts_are_all_the_tiles(branch):
    """The same where the first bound is on tiles, in a branch or of a loop, and the second on their rows."""

    @gl.kernel(grid=lambda p: p.H, block=lambda p: p.B)
    def tiles(x: gl.In[gl.f32, "N"], H: gl.Tile, B: gl.Tile):
        size = gl.sizes("N")
        whole = gl.cdiv(size, B)
        first = gl.ctaid.x * gl.cdiv(whole, H)
        most = gl.cdiv(whole, H)
        for t in gl.range(most if branch else gl.minimum(most, whole - first)):
            with gl.if_(first + t < whole) if branch else nullcontext():
                row = (first + t) * B + gl.tid.x
                x.load(row, guard=row < size)

    assert tiles.io()["x"].loaded == N
    for n in (1, 2, 25):
        assert tiles.io().evaluate(N=n, H=4, B=3) == count_by_enumeration(tiles.tree, N=n, H=4, B=3)


@pytest.mark.parametrize("n", [1, 7, 40])
def test_a_bound_on_other_multiples_is_no_part_of_a_sum(n):
    @gl.kernel(grid=lambda p: p.H, block=lambda p: p.B)
    def skewed(x: gl.In[gl.f32, "N"], H: gl.Tile, B: gl.Tile):
        size = gl.sizes("N")
        x.load(0, guard=(gl.tid.x + B * gl.ctaid.x < size) & (2 * gl.tid.x + B * gl.ctaid.x < size))

    assert skewed.io().evaluate(N=n, H=3, B=8) == count_by_enumeration(skewed.tree, N=n, H=3, B=8)


def test_data_decide():
    @gl.kernel(grid=lambda p: 1, block=lambda p: p.B)
    def picky(x: gl.In[gl.f32, "B"], n: gl.In[gl.i32, 1], y: gl.Out[gl.f32, "B"], B: gl.Tile):
        with gl.if_(x[gl.tid.x] > 0.0):
            y[gl.tid.x] = 1.0
        for _ in gl.range(n[0]):
            y[gl.tid.x] = 2.0

    io = picky.io()
    assert io["x"].loaded == B
    unknown = {str(s) for s in io["y"].stored.free_symbols}
    assert {part.rstrip("0123456789") for part in unknown} == {"B", "share_", "trips_"}
    with pytest.raises(DescriptionError, match="depends on data"):
        io.evaluate(B=32)
    with pytest.raises(DescriptionError):
        count_by_enumeration(picky.tree, B=32)


@given(st.integers(1, 300), st.integers(1, 40), st.integers(0, 350), st.integers(1, 9))
def test_points_by_blocks_equal_points_at_once(n, block, bound, stride):
    """Running through the points in pieces changes nothing."""
    from gpusim.lang import count_points

    @gl.kernel(grid=lambda p: gl.cdiv(p.N, p.B), block=lambda p: p.B)
    def kernel(y: gl.Out[gl.f32, "N"], b: gl.Scalar[gl.i32], s: gl.Scalar[gl.i32], B: gl.Tile):
        y.store(0, 1.0, guard=gl.ctaid.x * s + gl.tid.x < gl.sizes("N") - b)

    params = {"N": n, "B": block, "b": bound, "s": stride}
    (store,) = kernel.tree.body
    whole = points(kernel.tree, (), [(store.guard, 1)], params)
    kept, count_points.CHUNK = count_points.CHUNK, 16
    try:
        assert points(kernel.tree, (), [(store.guard, 1)], params) == whole
    finally:
        count_points.CHUNK = kept
    expected = sum(c * stride + t < n - bound for c in range(math.ceil(n / block)) for t in range(block))
    assert whole == expected


@st.composite
def index_texts(draw):
    """A nonnegative integer expression over threads, blocks, a loop and tiles, as text."""
    atom = st.sampled_from(["gl.tid.x", "gl.tid.y", "gl.ctaid.x", "gl.ctaid.y", "k", "o", "gl.laneid", "gl.warpid"])
    unit = st.sampled_from(["1", "2", "3", "T", "X", "N"])
    form = st.sampled_from(
        [
            "{a}",
            "{a} // {u}",
            "{a} % {u}",
            "{a} * X + {b}",
            "{a} * {u} + {b}",
            "{a} * T * T + {b} * T + {c}",
            "{a} + {u}",
        ]
    )
    text = draw(form).format(a=draw(atom), b=draw(atom), c=draw(atom), u=draw(unit))
    return draw(st.sampled_from(["{e}", "({e}) // {u}", "({e}) % {u}"])).format(e=text, u=draw(unit))


@st.composite
def condition_texts(draw):
    bound = st.sampled_from(["N", "N - 1", "3", "0", "T", "X * 2", "gl.tid.x"])
    test = st.sampled_from(["({e} < {b})", "({e} >= {b})", "({e} <= {b})", "({e} == {b})", "({e} != {b})"])
    parts = [draw(test).format(e=draw(index_texts()), b=draw(bound)) for _ in range(draw(st.integers(1, 3)))]
    joined = draw(st.sampled_from([" & ", " | ", " & ~"])).join(parts)
    return draw(st.sampled_from(["{e}", "~({e})"])).format(e=joined)


@given(condition_texts(), st.integers(1, 9), st.integers(1, 6), st.integers(1, 5), st.integers(1, 4))
@settings(max_examples=30)
def test_any_condition_is_counted_exactly(text, n, t, x, y):
    def kernel(out: gl.Out[gl.f32, "N"], T: gl.Tile, X: gl.Tile, Y: gl.Tile):
        N = gl.sizes("N")
        for k in gl.range(0, N, 2):
            for o in gl.range(gl.tid.x, X * T, X):
                out.store(0, 1.0, guard=eval(text, {"gl": gl, "N": N, "T": T, "X": X, "k": k, "o": o}))

    made = gl.kernel(grid=lambda p: (gl.cdiv(p.N, p.T), 2), block=lambda p: (p.X, p.Y))(kernel)
    params = {"N": n, "T": t, "X": x, "Y": y}
    try:
        expected = count_by_enumeration(made.tree, **params)["out"][1]
    except DescriptionError:
        return  # the text divides constants by nothing
    io = made.io()
    assert io.evaluate(**params)["out"] == (0, expected)
    assert summed(made.io(**params)["out"].stored) == expected


def test_a_proof_that_sympy_gets_wrong():
    """Sympy takes -2 + 3/(T*X) for positive; a quotient of quotients led there."""

    @gl.kernel(grid=lambda p: 1, block=lambda p: p.X)
    def kernel(y: gl.Out[gl.f32, "X"], T: gl.Tile, X: gl.Tile):
        y.store(0, 1.0, guard=2 // T // X >= 1)

    for t, x in ((1, 1), (1, 2), (2, 1), (3, 2)):
        assert kernel.io().evaluate(T=t, X=x) == count_by_enumeration(kernel.tree, T=t, X=x)
