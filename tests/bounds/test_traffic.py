"""Is no schedule's traffic below its bound?  Schedules are run here, their transfers counted one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.bounds.computation import Access, Computation, parse
from gpusim.bounds.footprint import read_arrays
from gpusim.bounds.traffic import _made, least
from tests.bounds.memory import Memory

GEMM = parse("C[m,n] += A[m,k] * B[k,n]")


def tiled(sizes: tuple[int, ...], tile: tuple[int, ...], order: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Points of a box, tile by tile, tiles and points in an order of their loops."""

    def walk(ranges: list[range]) -> Iterator[tuple[int, ...]]:
        for found in product(*(ranges[n] for n in order)):
            yield tuple(found[order.index(n)] for n in range(len(order)))

    for start in walk([range(0, size, step) for size, step in zip(sizes, tile, strict=True)]):
        yield from walk([range(a, min(a + t, s)) for a, t, s in zip(start, tile, sizes, strict=True)])


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(*[st.integers(1, 14)] * 3), st.tuples(*[st.integers(1, 6)] * 3), st.permutations(range(3)),
    st.integers(3, 60),
)  # fmt: skip
def test_no_tiled_product_moves_less_than_its_bound(
    sizes: tuple[int, ...], tile: tuple[int, ...], order: list[int], room: int
) -> None:
    memory, begun = Memory(room), set()
    for m, n, k in tiled(sizes, tile, tuple(order)):
        memory.touch(("A", m, k))
        memory.touch(("B", k, n))
        memory.touch(("C", m, n), changes=True, fresh=(m, n) not in begun)
        begun.add((m, n))
    found = least(GEMM, dict(zip("mnk", sizes, strict=True)), room, element_bytes=1)
    assert found.nbytes <= memory.flush()


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 40), st.integers(1, 20), st.integers(1, 12), st.integers(4, 30))
def test_no_stencil_in_skewed_tiles_moves_less_than_its_bound(width: int, steps: int, tile: int, room: int) -> None:
    found = parse("A[t+1,i] = A[t,i-1] + A[t,i] + A[t,i+1]")
    memory, points = Memory(room), [(t, i) for t in range(steps) for i in range(width)]
    for t, i in sorted(points, key=lambda point: ((point[1] + point[0]) // tile, point)):
        for near in (i - 1, i, i + 1):
            if 0 <= near < width:
                memory.touch((t, near))
        memory.touch((t + 1, i), changes=True, fresh=True)
    assert least(found, {"t": steps, "i": width}, room, element_bytes=1).nbytes <= memory.flush()


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 4), st.integers(1, 6), st.integers(6, 80))
def test_no_attention_by_tiles_moves_less_than_its_bound(queries: int, keys: int, d: int, tile: int, room: int) -> None:
    found = parse("O[i,(d)] += Q[i,(d)] * K[j,(d)] * V[j,(d)]")
    memory, begun = Memory(max(room, 4 * d + 1)), set()
    for i, j in tiled((queries, keys), (tile, 1), (0, 1)):
        for e in range(d):
            memory.touch(("Q", i, e))
            memory.touch(("K", j, e))
        for e in range(d):
            memory.touch(("V", j, e))
            memory.touch(("O", i, e), changes=True, fresh=(i, e) not in begun)
            begun.add((i, e))
    sizes = {"i": queries, "j": keys, "d": d}
    assert least(found, sizes, max(room, 4 * d + 1), element_bytes=1).nbytes <= memory.flush()


BACKWARD = parse("dQ[i,(d)], dK[j,(d)], dV[j,(d)] += dO[i,(d)] * Q[i,(d)] * K[j,(d)] * V[j,(d)]")


def backward(queries: int, keys: int, d: int, tile: tuple[int, int], order: tuple[int, int], room: int) -> int:
    """What a backward pass of attention moves, tile by tile of queries and keys."""
    memory, begun = Memory(room), set()
    for i, j in tiled((queries, keys), tile, order):
        for array, row in (("Q", i), ("K", j), ("dO", i), ("V", j)):
            for e in range(d):
                memory.touch((array, row, e))
        for array, row in (("dV", j), ("dQ", i), ("dK", j)):
            for e in range(d):
                memory.touch((array, row, e), changes=True, fresh=(array, row, e) not in begun)
                begun.add((array, row, e))
    return memory.flush()


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 14), st.integers(1, 14), st.integers(1, 4), st.tuples(*[st.integers(1, 6)] * 2),
    st.sampled_from([(0, 1), (1, 0)]), st.integers(8, 150),
)  # fmt: skip
def test_no_backward_pass_by_tiles_moves_less_than_its_bound(
    queries: int, keys: int, d: int, tile: tuple[int, int], order: tuple[int, int], room: int
) -> None:
    sizes, room = {"i": queries, "j": keys, "d": d}, max(room, 7 * d + 1)
    assert least(BACKWARD, sizes, room, element_bytes=1).nbytes <= backward(queries, keys, d, tile, order, room)


