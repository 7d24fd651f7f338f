"""Do exponents bound points, whatever the points are, and are they the best?"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.bounds.computation import Access, parse
from gpusim.bounds.exponents import inequalities, least_sum
from gpusim.bounds.formula import leading, text
from gpusim.bounds.holder import Problem
from gpusim.bounds.roles import groups
from gpusim.bounds.subspaces import common, kernel, lattice, reduced, together

TEXTS = (
    "C[m,n] += A[m,k] * B[k,n]",
    "y[i] += A[i,j] * x[j]",
    "B[i,r] += X[i,j,k] * A[j,r] * C[k,r]",
    "Y[k,p] += X[c,p+r] * W[k,c,r]",
    "Y[p,q] += X[2*p+r,q+s] * W[r,s]",
    "F[i] += x[i] * z[j]",
)


@pytest.mark.parametrize(
    ("computation", "power"),
    [
        ("C[m,n] += A[m,k] * B[k,n]", Fraction(3, 2)),
        ("y[i] += A[i,j] * x[j]", Fraction(1)),
        ("F[i] += x[i] * z[j]", Fraction(2)),
        ("B[i,r] += X[i,j,k] * A[j,r] * C[k,r]", Fraction(5, 3)),
        ("Y[n,k,p,q] += X[n,c,p+r,q+s] * W[k,c,r,s]", Fraction(2)),
        ("P[a,c,f] += Q[a,b,d] * R[b,c,e] * T[c,d,f] * U[b,f] * V[a,d,e]", Fraction(15, 7)),
    ],
)
def test_the_least_sum_of_exponents_is_the_known_one(computation: str, power: Fraction) -> None:
    found = parse(computation)
    accesses = [access for group in groups(found, found.statements[0]) for access in group.patterns]
    assert least_sum(inequalities(found.statements[0].loops, accesses)) == power


def test_accesses_that_leave_a_loop_out_bound_nothing() -> None:
    found = parse("C[i] = A[j]").statements[0]
    assert least_sum(inequalities(found.loops, found.inputs)) is None


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TEXTS), st.integers(0, 2**31), st.floats(0.05, 1), st.floats(2, 300))
def test_no_set_of_points_is_larger_than_its_inequality_allows(
    computation: str, seed: int, share: float, at_hand: float
) -> None:
    import numpy as np

    found = parse(computation)
    statement = found.statements[0]
    sizes = {loop: 2 + n % 3 for n, loop in enumerate(statement.loops)}
    grid = np.indices(tuple(sizes[loop] for loop in statement.loops)).reshape(len(statement.loops), -1).T
    chosen = grid[np.random.default_rng(seed).random(len(grid)) < share]
    if not len(chosen):
        return
    problem = Problem(found, statement, sizes, dict.fromkeys(found.arrays, 1))
    capacity = problem.capacity(math.log(at_hand))
    touched = [
        len({_element(access, statement.loops, point) for point in chosen})
        for group in problem.groups
        for access in group.patterns
    ]
    assert math.log(len(chosen)) <= capacity.log_points(math.log(sum(touched))) + 1e-9


def _element(access: Access, loops: tuple[str, ...], point: object) -> tuple[int, ...]:
    at = dict(zip(loops, point, strict=True))  # type: ignore[call-overload]
    return tuple(sum(factor * at[loop] for loop, factor in form.terms) + form.constant for form in access.forms)


def test_short_loops_are_no_better_than_the_tile_that_fills_them() -> None:
    found = parse("C[m,n] += A[m,k] * B[k,n]")
    problem = Problem(found, found.statements[0], {"m": 10**6, "n": 10**6, "k": 2}, dict.fromkeys("ABC", 1))
    tile = max(b * b * 2 for b in range(1, 100) if b * b + 4 * b <= 3000)
    assert 1 <= math.exp(problem.capacity(math.log(3000)).log_points(math.log(3000))) / tile < 1.1


@pytest.mark.parametrize(
    ("computation", "formula"),
    [
        ("C[m,n] += A[m,k] * B[k,n]", "2 K M N / sqrt(S)"),
        ("O[i,(d)] += Q[i,(d)] * K[j,(d)] * V[j,(d)]", "4 I J D^2 / S"),
        (
            "dQ[i,(d)], dK[j,(d)], dV[j,(d)] += dO[i,(d)] * Q[i,(d)] * K[j,(d)] * V[j,(d)]",
            "12 I J D^2 / S",
        ),
        ("A[t+1,i] = A[t,i-1] + A[t,i] + A[t,i+1]", "I T / S"),
        ("A[t+1,i] = A[t+1,i-1] + A[t,i] + A[t,i+1]", "I T / (4 S)"),
        ("y[i] = x[i]", "2 I"),
    ],
)
def test_a_formula_keeps_its_constant(computation: str, formula: str) -> None:
    assert text(leading(parse(computation))) == formula


def test_subspaces_are_added_and_cut() -> None:
    x, y, diagonal = (reduced([row]) for row in ((1, 0, 0), (0, 1, 0), (1, 1, 0)))
    assert together(x, y) == together(x, diagonal)
    assert common(together(x, y), together(diagonal, reduced([(0, 0, 1)])), 3) == diagonal
    assert kernel([(1, 1, 0)], 3) == reduced([(1, -1, 0), (0, 0, 1)])
    assert len(lattice([x, y], 3)) == 4  # x, y, their sum, and the whole
