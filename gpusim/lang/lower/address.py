"""Addresses: a pointer or base in registers, plus a constant that fits the instruction.

A global pointer that moves with a loop is bumped once an iteration; others that
move along with it hang off it by one multiply-add, and accesses that differ by a
constant share one.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from gpusim.lang.lower import swizzled
from gpusim.lang.lower.integer import add, mul
from gpusim.lang.lower.linear import Linear, Linearizer
from gpusim.lang.lower.regions import Access, Array, AsyncCopy, Body, Branch, Carried, Item, Loop
from gpusim.lang.lower.values import P64, U32, Graph, Node

OFFSET_LIMIT = 1 << 23  # offsets are 24-bit signed


def assign_addresses(g: Graph, body: Body) -> None:
    """Give every access its base and offset, and loops the pointers they carry."""
    _Addresses(g).walk(body.items, ())


@dataclass(eq=False)
class _Leader:
    """A pointer that others may hang off: ``pointer`` holds the address of ``at`` (elements)."""

    at: Linear
    pointer: Node


class _Addresses:
    def __init__(self, g: Graph) -> None:
        self.g, self.linear = g, Linearizer(g)
        self.pointers: dict[Hashable, Node] = {}
        self.leaders: dict[Hashable, list[_Leader]] = {}

    def walk(self, items: list[Item], loops: tuple[Loop, ...]) -> None:
        for item in items:
            if isinstance(item, Access):
                self._place(item, loops)
            elif isinstance(item, AsyncCopy):
                self._place(item.source, loops)
                self._place(item.to, loops)
            elif isinstance(item, Loop):
                self.walk(item.body, (*loops, item))
            elif isinstance(item, Branch):
                self.walk(item.then, loops)
                self.walk(item.orelse, loops)

    def _place(self, access: Access, loops: tuple[Loop, ...]) -> None:
        array = access.array
        index = self.linear.expand(access.index)
        access.offset = index.constant * array.nbytes
        if array.space == "shared":
            access.offset += array.offset
            base = swizzled.base(self.g, self.linear, index, array.nbytes)
            if base.facts.low < 0 < access.offset:  # addresses do not wrap: the sum must be right on its way
                base, access.offset = add(self.g, base, self.g.integer(access.offset)), 0
            access.base = base if index.terms else None
            return
        if abs(access.offset) >= OFFSET_LIMIT:
            access.offset = 0
            access.base = self._wide(access.index, array.nbytes, self._start(array))
        else:
            access.base = self._pointer(array, Linear(0, index.terms), loops)

    # ---------------------------------------------------------- global pointers

    def _start(self, array: Array) -> Node:
        return self.g.make("buffer", attr=array.offset, dtype=P64)

    def _wide(self, index: Node, scale: int, base: Node) -> Node:
        """``base + index * scale`` in 64 bits."""
        if index.is_const and index.value == 0:
            return base
        return self.g.make("wide", index, self.g.integer(scale), base, attr=index.dtype == U32, dtype=P64)

    def _pointer(self, array: Array, at: Linear, loops: tuple[Loop, ...]) -> Node:
        """Address of element ``at``."""
        key = (array, at.constant, at.key)
        found = self.pointers.get(key)
        if found is None:
            loop = loops[at.depth - 1] if at.depth else None
            if loop is None:
                found = self._fixed(array, at)
            elif (parts := self._stride(at, loop)) is not None:
                found = self._moving(array, *parts, loop, loops[: at.depth - 1])
            else:
                found = self._wandering(array, at, loops)
            self.pointers[key] = found
        return found

    def _fixed(self, array: Array, at: Linear) -> Node:
        """A pointer that no loop moves: one step from an earlier one, or from the array's start."""
        leaders = self.leaders.setdefault((array,), [])
        for leader in reversed(leaders):
            apart = at.plus(leader.at, -1)
            if len(apart.terms) == 1 and not apart.constant and all(len(m) == 1 for m in apart.terms):
                pointer = self._beside(array, leader, apart)
                break
        else:
            pointer = self._wide(self.linear.node(at), array.nbytes, self._start(array))
        leaders.append(_Leader(at, pointer))
        return pointer

    def _beside(self, array: Array, leader: _Leader, apart: Linear) -> Node:
        """``apart`` elements from a leader."""
        if len(apart.terms) == 1 and not apart.constant:
            ((monomial, coefficient),) = apart.terms.items()
            if abs(coefficient * array.nbytes) < 1 << 31:
                factor = self.linear.node(Linear(0, {monomial: 1}))
                return self._wide(factor, coefficient * array.nbytes, leader.pointer)
        return self._wide(self.linear.node(apart), array.nbytes, leader.pointer)

    def _stride(self, at: Linear, loop: Loop) -> tuple[Linear, Linear] | None:
        """``at`` as (stride, rest), fixed in the loop, ``at == stride * index + rest``; None if it is not so."""
        index = loop.carried[0].phi
        stride, rest = Linear(0, {}), Linear(at.constant, {})
        if loop.step is None or loop.step.depth >= index.depth:
            return None
        for monomial, coefficient in at.terms.items():
            if index not in monomial:
                rest = rest.plus(Linear(0, {monomial: coefficient}))
                continue
            others = list(monomial)
            others.remove(index)
            part = Linear(0, {tuple(others): coefficient}) if others else Linear(coefficient, {})
            stride = stride.plus(part)
        return (stride, rest) if max(stride.depth, rest.depth) < index.depth else None

    def _moving(self, array: Array, stride: Linear, rest: Linear, loop: Loop, outer: tuple[Loop, ...]) -> Node:
        """A pointer bumped once an iteration, or one beside it."""
        leaders = self.leaders.setdefault((array, loop, stride.constant, stride.key), [])
        if leaders:
            return self._beside(array, leaders[0], rest.plus(leaders[0].at, -1))
        index = loop.carried[0]
        first = rest.plus(stride.product(self.linear.expand(index.init)))
        init = self._pointer(array, first, outer)
        phi = self.g.fresh("phi", P64, attr=array.name, depth=index.phi.depth)
        assert loop.step is not None  # or there would be no stride
        step = mul(self.g, self.linear.node(stride), loop.step)
        loop.carried.append(Carried(phi, init, self._bumped(phi, step, array.nbytes)))
        leaders.append(_Leader(rest, phi))
        return phi

    def _bumped(self, pointer: Node, step: Node, nbytes: int) -> Node:
        if step.is_const:
            return self.g.make("move", pointer, attr=int(step.value) * nbytes, dtype=P64)
        if step.op == "shl":
            shift, nbytes = int(step.args[1].value), nbytes
            return self._wide(step.args[0], nbytes << shift, pointer)
        if step.op == "mul" and step.args[1].is_const:
            return self._wide(step.args[0], nbytes * int(step.args[1].value), pointer)
        return self._wide(step, nbytes, pointer)

    def _wandering(self, array: Array, at: Linear, loops: tuple[Loop, ...]) -> Node:
        """A pointer that moves in no regular way: its fixed part and, each time, the rest."""
        depth = at.depth
        inner = {m: c for m, c in at.terms.items() if max(n.depth for n in m) == depth}
        fixed = Linear(0, {m: c for m, c in at.terms.items() if m not in inner})
        if not fixed.terms:
            return self._wide(self.linear.node(at), array.nbytes, self._start(array))
        base = self._pointer(array, fixed, loops)
        return self._beside(array, _Leader(fixed, base), Linear(at.constant, inner))