def test_a_good_backward_pass_comes_close_to_its_bound_and_is_twice_that_of_one_sum() -> None:
    d, n, room = 2, 200, 240
    sizes, one_sum = {"i": n, "j": n, "d": d}, parse("dQ[i,(d)] += dO[i,(d)] * Q[i,(d)] * K[j,(d)] * V[j,(d)]")
    found = least(BACKWARD, sizes, room, element_bytes=1)
    best = min(backward(n, n, d, (1, tile), (1, 0), room) for tile in (25, 26, 27, 28))
    assert found.reason == "reuse"
    assert found.nbytes <= best <= 2 * found.nbytes
    long = {"i": 10**5, "j": 10**5, "d": d}
    twice = (least(one, long, 1000, element_bytes=1).reuse for one in (BACKWARD, one_sum))
    assert next(twice) / next(twice) == pytest.approx(2, rel=0.02)


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(*[st.integers(1, 12)] * 3), st.tuples(*[st.integers(1, 5)] * 3), st.integers(1, 4),
    st.sampled_from([(0,), (0, 1), (2,), (0, 1, 2)]), st.integers(3, 40),
)  # fmt: skip
def test_memories_that_share_a_product_and_add_by_atomics_move_no_less(
    sizes: tuple[int, ...], tile: tuple[int, ...], memories: int, shared: tuple[int, ...], room: int
) -> None:
    held = [Memory(room) for _ in range(memories)]
    for point in tiled(sizes, tile, (0, 1, 2)):
        m, n, k = point
        memory = held[sum(point[axis] // tile[axis] for axis in shared) % memories]
        memory.touch(("A", m, k))
        memory.touch(("B", k, n))
        memory.touch(("C", m, n), changes=True, fresh=True)  # begun anew, and added to what others wrote when it leaves
    found = least(GEMM, dict(zip("mnk", sizes, strict=True)), room, memories, element_bytes=1)
    assert found.nbytes <= sum(memory.flush() for memory in held)


FREE = (
    "C[i,j] += A[i,k] * A[j,k] for j <= i",
    "C[i,j] += A[i,k] * B[j,k]; C[i,j] += B[i,k] * A[j,k] for j <= i",
    "Y[k,p] += X[c,p+r] * W[k,c,r]",
    "Y[p,q] += X[2*p+r,q+s] * W[r,s]",
    "B[i,r] += X[i,j,k] * A[j,r] * C[k,r]",
    "F[i] += x[i] * x[j]",
    "q[i] += A[i,j] * p[j]; s[j] += A[i,j] * r[i]",
    "C[i,j] = a[i] * b[j]",
)
"""Computations whose points may be done in any order."""

STEPWISE = (
    "A[i,j] -= A'[i,k] * A'[j,k] for k < j, j < i",
    "A[i,j] -= A'[i,k] * A'[k,j] for k < i, k < j",
    "D[i,j] min= D[i,k] + D[k,j]",
    "D[i,j] min= D'[i,k] + D'[k,j]",
)
"""Those whose points are done step by step, k being the step."""


def moved(computation: Computation, sizes: dict[str, int], points: Iterable[dict[str, int]], room: int) -> int:
    """What a schedule moves of a computation that does its statements at each point."""
    memory, begun = Memory(room), set()
    given = read_arrays(computation)
    for point, statement in product(points, computation.statements):
        if all(point[a] < point[b] + equal for a, b, equal in computation.below):
            for access in statement.inputs:
                memory.touch(_element(access, point))
            out = _element(statement.out, point)
            memory.touch(out, changes=True, fresh=out not in begun and statement.out.base not in given)
            begun.add(out)
    return memory.flush()


def _element(access: Access, point: dict[str, int]) -> tuple[object, ...]:
    return (access.base, *(sum(f * point[loop] for loop, f in form.terms) + form.constant for form in access.forms))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FREE), st.data())
def test_no_schedule_of_these_moves_less_than_its_bound(text: str, data: st.DataObject) -> None:
    found = parse(text)
    most = 12 if len(found.loops) < 4 else 5
    same = data.draw(st.integers(1, most))
    tied = {loop for pair in found.below for loop in pair[:2]}
    sizes = {loop: same if loop in tied else data.draw(st.integers(1, most)) for loop in found.loops}
    tile = tuple(data.draw(st.integers(1, 6)) for _ in found.loops)
    order = tuple(data.draw(st.permutations(range(len(found.loops)))))
    room = data.draw(st.integers(4, 60))
    points = (dict(zip(found.loops, one, strict=True)) for one in tiled(tuple(sizes.values()), tile, order))
    assert least(found, sizes, room, element_bytes=1).nbytes <= moved(found, sizes, points, room)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(STEPWISE), st.integers(2, 14), st.integers(1, 6), st.integers(4, 60))
