"""How many points of an iteration space meet a set of conditions, as a formula of the parameters."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import sympy
from sympy import Expr as Sym

from gpusim.lang.count_algebra import RELATIONS, Facts, axis
from gpusim.lang.count_space import FLOOR, REST, NotLinearError, Space, UnknownValueError, radix
from gpusim.lang.operators import COMPARE
from gpusim.lang.tree import Binary, Compare, Const, DType, Expr, For, Tree, Unary

Literal = tuple[Expr, int]  # a condition and the line it stands in


class Counter:
    """Counts points for the statements of one tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.facts = Facts(tree)
        self._shares: dict[Expr, sympy.Symbol] = {}
        self._counts: dict[tuple[object, ...], Sym] = {}

    def count(self, loops: Sequence[For], conditions: Iterable[Literal]) -> Sym:
        """Threads of the whole grid times passes of ``loops`` for which all ``conditions`` hold.

        Returns
        -------
        sympy.Expr
            Of the parameters; with a ``Sum`` where no closed form is known, and with symbols ``share_<line>``
            (fraction of threads) and ``trips_<line>`` where data decide.
        """
        literals = [part for e, line in conditions for part in parts(e, line)]
        key = (tuple(id(loop) for loop in loops), tuple(dict.fromkeys(e for e, _ in literals)))
        if key not in self._counts:
            self._counts[key] = self._conjunction(loops, literals)
        return self._counts[key]

    def _conjunction(self, loops: Sequence[For], literals: Sequence[Literal]) -> Sym:
        """Count with inclusion and exclusion for whatever is no plain comparison."""
        literals = list({e: (e, line) for e, line in literals}.values())
        if _contradict([e for e, _ in literals]):
            return sympy.Integer(0)
        for i, (e, line) in enumerate(literals):
            rest = literals[:i] + literals[i + 1 :]

            def also(*extra: Expr, rest: list[Literal] = rest, line: int = line) -> Sym:
                return self._conjunction(loops, rest + [part for c in extra for part in parts(c, line)])

            if isinstance(e, Binary) and e.op == "or":
                return also(e.a) + also(e.b) - also(e.a, e.b)
            if isinstance(e, Binary) and e.op == "xor":
                return also(e.a, _negation(e.b)) + also(_negation(e.a), e.b)
            if isinstance(e, Unary):
                return also() - also(e.a)
            if isinstance(e, Compare) and e.op == "ne":
                return also() - also(Compare("eq", e.a, e.b))
        return self._count_space(loops, literals)

    def _count_space(self, loops: Sequence[For], literals: Sequence[Literal]) -> Sym:
        space, unknown = Space(self._tree, self.facts), sympy.Integer(1)
        for loop in loops:
            try:
                space.add_loop(loop)
            except UnknownValueError:  # its index stays without a value, so what depends on it is unknown too
                unknown *= sympy.Symbol(f"trips_{loop.line}", nonnegative=True)
        relations = []
        for e, line in literals:
            try:
                relations.append(_relation(e, space))
            except UnknownValueError:
                unknown *= self._share(e, line)
        relations += [("lt", a, b) for a, b in space.within]
        return unknown * _with_names(self.facts.restore(_shown(_Points(space, relations).count())))

    def _share(self, e: Expr, line: int) -> Sym:
        """Symbol for the fraction of threads that meet a condition on data."""
        if isinstance(e, Compare) and e.op in ("gt", "ge"):
            return 1 - self._share(_negation(e), line)
        if e not in self._shares:
            more = sum(s.name.startswith(f"share_{line}") for s in self._shares.values())
            name = f"share_{line}" + (f"_{more + 1}" if more else "")
            self._shares[e] = sympy.Symbol(name, nonnegative=True)
        return self._shares[e]


# ------------------------------------------------------------------ conditions


def parts(e: Expr, line: int) -> list[Literal]:
    """Conditions that together are ``e``."""
    if isinstance(e, Binary) and e.op == "and":
        return parts(e.a, line) + parts(e.b, line)
    if isinstance(e, Unary) and e.op == "not":
        inner = e.a
        if isinstance(inner, Binary) and inner.op == "or":
            return parts(_negation(inner.a), line) + parts(_negation(inner.b), line)
        if not (isinstance(inner, Binary) and inner.op in ("and", "xor")) and _negation(inner) != e:
            return parts(_negation(inner), line)
    if isinstance(e, Const) and e.value:
        return []
    return [(e, line)]


