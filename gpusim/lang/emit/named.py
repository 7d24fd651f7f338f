"""Values that the description names become statements of their own, where it names them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from gpusim.lang.rewrite import changed, defined, rebuilt
from gpusim.lang.tree import (
    Cast,
    Expr,
    For,
    If,
    Index,
    Let,
    Load,
    Shuffle,
    Stmt,
    Temp,
    Tree,
    children,
    leaves,
    operands,
    statements,
)

Known = dict[Expr, Temp]
Visible = frozenset[Expr]


class Names(NamedTuple):
    """Names that the description has for temps (by id), and for vectors of them (by the id of the first)."""

    temps: dict[int, str]
    vectors: dict[int, str]


def with_names(tree: Tree) -> tuple[list[Stmt], Names]:
    """The body with a Let for each named value that is used, values that are not used left out; and the names."""
    naming = _Naming(tree)
    body = naming.block(tree.body, {}, frozenset())
    return _needed(body), Names(naming.temps, naming.vectors)


def _size(e: Expr) -> int:
    return 1 + sum(map(_size, children(e)))


class _Naming:
    def __init__(self, tree: Tree) -> None:
        self.temps: dict[int, str] = {}
        self.vectors: dict[int, str] = {}
        ids = [t.id for s in statements(tree.body) for t in defined(s)]
        self._next = max(ids, default=-1) + 1

    def block(self, body: Iterable[Stmt], known: Known, visible: Visible) -> list[Stmt]:
        """``body`` rewritten over the named values ``known``; temps and indices in ``visible`` exist."""
        known, made = dict(known), list[Stmt]()
        for s in body:
            for name, value in s.names:
                if isinstance(value, tuple):
                    self._vector(name, value)
            named = [(name, e) for name, e in s.names if isinstance(e, Expr)]
            for name, e in sorted(named, key=lambda item: _size(item[1])):
                made += self._define(name, e, s.line, known, visible)
            made.append(self._statement(s, known, visible))
            visible = visible.union(defined(s))
        return made

    def _vector(self, name: str, values: tuple[Expr, ...]) -> None:
        first = values[0].a if isinstance(values[0], Cast) else values[0]
        if isinstance(first, Temp):
            self.vectors.setdefault(first.id, name)

    def _define(self, name: str, e: Expr, line: int, known: Known, visible: Visible) -> list[Stmt]:
        """Make ``name`` known for ``e``: by a statement, unless a temp has that value already."""
        if isinstance(e, Temp):
            self.temps.setdefault(e.id, name)
            return []
        if e in known or not all(leaf in visible for leaf in leaves(e) if isinstance(leaf, (Temp, Index))):
            return []
        temp = Temp(self._next, e.dtype)
        self._next += 1
        value = _rewritten(e, known)
        known[e] = temp
        self.temps[temp.id] = name
        return [Let(line, temp, value)]

    def _statement(self, s: Stmt, known: Known, visible: Visible) -> Stmt:
        s = changed(s, lambda e: _rewritten(e, known))
        if isinstance(s, For):
            return replace(s, body=self.block(s.body, known, visible | {s.index}))
        if isinstance(s, If):
            return replace(s, then=self.block(s.then, known, visible), orelse=self.block(s.orelse, known, visible))
        return s


def _rewritten(e: Expr, known: Known) -> Expr:
    found = known.get(e)
    return found if found is not None else rebuilt(e, lambda part: _rewritten(part, known))


# ------------------------------------------------------------------ what is not used


def _needed(body: list[Stmt]) -> list[Stmt]:
    """``body`` without values that nothing uses, and what only they used."""
    used: set[Expr] = set()
    before = -1
    while before != len(used):
        before = len(used)
        for s in statements(body):
            if not _is_idle(s, used):
                used.update(leaf for e in operands(s) for leaf in leaves(e))
    return _without_idle(body, used)


def _is_idle(s: Stmt, used: set[Expr]) -> bool:
    return isinstance(s, (Let, Load, Shuffle)) and used.isdisjoint(defined(s))


def _without_idle(body: list[Stmt], used: set[Expr]) -> list[Stmt]:
    kept = []
    for s in body:
        if _is_idle(s, used):
            continue
        if isinstance(s, For):
            s = replace(s, body=_without_idle(s.body, used))
        elif isinstance(s, If):
            s = replace(s, then=_without_idle(s.then, used), orelse=_without_idle(s.orelse, used))
        kept.append(s)
    return kept
