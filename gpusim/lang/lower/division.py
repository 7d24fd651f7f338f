"""``//`` and ``%`` of integers of any sign, rounded down as in Python and NumPy.

What cannot be negative is divided as such (:mod:`gpusim.lang.lower.natural_division`).  Of ``a < 0`` by ``b > 0`` the
quotient is ``~(~a // b)``; where ``b`` may be negative too, magnitudes are divided.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpusim.lang.lower import natural_division
from gpusim.lang.lower.integer import bitwise, invert, mul, neg, power_of_two, shr, sub
from gpusim.lang.lower.logic import compare, differ, select
from gpusim.lang.lower.values import U32, Graph, Node


def floordiv(g: Graph, a: Node, b: Node) -> Node:
    """``a // b``."""
    if _natural(a, b):
        return natural_division.floordiv(g, a, b)
    if _positive(b):
        return _of_negative(g, a, b)
    return _of_magnitudes(g, a, b)


def mod(g: Graph, a: Node, b: Node) -> Node:
    """``a % b``, of the sign of ``b``."""
    if _natural(a, b):
        return natural_division.mod(g, a, b)
    if b.is_const and power_of_two(int(b.value)) is not None:
        return bitwise(g, "and", a, g.const(int(b.value) - 1, a.dtype))
    return sub(g, a, mul(g, floordiv(g, a, b), b))


def _natural(a: Node, b: Node) -> bool:
    """Whether neither can be negative, but for a ``b`` that is given to the kernel: it must be positive."""
    return a.dtype == U32 or (_positive(b) and (a.facts.low >= 0 or _rounds_up(a, b)))


def _positive(b: Node) -> bool:
    return b.facts.low >= 0 or b.op == "param"


def _rounds_up(a: Node, b: Node) -> bool:
    """Whether ``a`` is ``x + b - 1`` for some ``x >= 0``, which is not negative for ``b > 0``."""
    terms = list(_terms(a))
    constant = sum(int(term.value) for term in terms if term.is_const)
    others = [term for term in terms if not term.is_const]
    return constant >= -1 and b in others and all(term.facts.low >= 0 for term in others)


def _terms(a: Node) -> Iterator[Node]:
    if a.op != "add":
        yield a
        return
    for part in a.args:
        yield from _terms(part)


def _of_negative(g: Graph, a: Node, b: Node) -> Node:
    """``a // b`` for ``b > 0``."""
    if b.is_const and (exponent := power_of_two(int(b.value))) is not None:
        return shr(g, a, g.integer(exponent))
    sign = shr(g, a, g.integer(31))
    size = g.refine(bitwise(g, "xor", a, sign), 0, max(a.facts.high, ~a.facts.low))
    return bitwise(g, "xor", natural_division.floordiv(g, size, b), sign)


def _of_magnitudes(g: Graph, a: Node, b: Node) -> Node:
    """``a // b`` of any two, by the quotient and the rest of their magnitudes as unsigned numbers."""
    zero = g.const(0, a.dtype)
    below = [compare(g, "lt", x, zero) for x in (a, b)]
    sizes = [select(g, negative, neg(g, x), x) for negative, x in zip(below, (a, b), strict=True)]
    quotient, rest = natural_division.by_variable(g, *sizes)
    down = select(g, compare(g, "eq", rest, zero), neg(g, quotient), invert(g, quotient))
    return select(g, differ(g, *below), down, quotient)