def _negation(e: Expr) -> Expr:
    if isinstance(e, Compare):
        return Compare(COMPARE[e.op].negated, e.a, e.b)
    if isinstance(e, Const):
        return Const(not e.value, DType.PRED)
    return e.a if isinstance(e, Unary) else Unary("not", e, DType.PRED)


def _contradict(conditions: Sequence[Expr]) -> bool:
    """Whether two of them, or one alone, can never hold (by their form)."""
    known = set(conditions)
    if any((isinstance(e, Const) and not e.value) or _negation(e) in known for e in conditions):
        return True
    equal: dict[Expr, object] = {}
    for e in conditions:
        match e:
            case Compare(op="eq", a=a, b=Const(value=value)) if equal.setdefault(a, value) != value:
                return True
    return False


Relation = tuple[str, Sym, Sym]  # comparison, both sides
Component = tuple[set[sympy.Dummy], list[Relation]]  # axes that relations tie together


def _relation(e: Expr, space: Space) -> Relation:
    if not isinstance(e, Compare) or e.a.dtype.is_float:
        raise UnknownValueError(type(e).__name__)
    return e.op, space.convert(e.a), space.convert(e.b)


def _each(op: str, a: Sym, b: Sym) -> list[Relation]:
    """The relations that together are one with the smallest or the largest of several."""
    if op in ("lt", "le"):
        return [(op, x, y) for x in _arguments(sympy.Max, a) for y in _arguments(sympy.Min, b)]
    if op in ("gt", "ge"):
        return [(op, x, y) for x in _arguments(sympy.Min, a) for y in _arguments(sympy.Max, b)]
    return [(op, a, b)]


def _arguments(kind: type[Sym], e: Sym) -> list[Sym]:
    return sorted(kind.make_args(e), key=sympy.default_sort_key)


# ------------------------------------------------------------------ points


@dataclass
class _Form:
    """Conditions on one sum of stride times axis: ``low <= sum < high`` and ``(sum + shift) % modulus == value``."""

    strides: dict[sympy.Dummy, Sym]
    low: list[Sym] = field(default_factory=list)
    high: list[Sym] = field(default_factory=list)
    rests: list[tuple[Sym, Sym, Sym]] = field(default_factory=list)


class _NoClosedFormError(Exception):
    pass


class _Total:
    """The sum of ``body`` over ``limits`` (innermost first).

    There is one Sum, never a Sum in a Sum: sympy takes a Piecewise out of an inner one together with its index.
    """

    def __init__(self, body: Sym, facts: Facts) -> None:
        self.body = body
        self._facts = facts
        self.limits: list[tuple[sympy.Dummy, Sym]] = []

    def sum_over(self, axis: sympy.Dummy, extent: Sym) -> None:
        """Sum over ``axis`` from 0 up to its extent."""
        extent = _shown(extent)
        bound = any(axis in limit.free_symbols for _, limit in self.limits)
        closed = None if bound or self.limits else self._but_for_the_last(axis, extent)
        if closed is not None:
            self.body = closed
        elif bound or (axis in self.body.free_symbols and not self.body.is_polynomial(axis)):
            self.limits.append((axis, extent))
        elif axis in self.body.free_symbols:
            self.body = sympy.summation(self.body, (axis, 0, extent - 1))
        else:
            self.body *= extent

    def _but_for_the_last(self, axis: sympy.Dummy, extent: Sym) -> Sym | None:
        """The sum over ``axis`` where every Min or Max is one of its arguments for all values but perhaps the last."""
        before = self.body
        for extreme in self.body.atoms(sympy.Min, sympy.Max):
            always = self._always(extreme, axis, extent - 2)
            if always is not None:
                before = before.subs(extreme, always)
        if before == self.body or not before.is_polynomial(axis):
            return None
        last = self.body.subs(axis, extent - 1)
        for kind, choose in ((sympy.Min, self._facts.min), (sympy.Max, self._facts.max)):
            last = last.replace(kind, functools.partial(_chosen, choose))
        return sympy.summation(before, (axis, 0, extent - 2)) + last

    def _always(self, extreme: Sym, axis: sympy.Dummy, last: Sym) -> Sym | None:
        """Which of two arguments of a Min or Max it is from 0 up to ``last``."""
        if len(extreme.args) != 2 or axis not in extreme.free_symbols:
            return None
        sign = 1 if isinstance(extreme, sympy.Min) else -1
        for one, other in (extreme.args, extreme.args[::-1]):
            margin = sympy.expand(sign * (other - one))
            if not margin.is_polynomial(axis) or sympy.degree(margin, axis) != 1:
                return None
            ends = (margin.subs(axis, 0), margin.subs(axis, last))
            grows = self._facts.nonnegative(margin.coeff(axis, 1))
            if self._facts.nonnegative(ends[0] if grows else ends[1]):
                return one
        return None

    def value(self) -> Sym:
        """The whole as one expression."""
        if not self.limits:
            return self.body
        summed = {axis for axis, _ in self.limits}
        outside, inside = self.body.as_independent(*summed, as_Add=False)
        bounds = ((axis, 0, extent - 1) for axis, extent in self.limits)
        return outside * sympy.Sum(inside, *bounds)


