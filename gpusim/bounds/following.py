"""The computation of a description, followed from its products back to global memory.

A product of two loaded elements that is added to a sum is a statement of three arrays.  What the threads of a block
have staged in shared memory or registers in between is followed back: an element of a staging array is that of the
global array which was stored there, with the store's indices solved for the load's.  Indices that come out alike are
one loop.

What this does not find, such as products of a warp's matrices or what follows from sums, a kernel's file tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.lang.tree import (
    Assign,
    Binary,
    Cast,
    Compare,
    Const,
    CopyAsync,
    DType,
    Expr,
    Fma,
    For,
    GlobalArray,
    If,
    Index,
    Let,
    Load,
    LocalArray,
    Param,
    Read,
    SharedArray,
    Special,
    Stmt,
    Store,
    Temp,
    Tree,
    Unary,
    Var,
    leaves,
)

if TYPE_CHECKING:
    import sympy

LETTERS = "ijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Element:
    """An element of a global array."""

    array: GlobalArray
    index: tuple[sympy.Expr, ...]


@dataclass(frozen=True)
class Current:
    """What a thread's sum holds when it is read."""

    target: Var | LocalArray
    index: tuple[sympy.Expr, ...]


@dataclass(frozen=True)
class Staged:
    """An element put into shared memory or registers, and where."""

    index: tuple[sympy.Expr, ...]
    element: Element


@dataclass(frozen=True)
class Product:
    """Elements of which the product is added to a sum."""

    target: Var | LocalArray
    index: tuple[sympy.Expr, ...]
    factors: tuple[Element, Element]
    statement: Stmt


@dataclass
class Found:
    """What a description was found to do."""

    products: list[Product] = field(default_factory=list)
    stored: list[tuple[Element, Current]] = field(default_factory=list)


class Followed(NamedTuple):
    """A computation that was found, and the statement that does its products."""

    text: str
    statement: Stmt


def follow(tree: Tree) -> Followed | None:
    """Give the computation of a description; None where it is not one sum of products.

    Its loops are taken to run over the whole of the arrays' axes: :func:`products` says how many products there are.

    Parameters
    ----------
    tree : Tree

    Examples
    --------
    >>> from gpusim.catalogue import lookup
    >>> follow(lookup.get("matmul-tiled").kernel.tree).text
    'C[m,n] += A[m,k] * B[k,n]'
    """
    follower = Follower()
    follower.run(tree.body, ())
    found: dict[str | None, Stmt] = {}
    for product in follower.found.products:
        for out, current in follower.found.stored:
            if (pair := _at_product(product, out, current)) is not None:
                found[_text(*pair)] = product.statement
    ((text, statement),) = found.items() if len(found) == 1 else ((None, None),)
    return Followed(text, statement) if text is not None and statement is not None else None


def products(tree: Tree, statement: Stmt, params: Mapping[str, Any]) -> int:
    """How often a launch runs a statement, over all threads.

    Parameters
    ----------
    tree : Tree
    statement : Stmt
        One of the tree.
    params : mapping of str to int
        Complete.
    """
    from gpusim.lang.count import placed
    from gpusim.lang.count_points import points

    place = next(place for one, place in placed(tree.body) if one is statement)
    return points(tree, place.loops, place.conditions, params)


def _at_product(product: Product, out: Element, current: Current) -> tuple[Element, tuple[Element, Element]] | None:
    """The output's element at the product's point."""
    if current.target is not product.target:
        return None
    solved = _solved(current.index, product.index)
    if solved is None:
        return None
    return Element(out.array, tuple(e.subs(solved, simultaneous=True) for e in out.index)), product.factors


def _text(out: Element, factors: tuple[Element, Element]) -> str | None:
    """A statement, with a loop for each index; None where two indices share a part of one, or an extent has no name."""
    import sympy

    accesses = (out, *factors)
    extents = {
        sympy.expand(form): extent
        for one in reversed(accesses)
        for form, extent in zip(one.index, one.array.shape, strict=True)
    }
    own = [{s for s in form.free_symbols if not s.is_positive} for form in extents]
    apart = all(own) and sum(map(len, own)) == len(set[Any]().union(*own))
    if not apart or not all(isinstance(extent, Param) for extent in extents.values()):
        return None
    names = {form: extent.name for form, extent in extents.items() if isinstance(extent, Param)}
    loops = _loops(names)
    shown = [f"{one.array.name}[{','.join(loops[sympy.expand(e)] for e in one.index)}]" for one in accesses]
    clauses = [f"{loop} < {names[form]}" for form, loop in loops.items() if loop.upper() != names[form].upper()]
    return f"{shown[0]} += {shown[1]} * {shown[2]}{' for ' if clauses else ''}{', '.join(clauses)}"


