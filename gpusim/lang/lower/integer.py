"""Integer arithmetic on graph nodes, simplified as it is built.

Sums keep their constant part outermost (``(x + y) + 3``) and products are
distributed over it, so that addresses which differ by a constant are seen to.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from gpusim.lang.lower.values import Graph, Node


def power_of_two(value: int) -> int | None:
    """Exponent of a positive power of two, else None."""
    return value.bit_length() - 1 if value > 0 and value & (value - 1) == 0 else None


def split_constant(g: Graph, x: Node) -> tuple[Node | None, int]:
    """``x`` as (rest, constant): ``rest + constant == x``; rest is None where x is a constant."""
    if x.is_const:
        return None, int(x.value)
    if x.op == "add" and x.args[1].is_const:
        return x.args[0], int(x.args[1].value)
    return x, 0


def add(g: Graph, a: Node, b: Node) -> Node:
    """``a + b``."""
    x, m = split_constant(g, a)
    y, n = split_constant(g, b)
    if x is None or y is None:
        rest = x or y
    else:
        rest = _add_variables(g, x, y)
        rest, more = split_constant(g, rest)
        m += more
    constant = g.const(m + n, a.dtype)
    if rest is None:
        return constant
    return rest if constant.value == 0 else g.make("add", rest, constant, dtype=a.dtype)


def _add_variables(g: Graph, x: Node, y: Node) -> Node:
    if x.op == "sub" and x.args[1] is y:
        return x.args[0]
    if y.op == "sub" and y.args[1] is x:
        return y.args[0]
    if y.op == "sub" and y.args[0].is_const and y.args[0].value == 0:
        return g.make("sub", x, y.args[1], dtype=x.dtype)
    if x is y:
        return shl(g, x, g.const(1, x.dtype))
    if x.id > y.id:
        x, y = y, x
    return g.make("add", x, y, dtype=x.dtype)


def sub(g: Graph, a: Node, b: Node) -> Node:
    """``a - b``."""
    if b.is_const:
        return add(g, a, g.const(-int(b.value), a.dtype))
    x, m = split_constant(g, a)
    y, n = split_constant(g, b)
    if x is y:
        return g.const(m - n, a.dtype)
    assert y is not None  # b is no constant
    if x is None:
        return g.make("sub", g.const(m - n, a.dtype), y, dtype=a.dtype)
    if x.op == "add" and y in x.args:
        rest = x.args[1 - x.args.index(y)]
    else:
        rest = g.make("sub", x, y, dtype=a.dtype)
    return add(g, rest, g.const(m - n, a.dtype))


def neg(g: Graph, a: Node) -> Node:
    """``-a``."""
    return sub(g, g.const(0, a.dtype), a)


def mul(g: Graph, a: Node, b: Node) -> Node:
    """``a * b``."""
    if a.is_const:
        a, b = b, a
    if b.is_const:
        return _scale(g, a, int(b.value))
    if a.id > b.id:
        a, b = b, a
    return g.make("mul", a, b, dtype=a.dtype)


def _scale(g: Graph, a: Node, factor: int) -> Node:
    """``a * factor``."""
    if a.is_const:
        return g.const(int(a.value) * factor, a.dtype)
    if factor in (0, 1):
        return a if factor else g.const(0, a.dtype)
    rest, constant = split_constant(g, a)
    if constant and rest is not None:
        return add(g, _scale(g, rest, factor), g.const(constant * factor, a.dtype))
    if a.op == "shl" and a.args[1].is_const:
        return _scale(g, a.args[0], factor << int(a.args[1].value))
    if a.op == "mul" and a.args[1].is_const:
        return _scale(g, a.args[0], factor * int(a.args[1].value))
    exponent = power_of_two(factor)
    if exponent is not None:
        return g.make("shl", a, g.integer(exponent), dtype=a.dtype)
    if factor == -1:
        return neg(g, a)
    return g.make("mul", a, g.const(factor, a.dtype), dtype=a.dtype)


def shl(g: Graph, a: Node, b: Node) -> Node:
    """``a << b``."""
    if b.is_const and 0 <= int(b.value) < 32:
        return _scale(g, a, 1 << int(b.value))
    return g.make("shl", a, b, dtype=a.dtype)


def shr(g: Graph, a: Node, b: Node) -> Node:
    """``a >> b``: arithmetic for i32, logical for u32 and where a is known not to be negative."""
    if b.is_const:
        if a.is_const:
            return g.const(int(a.value) >> int(b.value), a.dtype)
        if b.value == 0:
            return a
        if a.op == "shr_u" and a.args[1].is_const:
            total = int(a.args[1].value) + int(b.value)
            return g.make("shr_u", a.args[0], g.integer(min(total, 31)), dtype=a.dtype)
        if a.op == "shl" and a.args[1].is_const and a.facts.natural and a.args[0].facts.natural:
            move = int(a.args[1].value) - int(b.value)
            if move >= 0:
                return _scale(g, a.args[0], 1 << move)
    op = "shr_u" if a.dtype == "u32" or a.facts.natural else "shr_s"
    return g.make(op, a, b, dtype=a.dtype)


def bitwise(g: Graph, op: str, a: Node, b: Node) -> Node:
    """``a op b`` for ``and``, ``or``, ``xor`` of integers."""
    if a.is_const:
        a, b = b, a
    if a.is_const:
        return g.const(_BITWISE[op](int(a.value), int(b.value)), a.dtype)
    if b.is_const:
        mask = int(b.value) & 0xFFFFFFFF
        if mask == 0:
            return b if op == "and" else a
        if op == "and" and (mask == 0xFFFFFFFF or _covers(mask, a)):
            return a
        if op == "and" and a.op == "and" and a.args[1].is_const:
            return bitwise(g, op, a.args[0], g.const(mask & int(a.args[1].value), a.dtype))
    if a is b:
        return g.const(0, a.dtype) if op == "xor" else a
    if a.id > b.id and not b.is_const:
        a, b = b, a
    return g.make(op, a, b, dtype=a.dtype)


_BITWISE: dict[str, Callable[[int, int], int]] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}


def _covers(mask: int, a: Node) -> bool:
    """Whether ``a`` has no bit outside ``mask``, a mask of low bits."""
    return power_of_two(mask + 1) is not None and a.facts.low >= 0 and a.facts.high <= mask


def extreme(g: Graph, op: str, a: Node, b: Node) -> Node:
    """``min`` or ``max`` of integers."""
    if a is b:
        return a
    for x, y in ((a, b), (b, a)):
        below = x.facts.high <= y.facts.low
        if below:
            return x if op == "min" else y
    if (a.id > b.id and not b.is_const) or a.is_const:
        a, b = b, a
    return g.make(op, a, b, dtype=a.dtype)


def absolute(g: Graph, a: Node) -> Node:
    """``|a|``."""
    if a.facts.low >= 0:
        return a
    return g.const(abs(int(a.value)), a.dtype) if a.is_const else g.make("iabs", a, dtype=a.dtype)


def invert(g: Graph, a: Node) -> Node:
    """``~a``."""
    return bitwise(g, "xor", a, g.const(-1, a.dtype))