class _Points:
    """The points of a space that meet relations."""

    def __init__(self, space: Space, relations: Sequence[Relation]) -> None:
        self._space, self._facts = space, space.facts
        self._relations = [r for relation in relations for r in _each(*relation)]
        self._factor = sympy.Integer(1)
        self._resolve()
        fused = space.fuse(self._relations)
        if fused is not self._relations:
            self._relations = fused
            self._resolve()

    def _resolve(self) -> None:
        """Bring everything to the axes as they are now; doing so may cut further ones."""
        before: object = None
        while before != (before := (self._relations, self._space.trips)):
            self._relations = [(op, self._space.resolve(a), self._space.resolve(b)) for op, a, b in self._relations]
            self._space.trips = {x: self._space.resolve(e) for x, e in self._space.trips.items()}

    def count(self) -> Sym:
        """Number of points."""
        self._drop_fixed()
        self._fix_bounds()
        self._relations = [r for r in self._relations if not self._shortens(*r)]
        self._relations = [r for r in self._relations if not self._settle(*r)]
        if self._factor == 0:
            return self._factor
        parts = [self._component(axes, relations) for axes, relations in self._components()]
        outer = sorted(self._space.outer, key=lambda a: -a.dummy_index)
        if not outer:
            return self._factor * sympy.Mul(*(part.value() for part in parts))
        whole = _Total(self._factor, self._facts)
        for part in parts:
            whole.body *= part.body
            whole.limits += part.limits
        for x in outer:
            whole.sum_over(x, self._space.extents[x])
        return whole.value()

    def _drop_fixed(self) -> None:
        """Axes that an equation fixes at one value become that value."""
        for op, a, b in list(self._relations):
            axis, value = self._fixed(op, a - b)
            if axis is not None:
                self._relations.remove((op, a, b))
                del self._space.extents[axis]
                self._relations = [(o, x.subs(axis, value), y.subs(axis, value)) for o, x, y in self._relations]
                self._space.trips = {k: v.subs(axis, value) for k, v in self._space.trips.items()}
                self._drop_fixed()
                return

    def _fix_bounds(self) -> None:
        """Count at fixed values of the axes that loops' trips depend on: there they are an extent like any other."""
        space = self._space
        for x, trips in space.trips.items():  # outer loops first
            space.outer |= space.axes(trips)
            space.extents[x] = trips
        space.trips = {}

    def _shortens(self, op: str, a: Sym, b: Sym) -> bool:
        """Take ``x + ... < ... `` as the extent of ``x``, where all other axes cancel out."""
        difference = sympy.expand(a - b)
        if op != "lt" or len(axes := self._space.axes(difference)) != 1:
            return False
        (x,) = axes
        if difference.coeff(x, 1) != 1 or x in (rest := difference - x).free_symbols:
            return False
        self._space.shorten(x, -rest)
        return True

    def _fixed(self, op: str, difference: Sym) -> tuple[sympy.Dummy | None, Sym]:
        nothing = (None, difference)
        if op != "eq" or len(axes := self._space.axes(difference)) != 1:
            return nothing
        (axis,) = axes
        try:
            coefficients, rest = self._space.linear(difference)
        except NotLinearError:
            return nothing
        value = sympy.expand(-rest / coefficients[axis])
        if axis not in self._space.extents or coefficients[axis] not in (1, -1):
            return nothing
        inside = self._facts.nonnegative(value) and self._facts.less(value, self._space.extents[axis])
        return (axis, value) if inside else nothing

    def _settle(self, op: str, a: Sym, b: Sym) -> bool:
        """Take a relation between parameters into the factor."""
        if self._space.axes(a - b):
            return False
        relation = RELATIONS[op](a, b)
        margin = {"lt": b - a - 1, "le": b - a, "gt": a - b - 1, "ge": a - b}.get(op)
        if margin is not None and self._facts.nonnegative(-margin - 1):
            self._factor = sympy.Integer(0)
        elif margin is None or not self._facts.nonnegative(margin):
            self._factor *= sympy.Piecewise((1, relation), (0, True))
        return True

    def _components(self) -> list[Component]:
        """Axes that conditions tie together, with those conditions; single axes for the rest."""
        space = self._space
        groups: list[Component] = [({x}, []) for x in space.extents if x not in space.outer]
        ties: list[Component] = [(space.axes(a - b), [(op, a, b)]) for op, a, b in self._relations]
        for axes, relations in ties:
            joined = (set(axes), list(relations))
            for group in [g for g in groups if g[0] & axes]:
                groups.remove(group)
                joined = (joined[0] | group[0], group[1] + joined[1])
            groups.append(joined)
        return groups

    # -------------------------------------------------------------- one component

    def _component(self, axes: set[sympy.Dummy], relations: list[Relation]) -> _Total:
        if not relations and len(axes) == 1:
            return _Total(self._space.extents[next(iter(axes))], self._facts)
        try:
            return _Total(self._closed(axes, relations), self._facts)
        except _NoClosedFormError:
            return self._explicit(axes, relations)

    def _closed(self, axes: set[sympy.Dummy], relations: list[Relation]) -> Sym:
        forms: dict[frozenset[tuple[sympy.Dummy, Sym]], _Form] = {}
        for op, a, b in relations:
            self._add_form(forms, op, sympy.expand(a - b))
        free = [self._space.extents[x] for x in axes.difference(*(form.strides for form in forms.values()))]
        *inner, form = sorted(forms.values(), key=lambda form: len(form.strides))
        for i, one in enumerate(inner):
            self._nest(one, [*inner[i + 1 :], form])
        return self._form_count(form) * sympy.Mul(*free)

    def _nest(self, inner: _Form, others: Sequence[_Form]) -> None:
        """Make one axis of a bounded mixed-radix sum, in all of the other forms that it is part of."""
        chain = radix(inner.strides, self._space.extents, self._facts)
        around = [other for other in others if inner.strides.keys() & other.strides.keys()]
        if chain is None or inner.low or inner.rests or not around:
            raise _NoClosedFormError
        made = axis("+".join(x.name for x in chain))
        self._space.extents[made] = sympy.Mul(*(self._space.extents[x] for x in chain))
        for bound in inner.high:
            self._space.shorten(made, self._facts.ceil(bound, inner.strides[chain[0]]))
        for other in around:
            stride = other.strides.get(chain[0], sympy.Integer(0))
            ratio = sympy.cancel(stride / inner.strides[chain[0]])
            if any(other.strides.get(x) != sympy.expand(ratio * c) for x, c in inner.strides.items()):
                raise _NoClosedFormError
            left = {x: c for x, c in other.strides.items() if x not in inner.strides}
            other.strides = {**left, made: stride}

    def _add_form(self, forms: dict[frozenset[tuple[sympy.Dummy, Sym]], _Form], op: str, difference: Sym) -> None:
        """Note the relation ``difference op 0``."""
        opaque = [f for f in difference.atoms(FLOOR, REST) if self._space.axes(f)]
        if opaque:
            self._add_opaque(forms, op, difference, opaque)
            return
        strides, rest = self._linear(difference)
        if all(self._facts.nonnegative(-c) for c in strides.values()):
            strides, rest, op = {x: -c for x, c in strides.items()}, -rest, COMPARE[op].mirrored
        if not all(self._facts.nonnegative(c) for c in strides.values()):
            raise _NoClosedFormError
        form = forms.setdefault(frozenset(strides.items()), _Form(strides))
        if op in ("lt", "le", "eq"):
            form.high.append(-rest if op == "lt" else 1 - rest)
        if op in ("gt", "ge", "eq"):
            form.low.append(1 - rest if op == "gt" else -rest)

    def _add_opaque(
        self, forms: dict[frozenset[tuple[sympy.Dummy, Sym]], _Form], op: str, difference: Sym, opaque: list[Sym]
    ) -> None:
        """Note a relation on a quotient, as one on what is divided; or on a rest."""
        function = opaque[0]
        rest = sympy.expand(difference - function)
        whole, part = function.args
        if len(opaque) > 1 or self._space.axes(rest) or self._space.axes(part) or whole.atoms(FLOOR, REST):
            raise _NoClosedFormError
        if isinstance(function, FLOOR):
            bound = -rest + (1 if op in ("le", "gt") else 0)
            if op in ("lt", "le", "eq"):
                self._add_form(forms, "lt", whole - part * (bound + (1 if op == "eq" else 0)))
            if op in ("gt", "ge", "eq"):
                self._add_form(forms, "ge", whole - part * bound)
            return
        if op != "eq":
            raise _NoClosedFormError
        strides, shift = self._linear(whole)
        form = forms.setdefault(frozenset(strides.items()), _Form(strides))
        form.rests.append((shift, part, -rest))

    def _linear(self, e: Sym) -> tuple[dict[sympy.Dummy, Sym], Sym]:
        try:
            return self._space.linear(e)
        except NotLinearError:
            raise _NoClosedFormError from None

    def _form_count(self, form: _Form) -> Sym:
        """Points of a mixed-radix sum between bounds: its values are 0 .. P - 1, each once."""
        chain = radix(form.strides, self._space.extents, self._facts)
        if chain is None:
            raise _NoClosedFormError
        unit = form.strides[chain[0]]
        whole = sympy.Mul(*(self._space.extents[x] for x in chain))
        bounds = [self._facts.ceil(bound, unit) for bound in form.high]
        high = functools.reduce(self._facts.min, [*bounds, whole])
        low = sympy.Integer(0)
        for bound in form.low:
            low = self._facts.max(self._facts.ceil(bound, unit), low)
        if not form.rests:
            return self._length(high - low)
        if len(form.rests) > 1 or unit != 1:
            raise _NoClosedFormError
        return self._rest_count(low, high, *form.rests[0])

    def _length(self, n: Sym) -> Sym:
        n = sympy.expand(n) if not n.has(sympy.Min, sympy.Max) else n
        return self._facts.max(n, sympy.Integer(0))

    def _rest_count(self, low: Sym, high: Sym, shift: Sym, modulus: Sym, value: Sym) -> Sym:
        """Values v of ``low .. high - 1`` with ``(v + shift) % modulus == value``."""
        if not self._facts.nonnegative(value):
            raise _NoClosedFormError
        if low + shift == 0:
            found = self._facts.ceil(high - low - value, modulus)
        else:
            below = self._facts.floor(low + shift - 1 - value, modulus)
            found = self._facts.floor(sympy.expand(high + shift - 1 - value), modulus) - below
        if not self._facts.nonnegative(high - low):
            found = sympy.Piecewise((found, sympy.Gt(high, low)), (0, True))
        return found if self._facts.less(value, modulus) else sympy.Piecewise((found, value < modulus), (0, True))

    def _explicit(self, axes: set[sympy.Dummy], relations: list[Relation]) -> _Total:
        """The sum over all points, left to be evaluated once numbers are known."""
        total = _Total(_where(relations), self._facts)
        for x, extent in self._space.extents.items():
            if x in axes:
                total.sum_over(x, extent)
        return total