def _loops(names: dict[Any, str]) -> dict[Any, str]:
    """A loop for each index, named after its extent where no other has that."""
    taken = [name.lower() for name in names.values()]
    spare = (letter for letter in LETTERS if letter not in taken)
    return {form: name.lower() if taken.count(name.lower()) == 1 else next(spare) for form, name in names.items()}


def _solved(there: Sequence[sympy.Expr], here: Sequence[sympy.Expr]) -> dict[Any, sympy.Expr] | None:
    """What parts of the indices of one access are at those of another; None where that is not known."""
    solved: dict[Any, sympy.Expr] = {}
    for mine, wanted in zip(there, here, strict=True):
        parts = [s for s in mine.free_symbols if not s.is_positive and s not in solved]
        if len(parts) != 1:
            if mine != wanted:
                return None
            continue
        factor = mine.coeff(parts[0], 1)
        rest = mine - factor * parts[0]
        if not factor or rest.has(parts[0]):
            return None
        solved[parts[0]] = (wanted - rest) / factor
    return solved


def _is_edge(guard: Expr | None) -> bool:
    """Whether a guard keeps threads inside an array, comparing each index with a size: not one index with another."""
    match guard:
        case None:
            return True
        case Binary(op="and", a=a, b=b):
            return _is_edge(a) and _is_edge(b)
        case Compare(a=a, b=b):
            return any(all(isinstance(leaf, Param | Const) for leaf in leaves(side)) for side in (a, b))
    return False


