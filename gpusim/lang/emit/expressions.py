"""Expressions as C++ text, with no more parentheses than a reader wants.

C++ gives ``threadIdx`` and its like an unsigned type, the language a signed
one.  They are written bare only where no operand can be negative, so that both
readings agree.
"""

from __future__ import annotations

from collections.abc import Callable

from gpusim.lang.emit import types
from gpusim.lang.emit.facts import Facts
from gpusim.lang.emit.inline import as_loaded
from gpusim.lang.evaluate import INTEGERS, binary
from gpusim.lang.operators import FUNCTIONS, OPERATORS
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
    Tree,
    Unary,
    leaves,
)

Text = tuple[str, int]  # and how tightly its outermost operator binds

BOTH, EITHER, CHOICE, UNARY, ATOM = 5, 4, 3, 14, 16
BITS = ("shl", "shr", "and", "xor", "or")  # whose precedence nobody remembers
REGROUPED = {"add": ("add", "sub"), "mul": ("mul",), "and": ("and",), "or": ("or",), "xor": ("xor",)}
FLOORED = {"floordiv": "floor_div", "mod": "floor_mod"}
SPECIAL = {"tid": "threadIdx", "ctaid": "blockIdx", "ntid": "blockDim", "nctaid": "gridDim"}
ONE, WARP = Const(1, DType.I32), Const(32, DType.I32)


