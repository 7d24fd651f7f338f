"""Which values are written where they are used: those used once, where nothing is changed by waiting until then.

A load or shuffle must run as often as before, and no store, barrier, loop or
branch may come between; a register read may move to wherever its variable
still has that value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from gpusim.lang.emit.named import Names
from gpusim.lang.rewrite import defined
from gpusim.lang.tree import (
    Assign,
    Atomic,
    Barrier,
    Binary,
    Cast,
    CopyAsync,
    CopyWait,
    DType,
    Expr,
    For,
    GlobalArray,
    If,
    Let,
    Load,
    LoadMatrices,
    LocalArray,
    Mma,
    Read,
    Select,
    SharedArray,
    Shuffle,
    Stmt,
    Store,
    Temp,
    Var,
    children,
    operands,
    statements,
)


class How(Enum):
    """How often a statement evaluates a part of it each time it runs."""

    ONCE = auto()
    GUARDED = auto()  # where the store's guard holds
    MAYBE = auto()
    AGAIN = auto()  # every iteration


class Use(NamedTuple):
    """Where a temp is used."""

    statement: Stmt
    how: How


@dataclass
class Footprint:
    """What a value depends on besides its operands."""

    places: set[Var | LocalArray] = field(default_factory=set)
    arrays: set[GlobalArray | SharedArray] = field(default_factory=set)
    loads: int = 0
    exchanges: bool = False

    @property
    def is_register(self) -> bool:
        """Whether it can be read again, or not at all, without a trace."""
        return not self.loads and not self.exchanges

    def add(self, other: Footprint) -> None:
        """Depend on what ``other`` depends on too."""
        self.places |= other.places
        self.arrays |= other.arrays
        self.loads += other.loads
        self.exchanges |= other.exchanges


def inlined(body: Sequence[Stmt], names: Names) -> dict[int, Stmt]:
    """The statement that defines each temp to be written in place, by the temp's id."""
    return _Inliner(body, names).found


class _Inliner:
    def __init__(self, body: Sequence[Stmt], names: Names) -> None:
        self.names = names
        self.uses: dict[Temp, list[Use]] = {}
        for s in statements(body):
            for temp, how in _temps_of(s):
                self.uses.setdefault(temp, []).append(Use(s, how))
        self.values: dict[Expr, Expr] = {s.temp: s.value for s in statements(body) if isinstance(s, Let)}
        self.found: dict[int, Stmt] = {}
        self.footprints: dict[int, Footprint] = {}
        self._block(body)

    def _block(self, body: Sequence[Stmt]) -> None:
        place = {id(s): number for number, s in enumerate(body)}
        for number, s in enumerate(body):
            if isinstance(s, For):
                self._block(s.body)
            elif isinstance(s, If):
                self._block(s.then)
                self._block(s.orelse)
            else:
                self._consider(s, number, body, place)

    def _consider(self, s: Stmt, number: int, body: Sequence[Stmt], place: dict[int, int]) -> None:
        use = self._only_use(s)
        if use is None or place.get(id(use.statement), -1) <= number:
            return
        footprint = self._footprint(s)
        between = body[number + 1 : place[id(use.statement)]]
        if self._may_wait(s, use, footprint) and not any(_disturbs(other, footprint) for other in between):
            first = defined(s)[0]
            self.found[first.id], self.footprints[first.id] = s, footprint

    def _only_use(self, s: Stmt) -> Use | None:
        """The one place that takes what ``s`` defines; None if there are more, or it has a name."""
        temps = defined(s)
        named = self.names.temps if len(temps) == 1 else self.names.vectors
        if not temps or isinstance(s, Atomic) or temps[0].id in named:
            return None
        uses = [use for t in temps for use in self.uses.get(t, ())]
        if len(uses) != len(temps) or (len(temps) > 1 and stored_whole(uses[0].statement) != temps):
            return None
        return uses[0]

    def _footprint(self, s: Stmt) -> Footprint:
        own = Footprint()
        match s:
            case Let(value=Read(target=target)):
                own.places.add(target)
            case Load(array=array):
                own.arrays.add(array)
                own.loads = 1
            case Shuffle():
                own.exchanges = True
        for temp, _ in _temps_of(s):
            if temp.id in self.footprints:
                own.add(self.footprints[temp.id])
        return own

    def _may_wait(self, s: Stmt, use: Use, footprint: Footprint) -> bool:
        """Whether ``s`` runs where it is used just when it would run where it stands, or nobody can tell."""
        if use.how is How.ONCE or (use.how is not How.AGAIN and footprint.is_register):
            return True
        if use.how is not How.GUARDED or not isinstance(s, Load) or footprint.exchanges or footprint.loads > 1:
            return False
        guard = use.statement.guard if isinstance(use.statement, Store) else None
        return self._conditions(guard) <= self._conditions(s.guard)

    def _conditions(self, guard: Expr | None) -> set[Expr]:
        """Conditions that must all hold for ``guard`` to."""
        match guard:
            case None:
                return set()
            case Temp() if guard in self.values:
                return self._conditions(self.values[guard])
            case Binary(op="and", a=a, b=b):
                return self._conditions(a) | self._conditions(b)
        return {guard}


