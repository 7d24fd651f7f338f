"""Columns of swizzled arrays, in a form of which most is the same for all accesses of a lane.

A column is ``whole + (part ^ turn)``, where ``whole`` is a multiple of what the exchange is within.  Constants leave
``part``, too: ``(rest + c) ^ turn`` is ``(rest ^ turn) ^ c`` where ``rest`` and ``c`` have no bit in common.  So the
addresses of a lane differ by constants, which are added, or joined by an exclusive or.
"""

from __future__ import annotations

from gpusim.lang.lower.integer import add, bitwise, split_constant
from gpusim.lang.lower.linear import Linear, Linearizer
from gpusim.lang.lower.natural_division import split_multiple
from gpusim.lang.lower.values import NEAR, Graph, Node


def exchanged(g: Graph, column: Node, turn: Node) -> Node:
    """``column ^ turn``."""
    within = 1 << turn.facts.high.bit_length()
    rest, constant = split_constant(g, column)
    inside = constant % within
    column = g.integer(inside) if rest is None else add(g, rest, g.integer(inside))
    whole, part = split_multiple(g, column, within)
    if whole is None:
        moved = _joined(g, column, turn)
    else:
        moved = add(g, whole, turn if part is None else _joined(g, part, turn))
    return add(g, moved, g.integer(constant - inside))


def _joined(g: Graph, part: Node, turn: Node) -> Node:
    rest, constant = split_constant(g, part)
    lowest = constant & -constant
    if rest is not None and constant > 0 and rest.facts.low >= 0 and rest.facts.high < lowest:
        return bitwise(g, "xor", bitwise(g, "xor", rest, turn), g.integer(constant))
    return bitwise(g, "xor", part, turn)


def base(g: Graph, linear: Linearizer, index: Linear, nbytes: int) -> Node:
    """Bytes to the element that a sum of terms counts, its constant aside.

    Where one term is ``x ^ c`` and the others are multiples of what has room for its bits, the exclusive or comes last:
    lanes then compute all else once for every ``c``.
    """
    for monomial, coefficient in index.terms.items():
        (term, *others) = monomial
        if others or term.op != "xor" or not term.args[1].is_const or coefficient < 1:
            continue
        x, c = term.args[0], int(term.args[1].value)
        room = 1 << (max(x.facts.high, c) * coefficient * nbytes).bit_length()
        rest = Linear(0, {m: k for m, k in index.terms.items() if m != monomial}).times(nbytes)
        apart = linear.node(rest).facts.multiple % room == 0 and coefficient & (coefficient - 1) == 0
        if x.facts.low >= 0 and c > 0 and apart:
            before = linear.node(rest.plus(Linear(0, {(x,): coefficient * nbytes})))
            return g.make("xor", before, g.integer(c * coefficient * nbytes), attr=NEAR, dtype=before.dtype)
    return linear.node(Linear(0, index.terms).times(nbytes))
