"""Expressions of the tree as graph nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gpusim.hardware.fixed import MOST_RESIDENT_WARPS, MOST_SMS, WARP
from gpusim.hardware.programming import Limits
from gpusim.lang.description_errors import DescriptionError
from gpusim.lang.lower import division, integer, logic, real
from gpusim.lang.lower.facts import FULL
from gpusim.lang.lower.values import F32, I32, PRED, U32, Graph, Node
from gpusim.lang.tree import (
    Binary,
    Cast,
    Compare,
    Const,
    DType,
    Expr,
    Fma,
    Index,
    Pair,
    Param,
    Select,
    Special,
    Temp,
    Unary,
)

KIND = {d: F32 if d.is_float else {DType.I32: I32, DType.U32: U32, DType.PRED: PRED}[d] for d in DType}
FP8 = tuple(d.value for d in DType if d.is_fp8)
OTHER_SPECIALS = {"laneid": WARP - 1, "warpid": MOST_RESIDENT_WARPS - 1, "smid": MOST_SMS - 1}
"""Largest values on any GPU that can be described."""

_INTEGER: dict[str, Callable[[Graph, Node, Node], Node]] = {
    "add": integer.add,
    "sub": integer.sub,
    "mul": integer.mul,
    "floordiv": division.floordiv,
    "mod": division.mod,
    "shl": integer.shl,
    "shr": integer.shr,
}
_REAL: dict[str, Callable[[Graph, Node, Node], Node]] = {
    "add": real.fadd,
    "sub": real.fsub,
    "mul": real.fmul,
    "div": real.fdiv,
}
_LOGIC = {"and": logic.both, "or": logic.either, "xor": logic.differ}


class Expressions:
    """Translates expressions; knows the values of indices and temps at this point of the code.

    Attributes
    ----------
    temps, indices : dict
        Nodes of the temps and loop variables in scope, by id.
    """

    def __init__(self, g: Graph, tiles: Mapping[str, int], block: tuple[int | None, ...], limits: Limits) -> None:
        self.g, self.tiles, self.block, self.limits = g, tiles, block, limits
        self.temps: dict[int, Node] = {}
        self.indices: dict[int, Node] = {}

    def __call__(self, e: Expr) -> Node:
        """Node of ``e``."""
        match e:
            case Const():
                return self.g.const(e.value, KIND[e.dtype])
            case Param():
                return self._param(e)
            case Special():
                return self._special(e.name)
            case Index():
                return self.indices[e.id]
            case Temp():
                return self._temp(e)
            case Unary():
                return self._unary(e)
            case Binary():
                return self._binary(e)
            case Compare():
                return self._compare(e)
            case Select():
                return logic.select(self.g, self(e.c), self(e.a), self(e.b))
            case Fma():
                return real.fma(self.g, self(e.a), self(e.b), self(e.c))
            case Cast():
                return self._cast(e)
            case Pair(a=a, b=b, kind=kind):
                return self.pack([self(a), self(b)], kind.value)
        raise TypeError(f"not an expression: {e!r}")

    def _temp(self, e: Temp) -> Node:
        try:
            return self.temps[e.id]
        except KeyError:
            raise DescriptionError("a value made in a loop or branch is used after it; keep it in a gl.var") from None

    def _param(self, e: Param) -> Node:
        if e.role == "tile":
            return self.g.integer(self.tiles[e.name])
        kind = KIND[e.dtype]
        low, high, _ = FULL[kind]
        return self.g.leaf("param", e.name, kind, 0 if e.role == "size" else low, high, varying=False)

    def _special(self, name: str) -> Node:
        kind, _, axis = name.partition(".")
        if not axis:
            return self.g.leaf("special", name, I32, 0, OTHER_SPECIALS[name], varying=name == "laneid")
        which = "xyz".index(axis)
        if kind == "tid" or kind == "ntid":
            extent = self.block[which]
            low, high = (extent, extent) if extent else (1, self.limits.block[which])
            if kind == "ntid":
                return self.g.leaf("special", name, I32, low, high, varying=False)
            return self.g.leaf("special", name, I32, 0, high - 1, varying=True)
        if kind == "ctaid":
            return self.g.leaf("special", name, I32, 0, self.limits.grid[which] - 1, varying=False)
        return self.g.leaf("special", name, I32, 1, self.limits.grid[which], varying=False)

    def _unary(self, e: Unary) -> Node:
        a = self(e.a)
        if a.dtype == F32:
            return real.function(self.g, e.op, a)
        if e.op == "not":
            return logic.invert(self.g, a) if a.dtype == PRED else integer.invert(self.g, a)
        return integer.neg(self.g, a) if e.op == "neg" else integer.absolute(self.g, a)

    def _binary(self, e: Binary) -> Node:
        a, b = self(e.a), self(e.b)
        kind = KIND[e.dtype]
        if kind == PRED:
            return _LOGIC[e.op](self.g, a, b)
        if kind == F32:
            return real.fextreme(self.g, e.op, a, b) if e.op in ("min", "max") else _REAL[e.op](self.g, a, b)
        a, b = self._as(a, kind), self._as(b, kind) if e.op not in ("shl", "shr") else b
        if e.op in _INTEGER:
            return _INTEGER[e.op](self.g, a, b)
        if e.op in ("min", "max"):
            return integer.extreme(self.g, e.op, a, b)
        return integer.bitwise(self.g, e.op, a, b)

    def _as(self, a: Node, kind: str) -> Node:
        """An integer seen as the other integer type: the same bits."""
        if a.dtype == kind:
            return a
        if a.is_const:
            return self.g.const(a.value, kind)
        node = self.g.make("bits", a, dtype=kind)
        if a.facts.natural:
            node.facts = a.facts
        return node

    def _compare(self, e: Compare) -> Node:
        a, b = self(e.a), self(e.b)
        if a.dtype != b.dtype:
            a, b = self._as(a, U32), self._as(b, U32)
        return logic.compare(self.g, e.op, a, b)

    def _cast(self, e: Cast) -> Node:
        a, kind = self(e.a), KIND[e.dtype]
        if e.dtype.is_narrow:
            if e.a.dtype is e.dtype:
                return a
            return self.rounded(self._float(a), e.dtype.value)
        if a.dtype == kind:
            return a
        if a.dtype == PRED:
            number = logic.as_number(self.g, a)
            return number if kind != F32 else self._float(number)
        if kind == F32:
            return self._float(a)
        if a.dtype == F32:
            if a.is_const:
                return self.g.const(int(a.value), kind)
            return self.g.make("f2i" if kind == I32 else "f2u", a, dtype=kind)
        return self._as(a, kind)

    def _float(self, a: Node) -> Node:
        """An integer as f32."""
        if a.dtype == F32:
            return a
        if a.is_const:
            return self.g.const(float(a.value), F32)
        return self.g.make("i2f" if a.dtype == I32 else "u2f", a, dtype=F32)

    # ---------------------------------------------------------- narrow types in memory

    def widen(self, bits: Node, fmt: str, part: int = 0) -> Node:
        """A narrow number, the ``part``-th from the lowest in a register, as f32."""
        if fmt in FP8:  # a pair at a time to fp16, which holds every one of them
            bits, fmt, part = self.g.make("unpack", bits, attr=(fmt, part // 2), dtype=U32), "f16", part % 2
        return self.g.make("widen", bits, attr=(fmt, part), dtype=F32)

    def pack(self, values: Sequence[Node], fmt: str) -> Node:
        """One number or two, of 8 bits four as well, rounded and put in one register, the first lowest."""
        held = {self._bits(value, fmt, part) for part, value in enumerate(values)}
        together = held.pop()
        if together is not None and not held:
            return together
        values = [self._unrounded(value, fmt) for value in values]
        if fmt in FP8:
            above = (self.pack(values[2:], fmt),) if len(values) > 2 else ()
            return self.g.make("octets", *values[:2], *above, attr=fmt, dtype=U32)
        return self.g.make("halves", *values, attr=fmt, dtype=U32)

    def rounded(self, a: Node, fmt: str) -> Node:
        """A number as a narrow type has it, as f32."""
        if a.op == "widen" and fmt in (a.attr[0], a.args[0].op == "unpack" and a.args[0].attr[0]):
            return a
        return self.widen(self.pack([a], fmt), fmt)

    def _bits(self, value: Node, fmt: str, part: int) -> Node | None:
        """The register whose ``part``-th narrow number ``value`` is."""
        if value.op != "widen":
            return None
        bits = value.args[0]
        if fmt in FP8 and bits.op == "unpack":
            bits = bits.args[0]
        return bits if value is self.widen(bits, fmt, part) else None

    def _unrounded(self, value: Node, fmt: str) -> Node:
        """What ``value`` was before it was rounded to a type that it is about to be rounded to again."""
        bits = self._bits(value, fmt, 0)
        alone = bits is not None and bits.op in ("halves", "octets") and len(bits.args) == 1 and bits.attr == fmt
        return bits.args[0] if bits is not None and alone else value
