"""What a kernel loads, stores and computes, as formulas of its sizes and tiles, over the whole grid.

An element counts once for every thread that asks for it (requests at L1, before any coalescing or caching); guards and
branches count exactly.  An atomic is one load and one store.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sympy
from sympy import Expr as Sym

from gpusim.hardware.fixed import WARP
from gpusim.lang.binding import bind, launch_shape
from gpusim.lang.count_algebra import joined
from gpusim.lang.count_backwards import forwards
from gpusim.lang.count_closed import Counter, Literal
from gpusim.lang.count_points import accesses, count_by_enumeration, follow, points
from gpusim.lang.description_errors import DescriptionError
from gpusim.lang.tree import (
    MMA_COLUMNS,
    MMA_ROWS,
    Binary,
    DType,
    Expr,
    Fma,
    For,
    If,
    Index,
    Let,
    Mma,
    Stmt,
    Temp,
    Tree,
    Unary,
    children,
    leaves,
    operands,
)

__all__ = ["IO", "ArrayIO", "Flops", "count_by_enumeration", "flops", "io"]

OPERATIONS = {"fma": 2, "neg": 0, "abs": 0}  # floating-point operations of one; all others are 1


@dataclass(frozen=True)
class Place:
    """Where a statement stands: the loops and conditions around it, and how many of the loops the last branch is in."""

    loops: tuple[For, ...] = ()
    conditions: tuple[Literal, ...] = ()
    branch_depth: int = 0

    def inside(self, loop: For) -> Place:
        """The body of ``loop``."""
        return Place((*self.loops, loop), self.conditions, self.branch_depth)

    def where(self, e: Expr, line: int) -> Place:
        """The branch taken where ``e`` holds."""
        return Place(self.loops, (*self.conditions, (e, line)), len(self.loops))


@dataclass(frozen=True)
class Share:
    """``weight`` things (elements, operations) at every point of ``place``."""

    place: Place
    weight: int
    statement: Stmt


def placed(body: Iterable[Stmt], place: Place = Place()) -> Iterator[tuple[Stmt, Place]]:
    """Every statement with its place, in program order."""
    for s in body:
        yield s, place
        if isinstance(s, For):
            yield from placed(s.body, place.inside(s))
        elif isinstance(s, If):
            yield from placed(s.then, place.where(s.cond, s.line))
            yield from placed(s.orelse, place.where(Unary("not", s.cond, DType.PRED), s.line))


class Quantity:
    """A total over the grid: a formula, and exact numbers once parameters are given."""

    def __init__(self, tree: Tree, counter: Counter, shares: list[Share]) -> None:
        self._tree = tree
        self._shares = [(s, s.weight * counter.count(s.place.loops, s.place.conditions)) for s in shares]
        self.formula: Sym = joined(sympy.Add(*(formula for _, formula in self._shares)))

    def value(self, binding: Mapping[str, Any]) -> int:
        """Exact value.

        Raises
        ------
        DescriptionError
            Where it depends on data.
        """
        number = _number(self.formula, binding)
        if number is not None:
            return number
        return sum(self._share_value(share, formula, binding) for share, formula in self._shares)

    def _share_value(self, share: Share, formula: Sym, binding: Mapping[str, Any]) -> int:
        number = _number(formula, binding)
        return share.weight * self._points(share, binding) if number is None else number

    def _points(self, share: Share, binding: Mapping[str, Any]) -> int:
        try:
            return points(self._tree, share.place.loops, share.place.conditions, binding)
        except DescriptionError as error:
            try:
                return follow(self._tree, binding)[id(share.statement)]
            except DescriptionError:
                raise DescriptionError(f"{self._tree.name}: {error}") from None


def _number(formula: Sym, binding: Mapping[str, Any]) -> int | None:
    """Value of a closed formula; None where a sum is left, or a symbol."""
    if formula.has(sympy.Sum):
        return None
    value = _bound(formula, binding)
    return int(value) if value.is_Integer else None


# ------------------------------------------------------------------ IO


@dataclass(frozen=True)
class ArrayIO:
    """Traffic of one global array, as formulas.

    Attributes
    ----------
    loaded, stored : sympy.Expr
        Elements.
    nbytes : int
        Bytes of an element.
    """

    name: str
    nbytes: int
    loaded: Sym
    stored: Sym

    @property
    def bytes_loaded(self) -> Sym:
        """Bytes loaded."""
        return self.nbytes * self.loaded

    @property
    def bytes_stored(self) -> Sym:
        """Bytes stored."""
        return self.nbytes * self.stored


class IO(Mapping[str, ArrayIO]):
    """Traffic of a kernel, array by array; ``io["A"].loaded`` and the totals are sympy expressions."""

    def __init__(self, tree: Tree, fixed: Mapping[str, Any]) -> None:
        tree = forwards(tree)
        self._tree, self._fixed = tree, dict(fixed)
        self._counter = Counter(tree)
        shares: dict[tuple[str, str], list[Share]] = defaultdict(list)
        for s, place in placed(tree.body):
            for kind, array, width in accesses(s):
                guard = getattr(s, "guard", None)
                guarded = place if guard is None else place.where(guard, s.line)
                shares[array.name, kind].append(Share(guarded, width, s))
        self._quantities = {
            a.name: tuple(Quantity(tree, self._counter, shares[a.name, kind]) for kind in ("load", "store"))
            for a in tree.globals
        }
        self._arrays = {
            a.name: ArrayIO(a.name, a.dtype.nbytes, *(_bound(q.formula, fixed) for q in self._quantities[a.name]))
            for a in tree.globals
        }

    def __getitem__(self, name: str) -> ArrayIO:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    @property
    def bytes_loaded(self) -> Sym:
        """Bytes loaded from all arrays."""
        return sympy.Add(*(a.bytes_loaded for a in self.values()))

    @property
    def bytes_stored(self) -> Sym:
        """Bytes stored to all arrays."""
        return sympy.Add(*(a.bytes_stored for a in self.values()))

    @property
    def total_bytes(self) -> Sym:
        """Bytes loaded and stored."""
        return self.bytes_loaded + self.bytes_stored

    @property
    def arithmetic_intensity(self) -> Sym:
        """Floating-point operations for each byte requested."""
        return sympy.cancel(_bound(flops(self._tree).total, self._fixed) / self.total_bytes)

    def evaluate(self, **params: Any) -> dict[str, tuple[int, int]]:
        """Exact elements of each array.

        Parameters
        ----------
        **params
            Sizes, tiles (defaults apply) and the scalars that matter.

        Returns
        -------
        dict of str to (int, int)
            Elements loaded and stored.

        Raises
        ------
        DescriptionError
            For wrong parameters, or where a count depends on data.
        """
        binding = _checked(self._tree, {**self._fixed, **params})
        return {name: (loaded.value(binding), stored.value(binding)) for name, (loaded, stored) in self._items()}

    def _items(self) -> Iterable[tuple[str, tuple[Quantity, ...]]]:
        return self._quantities.items()

    def __str__(self) -> str:
        rows = [(a.name, str(a.loaded), str(a.stored)) for a in self.values()]
        rows = [("array", "elements loaded", "elements stored"), *rows]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def io(tree: Tree, **fixed: Any) -> IO:
    """Traffic of a kernel.

    Parameters
    ----------
    tree : Tree
    **fixed
        Parameters to put numbers for (``T=32``); the others stay symbols.
    """
    for name in fixed:
        if name not in {p.name for p in tree.params}:
            raise DescriptionError(f"{tree.name} has no parameter {name!r}")
    return IO(tree, fixed)


def _checked(tree: Tree, params: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters; formulas hold only for launches that meet the kernel's requirements, so those are checked."""
    binding = bind(tree, params)
    launch_shape(tree, binding)
    return binding


