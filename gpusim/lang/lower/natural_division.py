"""``//`` and ``%`` of integers >= 0: shifts, multiplication by a magic number, or by a reciprocal.

Sources: Granlund and Montgomery, *Division by Invariant Integers using
Multiplication* (PLDI 1994), for constants; for run-time divisors the expansion
NVIDIA's compiler emits: a reciprocal estimate, one Newton step in integers, two
corrections.
"""

from __future__ import annotations

from gpusim.lang.lower.integer import add, bitwise, mul, power_of_two, shr, split_constant, sub
from gpusim.lang.lower.logic import compare, select
from gpusim.lang.lower.values import F32, U32, Graph, Node


def floordiv(g: Graph, a: Node, b: Node) -> Node:
    """``a // b`` for a >= 0, b > 0."""
    if not b.is_const:
        return by_variable(g, a, b)[0]
    divisor = int(b.value)
    if a.is_const:
        return g.const(int(a.value) // divisor, a.dtype) if divisor else g.const(-1, a.dtype)
    if divisor == 1:
        return a
    if a.facts.low >= 0 and a.facts.high < divisor:
        return g.const(0, a.dtype)
    whole, part = split_multiple(g, a, divisor)
    if whole is not None:
        quotient = exact(g, whole, divisor)
        return quotient if part is None else add(g, quotient, floordiv(g, part, b))
    exponent = power_of_two(divisor)
    if exponent is not None:
        return shr(g, _unsigned(g, a), g.integer(exponent))
    if a.facts.natural or a.dtype != U32:
        return _by_magic(g, a, divisor)
    return by_variable(g, a, b)[0]


def mod(g: Graph, a: Node, b: Node) -> Node:
    """``a % b`` for a >= 0, b > 0."""
    if not b.is_const:
        return by_variable(g, a, b)[1]
    divisor = int(b.value)
    if a.is_const:
        return g.const(int(a.value) % divisor, a.dtype) if divisor else a
    if a.facts.low >= 0 and a.facts.high < divisor:
        return a
    whole, part = split_multiple(g, a, divisor)
    if whole is not None:
        return g.const(0, a.dtype) if part is None else mod(g, part, b)
    if power_of_two(divisor) is not None:
        return bitwise(g, "and", a, g.const(divisor - 1, a.dtype))
    result = sub(g, a, mul(g, floordiv(g, a, b), b))
    return g.refine(result, 0, divisor - 1)


def _unsigned(g: Graph, a: Node) -> Node:
    """``a`` with what the language promises of a dividend: it is not negative."""
    return a if a.dtype == U32 or a.facts.low >= 0 else g.refine(a, 0, a.facts.high)


def split_multiple(g: Graph, a: Node, divisor: int) -> tuple[Node | None, Node | None]:
    """``a`` as whole + part, whole a multiple of ``divisor``, part >= 0; None for one that is not there."""
    if a.facts.multiple % divisor == 0:
        return a, None
    if a.op != "add":
        return None, None
    rest, constant = split_constant(g, a)
    if constant and rest is not None and rest.facts.multiple % divisor == 0 and rest.facts.low >= 0:
        inside = constant % divisor
        return add(g, rest, g.const(constant - inside, a.dtype)), g.const(inside, a.dtype)
    if constant and constant % divisor == 0 and rest is not None and rest.facts.low >= 0:
        return a.args[1], rest
    for whole, part in (a.args, a.args[::-1]):
        if whole.facts.multiple % divisor == 0 and whole.facts.low >= 0 and part.facts.low >= 0:
            return whole, part
    return None, None


def exact(g: Graph, a: Node, divisor: int) -> Node:
    """``a / divisor`` for ``a`` known to be a multiple of it, taken apart where that is free."""
    if a.is_const:
        return g.const(int(a.value) // divisor, a.dtype)
    if a.op == "add" and all(x.facts.multiple % divisor == 0 for x in a.args):
        return add(g, exact(g, a.args[0], divisor), exact(g, a.args[1], divisor))
    factor = 1
    if a.op == "shl" and a.args[1].is_const:
        factor = 1 << int(a.args[1].value)
    elif a.op == "mul" and a.args[1].is_const:
        factor = int(a.args[1].value)
    if factor % divisor == 0:
        return mul(g, a.args[0], g.const(factor // divisor, a.dtype))
    if divisor % factor == 0 and factor > 1:
        return floordiv(g, a.args[0], g.const(divisor // factor, a.dtype))
    exponent = power_of_two(divisor)
    if exponent is not None:
        return shr(g, _unsigned(g, a), g.integer(exponent))
    return _by_magic(g, a, divisor)


def _by_magic(g: Graph, a: Node, divisor: int) -> Node:
    """Division of a 31-bit number by a constant: the upper word of one product, shifted."""
    exponent = (divisor - 1).bit_length()
    magic = (1 << (31 + exponent)) // divisor + 1
    high = g.make("mulhi_u", _unsigned(g, a), g.const(magic, U32), dtype=a.dtype)
    quotient = shr(g, high, g.integer(exponent - 1))
    return g.refine(quotient, 0, max(a.facts.high, 0) // divisor)


def by_variable(g: Graph, a: Node, b: Node) -> tuple[Node, Node]:
    """Quotient and remainder by a run-time value; exact for all unsigned operands, b = 0 gives all ones."""
    kind = a.dtype
    zero, one = g.const(0, kind), g.const(1, kind)
    reciprocal = g.make("mufu", g.make("u2f_up", b, dtype=F32), attr="rcp", dtype=F32)
    scaled = g.make("add", g.make("bits", reciprocal, dtype=kind), g.const(0x0FFFFFFE, kind), dtype=kind)
    guess = g.make("f2u", g.make("bits", scaled, dtype=F32), dtype=kind)
    error = g.make("mul", g.make("sub", zero, guess, dtype=kind), b, dtype=kind)
    inverse = g.make("add", g.make("mulhi_u", guess, error, dtype=kind), guess, dtype=kind)
    quotient = g.make("mulhi_u", inverse, a, dtype=kind)
    rest = g.make("add", g.make("mul", g.make("sub", zero, quotient, dtype=kind), b, dtype=kind), a, dtype=kind)
    for _ in range(2):
        over = compare(g, "ge", rest, b, unsigned=True)
        quotient = select(g, over, g.make("add", quotient, one, dtype=kind), quotient)
        rest = select(g, over, g.make("sub", rest, b, dtype=kind), rest)
    if b.facts.low <= 0:
        nothing = compare(g, "eq", b, zero)
        quotient, rest = (select(g, nothing, g.const(-1, kind), x) for x in (quotient, rest))
    if a.facts.low >= 0:
        quotient = g.refine(quotient, 0, max(a.facts.high, 0))
    return quotient, g.refine(rest, 0, max(b.facts.high - 1, 0)) if b.facts.low >= 0 else rest
