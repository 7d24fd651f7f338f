"""Is no stencil's bound above what a schedule moves, and does the geometry hold on which it stands?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from itertools import product
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpusim.bounds import stencils
from gpusim.bounds.computation import Computation, parse
from gpusim.bounds.formula import leading
from gpusim.bounds.traffic import least
from tests.bounds.memory import Memory

JACOBI = parse("A[t+1,i] = A[t,i-1] + A[t,i] + A[t,i+1]")
JACOBI_2D = parse("A[t+1,i,j] = A[t,i,j] + A[t,i-1,j] + A[t,i+1,j] + A[t,i,j-1] + A[t,i,j+1]")
SEIDEL = parse("A[t+1,i] = A[t+1,i-1] + A[t,i] + A[t,i+1]")
SEIDEL_2D = parse("A[t+1,i,j] = A[t+1,i-1,j] + A[t+1,i,j-1] + A[t,i,j] + A[t,i,j+1] + A[t,i+1,j]")
Point = tuple[int, ...]


def around(points: Iterable[Point]) -> set[Point]:
    """Points, and what is next to them along an axis."""
    found = set(points)
    for point in tuple(found):
        for axis, by in product(range(len(point)), (-1, 1)):
            found.add((*point[:axis], point[axis] + by, *point[axis + 1 :]))
    return found


def ball(d: int, radius: int) -> set[Point]:
    """Points of which the coordinates' sum is no more than a radius."""
    box = product(range(-radius, radius + 1), repeat=d)
    return {point for point in box if sum(map(abs, point)) <= radius}


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 3).flatmap(lambda d: st.sets(st.tuples(*[st.integers(0, 4)] * d), min_size=1)))
def test_neighbours_are_more_by_what_growth_says(points: set[Point]) -> None:
    d = len(next(iter(points)))
    more = len(around(points)) - len(points)
    assert more >= stencils.growth(d) * len(points) ** ((d - 1) / d) - 1e-9


@pytest.mark.parametrize(("d", "close"), [(1, 1.0), (2, 1.05), (3, 1.4)])
def test_a_ball_has_hardly_more(d: int, close: float) -> None:
    points = ball(d, 25 if d < 3 else 15)
    more = len(around(points)) - len(points)
    least_more = stencils.growth(d) * len(points) ** ((d - 1) / d)
    assert least_more <= more <= close * least_more


@pytest.mark.parametrize(("found", "d"), [(JACOBI, 1), (JACOBI_2D, 2)])
def test_a_pyramid_does_nearly_as_many_points_as_its_base_allows(found: Computation, d: int) -> None:
    """So no constant above ours follows from the points that fit on what a segment has at hand."""
    base, steps = ball(d, 60), (len(ball(d, radius)) for radius in range(60))
    inner = stencils.ways(found.statements[0], dict.fromkeys("tij", 10**6))[1]
    assert 0.95 <= sum(steps) / math.exp(inner.log_points(len(base))) <= 1


