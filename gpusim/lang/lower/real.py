"""Single-precision arithmetic on graph nodes.

Only foldings that keep every bit: constants, and signs moved into operands.
"""

from __future__ import annotations

from gpusim.lang.lower.values import F32, Graph, Node

LOG2_E = 1.4426950408889634
LN_2 = 0.6931471805599453
INVERSE_TWO_PI = 0.15915494309189535


def constant(g: Graph, value: float) -> Node:
    """An f32 constant."""
    return g.const(value, F32)


def fadd(g: Graph, a: Node, b: Node) -> Node:
    """``a + b``."""
    if a.is_const and b.is_const:
        return constant(g, a.value + b.value)
    if a.is_const:
        a, b = b, a
    if b.is_const and b.value == 0 and str(b.value) == "-0.0":
        return a
    return g.make("fadd", a, b, dtype=F32)


def fneg(g: Graph, a: Node) -> Node:
    """``-a``."""
    if a.is_const:
        return constant(g, -a.value)
    return a.args[0] if a.op == "fneg" else g.make("fneg", a, dtype=F32)


def fsub(g: Graph, a: Node, b: Node) -> Node:
    """``a - b``."""
    return fadd(g, a, fneg(g, b))


def fabs(g: Graph, a: Node) -> Node:
    """``|a|``."""
    if a.is_const:
        return constant(g, abs(a.value))
    return fabs(g, a.args[0]) if a.op == "fneg" else g.make("fabs", a, dtype=F32)


def fmul(g: Graph, a: Node, b: Node) -> Node:
    """``a * b``."""
    if a.is_const and b.is_const:
        return constant(g, a.value * b.value)
    if a.is_const:
        a, b = b, a
    if b.is_const and b.value == 1.0:
        return a
    return g.make("fmul", a, b, dtype=F32)


def fma(g: Graph, a: Node, b: Node, c: Node) -> Node:
    """``a * b + c`` rounded once."""
    if a.is_const and not b.is_const:
        a, b = b, a
    return g.make("ffma", a, b, c, dtype=F32)


def fextreme(g: Graph, op: str, a: Node, b: Node) -> Node:
    """``min`` or ``max``."""
    if a.is_const:
        a, b = b, a
    return a if a is b else g.make("f" + op, a, b, dtype=F32)


def special(g: Graph, name: str, a: Node) -> Node:
    """A function of the multi-function unit: ``rcp rsq sqrt ex2 lg2 sin cos tanh``."""
    return g.make("mufu", a, attr=name, dtype=F32)


def fdiv(g: Graph, a: Node, b: Node) -> Node:
    """``a / b``: reciprocal, one Newton step, one correction of the quotient."""
    if a.is_const and a.value == 1.0:
        return special(g, "rcp", b)
    if b.is_const and b.value and _is_power_of_two(b.value):
        return fmul(g, a, constant(g, 1.0 / b.value))
    minus = fneg(g, b)
    guess = special(g, "rcp", b)
    inverse = fma(g, guess, fma(g, minus, guess, constant(g, 1.0)), guess)
    quotient = fmul(g, a, inverse)
    return fma(g, inverse, fma(g, minus, quotient, a), quotient)


def _is_power_of_two(value: float) -> bool:
    mantissa, _, exponent = float(value).hex().partition("p")
    return mantissa.lstrip("-") == "0x1.0000000000000" and abs(int(exponent)) < 126


def function(g: Graph, name: str, a: Node) -> Node:
    """A unary operation of the tree on an f32 value."""
    if name == "neg":
        return fneg(g, a)
    if name == "abs":
        return fabs(g, a)
    if name == "exp":
        return special(g, "ex2", fmul(g, a, constant(g, LOG2_E)))
    if name == "log":
        return fmul(g, special(g, "lg2", a), constant(g, LN_2))
    if name in ("sin", "cos"):
        return special(g, name, fmul(g, a, constant(g, INVERSE_TWO_PI)))
    return special(g, {"exp2": "ex2", "log2": "lg2", "rsqrt": "rsq"}.get(name, name), a)
