"""Does every construct of the language keep its meaning when lowered?"""
# ruff: noqa: F821 - a shape in an annotation is no name to look up

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim.lang as gl
from gpusim.lang.collective import block_max, block_sum, warp_max, warp_sum
from gpusim.lang.description_errors import DescriptionError
from tests.lower.running import run_kernel

N = 96  # threads: three warps
ONE_BLOCK = {"grid": lambda p: (1,), "block": lambda p: (N,)}
LANE = np.arange(N)


# ------------------------------------------------------------------ control flow


@gl.kernel(**ONE_BLOCK)
def branches(x: gl.In[gl.i32, N], y: gl.Out[gl.i32, N]):
    t = gl.tid.x
    v = gl.var(gl.i32, 1)
    w = gl.var(gl.i32, 100)
    with gl.if_(x[t] > 10):
        for _ in gl.range(0, t % 7):
            v += x[t]
        with gl.if_(t % 2 == 0):
            w.set(v * 3)
            for _ in gl.range(0, 12):
                w += v
    with gl.else_():
        for k in gl.range(t % 5, 30, 4):
            v += k
        w -= v
    y[t] = v * 1000 + w


def test_nested_branches_with_loops_of_different_lengths_reconverge() -> None:
    x = (LANE * 7) % 23
    v, w = np.ones(N, int), np.full(N, 100)
    for t in range(N):
        if x[t] > 10:
            v[t] += x[t] * (t % 7)
            if t % 2 == 0:
                w[t] = v[t] * 15
        else:
            v[t] += sum(range(t % 5, 30, 4))
            w[t] -= v[t]
    got, _ = run_kernel(branches, {"x": x})
    np.testing.assert_array_equal(got["y"], v * 1000 + w)


@gl.kernel(**ONE_BLOCK)
def fibonacci(y: gl.Out[gl.i32, N]):
    steps = gl.sizes("steps")
    a = gl.var(gl.i32, 0)
    b = gl.var(gl.i32, 1)
    for _ in gl.range(0, steps):
        old = gl.var(gl.i32, 0)
        old.set(a)
        a.set(b)
        b.set(old + b)
    y[gl.tid.x] = a


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 15, 16, 17, 21, 40])
def test_values_that_swap_places_in_a_loop(steps: int) -> None:
    a, b = 0, 1
    for _ in range(steps):
        a, b = b, a + b
    got, _ = run_kernel(fibonacci, {}, steps=steps)
    assert (got["y"] == a).all()


@gl.kernel(**ONE_BLOCK)
def counting(y: gl.Out[gl.i32, N]):
    n = gl.sizes("n")
    total = gl.var(gl.i32, 0)
    for i in gl.range(n % 3, n, 3):
        total += i
    for k in gl.doubling(1, n):
        total += k * 1000
    y[gl.tid.x] = total


@pytest.mark.parametrize("n", [1, 2, 3, 8, 100])
def test_loops_that_count_in_threes_or_double(n: int) -> None:
    want = sum(range(n % 3, n, 3)) + sum(1000 << k for k in range(20) if 1 << k < n)
    got, _ = run_kernel(counting, {}, n=n)
    assert (got["y"] == want).all()


@gl.kernel(**ONE_BLOCK)
def planes(x: gl.In[gl.i32, "A", "B", "C"], y: gl.Out[gl.i32, N]):
    A, B, C = gl.sizes("A", "B", "C")
    total = gl.var(gl.i32, 0)
    for a in gl.range(0, A):
        for b in gl.range(a % 2, B, 2):
            for c in gl.range(gl.tid.x % 4, C, 3):
                total += x[a, b, c] * (a + 1)
    y[gl.tid.x] = total


@settings(max_examples=15)
@given(A=st.integers(1, 5), B=st.integers(1, 9), C=st.integers(1, 21))
def test_pointers_through_nested_loops(A: int, B: int, C: int) -> None:
    x = np.arange(A * B * C).reshape(A, B, C) % 101
    want = [sum((a + 1) * x[a, a % 2 :: 2, t % 4 :: 3].sum() for a in range(A)) for t in range(N)]
    got, _ = run_kernel(planes, {"x": x}, A=A, B=B, C=C)
    np.testing.assert_array_equal(got["y"], want)