def test_in_three_dimensions_one_does_more_than_three_times_the_root_allows() -> None:
    S = 30000
    steps = [(4 * r**3 + 6 * r**2 + 8 * r + 3) // 3 for r in range(120)]
    assert steps[:5] == [len(ball(3, r)) for r in range(5)]
    for radius, base in enumerate(steps):
        assert sum(steps[:radius]) > (base - S) * S ** (1 / 3) / 3


def test_a_pyramid_of_3_memories_does_more_than_twice_the_root_allows() -> None:
    """With 2 points / sqrt(S) in two dimensions, X - S moved could do no more than (X - S) sqrt(S) / 2, for some X."""
    S = 20000
    steps = [2 * radius * (radius + 1) + 1 for radius in range(400)]
    assert steps[:7] == [len(ball(2, radius)) for radius in range(7)]
    for radius, base in enumerate(steps):
        assert sum(steps[:radius]) > (base - S) * S**0.5 / 2


def reads(found: Computation, sizes: dict[str, int], point: Point) -> list[Point]:
    """Values that a point is made of."""
    (statement,) = found.statements
    extents = [sizes[form.loops[0]] for form in statement.out.forms]
    near = (tuple(x + f.constant for x, f in zip(point, a.forms, strict=True)) for a in statement.inputs)
    return [one for one in near if all(0 <= x < extent for x, extent in zip(one[1:], extents[1:], strict=True))]


def moved(found: Computation, sizes: dict[str, int], points: list[Point], room: int) -> int:
    """What a schedule moves that does a stencil's points in an order, and keeps no value after its last use."""
    memory = Memory(room)
    uses = Counter(one for point in points for one in reads(found, sizes, point))
    for point in points:
        near = reads(found, sizes, point)
        for one in near:
            memory.touch(one)
        uses.subtract(near)
        for one in near:
            if not uses[one] and one[0] < sizes["t"]:
                memory.drop(one)
        memory.touch((point[0] + 1, *point[1:]), changes=True, fresh=True)
    return memory.flush()


def free_in(found: Computation, sizes: dict[str, int], points: set[Point], way: int) -> tuple[int, int]:
    """Points of a set that a way counts, and those whose values, or whose neighbours' outside the grid, are free."""
    (statement,) = found.statements
    extents = [sizes[form.loops[0]] for form in statement.out.forms]
    if stencils.axes(statement):
        rim = sum(any(x in (0, e - 1) for x, e in zip(point[1:], extents[1:], strict=True)) for point in points)
        return (len(points) - rim, rim) if way else (len(points), 0)
    vectors = stencils.chains(statement)
    before = [[tuple(x - v for x, v in zip(point, vector, strict=True)) for vector in vectors] for point in points]
    outside = (any(not all(0 <= x < e for x, e in zip(q, extents, strict=True)) for q in near) for near in before)
    return len(points), sum(outside)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([(JACOBI, 0), (JACOBI, 1), (JACOBI_2D, 0), (JACOBI_2D, 1), (SEIDEL, 0), (SEIDEL_2D, 0)]),
    st.tuples(st.integers(1, 30), st.integers(1, 7), st.integers(1, 7)), st.floats(0.05, 1), st.integers(0, 2**31),
)  # fmt: skip
@example((JACOBI, 1), (30, 5, 1), 1.0, 0)
@example((SEIDEL, 0), (30, 5, 1), 1.0, 0)
@example((SEIDEL_2D, 0), (30, 2, 2), 1.0, 0)
def test_no_set_of_points_is_larger_than_its_way_allows(
    which: tuple[Computation, int], extents: Point, share: float, seed: int
) -> None:
    (found, way), draw = which, Random(seed)
    sizes = dict(zip("tij", extents, strict=True))
    grid = product(*(range(sizes[form.loops[0]]) for form in found.statements[0].out.forms))
    points = {point for point in grid if draw.random() < share}
    made = {(t + 1, *space) for t, *space in points}
    at_hand = {one for point in points for one in reads(found, sizes, point)} - made
    counted, free = free_in(found, sizes, points, way)
    this = stencils.ways(found.statements[0], sizes)[way]
    assert free <= this.free
    if counted:
        assert math.log(counted) <= this.log_points(len(at_hand) + free) + 1e-9


def skewed(extents: Point, tile: Point, slope: int) -> list[Point]:
    """Points in tiles that lean back by a slope with each step: all steps of a tile are done before the next."""

    def key(point: Point) -> tuple[Point, Point]:
        t, *space = point
        return tuple((x + slope * t) // n for x, n in zip(space, tile, strict=True)), point

    return sorted(product(*map(range, extents)), key=key)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(20, 300), st.integers(1, 80), st.integers(1, 24), st.integers(4, 40), st.sampled_from([JACOBI, SEIDEL])
)
def test_no_line_of_tiles_moves_less_than_its_bound(
    width: int, steps: int, tile: int, room: int, found: Computation
) -> None:
    sizes = {"t": steps, "i": width}
    points = skewed((steps, width), (tile,), 1)
    assert least(found, sizes, room, element_bytes=1).nbytes <= moved(found, sizes, points, room)


