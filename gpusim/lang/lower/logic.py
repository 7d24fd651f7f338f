"""Conditions and choices on graph nodes, decided where the ranges of their operands decide them."""

from __future__ import annotations

from gpusim.lang.lower.values import F32, I32, PRED, U32, Graph, Node
from gpusim.lang.operators import COMPARE


def compare(g: Graph, op: str, a: Node, b: Node, *, unsigned: bool = False) -> Node:
    """``a op b`` of two integers or two floats."""
    if a.is_const and b.is_const:
        return g.const(COMPARE[op].value(a.value, b.value), PRED)
    if a.is_const:
        a, b, op = b, a, COMPARE[op].mirrored
    if a.dtype == F32:
        return g.make("cmp", a, b, attr=(op, "f"), dtype=PRED)
    unsigned = unsigned or U32 in (a.dtype, b.dtype)
    if not unsigned or (a.facts.natural and b.facts.natural):
        decided = _decide(op, a, b)
        if decided is not None:
            return g.const(decided, PRED)
    if op in ("eq", "ne"):
        unsigned = False
    return g.make("cmp", a, b, attr=(op, "u" if unsigned else "i"), dtype=PRED)


def _decide(op: str, a: Node, b: Node) -> bool | None:
    """The answer, where ranges (or the same operand twice) leave only one."""
    if a is b:
        return op in ("le", "ge", "eq")
    x, y = a.facts, b.facts
    if x.high < y.low:
        return op in ("lt", "le", "ne")
    if x.low > y.high:
        return op in ("gt", "ge", "ne")
    if (op == "le" and x.high <= y.low) or (op == "ge" and x.low >= y.high):
        return True
    if (op == "lt" and x.low >= y.high) or (op == "gt" and x.high <= y.low):
        return False
    return None


def invert(g: Graph, a: Node) -> Node:
    """``not a``."""
    if a.is_const:
        return g.const(not a.value, PRED)
    if a.op == "pnot":
        return a.args[0]
    if a.op == "cmp" and a.attr[1] != "f":
        return g.make("cmp", *a.args, attr=(COMPARE[a.attr[0]].negated, a.attr[1]), dtype=PRED)
    return g.make("pnot", a, dtype=PRED)


def both(g: Graph, a: Node, b: Node) -> Node:
    """``a and b``."""
    for x, y in ((a, b), (b, a)):
        if x.is_const:
            return y if x.value else x
    return a if a is b else g.make("pand", a, b, dtype=PRED)


def either(g: Graph, a: Node, b: Node) -> Node:
    """``a or b``."""
    for x, y in ((a, b), (b, a)):
        if x.is_const:
            return x if x.value else y
    return a if a is b else g.make("por", a, b, dtype=PRED)


def differ(g: Graph, a: Node, b: Node) -> Node:
    """``a xor b``."""
    for x, y in ((a, b), (b, a)):
        if x.is_const:
            return invert(g, y) if x.value else y
    return g.make("pxor", a, b, dtype=PRED)


def select(g: Graph, c: Node, a: Node, b: Node) -> Node:
    """``c ? a : b``."""
    if c.is_const:
        return a if c.value else b
    if a is b:
        return a
    if c.op == "pnot":
        c, a, b = c.args[0], b, a
    if a.dtype == PRED:
        return either(g, both(g, c, a), both(g, invert(g, c), b))
    return g.make("select", c, a, b, dtype=a.dtype)


def as_number(g: Graph, a: Node, dtype: str = I32) -> Node:
    """1 or 0."""
    return select(g, a, g.const(1, dtype), g.const(0, dtype))
