"""Index expressions as sums of products: ``constant + sum(coefficient * atom * ... )``.

Two indices then differ by what is left of subtracting one sum from the other,
and a loop variable's coefficient is the stride along that loop.
"""

from __future__ import annotations

from typing import NamedTuple

from gpusim.lang.lower.facts import derive
from gpusim.lang.lower.integer import add, mul
from gpusim.lang.lower.values import I32, Graph, Node

Monomial = tuple[Node, ...]  # sorted by node id
MAX_TERMS = 12


class Linear(NamedTuple):
    """``constant + sum(coefficient * product(monomial))``."""

    constant: int
    terms: dict[Monomial, int]

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """``self + factor * other``."""
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            terms[monomial] = terms.get(monomial, 0) + factor * coefficient
        return Linear(self.constant + factor * other.constant, {m: c for m, c in terms.items() if c})

    def times(self, factor: int) -> Linear:
        """``self * factor``."""
        return Linear(self.constant * factor, {m: c * factor for m, c in self.terms.items() if factor})

    def product(self, other: Linear) -> Linear:
        """``self * other``, multiplied out."""
        terms = {m: c * other.constant for m, c in self.terms.items() if other.constant}
        total = Linear(self.constant * other.constant, terms).plus(Linear(0, other.terms), self.constant)
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                monomial = tuple(sorted(m + n, key=lambda node: node.id))
                total = total.plus(Linear(0, {monomial: c * d}))
        return total

    @property
    def key(self) -> frozenset[tuple[Monomial, int]]:
        """Its variable part, to look up equals by."""
        return frozenset(self.terms.items())

    @property
    def depth(self) -> int:
        """Loops it varies with."""
        return max((node.depth for monomial in self.terms for node in monomial), default=0)


class Linearizer:
    """Takes index nodes apart and puts sums together again."""

    def __init__(self, g: Graph) -> None:
        self.g = g
        self._known: dict[int, Linear] = {}

    def expand(self, node: Node) -> Linear:
        """``node`` as a sum; products are multiplied out over constants and loop-variant parts only."""
        found = self._known.get(node.id)
        if found is None:
            found = self._known[node.id] = self._expand(node)
        return found

    def _expand(self, node: Node) -> Linear:
        if node.is_const:
            return Linear(int(node.value), {})
        if node.op == "bits" and node.args[0].dtype == I32:
            return self.expand(node.args[0])
        if node.op in ("add", "sub") and node.facts.low <= derive(node).low:  # else a remainder: better in one piece
            a, b = node.args
            return self.expand(a).plus(self.expand(b), 1 if node.op == "add" else -1)
        if node.op == "shl" and node.args[1].is_const:
            return self.expand(node.args[0]).times(1 << int(node.args[1].value))
        if node.op == "mul":
            a, b = node.args
            if b.is_const:
                return self.expand(a).times(int(b.value))
            x, y = self._factor(a), self._factor(b)
            if len(x.terms) * len(y.terms) <= MAX_TERMS:
                return x.product(y)
        return Linear(0, {(node,): 1})

    def _factor(self, node: Node) -> Linear:
        """A factor of a product: its loop-invariant part stays in one piece."""
        whole = self.expand(node)
        fixed = {m: c for m, c in whole.terms.items() if all(n.depth == 0 for n in m)}
        if len(fixed) == 1:
            return whole
        if len(fixed) == len(whole.terms) and not whole.constant:
            return Linear(0, {(node,): 1})
        moving = {m: c for m, c in whole.terms.items() if m not in fixed}
        rest: dict[Monomial, int] = {(self.node(Linear(0, fixed)),): 1} if fixed else {}
        return Linear(whole.constant, {**moving, **rest})

    def node(self, linear: Linear) -> Node:
        """The sum as a node: parts that vary with fewer loops first, so that they can leave the inner ones."""
        total: Node | None = None
        order = sorted(linear.terms.items(), key=lambda item: self._rank(*item))
        for monomial, coefficient in order:
            term = monomial[0]
            for factor in monomial[1:]:
                term = mul(self.g, term, factor)
            term = mul(self.g, term, self.g.integer(coefficient))
            total = term if total is None else add(self.g, total, term)
        constant = self.g.integer(linear.constant)
        return constant if total is None else add(self.g, total, constant)

    @staticmethod
    def _rank(monomial: Monomial, coefficient: int) -> tuple[int, ...]:
        return max(n.depth for n in monomial), coefficient < 0, len(monomial), *(n.id for n in monomial)