def stored_whole(s: Stmt) -> tuple[Temp, ...]:
    """The temps that a store stores just as they were loaded; nothing if any is not."""
    values = tuple(as_loaded(v) for v in s.values) if isinstance(s, Store) else ()
    temps = tuple(v for v in values if isinstance(v, Temp))
    return temps if len(temps) == len(values) else ()


def as_loaded(e: Expr) -> Expr:
    """``e`` without conversions of a narrow number to f32 and back."""
    match e:
        case Cast(a=Cast(a=Temp() as temp, dtype=DType.F32), dtype=dtype) if temp.dtype is dtype:
            return temp
    return e


def _disturbs(s: Stmt, footprint: Footprint) -> bool:
    """Whether ``s`` may change a value, or be changed by its being computed later."""
    if isinstance(s, (For, If)) and not footprint.is_register:
        return True
    return any(_changes(inner, footprint) for inner in statements([s]))


def _changes(s: Stmt, footprint: Footprint) -> bool:
    match s:
        case Assign(target=target):
            return target in footprint.places
        case Store(array=array) | Atomic(array=array) | CopyAsync(array=array):
            return array in footprint.arrays
        case LoadMatrices(fragments=fragments):
            return any(fragment.array in footprint.places for fragment in fragments)
        case Mma(sums=sums):
            return sums.array in footprint.places
        case Barrier() | CopyWait():
            return not footprint.is_register
    return False


# ------------------------------------------------------------------ how often each temp of a statement is evaluated


def _temps_of(s: Stmt) -> Iterator[tuple[Temp, How]]:
    match s:
        case Load(guard=guard, index=index, other=other):
            inside = How.ONCE if guard is None else How.MAYBE
            yield from _each((guard,), How.ONCE)
            yield from _each((*index, other), inside)
        case Store(guard=guard, index=index, values=values):
            inside = How.ONCE if guard is None else How.GUARDED
            yield from _each((guard,), How.ONCE)
            yield from _each((*index, *values), inside)
        case For(start=start, stop=stop, step=step):
            yield from _each((start,), How.ONCE)
            yield from _each((stop, step), How.AGAIN)
        case _:
            yield from _each(operands(s), How.ONCE)


def _each(expressions: Iterable[Expr | None], how: How) -> Iterator[tuple[Temp, How]]:
    for e in expressions:
        if e is not None:
            yield from _temps_in(e, how)


def _temps_in(e: Expr, how: How) -> Iterator[tuple[Temp, How]]:
    """Temps of ``e``; the second operand of ``&&`` and ``||`` and both of ``? :`` may be left out."""
    sometimes = how if how is How.AGAIN else How.MAYBE
    match e:
        case Temp():
            yield e, how
        case Select(c=c, a=a, b=b):
            yield from _temps_in(c, how)
            yield from _each((a, b), sometimes)
        case Binary(op="and" | "or", a=a, b=b, dtype=DType.PRED):
            yield from _temps_in(a, how)
            yield from _temps_in(b, sometimes)
        case _:
            yield from _each(children(e), how)
