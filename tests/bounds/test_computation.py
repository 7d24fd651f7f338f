"""Is a computation read as it is written, and are its points counted right?"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.bounds.computation import ComputationError, parse
from gpusim.bounds.footprint import elements
from gpusim.errors import GpusimError


def test_a_statement_has_an_output_inputs_and_loops() -> None:
    found = parse("y[n,p] += x[n,2*p+r-1] * w[r]")
    (statement,) = found.statements
    assert statement.gathers
    assert [str(access) for access in statement.accesses] == ["y[n,p]", "x[n,2p+r-1]", "w[r]"]
    assert found.loops == ("n", "p", "r")
    assert found.arrays == ("y", "x", "w")


def test_a_statement_may_add_to_several_outputs() -> None:
    found = parse("q[i], s[j] += A[i,j]; t[i] = q[i]")
    assert [str(out) for out in found.statements[0].outs] == ["q[i]", "s[j]"]
    assert found.written == ("q", "s", "t")
    assert elements(found, "s", {"i": 5, "j": 7}, written=True) == 7


def test_axes_that_are_taken_whole_are_no_loops_of_the_points() -> None:
    found = parse("O[i,(d)] += Q[i,(d)] * K[j,(d)] for i < N, j < N")
    assert found.statements[0].loops == ("i", "j")
    assert found.sizes({"N": 100, "d": 64}) == {"i": 100, "d": 64, "j": 100}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1 to 12 statements"),
        ("C[i] = 0", "reads no array"),
        ("C[i]", "is no statement"),
        ("C[i] = A[i*j]", "is no index"),
        ("C[i] = A[i,]", "an index is missing"),
        ("C[i] = A[(i+1)]", "no axis that is taken whole"),
        ("C[i] = A[i] for k < i", "neither an extent"),
        ("C[i] = A[i] for i <= N", "an extent is written i < N"),
        ("C[i] = A[i] + A[i,j]", "1 and 2 indices"),
        ("C[i], D[i] = A[i]", "only sums can"),
        ("C[i], C[j] += A[i,j]", "names an output twice"),
        ("C[(i)] = A[(i)]", "without a loop"),
        ("C[i] = A[i]" * 500, "characters"),
    ],
)
def test_what_is_no_computation_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(ComputationError, match=message):
        parse(text)


@pytest.mark.parametrize("size", [0, -3, 1.5, "many"])
def test_an_extent_is_a_whole_number_above_0(size: object) -> None:
    with pytest.raises(GpusimError, match="extent of i"):
        parse("C[i] = A[i]").sizes({"i": size})  # type: ignore[dict-item]


def test_a_loop_without_an_extent_is_named() -> None:
    with pytest.raises(ComputationError, match="--k 1024"):
        parse("C[m,n] += A[m,k] * B[k,n]").sizes({"m": 1, "n": 1})


@given(st.integers(1, 9), st.sampled_from(["j <= i", "j < i", "k < i, k < j", "k < j, j < i", "k <= j, j <= i"]))
def test_points_in_an_order_are_those_that_can_be_counted(size: int, order: str) -> None:
    found = parse(f"C[i,j] += A[i,k] * B[j,k] for {order}")
    loops = found.statements[0].loops
    points = (dict(zip(loops, point, strict=True)) for point in product(range(size), repeat=3))
    counted = sum(all(one[a] < one[b] + equal for a, b, equal in found.below) for one in points)
    assert found.points(found.statements[0], dict.fromkeys(loops, size)) == counted


@given(st.integers(1, 7), st.integers(1, 4), st.integers(1, 5))
def test_elements_of_sums_of_loops_are_not_more_than_there_are(p: int, r: int, factor: int) -> None:
    found = parse(f"y[p] += x[{factor}*p+r] * w[r]")
    touched = {factor * a + b for a in range(p) for b in range(r)}
    assert elements(found, "x", {"p": p, "r": r}) <= len(touched)
    assert elements(found, "w", {"p": p, "r": r}) == r


@given(
    st.integers(1, 14), st.sampled_from(["A'[i,k] * A'[k,j] for k < i, k < j", "A'[i,k] * A'[j,k] for k < j, j < i"])
)
def test_elements_of_half_a_matrix_are_not_more_than_there_are(size: int, text: str) -> None:
    found = parse(f"A[i,j] -= {text}")
    points = (dict(zip("ijk", point, strict=True)) for point in product(range(size), repeat=3))
    done = [point for point in points if all(point[a] < point[b] for a, b, _ in found.below)]
    read, written = (
        {tuple(point[form.loops[0]] for form in access.forms) for access in accesses for point in done}
        for accesses in (found.statements[0].inputs, (found.statements[0].out,))
    )
    sizes = dict.fromkeys("ijk", size)
    assert elements(found, "A", sizes) <= len(read)
    assert elements(found, "A", sizes, written=True) == len(written)