class Follower:
    """Goes through a description's statements, knowing of every value which element it is."""

    def __init__(self) -> None:
        self.found = Found()
        self._symbols: dict[Expr, Any] = {}
        self._number = count()
        self._values: dict[Temp, Element | Current] = {}
        self._staged: dict[Any, list[Staged]] = {}

    def run(self, body: Iterable[Stmt], loops: tuple[Index, ...]) -> None:
        """Take statements in their order.

        Parameters
        ----------
        body : iterable of Stmt
        loops : tuple of Index
            Those around them.
        """
        for s in body:
            match s:
                case For():
                    self.run(s.body, (*loops, s.index))
                case If():
                    self.run(s.then, loops)
                    self.run(s.orelse, loops)
                case Load():
                    self._load(s, loops)
                case Let(temp=temp, value=value):
                    self._note(temp, self._read(value, loops) if isinstance(value, Read) else self._element(value))
                case Assign():
                    self._assign(s)
                case Store():
                    self._store(s)
                case CopyAsync():
                    self._copy(s)

    def _note(self, temp: Temp, value: Element | Current | None) -> None:
        if value is not None:
            self._values[temp] = value

    # -------------------------------------------------------------- indices

    def _index(self, index: Sequence[Expr], plus: int | sympy.Expr = 0) -> tuple[sympy.Expr, ...]:
        """Indices over their parts; ``plus`` along the last axis."""
        import sympy

        found = [self._linear(e) for e in index]
        return tuple(sympy.expand(e + (plus if n == len(found) - 1 else 0)) for n, e in enumerate(found))

    def _linear(self, e: Expr) -> sympy.Expr:
        """Sums and products of parts; a part is whatever is neither: a quotient, a number of a thread, a loop."""
        import sympy

        match e:
            case Const(value=value) if isinstance(value, int):
                return sympy.Integer(value)
            case Param(name=name):
                return sympy.Symbol(name, integer=True, positive=True)
            case Cast(a=a, dtype=DType.I32 | DType.U32):
                return self._linear(a)
            case Unary(op="neg", a=a):
                return -self._linear(a)
            case Binary(op="add", a=a, b=b):
                return self._linear(a) + self._linear(b)
            case Binary(op="sub", a=a, b=b):
                return self._linear(a) - self._linear(b)
            case Binary(op="mul", a=a, b=b):
                return self._linear(a) * self._linear(b)
        if all(isinstance(leaf, Param | Const) for leaf in leaves(e)):  # of tiles alone: BK // 4
            return self._symbols.setdefault(e, sympy.Symbol(f"tiles{len(self._symbols)}", positive=True))
        return self._symbols.setdefault(e, sympy.Symbol(f"part{len(self._symbols)}"))

    def _parts(self, expressions: Iterable[sympy.Expr]) -> set[Any]:
        return {s for e in expressions for s in e.free_symbols if not s.is_positive}

    def _is_known(self, element: Element, here: Iterable[sympy.Expr], loops: tuple[Index, ...], *, own: bool) -> bool:
        """Whether an element's indices have a meaning where it is read: in another thread, and behind other loops."""
        known = self._parts(here)
        inside = {symbol: e for e, symbol in self._symbols.items()}
        for part in self._parts(element.index) - known:
            for leaf in leaves(inside[part]):
                threads = isinstance(leaf, Special) and leaf.name.partition(".")[0] in ("tid", "laneid", "warpid")
                if (threads and not own) or isinstance(leaf, Temp) or (isinstance(leaf, Index) and leaf not in loops):
                    return False
        return True

    # -------------------------------------------------------------- values

    def _element(self, e: Expr) -> Element | None:
        """The element that an expression is, but for a factor that is no element."""
        match e:
            case Temp():
                found = self._values.get(e)
                return found if isinstance(found, Element) else None
            case Cast(a=a):
                return self._element(a)
            case Binary(op="mul", a=a, b=b):
                elements = [x for x in (self._element(a), self._element(b)) if x is not None]
                return elements[0] if len(elements) == 1 and not self._sums(e) else None
        return None

    def _sums(self, e: Expr) -> list[Current]:
        found = (self._values.get(leaf) for leaf in leaves(e) if isinstance(leaf, Temp))
        return [value for value in found if isinstance(value, Current)]

    def _load(self, s: Load, loops: tuple[Index, ...]) -> None:
        if not _is_edge(s.guard):
            return
        for n, temp in enumerate(s.temps):
            index = self._index(s.index, n)
            if isinstance(s.array, GlobalArray):
                self._values[temp] = Element(s.array, index)
            else:
                self._note(temp, self._from_staging(s.array, index, loops, own=False))

    def _read(self, e: Read, loops: tuple[Index, ...]) -> Element | Current:
        index = self._index(e.indices)
        return self._from_staging(e.target, index, loops, own=True) or Current(e.target, index)

    def _from_staging(
        self,
        array: SharedArray | LocalArray | Var,
        index: tuple[sympy.Expr, ...],
        loops: tuple[Index, ...],
        *,
        own: bool,
    ) -> Element | None:
        """The element that was stored there; None where several could have been."""
        found = {self._moved(one, index) for one in self._staged.get(array, ())}
        element = found.pop() if len(found) == 1 else None
        return element if element is not None and self._is_known(element, index, loops, own=own) else None

    def _moved(self, staged: Staged, index: tuple[sympy.Expr, ...]) -> Element | None:
        import sympy

        solved = _solved(staged.index, index)
        if solved is None:
            return None
        return Element(
            staged.element.array, tuple(sympy.expand(e.subs(solved, simultaneous=True)) for e in staged.element.index)
        )

    def _stage(self, array: Any, index: tuple[sympy.Expr, ...], element: Element | None) -> None:
        if element is not None:
            self._staged.setdefault(array, []).append(Staged(index, element))

    # -------------------------------------------------------------- statements

    def _assign(self, s: Assign) -> None:
        index = self._index(s.indices)
        factors = self._added(s.value, s.target, index)
        if factors is not None:
            self.found.products.append(Product(s.target, index, factors, s))
        else:
            self._stage(s.target, index, self._element(s.value))

    def _added(
        self, e: Expr, target: Var | LocalArray, index: tuple[sympy.Expr, ...]
    ) -> tuple[Element, Element] | None:
        """Factors of a product that is added to what the target holds."""
        match e:
            case Binary(op="add", a=held, b=Binary(op="mul", a=a, b=b)):
                pass
            case Fma(a=a, b=b, c=held):
                pass
            case _:
                return None
        current = self._values.get(held) if isinstance(held, Temp) else None
        left, right = self._element(a), self._element(b)
        if current != Current(target, index) or left is None or right is None:
            return None
        return left, right

    def _store(self, s: Store) -> None:
        for n, value in enumerate(s.values):
            index = self._index(s.index, n)
            if isinstance(s.array, SharedArray):
                self._stage(s.array, index, self._element(value))
            else:
                sums = self._sums(value)
                self.found.stored += [(Element(s.array, index), one) for one in sums[:1]]

    def _copy(self, s: CopyAsync) -> None:
        import sympy

        if not _is_edge(s.guard):
            return
        along = self._symbols.setdefault(
            Temp(-1 - next(self._number), DType.I32), sympy.Symbol(f"part{len(self._symbols)}")
        )
        self._stage(s.array, self._index(s.index, along), Element(s.source, self._index(s.source_index, along)))