@gl.kernel(**ONE_BLOCK)
def accumulate(x: gl.In[gl.f32, "R", N], y: gl.Out[gl.f32, 4, N]):
    R = gl.sizes("R")
    t = gl.tid.x
    kept = gl.local(gl.f32, 4)
    for r in gl.range(0, R):
        for j in gl.unroll(3):
            kept[j] += x[r, t] * gl.cast(gl.f32, j + 1)
    for j in gl.unroll(4):
        y[j, t] = kept[j]


@pytest.mark.parametrize("rows", [1, 3, 4, 16, 19, 37])
def test_register_arrays_carried_through_partly_unrolled_loops(rows: int) -> None:
    x = np.ones((rows, N), np.float32)
    got, _ = run_kernel(accumulate, {"x": x}, R=rows)
    np.testing.assert_array_equal(got["y"][:, 5], [rows, 2 * rows, 3 * rows, 0])


# ------------------------------------------------------------------ memory


@gl.kernel(**ONE_BLOCK)
def in_place(x: gl.InOut[gl.i32, N], s: gl.InOut[gl.i32, N]):
    t = gl.tid.x
    before = x[t]
    x[t] = before + 1
    after = x[t]
    with gl.if_(before % 3 < 1):
        x[t] = after * 2
    s[t] = x[t] + after


def test_a_load_after_a_store_sees_it() -> None:
    before = LANE * 5
    after = before + 1
    got, _ = run_kernel(in_place, {"x": before})
    final = np.where(before % 3 == 0, after * 2, after)
    np.testing.assert_array_equal(got["x"], final)
    np.testing.assert_array_equal(got["s"], final + after)


@gl.kernel(**ONE_BLOCK)
def instead(x: gl.In[gl.f32, N], y: gl.Out[gl.f32, N]):
    t = gl.tid.x
    a, b, c, d = x.load((t * 4) % N, vec=4, guard=t < 24, other=7.5)
    e, f = x.load((t % 48) * 2, vec=2)
    y.store(t, a + b * 2 + c * 3 + d * 4 + e - f, guard=t != 17)


def test_what_a_guard_leaves_out_takes_the_other_value() -> None:
    x = np.arange(N, dtype=np.float32)
    quad = np.where((LANE < 24)[:, None], x[(LANE[:, None] * 4) % N + [0, 1, 2, 3]], 7.5)
    want = quad @ [1, 2, 3, 4] - 1
    want[17] = 0
    got, _ = run_kernel(instead, {"x": x})
    np.testing.assert_array_equal(got["y"], want.astype(np.float32))


@gl.kernel(**ONE_BLOCK)
def regrouped(x: gl.In[gl.f32, N], y: gl.Out[gl.f32, N], z: gl.Out[gl.f32, N]):
    t = gl.tid.x
    with gl.if_(t < 24):
        a, b = x.load(4 * t, vec=2)
        c, d = x.load(4 * t + 2, vec=2)
        y.store(4 * t, (a, b, c, d))
        z.store(4 * t, (b, c))
        z.store(4 * t + 2, (d + 1.0, a))


def test_vectors_are_regrouped_on_their_way() -> None:
    x = np.arange(N, dtype=np.float32)
    got, _ = run_kernel(regrouped, {"x": x})
    quads = x.reshape(-1, 4)
    np.testing.assert_array_equal(got["y"], x)
    np.testing.assert_array_equal(got["z"].reshape(-1, 4), quads[:, [1, 2, 3, 0]] + [0, 0, 1, 0])