def test_no_factorisation_moves_less_than_its_bound(text: str, size: int, tile: int, room: int) -> None:
    found = parse(text)
    sizes = dict.fromkeys("ijk", size)
    points = ({"k": k, "i": i, "j": j} for k in range(size) for i, j in tiled((size, size), (tile, tile), (0, 1)))
    assert least(found, sizes, room, element_bytes=1).nbytes <= moved(found, sizes, points, room)


@pytest.mark.parametrize(("room", "again"), [(10, 90 * 7), (100, 0), (40, 60 * 7)])
def test_a_row_that_does_not_fit_is_read_again(room: int, again: int) -> None:
    found = parse("t[i] += x[i,j]; y[i,j] = x[i,j] / t[i]")
    assert least(found, {"i": 7, "j": 100}, room, element_bytes=1).again == again


@pytest.mark.parametrize(
    ("text", "compulsory"),
    [
        ("A[t+1,i] = A[t,i-1] + A[t,i+1]", 2 * 50),  # the first step is given, the last asked for
        ("A[t+1,i] = A[t,i-1] + A[t,i] + A[t,i+1]", 2 * 50),
        ("A[t+1,i] = A[t+1,i-1] + A[t,i] + A[t,i+1]", 2),  # where neither axis tells steps apart, little is claimed
        ("y[i+1] = y[i] + x[i]", 50 + 2),
    ],
)
def test_values_that_are_made_on_the_way_need_not_be_given(text: str, compulsory: int) -> None:
    found = parse(text)
    sizes = found.sizes({"t": 40, "i": 50})
    assert least(found, sizes, 1e6, element_bytes=1).nbytes == compulsory


def test_a_stencil_without_its_own_point_is_bounded_as_any_statement() -> None:
    found = parse("A[t+1,i] = A[t,i-1] + A[t,i+1]")
    assert least(found, {"t": 1000, "i": 1000}, 64, element_bytes=1).nbytes == 2000


def test_more_memory_is_never_worse_and_more_work_never_better() -> None:
    at = [least(GEMM, dict.fromkeys("mnk", 3000), memory).nbytes for memory in (1e3, 1e4, 1e5, 1e6, 1e9)]
    assert at == sorted(at, reverse=True)
    by_size = [least(GEMM, dict.fromkeys("mnk", size), 1e4).nbytes for size in (10, 100, 1000, 10000)]
    assert by_size == sorted(by_size)


def test_memories_side_by_side_hold_more() -> None:
    sizes = dict.fromkeys("mnk", 4096)
    one, many = (least(GEMM, sizes, 1e5, memories).reuse for memories in (1, 132))
    assert 0.8 * one < many <= one
    assert least(GEMM, dict.fromkeys("mnk", 64), 1e5, 132).reason == "compulsory"


@pytest.mark.parametrize(
    ("text", "array", "values"),
    [
        ("D[i,j] min= D'[i,k] + D'[k,j]", "D", 4 * 100),  # of a row, of a column, each also where a sum begins
        ("T[i,j] += A[i,k] * B[k,j]; D[i,j] += T'[i,k] * C[k,j]", "T", 2 * 100),  # begun, and used when finished
    ],
)
def test_values_at_hand_without_a_read_are_counted_by_their_uses(text: str, array: str, values: int) -> None:
    made = _made(parse(text), dict.fromkeys("ijk", 10))
    assert sum(count for name, count in made if name == array) == values


def test_the_constant_is_two() -> None:
    size, elements = 10**5, 10**4
    found = least(GEMM, dict.fromkeys("mnk", size), 4 * elements)
    assert found.nbytes == pytest.approx(4 * 2 * size**3 / elements**0.5, rel=1e-3)


def test_a_convolution_with_a_small_filter_reuses_no_more_than_the_filter() -> None:
    found = parse("Y[n,k,p,q] += X[n,c,p+r,q+s] * W[k,c,r,s]")
    sizes = {"n": 512, "k": 512, "p": 512, "q": 512, "c": 512, "r": 3, "s": 3}
    points, elements = 512**5 * 9, 10**4
    bound = least(found, sizes, 4 * elements).nbytes / 4
    assert bound == pytest.approx(2 * points / (3 * elements**0.5), rel=0.02)  # 2 G / sqrt(S R S')