def _bound(e: Sym, fixed: Mapping[str, Any]) -> Sym:
    return e.subs({s: fixed[s.name] for s in e.free_symbols if s.name in fixed}) if fixed else e


# ------------------------------------------------------------------ floating-point operations


class Flops:
    """Floating-point operations of a kernel: add, mul, ... 1 each, fma 2; negation is part of another operation.

    A product of a warp's matrices is as many fmas as it adds up products, and every thread has its share of them.

    Attributes
    ----------
    by_kind : dict of str to sympy.Expr
        Operations carried out, an fma being one of kind ``fma``.
    total : sympy.Expr
        FLOPs, an fma being two.
    """

    def __init__(self, tree: Tree) -> None:
        tree = forwards(tree)
        self._tree = tree
        counter, shares = Counter(tree), defaultdict(list)
        for kind, share in _operations(tree):
            shares[kind].append(share)
        self._quantities = {kind: Quantity(tree, counter, found) for kind, found in shares.items()}
        self.by_kind: dict[str, Sym] = {kind: q.formula for kind, q in self._quantities.items()}
        self.total: Sym = sympy.Add(*(_cost(kind) * n for kind, n in self.by_kind.items()))

    def evaluate(self, **params: Any) -> int:
        """Exact FLOPs for these parameters (tile defaults apply)."""
        binding = _checked(self._tree, params)
        return sum(_cost(kind) * q.value(binding) for kind, q in self._quantities.items())

    def subs(self, params: Mapping[str, Any]) -> Sym:
        """The total with numbers for some parameters, by name."""
        return _bound(self.total, params)

    def __str__(self) -> str:
        return str(self.total)