@settings(max_examples=15, deadline=None)
@given(
    st.tuples(st.integers(1, 16), st.integers(3, 30), st.integers(3, 30)), st.tuples(*[st.integers(1, 9)] * 2),
    st.integers(6, 90), st.sampled_from([JACOBI_2D, SEIDEL_2D]),
)  # fmt: skip
def test_no_plane_of_tiles_moves_less_than_its_bound(
    extents: Point, tile: Point, room: int, found: Computation
) -> None:
    sizes = dict(zip("tij", extents, strict=True))
    assert least(found, sizes, room, element_bytes=1).nbytes <= moved(found, sizes, skewed(extents, tile, 1), room)


def test_a_wide_grid_is_bounded_by_its_inside_and_comes_within_a_factor_of_8() -> None:
    sizes, room = {"t": 100, "i": 800}, 12
    found = least(JACOBI, sizes, room, element_bytes=1)
    by_tiles = moved(JACOBI, sizes, skewed((100, 800), (8,), 1), room)
    assert found.reason == "reuse"
    assert found.nbytes <= by_tiles <= 8 * found.nbytes
    assert found.nbytes > 1.5 * (100 * 800 / (2 * room))  # what is counted at the rim, too


def test_a_narrow_grid_is_bounded_by_its_rim_alone() -> None:
    rim, inner = stencils.ways(JACOBI.statements[0], {"t": 100, "i": 3})
    assert (rim.points, rim.free) == (300, 0)
    assert (inner.points, inner.free) == (100, 200)


def test_points_that_a_chain_reaches_from_outside_are_counted() -> None:
    (way,) = stencils.ways(SEIDEL.statements[0], {"t": 10, "i": 7})
    assert (way.points, way.free) == (70, 7 + 10 - 1)


def test_points_that_depend_on_the_same_step_are_bounded_by_their_chains() -> None:
    assert stencils.axes(SEIDEL_2D.statements[0]) == ()
    assert stencils.chains(SEIDEL_2D.statements[0]) == ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    sizes = {"t": 2000, "i": 2000, "j": 2000}
    assert least(SEIDEL_2D, sizes, 100, element_bytes=1).nbytes == pytest.approx(0.3849 * 2000**3 / 10, rel=0.05)


@pytest.mark.parametrize(
    "text",
    [
        "A[t+1,i] = A[t,2*i] + A[t,i-1]",  # another pattern
        "A[t+1,i] = A[t+2,i] + A[t,i]",  # what comes later
        "A[t+1,i] = A[t,i] + x[i]",  # one vector for two loops
        "y[i+1] = y[i] + x[i]",
    ],
)
def test_what_has_too_few_chains_has_no_bound_by_them(text: str) -> None:
    assert stencils.ways(parse(text).statements[0], dict.fromkeys("ti", 100)) == []


@pytest.mark.parametrize(("found", "power"), [(JACOBI, 1), (JACOBI_2D, 0.5), (SEIDEL_2D, 0.5)])
def test_the_formula_is_what_large_grids_tend_to(found: Computation, power: float) -> None:
    sizes, S = {"t": 10**7, "i": 10**7, "j": 10**7}, 1000
    shown = leading(found)
    values = {one: {"S": S}.get(str(one), 10**7) for one in shown.free_symbols}
    assert least(found, sizes, S, element_bytes=1).reuse == pytest.approx(float(shown.subs(values)), rel=0.002)
    more = leading(found).subs({one: 4 * value if str(one) == "S" else value for one, value in values.items()})
    assert float(shown.subs(values) / more) == pytest.approx(4**power)
