"""What can be proven of an integer: its range and a number that divides it.

Indices are 32-bit signed and, as in CUDA, must not overflow; so the range of a
signed sum or product is cut at the type's limits rather than wrapped.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import Any, NamedTuple, Protocol

I32_LOW, I32_HIGH, U32_HIGH = -(1 << 31), (1 << 31) - 1, (1 << 32) - 1


class Facts(NamedTuple):
    """``low <= value <= high`` and ``value % multiple == 0`` (multiple 0: the value is 0)."""

    low: int
    high: int
    multiple: int = 1

    @property
    def natural(self) -> bool:
        """Neither negative nor beyond the signed range."""
        return self.low >= 0 and self.high <= I32_HIGH


FULL = {
    "i32": Facts(I32_LOW, I32_HIGH),
    "u32": Facts(0, U32_HIGH),
    "f32": Facts(0, 0),
    "pred": Facts(0, 1),
    "p64": Facts(0, 0),
}


class Node(Protocol):
    """What a value must tell of itself, so that something can be proven of it."""

    @property
    def op(self) -> str:
        """What computes it."""

    @property
    def dtype(self) -> str:
        """``i32 u32 f32 pred p64``."""

    @property
    def value(self) -> Any:
        """That of a constant."""

    @property
    def operand_facts(self) -> tuple[Facts, ...]:
        """What is proven of its operands."""


def derive(node: Node) -> Facts:
    """Facts of a pure node from its operands'."""
    if node.dtype not in ("i32", "u32"):
        return FULL[node.dtype]
    if node.op == "const":
        return Facts(node.value, node.value, abs(node.value))
    rule = _RULES.get(node.op)
    if rule is None:
        return FULL[node.dtype]
    low, high, multiple = rule(node, *node.operand_facts)
    return _clip(low, high, multiple, node.dtype)


def _clip(low: int, high: int, multiple: int, dtype: str) -> Facts:
    full = FULL[dtype]
    if dtype == "u32" and (low < 0 or high > U32_HIGH):
        return Facts(0, U32_HIGH, multiple & -multiple or 1)
    low, high = max(low, full.low), min(high, full.high)
    return Facts(low, max(low, high), multiple)


def _add(node: Node, a: Facts, b: Facts) -> tuple[int, int, int]:
    return a.low + b.low, a.high + b.high, gcd(a.multiple, b.multiple)


def _sub(node: Node, a: Facts, b: Facts) -> tuple[int, int, int]:
    return a.low - b.high, a.high - b.low, gcd(a.multiple, b.multiple)


def _mul(node: Node, a: Facts, b: Facts) -> tuple[int, int, int]:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return min(corners), max(corners), a.multiple * b.multiple


def _shl(node: Node, a: Facts, b: Facts) -> tuple[int, int, int]:
    if b.low < 0 or b.high > 31:
        return I32_LOW, I32_HIGH, 1
    corners = [x << n for x in (a.low, a.high) for n in (b.low, b.high)]
    return min(corners), max(corners), a.multiple << b.low


def _shr(node: Node, a: Facts, b: Facts) -> tuple[int, int, int]:
    if b.low < 0 or b.high > 31 or (node.op == "shr_u" and a.low < 0):
        return I32_LOW, U32_HIGH, 1
    exact = b.low == b.high and a.multiple % (1 << b.low) == 0
    corners = [x >> n for x in (a.low, a.high) for n in (b.low, b.high)]
    return min(corners), max(corners), a.multiple >> b.low if exact else 1


def _trailing(multiple: int) -> int:
    """Largest power of two dividing a multiple of ``multiple`` for sure."""
    return multiple & -multiple if multiple else 1 << 31


def _and(node: Node, a: Facts, b: Facts) -> tuple[int, int, int]:
    power = max(_trailing(a.multiple), _trailing(b.multiple))
    highs = [f.high for f in (a, b) if f.low >= 0]
    return (0, min(highs), power) if highs else (I32_LOW, I32_HIGH, power)


def _or(node: Node, a: Facts, b: Facts) -> tuple[int, int, int]:
    power = min(_trailing(a.multiple), _trailing(b.multiple))
    if a.low < 0 or b.low < 0:
        return I32_LOW, I32_HIGH, power
    return 0, (1 << max(a.high, b.high).bit_length()) - 1, power


def _min(node: Node, a: Facts, b: Facts) -> tuple[int, int, int]:
    return min(a.low, b.low), min(a.high, b.high), gcd(a.multiple, b.multiple)


def _max(node: Node, a: Facts, b: Facts) -> tuple[int, int, int]:
    return max(a.low, b.low), max(a.high, b.high), gcd(a.multiple, b.multiple)


def _select(node: Node, _: Facts, a: Facts, b: Facts) -> tuple[int, int, int]:
    return min(a.low, b.low), max(a.high, b.high), gcd(a.multiple, b.multiple)


def _mulhi(node: Node, a: Facts, b: Facts) -> tuple[int, int, int]:
    return 0, (a.high * b.high) >> 32 if a.low >= 0 and b.low >= 0 else U32_HIGH, 1


_RULES: dict[str, Callable[..., tuple[int, int, int]]] = {
    "add": _add, "sub": _sub, "mul": _mul, "shl": _shl, "shr_u": _shr, "shr_s": _shr, "and": _and, "or": _or,
    "xor": _or, "min": _min, "max": _max, "select": _select, "mulhi_u": _mulhi,
}  # fmt: skip
