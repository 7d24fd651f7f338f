"""What is known of a kernel's parameters, and the integer algebra that counting needs of sympy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

import sympy
from sympy import Expr as Sym

from gpusim.lang.tree import Binary, Compare, Const, DType, Expr, Param, Tree

RELATIONS = {"lt": sympy.Lt, "le": sympy.Le, "gt": sympy.Gt, "ge": sympy.Ge, "eq": sympy.Eq, "ne": sympy.Ne}
"""Comparisons as sympy has them, by their name in the tree."""


def doublings(start: Sym, stop: Sym) -> Sym:
    """Passes of a loop over start, 2 start, 4 start, ... below ``stop``."""
    return _Doublings(start, stop)


class _Doublings(sympy.Function):  # type: ignore[misc]
    """``doublings(start, stop)``: exact for ints, where a ceiling of a logarithm could be rounded."""

    nargs = 2
    is_integer = True
    is_nonnegative = True

    @classmethod
    def eval(cls, start: Sym, stop: Sym) -> Sym | None:
        """Value for two ints."""
        if not (start.is_Integer and stop.is_Integer):
            return None
        value, passes = int(start), 0
        while 0 < value < int(stop):
            value, passes = 2 * value, passes + 1
        return sympy.Integer(passes)

    def _sympystr(self, printer: object) -> str:
        start, stop = self.args
        return f"ceiling(log2({stop if start == 1 else stop / start}))"


def joined(total: Sym) -> Sym:
    """A sum in which what a loop leaves over comes to what it has not: ``min(a, b) + max(a - b, 0)`` is ``a``.

    Examples
    --------
    >>> a, b = sympy.symbols("a b", integer=True, positive=True)
    >>> joined(3 * sympy.Min(a, b) + 3 * sympy.Max(0, a - b))
    3*a
    """
    for most in total.atoms(sympy.Max):
        for least in total.atoms(sympy.Min):
            whole = _whole(most, least)
            if whole is None:
                continue
            changed = sympy.expand(total.subs(most, whole - least))
            if not changed.has(least):
                return joined(changed)
    return total


def _whole(most: Sym, least: Sym) -> Sym | None:
    """The sum of ``max(0, d)`` and ``min(a, b)``, where ``d`` is the difference of ``a`` and ``b``."""
    over = [e for e in most.args if e != 0]
    if len(most.args) != 2 or len(over) != 1 or len(least.args) != 2:
        return None
    for a, b in (least.args, least.args[::-1]):
        if sympy.expand(a - b - over[0]) == 0:
            return a
    return None


def known_conditions(e: Expr) -> Iterator[Expr]:
    """The comparisons that must hold for the condition ``e`` to hold."""
    if isinstance(e, Binary) and e.op == "and":
        yield from known_conditions(e.a)
        yield from known_conditions(e.b)
    else:
        yield e


class Facts:
    """Symbols of the parameters, and what ``requires`` says of them.

    A required ``BM % TM == 0`` makes ``BM = TM * BM'`` with a new positive integer, so that quotients which divide
    become polynomials; :meth:`restore` puts the parameters back.
    """

    def __init__(self, tree: Tree) -> None:
        conditions = [c for needed, _ in tree.requires for c in known_conditions(needed)]
        least = dict(_minimums(conditions))
        self.symbols = {p.name: _symbol(p, least.get(p.name, 0) >= 1) for p in tree.params}
        self._least = {self.symbols[name]: n for name, n in least.items() if n > 1}
        self._factored: dict[sympy.Symbol, Sym] = {}
        self._back: dict[sympy.Symbol, Sym] = {}
        self._ratios: list[Sym] = []
        for whole, part in _divisions(conditions):
            self._learn(self._plain(whole), self._plain(part))

    def _plain(self, e: Expr) -> Sym:
        """Sympy form of an expression of parameters with + - * only, and exact quotients."""
        if isinstance(e, Const):
            return sympy.Integer(int(e.value))
        if isinstance(e, Param):
            return self.factored(self.symbols[e.name])
        if isinstance(e, Binary) and e.op in ("add", "sub", "mul", "floordiv"):
            a, b = self._plain(e.a), self._plain(e.b)
            return {"add": a + b, "sub": a - b, "mul": a * b}[e.op] if e.op != "floordiv" else self.floor(a, b)
        return sympy.Dummy("unknown", integer=True)

    def _learn(self, whole: Sym, part: Sym) -> None:
        """``part`` divides ``whole``."""
        if self.is_integer(whole / part):
            return
        if isinstance(whole, sympy.Symbol) and whole not in part.free_symbols and whole.is_positive:
            quotient = sympy.Dummy(f"{whole.name}_", integer=True, positive=True)
            self._factored = {k: v.subs(whole, part * quotient) for k, v in self._factored.items()}
            self._factored[whole] = part * quotient
            self._back[quotient] = whole / part
        else:
            self._ratios.append(whole / part)

    def factored(self, e: Sym) -> Sym:
        """``e`` with parameters written as the products they are known to be."""
        return e.subs(self._factored) if self._factored else e

    def restore(self, e: Sym) -> Sym:
        """``e`` in the parameters themselves."""
        for quotient, value in reversed(self._back.items()):
            e = e.subs(quotient, value)
        return e

    # -------------------------------------------------------------- proofs

    def is_integer(self, ratio: Sym) -> bool:
        """Whether ``ratio`` is known to be an integer."""
        ratio = sympy.cancel(ratio)
        if ratio.is_integer:
            return True
        return any(sympy.cancel(ratio / known).is_integer for known in self._ratios)

    def nonnegative(self, e: Sym) -> bool:
        """Whether ``e >= 0`` is proven for all values of the parameters."""
        e = sympy.expand(e)
        if not e.is_Add and e.is_nonnegative is not None:
            return bool(e.is_nonnegative)
        return any(_positive_form(low, self._least) for low in _lower_bounds(e, depth=4))

    def less(self, a: Sym, b: Sym) -> bool:
        """Whether ``a < b`` is proven (ints)."""
        return self.nonnegative(b - a - 1)

    # -------------------------------------------------------------- integer functions

    def ceil(self, a: Sym, b: Sym) -> Sym:
        """``a / b`` rounded up."""
        ratio = sympy.cancel(a / b)
        return ratio if self.is_integer(ratio) else sympy.ceiling(ratio)

    def floor(self, a: Sym, b: Sym) -> Sym:
        """``a / b`` rounded down; ``(a + b - 1) / b`` is told as ``a / b`` rounded up."""
        ratio = sympy.cancel(a / b)
        if self.is_integer(ratio):
            return ratio
        less = sympy.expand(a - b + 1)
        if len(sympy.Add.make_args(less)) < len(sympy.Add.make_args(sympy.expand(a))):
            return self.ceil(less, b)
        return sympy.floor(ratio)

    def min(self, a: Sym, b: Sym) -> Sym:
        """The smaller, without Min where that can be proven."""
        if self.nonnegative(b - a):
            return a
        return b if self.nonnegative(a - b) else sympy.Min(a, b)

    def max(self, a: Sym, b: Sym) -> Sym:
        """The larger, without Max where that can be proven."""
        if self.nonnegative(a - b):
            return a
        return b if self.nonnegative(b - a) else sympy.Max(a, b)


def axis(name: str) -> sympy.Dummy:
    """A new counted variable: it takes all integers from 0 up to (not including) its extent."""
    return sympy.Dummy(name, integer=True, nonnegative=True)


def _symbol(p: Param, at_least_one: bool) -> sympy.Symbol:
    if p.dtype is DType.F32:
        return sympy.Symbol(p.name, real=True)
    if p.role == "scalar" and not at_least_one:
        return sympy.Symbol(p.name, integer=True)
    return sympy.Symbol(p.name, integer=True, positive=True)


def _minimums(conditions: Iterable[Expr]) -> Iterator[tuple[str, int]]:
    """Least values of parameters: from each ``parameter >= n`` and ``parameter > n``."""
    for c in conditions:
        if isinstance(c, Compare) and isinstance(c.a, Param) and isinstance(c.b, Const) and c.op in ("ge", "gt"):
            yield c.a.name, int(c.b.value) + (c.op == "gt")


def _divisions(conditions: Iterable[Expr]) -> Iterator[tuple[Expr, Expr]]:
    """``(whole, part)`` of each condition ``whole % part == 0``."""
    for c in conditions:
        match c:
            case Compare(op="eq", a=Binary(op="mod", a=whole, b=part), b=Const(value=0)):
                yield whole, part


def _lower_bounds(e: Sym, depth: int) -> Iterator[Sym]:
    """Expressions without roundings that are no larger than ``e``."""
    atoms = sorted(e.atoms(sympy.ceiling, sympy.floor, sympy.Max, sympy.Min), key=lambda a: -sympy.count_ops(a))
    if not atoms or depth == 0:
        yield e
        return
    atom = atoms[0]
    stand_in = sympy.Dummy(integer=True)
    linear = sympy.expand(e.subs(atom, stand_in))
    factor = linear.coeff(stand_in, 1)
    rest = sympy.expand(linear - factor * stand_in)
    if rest.has(stand_in):
        return
    if _positive_form(sympy.expand(factor)):
        bounds = _bounds_below(atom)
    elif _positive_form(sympy.expand(-factor)):
        bounds = _bounds_above(atom)
    else:
        return
    for bound in bounds:
        yield from _lower_bounds(sympy.expand(rest + factor * bound), depth - 1)


def _slack(ratio: Sym) -> Sym:
    """Most that rounding an integer ratio can move it: (d - 1) / d for denominator d."""
    _, bottom = sympy.fraction(sympy.together(ratio))
    return 1 - 1 / bottom


def _bounds_below(atom: Sym) -> list[Sym]:
    inside = atom.args[0]
    if isinstance(atom, sympy.ceiling):
        top = sympy.fraction(sympy.together(inside))[0]
        return [inside, sympy.Integer(1)] if _positive_form(top - 1) and _positive_form(inside) else [inside]
    if isinstance(atom, sympy.floor):
        return [inside - _slack(inside), *([sympy.Integer(0)] if _positive_form(inside) else [])]
    return list(atom.args) if isinstance(atom, sympy.Max) else []


def _bounds_above(atom: Sym) -> list[Sym]:
    inside = atom.args[0]
    if isinstance(atom, sympy.ceiling):
        return [inside + _slack(inside)]
    if isinstance(atom, sympy.floor):
        return [inside]
    return list(atom.args) if isinstance(atom, sympy.Min) else []


def _positive_form(e: Sym, least: Mapping[sympy.Symbol, int] = MappingProxyType({})) -> bool:
    """Whether ``e >= 0`` follows from the least values of symbols: 1 of positive ones, 0 of nonnegative ones."""
    # Not e.is_nonnegative: sympy holds that -2 + 3/T is positive for every positive int T.
    top, bottom = sympy.fraction(sympy.together(e))
    if bottom != 1 and not _positive_form(bottom - 1, least):
        return False
    powers = {p: sympy.Dummy(positive=True, integer=True) for p in top.atoms(sympy.Pow) if p.base == 2}
    top = top.subs(powers)
    shifted = {s: least.get(s, 1) + sympy.Dummy(nonnegative=True) for s in top.free_symbols if s.is_positive}
    if any(not s.is_nonnegative for s in top.free_symbols):
        top = sympy.expand(top)
        if any(not s.is_nonnegative for s in top.free_symbols):
            return False
    terms = sympy.Add.make_args(sympy.expand(top.subs(shifted)))
    return all(bool(term.is_nonnegative) for term in terms)