class Expressions:
    """Text of expressions.

    Parameters
    ----------
    tree : Tree
    temp : callable
        Text of a temp.

    Attributes
    ----------
    facts : Facts
        Of the temps and indices that have been written.
    names : dict
        Of parameters, by their name in the description, and of loop indices.
    """

    def __init__(self, tree: Tree, temp: Callable[[Temp], Text]) -> None:
        self.facts = Facts(in_line=tree.block[1:] == (ONE, ONE))
        self.names: dict[str | Index, str] = {}
        self._temp = temp
        self._thread = _thread(tree)

    def text(self, e: Expr) -> str:
        """``e`` as a whole expression."""
        return self._entry(e)[0]

    def within(self, e: Expr, level: int) -> str:
        """``e`` as an operand of something that binds as tightly as ``level``."""
        return _within(self._entry(e), level)

    def signed(self, e: Expr) -> str:
        """``e`` with the very type that the language gives it."""
        return self._write(e, bare=False)[0]

    def choice(self, c: Expr, a: str, b: str) -> str:
        """``c ? a : b``, a condition of several parts in parentheses."""
        return f"{self.within(c, OPERATORS['eq'].cuda_level)} ? {a} : {b}"

    def _entry(self, e: Expr) -> Text:
        return self._write(e, self.facts.natural(e))

    def _write(self, e: Expr, bare: bool) -> Text:
        """``bare``: what the hardware numbers may be written as the unsigned numbers that they are."""
        match e:
            case Const():
                text = types.literal(e)
                return text, UNARY if text.startswith("-") else ATOM
            case Param(name=name):
                return self.names[name], ATOM
            case Index():
                return self.names[e], ATOM
            case Temp():
                return self._temp(e)
            case Special(name=name):
                return self._special(name, bare)
            case Unary():
                return self._unary(e, bare)
            case Binary():
                return self._binary(e, bare)
            case Compare(op=op, a=a, b=b):
                bare = self.facts.natural(a) and self.facts.natural(b)
                return self._infix(op, a, b, bare)
            case Select(c=c, a=a, b=b):
                x, y = (_within(self._write(v, bare=False), CHOICE + (v is a)) for v in (a, b))
                return self.choice(c, x, y), CHOICE
            case Fma(a=a, b=b, c=c):
                return f"fmaf({', '.join(map(self.text, (a, b, c)))})", ATOM
            case Cast():
                return self._cast(e)
            case Pair(a=a, b=b, kind=kind):
                return f"pair_{kind.value}({self.text(a)}, {self.text(b)})", ATOM
        raise TypeError(f"not an expression: {e!r}")

    # ---------------------------------------------------------- leaves

    def _special(self, name: str, bare: bool) -> Text:
        kind, _, axis = name.partition(".")
        if kind in ("laneid", "warpid"):
            op = "mod" if kind == "laneid" else "floordiv"
            return self._write(binary(op, self._thread, WARP), bare) if bare else (self._as_int(op), ATOM)
        if kind == "smid":
            return "sm_id()", ATOM
        text = f"{SPECIAL[kind]}.{axis}"
        return text if bare else f"int({text})", ATOM

    def _as_int(self, op: str) -> str:
        return f"int({self._write(binary(op, self._thread, WARP), bare=True)[0]})"

    # ---------------------------------------------------------- operators

    def _unary(self, e: Unary, bare: bool) -> Text:
        if e.op in ("neg", "not"):
            symbol = "-" if e.op == "neg" else "!" if e.dtype is DType.PRED else "~"
            inner = _within(self._entry(e.a) if e.dtype is DType.PRED else self._write(e.a, bare), UNARY)
            return f"{symbol}({inner})" if inner.startswith("-") else symbol + inner, UNARY
        if e.op == "abs" and e.dtype in INTEGERS:
            return f"abs({self.signed(e.a)})", ATOM
        return f"{FUNCTIONS[e.op].cuda}({self.text(e.a)})", ATOM

    def _binary(self, e: Binary, bare: bool) -> Text:
        if e.dtype is DType.PRED:
            return self._logical(e)
        if e.op in ("min", "max"):
            name = e.op if e.dtype in INTEGERS else FUNCTIONS[e.op].cuda
            return f"{name}({self._as(e.a, e.dtype)}, {self._as(e.b, e.dtype)})", ATOM
        if e.op == "div" and isinstance(e.a, Const) and e.a.value == 1:
            return f"fast_rcp({self.text(e.b)})", ATOM
        if e.op in ("shl", "shr") and e.a.dtype is not e.dtype:
            count = _within(self._entry(e.b), UNARY)
            return f"{self._as(e.a, e.dtype)} {OPERATORS[e.op].cuda} {count}", OPERATORS[e.op].cuda_level
        if e.op in ("floordiv", "mod"):
            return self._quotient(e, bare)
        op, b = without_sign(e.op, e.b)
        return self._infix(op, e.a, b, bare)

    def _quotient(self, e: Binary, bare: bool) -> Text:
        """A quotient or rest, rounded down: of unsigned numbers where that makes no difference, for it is cheaper."""
        if e.dtype is DType.I32 and not self.facts.divides_down(e.a, e.b):
            return f"{FLOORED[e.op]}({self._as(e.a, e.dtype)}, {self._as(e.b, e.dtype)})", ATOM
        unsigned = self.facts.divides(e.a, e.b)
        text = self._infix(e.op, e.a, e.b, unsigned)
        if bare or not unsigned or not any(isinstance(leaf, Special) for leaf in leaves(e)):
            return text
        return f"int({text[0]})", ATOM

    def _as(self, e: Expr, dtype: DType) -> str:
        """``e`` as an operand of exactly type ``dtype``."""
        text = self.signed(e)
        return text if e.dtype is dtype or isinstance(e, Const) else f"{types.NAMES[dtype]}({text})"

    def _infix(self, op: str, a: Expr, b: Expr, bare: bool) -> Text:
        level = OPERATORS[op].cuda_level
        x, y = self._write(a, bare), self._write(b, bare)
        if op in BITS:
            left = x[0] if _is(a, (op,)) else _within(x, UNARY)
            return f"{left} {OPERATORS[op].cuda} {_within(y, UNARY)}", level
        exact = not a.dtype.is_float  # sums and products of integers are the same however they are grouped
        right = y[0] if exact and _is(b, REGROUPED.get(op, ())) and y[1] == level else _within(y, level + 1)
        return f"{_within(x, level)} {OPERATORS[op].cuda} {right}", level

    def _logical(self, e: Binary) -> Text:
        x, y = self._entry(e.a), self._entry(e.b)
        if e.op == "xor":
            level = OPERATORS["ne"].cuda_level
            return f"{_within(x, level + 1)} != {_within(y, level + 1)}", level
        if e.op == "and":
            return f"{_within(x, BOTH)} && {_within(y, BOTH)}", BOTH
        sides = (text if level == EITHER else _within((text, level), BOTH + 1) for text, level in (x, y))
        return " || ".join(sides), EITHER

    # ---------------------------------------------------------- conversions

    def _cast(self, e: Cast) -> Text:
        plain = as_loaded(e)
        if plain is not e:
            return self._write(plain, bare=False)
        if e.a.dtype.is_narrow and e.dtype is DType.F32:
            return f"{types.TO_FLOAT[e.a.dtype]}({self.text(e.a)})", ATOM
        if e.dtype.is_narrow:
            inner = self.text(e.a) if e.a.dtype is DType.F32 else f"float({self.signed(e.a)})"
            return f"{types.FROM_FLOAT[e.dtype]}({inner})", ATOM
        return f"{types.NAMES[e.dtype]}({self.signed(e.a)})", ATOM


def without_sign(op: str, b: Expr) -> tuple[str, Expr]:
    """``- 1`` for ``+ -1``, and the other way round."""
    if op in ("add", "sub") and isinstance(b, Const) and -(2**31) < b.value < 0:
        return "sub" if op == "add" else "add", Const(-b.value, b.dtype)
    return op, b


def _is(e: Expr, ops: tuple[str, ...]) -> bool:
    return isinstance(e, Binary) and e.op in ops


def _within(text: Text, level: int) -> str:
    return text[0] if text[1] >= level else f"({text[0]})"


def _thread(tree: Tree) -> Expr:
    """The thread's number in its block."""
    number: Expr = Special("tid.x")
    if tree.block[1:] != (ONE, ONE):
        row: Expr = Special("tid.y")
        if tree.block[2] != ONE:
            row = binary("add", binary("mul", Special("tid.z"), Special("ntid.y")), row)
        number = binary("add", binary("mul", row, Special("ntid.x")), number)
    return number
