"""Pure values as a graph in which equal values are one node (value numbering by construction).

A node knows what can be proven of it: its range, a number it is a multiple of,
how deep in loops it varies, and whether it can differ between lanes.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable
from typing import Any

from gpusim.lang.description_errors import fail
from gpusim.lang.lower.facts import FULL, Facts, derive

I32, U32, F32, PRED, P64 = "i32", "u32", "f32", "pred", "p64"
SUM = "sum"  # `attr` of what a product of matrices gives
MOST_VALUES = 100_000  # of a program; the largest of the catalogue, with the tiles it comes with, has 5 000
NEAR = "near"  # `attr` of what is as cheap to compute where it is used as it is to keep


class Node:
    """One value.

    Attributes
    ----------
    id : int
        Creation number; operands of a pure node have smaller ones.
    op : str
        What computes it (``add``, ``fmul``, ``cmp``, ``phi``, ``def`` ...).
    args : tuple of Node
        Operands.
    attr : hashable
        What else distinguishes it (a constant's value, a comparison's relation).
    dtype : str
        ``i32 u32 f32 pred p64`` (``p64``: a 64-bit address).
    facts : Facts
        Range and divisibility.
    depth : int
        Loops it varies with: 0 = loop-invariant everywhere.
    varying : bool
        Whether lanes of a warp can have different values.
    """

    __slots__ = ("args", "attr", "depth", "dtype", "facts", "id", "op", "varying")

    def __init__(self, number: int, op: str, args: tuple[Node, ...], attr: Any, dtype: str) -> None:
        self.id, self.op, self.args, self.attr, self.dtype = number, op, args, attr, dtype
        self.facts: Facts = FULL[dtype]
        self.depth: int = max((a.depth for a in args), default=0)
        self.varying: bool = any(a.varying for a in args)

    @property
    def is_const(self) -> bool:
        """Whether it is a constant."""
        return self.op == "const"

    @property
    def operand_facts(self) -> tuple[Facts, ...]:
        """What is proven of its operands."""
        return tuple(a.facts for a in self.args)

    @property
    def value(self) -> Any:
        """Value of a constant: an int, float or bool by its type."""
        return self.attr[1]

    def __repr__(self) -> str:
        if self.is_const:
            return f"{self.value}"
        inner = ", ".join(repr(a) if a.is_const else f"%{a.id}" for a in self.args)
        return f"%{self.id}:{self.op}{'' if self.attr is None else f'[{self.attr}]'}({inner})"


class Graph:
    """Makes nodes; asked for an equal one again, it returns the first.

    Parameters
    ----------
    name : str
        Of the kernel, for messages.
    """

    def __init__(self, name: str = "kernel") -> None:
        self._name = name
        self._table: dict[Hashable, Node] = {}
        self._count = 0

    def make(self, op: str, *args: Node, attr: Hashable = None, dtype: str) -> Node:
        """The pure value ``op(args)``."""
        key = (op, attr, dtype, *(a.id for a in args))
        node = self._table.get(key)
        if node is None:
            node = self._table[key] = self._new(op, args, attr, dtype)
            node.facts = derive(node)
        return node

    def fresh(self, op: str, dtype: str, *, attr: Hashable = None, depth: int = 0, varying: bool = True) -> Node:
        """A value defined by an effect (load, loop variable, merge): equal to no other."""
        node = self._new(op, (), attr, dtype)
        node.depth, node.varying = depth, varying
        return node

    def copy(self, node: Node) -> Node:
        """The same value computed once more; a constant is itself."""
        if node.is_const:
            return node
        copied = self._new(node.op, node.args, node.attr, node.dtype)
        copied.facts = node.facts
        return copied

    def _new(self, op: str, args: tuple[Node, ...], attr: Hashable, dtype: str) -> Node:
        self._count += 1
        if self._count > MOST_VALUES:
            fail(
                f"{self._name} has more than {MOST_VALUES:,} values a thread once its loops are unrolled; "
                "choose smaller per-thread tiles (such as TM, TN)"
            )
        return Node(self._count, op, args, attr, dtype)

    # -------------------------------------------------------------- leaves

    def const(self, value: int | float | bool, dtype: str) -> Node:
        """A constant, wrapped or rounded to its type."""
        value = normalise(value, dtype)
        return self.make("const", attr=(bits_of(value, dtype), value), dtype=dtype)

    def integer(self, value: int) -> Node:
        """An i32 constant."""
        return self.const(value, I32)

    def true(self) -> Node:
        """The condition that always holds."""
        return self.const(True, PRED)

    def leaf(self, op: str, name: str, dtype: str, low: int, high: int, *, varying: bool) -> Node:
        """A parameter or special register with a known range."""
        node = self.make(op, attr=name, dtype=dtype)
        node.varying = varying
        if dtype in (I32, U32):
            node.facts = Facts(low, high, 1)
        return node

    def refine(self, node: Node, low: int, high: int) -> Node:
        """Add what is known of a node's range from elsewhere."""
        facts = node.facts
        node.facts = Facts(max(low, facts.low), min(high, facts.high), facts.multiple)
        return node


def normalise(value: int | float | bool, dtype: str) -> int | float | bool:
    """``value`` as its type holds it."""
    if dtype == PRED:
        return bool(value)
    if dtype == F32:
        return to_f32(float(value))
    value = int(value) & 0xFFFFFFFF
    return value - (1 << 32) if dtype == I32 and value >> 31 else value


def to_f32(value: float) -> float:
    """Round to single precision (overflow gives infinity)."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def bits_of(value: int | float | bool, dtype: str) -> int:
    """32-bit pattern of a constant."""
    if dtype == F32:
        return int(struct.unpack("<I", struct.pack("<f", value))[0])
    return int(value) & 0xFFFFFFFF