def half_kernel(dtype, width):
    @gl.kernel(grid=lambda p: (1,), block=lambda p: (N,), name=f"half_{dtype.value}_{width}")
    def scale(x: gl.In[dtype, N * width], y: gl.Out[dtype, N * width], z: gl.Out[gl.f32, N]):
        s = gl.shared(dtype, N * width)
        t = gl.tid.x * width
        loaded = x.load(t, vec=width)
        loaded = loaded if width > 1 else (loaded,)
        s.store(t, loaded)
        y.store(t, tuple(v * 1.5 + 0.1 for v in loaded))
        gl.barrier()
        z[gl.tid.x] = s[(t + 31) % (N * width)]

    return scale


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize("dtype", [gl.f16, gl.bf16])
def test_half_precision_is_stored_rounded_and_computed_in_single(dtype: gl.DType, width: int) -> None:
    values = np.linspace(-3, 3, N * width).astype(np.float32)
    bits = values.astype(np.float16).view(np.uint16) if dtype is gl.f16 else (values.view(np.uint32) >> 16)
    wide = (
        bits.view(np.float16).astype(np.float32) if dtype is gl.f16 else (bits.astype(np.uint32) << 16).view(np.float32)
    )
    got, _ = run_kernel(half_kernel(dtype, width), {"x": bits.view(np.float16) if dtype is gl.f16 else bits})
    np.testing.assert_array_equal(got["z"], wide[(LANE * width + 31) % (N * width)])
    want = wide * np.float32(1.5) + np.float32(0.1)
    out = got["y"].astype(np.float32) if dtype is gl.f16 else (got["y"].astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_allclose(out, want, rtol=1e-3 if dtype is gl.f16 else 8e-3)


@gl.kernel(**ONE_BLOCK)
def atomics(x: gl.In[gl.i32, N], total: gl.InOut[gl.i32, 3], share: gl.Out[gl.f32, 4], old: gl.Out[gl.i32, N]):
    s = gl.shared(gl.f32, 4)
    t = gl.tid.x
    with gl.if_(t < 4):
        s[t] = 0.0
    gl.barrier()
    gl.atomic_add(s, t % 4, 0.5)
    old[t] = gl.atomic_add(total, 0, x[t])
    gl.atomic_max(total, 1, x[t])
    gl.atomic_min(total, 2, x[t])
    gl.barrier()
    with gl.if_(t < 4):
        share[t] = s[t]


def test_atomics_add_up_and_return_what_was_there() -> None:
    x = (LANE * 37) % 91 - 20
    got, _ = run_kernel(atomics, {"x": x})
    np.testing.assert_array_equal(got["total"], [x.sum(), x.max(), x.min()])
    np.testing.assert_array_equal(got["share"], 12.0)
    assert len(np.unique(got["old"])) > N // 2


@gl.kernel(**ONE_BLOCK)
def exchanges(x: gl.In[gl.f32, N], y: gl.Out[gl.f32, 4, N]):
    t = gl.tid.x
    v = x[t]
    y[0, t] = gl.shfl_down(v, 3)
    y[1, t] = gl.shfl_up(v, 5)
    y[2, t] = gl.shfl_xor(v, 9)
    y[3, t] = gl.shfl(v, t % 7)


def test_shuffles_fetch_from_the_named_lane() -> None:
    lane, first = LANE % 32, LANE - LANE % 32
    x = np.random.default_rng(0).standard_normal(N).astype(np.float32)
    want = [
        x[first + np.where(lane + 3 < 32, lane + 3, lane)],
        x[first + np.where(lane >= 5, lane - 5, lane)],
        x[first + (lane ^ 9)],
        x[first + LANE % 7],
    ]
    got, _ = run_kernel(exchanges, {"x": x})
    np.testing.assert_array_equal(got["y"], want)


# ------------------------------------------------------------------ arithmetic


@gl.kernel(**ONE_BLOCK)
def divisions(a: gl.In[gl.i32, N], b: gl.In[gl.i32, N], y: gl.Out[gl.i32, 8, N], n: gl.Scalar[gl.i32]):
    t = gl.tid.x
    x = a[t]
    y[0, t] = x // b[t]
    y[1, t] = x % b[t]
    y[2, t] = x // n
    y[3, t] = x % n
    y[4, t] = x // 7 + x // 1000003
    y[5, t] = x % 13
    y[6, t] = x // 641 * 641 + x % 641
    y[7, t] = x // 64 + x % 4096


POSITIVE = st.one_of(st.integers(1, 40), st.integers(1, 2**31 - 1), st.integers(0, 30).map(lambda k: 1 << k))


@settings(max_examples=40)
@given(
    a=st.lists(st.one_of(st.just(0), POSITIVE), min_size=N, max_size=N),
    b=st.lists(POSITIVE, min_size=N, max_size=N),
)
def test_division_is_exact(a: list[int], b: list[int]) -> None:
    x, d = np.array(a), np.array(b)
    got, _ = run_kernel(divisions, {"a": x, "b": d}, n=b[0])
    want = [x // d, x % d, x // b[0], x % b[0], x // 7 + x // 1000003, x % 13, x, x // 64 + x % 4096]
    np.testing.assert_array_equal(got["y"], want)


@gl.kernel(**ONE_BLOCK)
def rounded_down(a: gl.In[gl.i32, N], b: gl.In[gl.i32, N], y: gl.Out[gl.i32, 13, N]):
    """Quotients and rests of any signs."""
    t = gl.tid.x
    for k, divisor in enumerate((7, 8, -3, b[t])):
        y[2 * k, t] = a[t] // divisor
        y[2 * k + 1, t] = a[t] % divisor
    y[8, t] = (t - 20) // 7
    y[9, t] = (t - 20) % b[t]
    y[10, t] = t // b[t]
    y[11, t] = (a[t] // 16) // 5
    divisor = b[t]
    y[12, t] = t // divisor // 2


ANY_INT = st.integers(-(2**31), 2**31 - 1) | st.integers(-70, 70) | st.sampled_from([-(2**31), 2**31 - 1])


@settings(max_examples=30)
@given(
    a=st.lists(ANY_INT, min_size=N, max_size=N),
    b=st.lists(ANY_INT.filter(lambda n: n not in (0, -1)), min_size=N, max_size=N),
)
def test_division_rounds_down_as_in_numpy(a: list[int], b: list[int]) -> None:
    found, _ = run_kernel(rounded_down, {"a": np.array(a), "b": np.array(b)})
    x, y, t = np.array(a), np.array(b), np.arange(N)
    wanted = [f(x, n) for n in (7, 8, -3, y) for f in (np.floor_divide, np.mod)]
    wanted += [(t - 20) // 7, (t - 20) % y, t // y, x // 16 // 5, t // y // 2]
    np.testing.assert_array_equal(found["y"], wanted)


def test_a_scalar_that_divides_is_positive() -> None:
    with pytest.raises(DescriptionError, match="divisions: n = -2 divides an integer; it must be at least 1"):
        divisions.shape(n=-2)


@gl.kernel(**ONE_BLOCK)
def unsigned(a: gl.In[gl.u32, N], b: gl.In[gl.u32, N], y: gl.Out[gl.u32, 6, N]):
    t = gl.tid.x
    x, d = a[t], b[t]
    y[0, t] = x // d
    y[1, t] = x % d
    y[2, t] = x // 10
    y[3, t] = gl.select(x < d, x >> 3, x << 2)
    y[4, t] = gl.maximum(x, d) ^ (x & ~d)
    y[5, t] = gl.minimum(x, d) | 5


@settings(max_examples=30)
@given(data=st.data())
def test_unsigned_arithmetic_has_all_32_bits(data: st.DataObject) -> None:
    word = st.one_of(st.integers(0, 50), st.integers(0, 2**32 - 1), st.integers(2**32 - 50, 2**32 - 1))
    x = np.array(data.draw(st.lists(word, min_size=N, max_size=N)), np.uint32)
    d = np.maximum(np.array(data.draw(st.lists(word, min_size=N, max_size=N)), np.uint32), 1)
    got, _ = run_kernel(unsigned, {"a": x, "b": d})
    want = [
        x // d, x % d, x // 10, np.where(x < d, x >> 3, x << np.uint32(2)), np.maximum(x, d) ^ (x & ~d),
        np.minimum(x, d) | 5,
    ]  # fmt: skip
    np.testing.assert_array_equal(got["y"], want)


@gl.kernel(**ONE_BLOCK)
def functions(x: gl.In[gl.f32, N], y: gl.Out[gl.f32, 14, N]):
    t = gl.tid.x
    v = x[t]
    y[0, t] = gl.exp(v)
    y[1, t] = gl.log(v)
    y[2, t] = gl.sqrt(v)
    y[3, t] = gl.rsqrt(v)
    y[4, t] = gl.sin(v)
    y[5, t] = gl.cos(v)
    y[6, t] = gl.tanh(v)
    y[7, t] = 1.0 / v
    y[8, t] = (v - 3.0) / (v + 0.3)
    y[9, t] = -abs(v - 2.0) * v - v
    y[10, t] = gl.maximum(-v, gl.minimum(v, 1.0)) - gl.select(v > 1.0, -v, v)
    y[11, t] = gl.cast(gl.f32, gl.cast(gl.i32, v * 100.0))
    y[12, t] = gl.exp2(v) + gl.log2(v)
    y[13, t] = gl.fma(v, -v, -1.0)


def test_functions_are_those_of_numpy() -> None:
    v = np.linspace(0.05, 4, N).astype(np.float32)
    third = np.maximum(-v, np.minimum(v, 1)) - np.where(v > 1, -v, v)
    want = [
        np.exp(v), np.log(v), np.sqrt(v), 1 / np.sqrt(v), np.sin(v), np.cos(v), np.tanh(v), 1 / v,
        (v - 3) / (v + np.float32(0.3)), -abs(v - 2) * v - v, third, np.trunc(v * np.float32(100)),
        np.exp2(v) + np.log2(v), -v * v - 1,
    ]  # fmt: skip
    got, _ = run_kernel(functions, {"x": v})
    np.testing.assert_allclose(got["y"], want, rtol=3e-6, atol=2e-6)


@gl.kernel(**ONE_BLOCK)
def conditions(x: gl.In[gl.i32, N], y: gl.Out[gl.i32, N]):
    t = gl.tid.x
    v = x[t]
    seen = gl.var(gl.pred, False)
    checks = [(v > k) & ((v < 3 * k) | (t % (k + 2) == 0)) ^ (v % 2 == 0) for k in range(12)]
    for k in gl.range(0, 5):
        seen.set(seen | (v + k == 40))
    total = gl.var(gl.i32, 0)
    for k, check in enumerate(checks):
        total += gl.select(check & ~seen, 1 << k, 0)
    for check in checks:
        total += gl.select(check, 1, 2)
    y[t] = total


def test_more_conditions_than_predicate_registers() -> None:
    v = (LANE * 11) % 57
    seen = np.isin(v, range(36, 41))
    total = np.zeros(N, int)
    for k in range(12):
        check = ((v > k) & ((v < 3 * k) | (LANE % (k + 2) == 0))) ^ (v % 2 == 0)
        total += np.where(check & ~seen, 1 << k, 0) + np.where(check, 1, 2)
    got, _ = run_kernel(conditions, {"x": v})
    np.testing.assert_array_equal(got["y"], total)


# ------------------------------------------------------------------ what is built on the language


@gl.kernel(grid=lambda p: (p.blocks,), block=lambda p: (p.T,))
def totals(
    x: gl.In[gl.f32, "blocks", "T"],
    y: gl.Out[gl.f32, "blocks", "T", 4],
    T: gl.Tile = 96,
):
    block, thread = gl.ctaid.x, gl.tid.x
    v = x[block, thread]
    whole = (warp_sum(v), warp_max(v), block_sum(v, T), block_max(v, T))
    y.store(block, thread, 0, whole)


@given(blocks=st.integers(1, 2), warps=st.sampled_from([1, 3, 8]), seed=st.integers(0, 99))
@settings(max_examples=10)
def test_every_thread_gets_the_sum_and_the_maximum_of_its_warp_and_of_its_block(blocks, warps, seed) -> None:
    x = np.random.default_rng(seed).integers(-99, 99, (blocks, warps, 32)).astype(np.float32)
    x[0, 0, 0] = -np.inf if seed % 2 else 5
    got, _ = run_kernel(totals, {"x": x}, blocks=blocks, T=32 * warps)
    y = got["y"].reshape(*x.shape, 4)
    of_warps = [np.broadcast_to(f(x, axis=2, keepdims=True), x.shape) for f in (np.sum, np.max)]
    of_blocks = [np.broadcast_to(f(x, axis=(1, 2), keepdims=True), x.shape) for f in (np.sum, np.max)]
    np.testing.assert_array_equal(y, np.stack(of_warps + of_blocks, axis=-1))