def _chosen(choose: Callable[[Sym, Sym], Sym], *values: Sym) -> Sym:
    """The smallest or largest of several, two by two."""
    return functools.reduce(choose, (sympy.expand(value) for value in values))


def _where(relations: Sequence[Relation]) -> Sym:
    """1 where all relations hold, else 0."""
    if not relations:
        return sympy.Integer(1)
    conditions = sympy.And(*(RELATIONS[op](_shown(a), _shown(b)) for op, a, b in relations))
    return sympy.Piecewise((1, conditions), (0, True))


def _shown(e: Sym) -> Sym:
    """``e`` with unresolved quotients and rests as sympy's own."""
    return e.replace(FLOOR, lambda a, b: sympy.floor(a / b)).replace(REST, sympy.Mod)


def _with_names(e: Sym) -> Sym:
    """``e`` with the axes of its sums as symbols of distinct names."""
    names: dict[sympy.Dummy, sympy.Symbol] = {}
    for dummy in sorted(e.atoms(sympy.Dummy), key=lambda d: d.dummy_index):
        taken, name, n = {s.name for s in names.values()}, dummy.name, 2
        while name in taken:
            name, n = f"{dummy.name}_{n}", n + 1
        names[dummy] = sympy.Symbol(name, integer=True, nonnegative=True)
    return e.xreplace(names)
