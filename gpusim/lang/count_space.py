"""The points that a statement is run at: blocks, threads and loop passes as axes, and expressions over them.

A thread index is cut into digits as the kernel's own ``//`` and ``%`` demand, wherever the parts fit exactly.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy
from sympy import Expr as Sym

from gpusim.lang.count_algebra import RELATIONS, Facts, axis, doublings
from gpusim.lang.tree import (
    Binary,
    Cast,
    Compare,
    Const,
    DType,
    Expr,
    For,
    Index,
    Param,
    Select,
    Special,
    Tree,
    Unary,
)

FLOOR = sympy.Function("floordiv", integer=True)  # quotient and rest that could not be resolved
REST = sympy.Function("mod", integer=True)


class UnknownValueError(Exception):
    """An expression depends on data, which counting does not have."""


class Space:
    """Axes of the iteration space of one statement.

    Attributes
    ----------
    extents : dict of Dummy to Expr
        Axes and how many values each takes; extents are expressions of parameters and outer axes.
    trips : dict of Dummy to Expr
        Axes (passes of a loop) whose number of values depends on other axes.
    outer : set of Dummy
        Axes that everything else is counted at fixed values of (passes of doubling loops).
    within : list of (Expr, Expr)
        Pairs (a, b): only points with ``a < b`` exist.
    """

    def __init__(self, tree: Tree, facts: Facts) -> None:
        self.facts = facts
        self.extents: dict[sympy.Dummy, Sym] = {}
        self.trips: dict[sympy.Dummy, Sym] = {}
        self.outer: set[sympy.Dummy] = set()
        self.within: list[tuple[Sym, Sym]] = []
        self._values: dict[Expr, Sym] = {}
        self._cut: dict[sympy.Dummy, Sym] = {}
        self._absorbed: dict[sympy.Dummy, tuple[sympy.Dummy, Sym, Sym]] = {}
        for kind, count, shape in (("ctaid", "nctaid", tree.grid), ("tid", "ntid", tree.block)):
            for letter, extent in zip("xyz", shape, strict=True):
                n = self.convert(extent)
                self._values[Special(f"{count}.{letter}")] = n
                self._values[Special(f"{kind}.{letter}")] = self._new(f"{kind}.{letter}", n)

    def _new(self, name: str, extent: Sym) -> Sym:
        """A new axis, or 0 where it would have one value."""
        if extent == 1:
            return sympy.Integer(0)
        made = axis(name)
        self.extents[made] = extent
        return made

    def axes(self, e: Sym) -> set[sympy.Dummy]:
        """Axes in ``e`` that are not counted at fixed values."""
        return {s for s in e.free_symbols if (s in self.extents or s in self.trips) and s not in self.outer}

    # -------------------------------------------------------------- loops

    def add_loop(self, loop: For) -> None:
        """Add the passes of ``loop`` and give its index a value."""
        start, stop, step = (self.convert(e) for e in (loop.start, loop.stop, loop.step))
        name = loop.index.name
        if loop.geometric:
            self._values[loop.index] = self._doubling(name, start, stop)
        elif self.axes(start) and not self.axes(stop) and not self.axes(step):
            self._values[loop.index] = self._strided(name, start, stop, step)
        else:
            self._values[loop.index] = start + step * self._pass(name, self._passes(stop - start, step))

    def _passes(self, distance: Sym, step: Sym) -> Sym:
        return self.facts.max(self.facts.ceil(sympy.expand(distance), step), sympy.Integer(0))

    def _pass(self, name: str, passes: Sym) -> Sym:
        """Number of a loop's pass, of so many (which may depend on other axes)."""
        if not self.axes(passes):
            return self._new(name, passes)
        if (least := self._least_of(passes)) is not None:
            most, others = least
            made = self._new(name, self.facts.max(most, sympy.Integer(0)))
            self.within += [(made, other) for other in others]
            return made
        made = axis(name)
        self.trips[made] = passes
        return made

    def _least_of(self, passes: Sym) -> tuple[Sym, list[Sym]] | None:
        """Of passes that are the smallest of some numbers: the one without axes, and the others, linear in them."""
        positive = [e for e in sympy.Max.make_args(passes) if e != 0]
        parts = sympy.Min.make_args(positive[0])
        fixed = [e for e in parts if not self.axes(e)]
        if len(positive) != 1 or len(parts) < 2 or len(fixed) != 1:
            return None
        others = [sympy.expand(e) for e in parts if e != fixed[0]]
        try:
            for e in others:
                self.linear(e)
        except NotLinearError:
            return None
        return fixed[0], others

    def _doubling(self, name: str, start: Sym, stop: Sym) -> Sym:
        made = self._pass(f"log2({name})" if start == 1 else f"pass of {name}", doublings(start, stop))
        if made in self.extents:
            self.outer.add(made)
        return start * 2**made

    def _strided(self, name: str, start: Sym, stop: Sym, step: Sym) -> Sym:
        """Index of a loop that starts at a thread's number: together the threads walk over all of base .. stop."""
        try:
            coefficients, base = self.linear(start)
        except NotLinearError:
            coefficients, base = {}, start
        chain = radix(coefficients, self.extents, self.facts)
        if chain is not None and self._covers(chain, coefficients, step):
            made = axis(name)
            unit = coefficients[chain[0]]
            self.extents[made] = self._passes(stop - base, unit)
            for digit in chain:
                stride = sympy.cancel(coefficients[digit] / unit)
                self._absorbed[digit] = (made, stride, self.extents.pop(digit))
            return base + unit * made
        if chain is None or base != 0:
            return start + step * self._pass(name, self._passes(stop - start, step))
        index = start + step * self._new(name, self._passes(stop, step))
        self.within.append((index, stop))
        return index

    def _covers(self, chain: list[sympy.Dummy], coefficients: dict[sympy.Dummy, Sym], step: Sym) -> bool:
        """Whether the start takes every multiple of its lowest stride below ``step`` once."""
        whole = coefficients[chain[-1]] * self.extents[chain[-1]]
        return bool(sympy.expand(whole - step) == 0)

    # -------------------------------------------------------------- expressions

    def convert(self, e: Expr) -> Sym:
        """Sympy form of ``e`` over the axes and parameters.

        Raises
        ------
        UnknownValueError
            Where ``e`` depends on data.
        """
        match e:
            case Const(value=bool()):
                return sympy.true if e.value else sympy.false
            case Const(value=value):
                return sympy.Integer(value) if e.dtype is not DType.F32 else sympy.Float(value)
            case Param(name=name):
                return self.facts.factored(self.facts.symbols[name])
            case Special(name="laneid" | "warpid"):
                quotient, rest = self.divmod(self._thread(), sympy.Integer(32))
                return rest if e.name == "laneid" else quotient
            case Special() | Index() if e in self._values:
                return self.resolve(self._values[e])
            case Unary(op="neg", a=a):
                return -self.convert(a)
            case Unary(op="abs", a=a):
                return sympy.Abs(self.convert(a))
            case Cast(a=a, dtype=DType.I32 | DType.U32) if a.dtype in (DType.I32, DType.U32):
                return self.convert(a)
            case Binary(op=op, a=a, b=b) if not e.dtype.is_float and e.dtype is not DType.PRED:
                return self._binary(op, self.convert(a), self.convert(b))
            case Compare() | Binary(dtype=DType.PRED) | Unary(dtype=DType.PRED):
                return self._condition(e)
            case Select(c=c, a=a, b=b):
                return sympy.Piecewise((self.convert(a), self._condition(c)), (self.convert(b), True))
        raise UnknownValueError(type(e).__name__)

    def _thread(self) -> Sym:
        """Number of the thread in its block."""
        x, y, z = (self._values[Special(f"tid.{d}")] for d in "xyz")
        nx, ny = (self._values[Special(f"ntid.{d}")] for d in "xy")
        return self.resolve(x + nx * (y + ny * z))

    def _binary(self, op: str, a: Sym, b: Sym) -> Sym:
        a, b = self.resolve(a), self.resolve(b)
        match op:
            case "add":
                return a + b
            case "sub":
                return a - b
            case "mul":
                return sympy.expand(a * b)
            case "floordiv":
                return self.divmod(a, b)[0]
            case "mod":
                return self.divmod(a, b)[1]
            case "min":
                return self.facts.min(a, b)
            case "max":
                return self.facts.max(a, b)
            case "shl":
                return sympy.expand(a * 2**b)
            case "shr":
                return self.divmod(a, 2**b)[0]
        return sympy.Function(f"bit_{op}", integer=True)(a, b)

    def _condition(self, e: Expr) -> Sym:
        if isinstance(e, Compare):
            a, b = self.convert(e.a), self.convert(e.b)
            return RELATIONS[e.op](self.resolve(a), b)
        if isinstance(e, Unary):
            return sympy.Not(self._condition(e.a))
        if isinstance(e, Binary):
            join = {"and": sympy.And, "or": sympy.Or, "xor": sympy.Xor}[e.op]
            a, b = self._condition(e.a), self._condition(e.b)
            return join(self.resolve(a), b)
        return self.convert(e)

    def resolve(self, e: Sym) -> Sym:
        """``e`` over the axes as they are now: cut and absorbed ones replaced."""
        changed = True
        while changed:
            changed = False
            for symbol in e.free_symbols:
                if symbol in self._absorbed:
                    e, changed = e.subs(symbol, self._digit(*self._absorbed[symbol])), True
                elif symbol in self._cut:
                    e, changed = e.subs(symbol, self._cut[symbol]), True
        return sympy.expand(e) if isinstance(e, Sym) else e

    def _digit(self, whole: sympy.Dummy, stride: Sym, extent: Sym) -> Sym:
        """Digit of an axis that absorbed others."""
        rest = self.divmod(self.resolve(whole), stride * extent)[1]
        return self.divmod(rest, stride)[0]

    def linear(self, e: Sym) -> tuple[dict[sympy.Dummy, Sym], Sym]:
        """Coefficients of the axes in ``e`` and the rest, which has none.

        Raises
        ------
        NotLinearError
            Where ``e`` is not linear in the axes.
        """
        e = sympy.expand(e)
        coefficients = {a: e.coeff(a, 1) for a in sorted(self.axes(e), key=lambda a: a.dummy_index)}
        rest = sympy.expand(e - sum(c * a for a, c in coefficients.items()))
        if any(self.axes(part) for part in (rest, *coefficients.values())):
            raise NotLinearError
        return coefficients, rest

    # -------------------------------------------------------------- quotient and rest

    def divmod(self, a: Sym, b: Sym) -> tuple[Sym, Sym]:
        """``a // b`` and ``a % b`` for a >= 0, b > 0, cutting an axis into digits where that makes them exact."""
        a, b = self.resolve(a), self.resolve(b)
        if not self.axes(a) and not self.axes(b):
            quotient = self.facts.floor(a, b)
            return quotient, sympy.expand(a - b * quotient) if quotient.is_polynomial() else sympy.Mod(a, b)
        try:
            coefficients, constant = self.linear(a)
        except NotLinearError:
            return FLOOR(a, b), REST(a, b)
        if self.axes(b):
            return FLOOR(a, b), REST(a, b)
        parts = [(c * x, c) for x, c in coefficients.items()]
        parts += [(term, term) for term in sympy.Add.make_args(constant)]
        quotient = sympy.Add(*(part / b for part, c in parts if self.facts.is_integer(c / b)))
        rest = sympy.Add(*(part for part, c in parts if not self.facts.is_integer(c / b)))
        more, rest = self._small(rest, b)
        return sympy.expand(sympy.cancel(quotient)) + more, rest

    def _small(self, a: Sym, b: Sym) -> tuple[Sym, Sym]:
        """Quotient and rest of ``a``, of which no term is a multiple of ``b``."""
        if not self.axes(a):
            quotient = self.facts.floor(a, b)
            return quotient, sympy.expand(a - b * quotient)
        coefficients, constant = self.linear(a)
        if all(x in self.extents for x in coefficients):
            most = constant + sum(c * (self.extents[x] - 1) for x, c in coefficients.items())
            positive = all(self.facts.nonnegative(c) for c in (*coefficients.values(), constant))
            if positive and self.facts.less(most, b):
                return sympy.Integer(0), a
            if constant == 0 and len(coefficients) == 1:
                ((x, c),) = coefficients.items()
                if self._cut_axis(x, sympy.cancel(b / c)):
                    return self.divmod(self.resolve(a), b)
        return FLOOR(a, b), REST(a, b)

    def _cut_axis(self, x: sympy.Dummy, part: Sym) -> bool:
        """Write axis ``x`` as ``high * part + low``; False where ``part`` does not divide its extent."""
        extent = self.extents[x]
        if not (self.facts.is_integer(part) and self.facts.is_integer(extent / part)):
            return False
        high, low = self._new(f"{x.name}.high", sympy.cancel(extent / part)), self._new(f"{x.name}.low", part)
        del self.extents[x]
        self._cut[x] = high * part + low
        self.within = [(self.resolve(a), self.resolve(b)) for a, b in self.within]
        self.trips = {k: self.resolve(v) for k, v in self.trips.items()}
        return True

    def fuse(self, relations: list[tuple[str, Sym, Sym]]) -> list[tuple[str, Sym, Sym]]:
        """Relations with one axis for a sum of axes, ``tid.x + part * threads``, whose digits the kernel takes.

        That is exact where the sum takes every value below its extent once and nothing else depends on its axes.
        """
        for function in sorted({f for _, a, b in relations for f in (a - b).atoms(FLOOR, REST)}, key=str):
            fused = self._fuse(function.args[0], relations)
            if fused is not None:
                return self.fuse(fused)
        return relations

    def _fuse(self, whole: Sym, relations: list[tuple[str, Sym, Sym]]) -> list[tuple[str, Sym, Sym]] | None:
        try:
            coefficients, _ = self.linear(whole)
        except NotLinearError:
            return None
        chain = radix(coefficients, self.extents, self.facts)
        if chain is None or len(chain) == 1 or coefficients[chain[0]] != 1:
            return None
        made = axis("+".join(x.name for x in chain))
        one = made - sum(coefficients[x] * x for x in chain[1:])
        changed = [(op, _substituted(a, chain[0], one), _substituted(b, chain[0], one)) for op, a, b in relations]
        still_used = set().union(
            *((a - b).free_symbols for _, a, b in changed), *(t.free_symbols for t in self.trips.values())
        )
        if still_used & set(chain):
            return None
        self.extents[made] = sympy.Mul(*(self.extents.pop(x) for x in chain))
        changed = [r for r in changed if not self._shortens(made, *r)]
        return [(op, self._again(a), self._again(b)) for op, a, b in changed]

    def _shortens(self, x: sympy.Dummy, op: str, a: Sym, b: Sym) -> bool:
        """Take ``x < bound`` as the extent of ``x``."""
        if op == "lt" and a == x and not self.axes(b):
            self.shorten(x, b)
            return True
        return False

    def shorten(self, x: sympy.Dummy, bound: Sym) -> None:
        """Leave only the values of ``x`` below ``bound``."""
        self.extents[x] = self.facts.max(self.facts.min(bound, self.extents[x]), sympy.Integer(0))

    def _again(self, e: Sym) -> Sym:
        """``e`` with its unresolved quotients and rests tried once more."""
        e = e.replace(FLOOR, lambda a, b: self.divmod(a, b)[0])
        return e.replace(REST, lambda a, b: self.divmod(a, b)[1])