def flops(tree: Tree) -> Flops:
    """Floating-point operations of a kernel."""
    return Flops(tree)


def _cost(kind: str) -> int:
    return OPERATIONS.get(kind, 1)


def _operations(tree: Tree) -> Iterator[tuple[str, Share]]:
    """Every distinct floating-point operation and where it is carried out.

    An operation moves out of the loops that its operands do not change in, as compilers do, but never out of a branch;
    one whose value is there already costs nothing.
    """
    made_in: dict[Expr, Place] = {}
    done: dict[Expr, list[Place]] = defaultdict(list)
    for s, place in placed(tree.body):
        for temp in _defined(s):
            made_in[temp] = place
        if isinstance(s, For):
            made_in[s.index] = place.inside(s)
        if isinstance(s, Mma):
            yield "fma", Share(place, MMA_ROWS * MMA_COLUMNS * s.depth // WARP, s)
        for e in operands(s) if not isinstance(s, Let) else (s.value,):
            yield from _in_expression(e, s, place, made_in, done)


def _defined(s: Stmt) -> tuple[Temp, ...]:
    temps = getattr(s, "temps", ())
    return temps or ((s.temp,) if hasattr(s, "temp") else ())


def _in_expression(
    e: Expr, s: Stmt, place: Place, made_in: dict[Expr, Place], done: dict[Expr, list[Place]]
) -> Iterator[tuple[str, Share]]:
    home = _home(e, place, made_in)
    if any(_encloses(earlier, home) for earlier in done[e]):
        return
    for child in children(e):
        yield from _in_expression(child, s, place, made_in, done)
    kind = "fma" if isinstance(e, Fma) else e.op if isinstance(e, (Binary, Unary)) and e.dtype.is_float else None
    if kind is not None:
        done[e].append(home)
        yield kind, Share(home, 1, s)


def _home(e: Expr, place: Place, made_in: dict[Expr, Place]) -> Place:
    """The outermost place with the conditions of ``place`` at which the operands of ``e`` are known."""
    deepest = 0
    for leaf in leaves(e):
        if isinstance(leaf, (Temp, Index)) and leaf in made_in:
            deepest = max(deepest, len(made_in[leaf].loops))
    return replace(place, loops=place.loops[: max(deepest, place.branch_depth)])


def _encloses(outer: Place, inner: Place) -> bool:
    """Whether what was computed at ``outer`` is known at ``inner``."""
    return (
        inner.loops[: len(outer.loops)] == outer.loops and inner.conditions[: len(outer.conditions)] == outer.conditions
    )
