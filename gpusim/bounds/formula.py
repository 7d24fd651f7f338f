"""Bounds as formulas of sizes and of S, the elements of a fast memory: the term that grows fastest, constant kept.

Exact: exponents are fractions that are checked against every inequality, and the constant follows from them.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from math import factorial
from typing import TYPE_CHECKING

from gpusim.bounds import stencils
from gpusim.bounds.computation import Computation, Statement, ordered_points
from gpusim.bounds.exponents import inequalities, least_sum
from gpusim.bounds.footprint import elements, read_arrays
from gpusim.bounds.holder import Problem
from gpusim.bounds.roles import Group, groups, mirrored, sharing

if TYPE_CHECKING:
    import sympy

LONG, MUCH = 1 << 60, 40.0
"""Extents that no tile fills, and the logarithm of bytes that are many and yet few beside these."""

DENOMINATOR = 24
"""The largest of exponents that are looked for."""


def leading(computation: Computation) -> sympy.Expr:
    """Elements read and written, where all sizes are large beside S, and S is large.

    Parameters
    ----------
    computation : Computation

    Returns
    -------
    sympy.Expr
        Of S and the loops' names in capitals, axes that are taken whole as they are named; what is given and asked for,
        once each, where no reuse costs more.

    Examples
    --------
    >>> from gpusim.bounds.computation import parse
    >>> leading(parse("C[m,n] += A[m,k] * B[k,n]"))
    2*K*M*N/sqrt(S)
    """
    import sympy

    terms = [term for one in computation.statements if (term := _of_statement(computation, one)) is not None]
    reuse, once = sympy.simplify(sum(terms)), compulsory(computation)
    return reuse if terms and at_large(reuse) > at_large(once) else once


def at_large(expression: sympy.Expr) -> float:
    """Value where sizes are large beside S, S beside axes that are taken whole, and these beside 1.

    Parameters
    ----------
    expression : sympy.Expr
    """
    large = {"S": 1e6, "D": 32.0}
    return float(expression.subs({one: large.get(str(one), 1e12) for one in expression.free_symbols}))


def compulsory(computation: Computation) -> sympy.Expr:
    """Elements that are given and asked for, once each.

    Parameters
    ----------
    computation : Computation
    """
    import sympy

    written = [array for array in computation.written if not _is_between(computation, array)]
    return sympy.expand(
        sum(_elements(computation, array, False) for array in read_arrays(computation))
        + sum(_elements(computation, array, True) for array in written)
    )


def _is_between(computation: Computation, array: str) -> bool:
    readers = [one for one in computation.statements if array in {access.base for access in one.inputs}]
    return any(array not in {out.base for out in one.outs} for one in readers)


def _elements(computation: Computation, array: str, written: bool) -> sympy.Expr:
    """Elements of an array as a polynomial of extents, its fastest term: what it grows by when a loop grows."""
    import sympy

    large = 1 << 40
    sizes = dict.fromkeys(computation.loops, large)
    count = elements(computation, array, sizes, written=written)
    accesses = [
        access
        for one in computation.statements
        for access in (one.outs if written else one.inputs)
        if access.base == array
    ]
    first = max(accesses, key=lambda access: len({*access.loops, *access.whole}))
    steps = {loop for one in computation.statements if one.out.base == array for loop in stencils.steps(one) or ()}
    loops = [loop for loop in (*first.loops, *first.whole) if loop not in steps]
    share = Fraction(count, large ** len(loops)).limit_denominator(1000)
    return sympy.Rational(share.numerator, share.denominator) * sympy.Mul(*(name(loop) for loop in loops))


def name(loop: str) -> sympy.Symbol:
    """Symbol of a loop's extent.

    Parameters
    ----------
    loop : str
    """
    import sympy

    return sympy.Symbol(loop if loop == "s" else loop.upper(), positive=True)  # S is the memory


def _of_statement(computation: Computation, statement: Statement) -> sympy.Expr | None:
    """What the reuse of a statement costs; None where each of its arrays is read once."""
    import sympy

    S = sympy.Symbol("S", positive=True)
    if space := stencils.axes(statement):
        d = len(space)
        constant = (sympy.Integer(2) if d == 1 else 2 ** (1 + sympy.Rational(1, d))) / (d + 1) ** sympy.Rational(1, d)
        return _points(computation, statement) * constant / S ** sympy.Rational(1, d)
    if vectors := stencils.chains(statement):
        power = sympy.Rational(len(vectors), len(vectors) - 1)
        constant = (power - 1) ** (power - 1) / power**power
        return _points(computation, statement) * constant * S ** (1 - power)
    found = exponents(computation, statement)
    power = sum(found)
    if power <= 1:  # of reads alone, or of none
        return None
    sigma = sympy.Rational(power.numerator, power.denominator)
    constant = (sigma - 1) ** (sigma - 1) * _price(computation, statement, found)
    return _points(computation, statement) * constant * S ** (1 - sigma)


def exponents(computation: Computation, statement: Statement) -> list[Fraction]:
    """Exponents of a statement's accesses, group by group: those of the least sum, and among them of the best constant.

    Parameters
    ----------
    computation : Computation
    statement : Statement
    """
    sizes = dict.fromkeys(computation.loops, LONG)
    words = dict.fromkeys(computation.arrays, 1)
    short = {loop: 1 for one in statement.accesses for loop in one.whole}
    problem = Problem(computation, statement, sizes | short, words)
    accesses = [access for group in groups(computation, statement) for access in group.patterns]
    rules = inequalities(statement.loops, accesses)
    least = least_sum(rules)
    if least is None:
        return []  # no access names some loop
    near = problem.capacity(MUCH).exponents
    found = [Fraction(x).limit_denominator(DENOMINATOR) for x in near]
    holds = all(sum(n * x for n, x in zip(rule.accesses, found, strict=True)) >= rule.least for rule in rules)
    if holds and sum(found) == least:
        return found
    return [Fraction(x * 1.0001) for x in near]  # no such fractions: what Newton's steps found, a little more


def _price(computation: Computation, statement: Statement, found: list[Fraction]) -> sympy.Expr:
    """Product of ``(weight / exponent)^exponent`` over groups."""
    import sympy

    shared, price, at = sharing(computation), sympy.Integer(1), 0
    for group in groups(computation, statement):
        exponent = sum(found[at : at + len(group.patterns)])
        at += len(group.patterns)
        s = sympy.Rational(exponent.numerator, exponent.denominator) if exponent else sympy.Integer(0)
        price *= (_weight(group) / shared[group.name] / s) ** s if s else 1
    if mirrored(computation, statement):
        price *= 2 ** (1 - sympy.Rational(found[0].numerator, found[0].denominator))
    return price


def _weight(group: Group) -> sympy.Expr:
    import sympy

    return sympy.Mul(*(name(loop) for loop in group.whole))


def _points(computation: Computation, statement: Statement) -> sympy.Expr:
    """Points of a statement, the fastest term."""
    import sympy

    pairs = computation.constraints(statement)
    tied = tuple(loop for loop in statement.loops if any(loop in pair[:2] for pair in pairs))
    differences = [ordered_points(tied, pairs, dict.fromkeys(tied, n)) for n in range(len(tied) + 1)]
    while len(differences) > 1:
        differences = [b - a for a, b in pairwise(differences)]
    share = sympy.Rational(differences[0], factorial(len(tied))) if tied else sympy.Integer(1)
    return share * sympy.Mul(*(name(loop) for loop in statement.loops))


def text(expression: sympy.Expr) -> str:
    """Write a formula as people do.

    Examples
    --------
    >>> from gpusim.bounds.computation import parse
    >>> text(leading(parse("C[m,n] += A[m,k] * B[k,n]")))
    '2 K M N / sqrt(S)'
    """
    import sympy

    terms = sympy.Add.make_args(sympy.expand(expression))
    return " + ".join(sorted((_term(term) for term in terms), key=lambda term: (-len(term), term)))


def bound_text(computation: Computation | None) -> str:
    """The fastest term of a computation's bound; empty where there is no computation.

    Parameters
    ----------
    computation : Computation or None
    """
    return text(leading(computation)) if computation is not None else ""


def _term(term: sympy.Expr) -> str:
    import sympy

    above, below = sympy.fraction(term)
    upper = " ".join(_factor(factor) for factor in sympy.Mul.make_args(above))
    if below == 1:
        return upper
    lower = " ".join(_factor(factor) for factor in sympy.Mul.make_args(below))
    return f"{upper} / {lower}" if " " not in lower else f"{upper} / ({lower})"


def _factor(factor: sympy.Expr) -> str:
    shown = str(factor.evalf(4)) if factor.is_Float else str(factor)
    return re.sub(r"\*\*", "^", shown)