def _substituted(e: Sym, old: sympy.Dummy, new: Sym) -> Sym:
    e = e.subs(old, new)
    for function in (FLOOR, REST):
        e = e.replace(function, lambda a, b, made=function: made(sympy.expand(a), b))
    return sympy.expand(e)


class NotLinearError(Exception):
    """An expression is not linear in the axes."""


def radix(
    coefficients: dict[sympy.Dummy, Sym], extents: dict[sympy.Dummy, Sym], facts: Facts
) -> list[sympy.Dummy] | None:
    """Order of the axes, lowest first, in which each stride is the one before times that axis's extent.

    Then the sum of stride times axis takes every multiple of the lowest stride, from 0 up, exactly once.
    None where there is no such order.
    """
    if not coefficients or any(x not in extents for x in coefficients):
        return None
    for first in coefficients:
        chain = _chain(first, coefficients, extents)
        if len(chain) == len(coefficients) and facts.nonnegative(coefficients[first] - 1):
            return chain
    return None


def _chain(
    first: sympy.Dummy, coefficients: dict[sympy.Dummy, Sym], extents: dict[sympy.Dummy, Sym]
) -> list[sympy.Dummy]:
    chain, left = [first], set(coefficients) - {first}
    while left:
        stride = coefficients[chain[-1]] * extents[chain[-1]]
        following: Iterable[sympy.Dummy] = (x for x in left if sympy.expand(coefficients[x] - stride) == 0)
        x = next(iter(following), None)
        if x is None:
            break
        chain.append(x)
        left.remove(x)
    return chain
