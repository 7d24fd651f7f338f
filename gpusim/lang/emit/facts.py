"""What is known of values before they are computed: which cannot be negative, are constant, are the same for a warp."""

from __future__ import annotations

from gpusim.lang.tree import (
    Binary,
    Const,
    DType,
    Expr,
    Fma,
    For,
    Index,
    Let,
    Param,
    Read,
    Special,
    Temp,
    Unary,
    children,
)

GROWING = ("add", "mul", "min", "max", "and", "or", "xor", "shl", "shr")


class Facts:
    """What is known of temps and loop indices.

    Parameters
    ----------
    in_line : bool
        Whether the block has one dimension, so that 32 neighbours along x are a warp.
    """

    def __init__(self, in_line: bool) -> None:
        self._natural: set[Expr] = set()
        self._counts: set[Expr] = set()
        self._static: set[Expr] = set()
        self._uniform: set[Expr] = set()
        self._threads: set[Expr] = {Special("tid.x")} if in_line else set()

    def note(self, s: Let | For) -> None:
        """Remember what a statement says of the value it defines."""
        made, values = (s.temp, (s.value,)) if isinstance(s, Let) else (s.index, (s.start, s.step))
        if all(map(self.natural, values)):
            self._natural.add(made)
        if all(map(self.never_negative, values)):
            self._counts.add(made)
        if all(map(self.uniform, values)):
            self._uniform.add(made)
        if isinstance(s, Let) and self.static(s.value):
            self._static.add(made)
        if isinstance(s, Let) and s.value in self._threads:
            self._threads.add(made)

    def natural(self, e: Expr) -> bool:
        """Whether ``e`` and all that it is made of are integers that are never negative."""
        if e.dtype is DType.U32:
            return True
        match e:
            case Const(value=value, dtype=DType.I32):
                return value >= 0
            case Special():
                return True
            case Param(role=role):
                return role != "scalar"
            case Binary(op="floordiv" | "mod", a=a, b=b, dtype=DType.I32):
                return self.divides(a, b)
            case Binary(op=op, a=a, b=b, dtype=DType.I32):
                return op in GROWING and self.natural(a) and self.natural(b)
            case Temp() | Index():
                return e in self._natural
        return False

    def divides(self, a: Expr, b: Expr) -> bool:
        """Whether ``a`` is never negative, and ``b`` neither, nor is it made of what is; a parameter is positive."""
        return self.natural(a) and (self.natural(b) or isinstance(b, Param))

    def never_negative(self, e: Expr) -> bool:
        """Whether ``e`` is never negative, though a part of it may be."""
        match e:
            case Binary(op="floordiv" | "mod", a=a, b=b, dtype=DType.I32) if self.divides_down(a, b):
                return True
            case Binary(op=op, a=a, b=b, dtype=DType.I32) if op in GROWING:
                return self.never_negative(a) and self.never_negative(b)
        return e in self._counts or self.natural(e)

    def divides_down(self, a: Expr, b: Expr) -> bool:
        """Whether a quotient rounded down is one rounded towards zero: ``a`` is never negative, ``b`` is positive.

        Parameters are, by which a kernel divides.
        """
        if not (isinstance(b, Param) or self.never_negative(b)):
            return False
        return self.never_negative(a) or self._rounds_up(a, b)

    def _rounds_up(self, a: Expr, b: Expr) -> bool:
        """Whether ``a`` is ``x + (b - 1)`` for an ``x`` that is never negative."""
        match a:
            case Binary(op="add", a=x, b=Binary(op="sub", a=top, b=Const(value=1))):
                return top == b and self.never_negative(x)
        return False

    def static(self, e: Expr) -> bool:
        """Whether ``e`` is a constant expression of C++: of constants, and without a function call."""
        match e:
            case Const():
                return True
            case Param(role=role):
                return role == "tile"
            case Unary(op=op) if op not in ("neg", "not"):
                return False
            case Binary(op="min" | "max") | Fma():
                return False
        below = children(e)
        return all(map(self.static, below)) if below else e in self._static

    def uniform(self, e: Expr) -> bool:
        """Whether the lanes of a warp are known to agree on ``e``."""
        match e:
            case Special(name=name):
                return not name.startswith("tid.") and name != "laneid"
            case Temp() | Index():
                return e in self._uniform
            case Read():
                return False
            case Binary(op="floordiv", a=a, b=Const(value=value)) if a in self._threads:
                return value % 32 == 0
        return all(map(self.uniform, children(e)))
