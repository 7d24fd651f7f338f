"""The same counts with numbers: by running through the points that matter, or through every thread."""

from __future__ import annotations

import itertools
from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gpusim.lang.count_closed import Literal, parts
from gpusim.lang.description_errors import DescriptionError
from gpusim.lang.evaluate import evaluate
from gpusim.lang.tree import (
    Assign,
    Atomic,
    CopyAsync,
    Expr,
    For,
    GlobalArray,
    If,
    Index,
    Let,
    Load,
    Read,
    Special,
    Stmt,
    Store,
    Temp,
    Tree,
    Var,
    leaves,
    statements,
)

CHUNK = 1 << 21  # points looked at together
Binding = Mapping[Any, Any]
Key = Special | Index


def points(tree: Tree, loops: Sequence[For], conditions: Iterable[Literal], binding: Mapping[str, Any]) -> int:
    """Exact number of (thread, loop pass) points that meet the conditions.

    Only axes that a condition mentions are run through; the others multiply.

    Raises
    ------
    DescriptionError
        Where a condition or loop bound depends on data.
    """
    grid = _Points(tree, binding)
    for loop in loops:
        grid.add_loop(loop)
    for condition in conditions:
        for e, line in parts(*condition):
            grid.require(e, line)
    return grid.count()


class _Points:
    """Axes with numbers for extents, and what ties them."""

    def __init__(self, tree: Tree, binding: Mapping[str, Any]) -> None:
        self._binding: dict[Any, Any] = dict(binding)
        self._extents: dict[Key, int] = {}
        self._loops: dict[Key, For] = {}
        self._ties: list[tuple[set[Key], Expr | For]] = []
        for kind, count, shape in (("ctaid", "nctaid", tree.grid), ("tid", "ntid", tree.block)):
            for letter, extent in zip("xyz", shape, strict=True):
                self._binding[f"{count}.{letter}"] = n = int(evaluate(extent, binding))
                self._extents[Special(f"{kind}.{letter}")] = n

    def axes(self, *expressions: Expr) -> set[Key]:
        """Axes that the expressions' values depend on."""
        found: set[Key] = set()
        for leaf in (leaf for e in expressions for leaf in leaves(e)):
            if isinstance(leaf, Index):
                loop = self._loops[leaf]
                found |= {leaf} | self.axes(loop.start, loop.stop, loop.step)
            elif isinstance(leaf, Special) and leaf.name in ("laneid", "warpid"):
                found |= {Special("tid.x"), Special("tid.y"), Special("tid.z")}
            elif isinstance(leaf, Special) and leaf in self._extents:
                found.add(leaf)
        return found

    def add_loop(self, loop: For) -> None:
        """Add the passes of a loop, as many as its longest run has."""
        _check_known((loop.start, loop.stop, loop.step), loop.line)
        tied = self.axes(loop.start, loop.stop, loop.step)
        most = 0
        for values in self._blocks(tied):
            most = max(most, int(np.max(_trips(loop, values))))
        self._loops[loop.index] = loop
        self._extents[loop.index] = most
        if tied:
            self._ties.append((tied | {loop.index}, loop))

    def require(self, e: Expr, line: int) -> None:
        """Count only points where ``e`` holds."""
        _check_known((e,), line)
        self._ties.append((self.axes(e), e))

    def count(self) -> int:
        """Number of points that meet everything required."""
        total = 1
        for axes, ties in self._components():
            if not ties:
                total *= self._extents[next(iter(axes))]
            else:
                total *= sum(self._met(ties, values) for values in self._blocks(axes))
        return total

    def _met(self, ties: Sequence[Expr | For], values: Binding) -> int:
        shape = values[None]
        met = np.ones(shape, bool)
        for tie in ties:
            met &= self._exists(tie, values) if isinstance(tie, For) else np.asarray(evaluate(tie, values), bool)
        return int(np.count_nonzero(met))

    def _exists(self, loop: For, values: Binding) -> Any:
        return values["pass", loop.index] < _trips(loop, values)

    def _components(self) -> list[tuple[set[Key], list[Expr | For]]]:
        groups: list[tuple[set[Key], list[Expr | For]]] = [({axis}, []) for axis in self._extents]
        for axes, tie in self._ties:
            joined: tuple[set[Key], list[Expr | For]] = (set(axes), [tie])
            for group in [g for g in groups if g[0] & axes]:
                groups.remove(group)
                joined = (joined[0] | group[0], group[1] + joined[1])
            groups.append(joined)
        return groups

    def _blocks(self, axes: set[Key]) -> Iterator[dict[Any, Any]]:
        """All values of ``axes``, in arrays that broadcast together, some CHUNK points at a time."""
        order = [axis for axis in self._extents if axis in axes]
        extents = [self._extents[axis] for axis in order]
        steps = [max(1, extent) for extent in extents]
        while np.prod(steps, dtype=object) > CHUNK:
            longest = int(np.argmax(steps))
            steps[longest] = -(-steps[longest] // 2)
        cuts = [range(0, extent, step) for extent, step in zip(extents, steps, strict=True)]
        for starts in itertools.product(*cuts):
            ranges = [
                np.arange(start, min(start + step, extent))
                for start, step, extent in zip(starts, steps, extents, strict=True)
            ]
            yield self._bound(order, np.ix_(*ranges) if ranges else ())

    def _bound(self, order: Sequence[Key], arrays: Sequence[np.ndarray]) -> dict[Any, Any]:
        values = dict(self._binding)
        for axis, array in zip(order, arrays, strict=True):
            if isinstance(axis, Special):
                values[axis.name] = array
            else:
                loop = self._loops[axis]
                start = evaluate(loop.start, values)
                values["pass", axis] = array
                values[axis] = start << array if loop.geometric else start + evaluate(loop.step, values) * array
        values.setdefault("tid.x", 0), values.setdefault("tid.y", 0), values.setdefault("tid.z", 0)
        _bind_warp(values)
        values[None] = np.broadcast_shapes(*(a.shape for a in arrays))
        return values


def _bind_warp(values: dict[Any, Any]) -> None:
    thread = values["tid.x"] + values["ntid.x"] * (values["tid.y"] + values["ntid.y"] * values["tid.z"])
    values["laneid"], values["warpid"] = thread % 32, thread // 32


def _trips(loop: For, values: Binding) -> Any:
    """Passes of ``loop``, element by element."""
    start, stop, step = (evaluate(e, values) for e in (loop.start, loop.stop, loop.step))
    if not loop.geometric:
        return np.maximum(0, -((start - stop) // step))
    trips, value = np.zeros(np.broadcast_shapes(np.shape(start), np.shape(stop)), np.int64), np.asarray(start)
    while np.any(more := (value < stop) & (value > 0)):
        trips, value = trips + more, 2 * value
    return trips


def _check_known(expressions: Iterable[Expr], line: int) -> None:
    for leaf in (leaf for e in expressions for leaf in leaves(e)):
        if isinstance(leaf, (Temp, Read)) or leaf == Special("smid"):
            raise DescriptionError(f"line {line}: how often this runs depends on data; counting knows none")


# ------------------------------------------------------------------ every thread of the grid


def count_by_enumeration(tree: Tree, **params: Any) -> dict[str, tuple[int, int]]:
    """Elements of each global array loaded and stored, by following every thread of the grid.

    Slow and simple: this is what the formulas are checked against.  Integer variables are followed too, so it also
    counts kernels whose loops or branches depend on one.

    Parameters
    ----------
    tree : Tree
    **params
        Sizes, tiles and scalars.

    Returns
    -------
    dict of str to (int, int)
    """
    threads = follow(tree, params)
    loaded, stored = Tally[str](), Tally[str]()
    for s in statements(tree.body):
        for tally, array, width in accesses(s):
            (loaded if tally == "load" else stored)[array.name] += threads[id(s)] * width
    return {a.name: (loaded[a.name], stored[a.name]) for a in tree.globals}


def accesses(s: Stmt) -> Iterator[tuple[str, GlobalArray, int]]:
    """Global accesses of one statement: ``load`` or ``store``, the array, and elements a thread."""
    if isinstance(s, (Load, Store, Atomic)) and isinstance(s.array, GlobalArray):
        if isinstance(s, Load):
            yield "load", s.array, len(s.temps)
        elif isinstance(s, Store):
            yield "store", s.array, len(s.values)
        else:
            yield "load", s.array, 1
            yield "store", s.array, 1
    elif isinstance(s, CopyAsync):
        yield "load", s.source, s.count


def follow(tree: Tree, params: Mapping[str, Any]) -> Tally[int]:
    """How many threads run each statement (by ``id``), summed over its runs; guarded accesses only where they occur."""
    tally = Tally[int]()
    shape = {"ctaid": tree.grid, "tid": tree.block}
    grid, block = (tuple(int(evaluate(e, params)) for e in shape[kind]) for kind in ("ctaid", "tid"))
    threads, blocks = int(np.prod(block)), int(np.prod(grid))
    at_once = max(1, CHUNK // (8 * threads))
    for first in range(0, blocks, at_once):
        number = np.arange(first, min(first + at_once, blocks))
        values = dict(params)
        for kind, count, extents, flat in (
            ("ctaid", "nctaid", grid, np.repeat(number, threads)),
            ("tid", "ntid", block, np.tile(np.arange(threads), len(number))),
        ):
            for letter, extent in zip("xyz", extents, strict=True):
                values[f"{kind}.{letter}"], values[f"{count}.{letter}"] = flat % extent, extent
                flat = flat // extent
        _bind_warp(values)
        _Follower(values, tally).run(tree.body, np.ones(threads * len(number), bool))
    return tally


class _Follower:
    """Threads running side by side, each with its own mask bit."""

    def __init__(self, values: dict[Any, Any], tally: Tally[int]) -> None:
        self._values, self._tally = values, tally
        self._variables: dict[Var, Any] = {}

    def run(self, body: Iterable[Stmt], mask: np.ndarray) -> None:
        """Run ``body`` in the threads of ``mask``."""
        for s in body:
            guard = getattr(s, "guard", None)
            self._tally[id(s)] += int(np.count_nonzero(mask if guard is None else mask & self._value(guard)))
            match s:
                case Let(temp=temp, value=Read(target=Var() as target)):
                    self._note(temp, self._variables.get(target))
                case Assign(target=Var() as target):
                    self._assign(target, s.value, mask)
                case For():
                    self._loop(s, mask)
                case If(cond=cond, then=then, orelse=orelse):
                    taken = self._value(cond)
                    self.run(then, mask & taken)
                    self.run(orelse, mask & ~taken)

    def _value(self, e: Expr) -> np.ndarray:
        return np.asarray(evaluate(e, self._values))

    def _note(self, temp: Temp, value: Any) -> None:
        self._values.pop(temp, None)
        if value is not None:
            self._values[temp] = value

    def _assign(self, target: Var, e: Expr, mask: np.ndarray) -> None:
        old = self._variables.get(target, 0)
        try:
            self._variables[target] = None if old is None else np.where(mask, self._value(e), old)
        except DescriptionError:  # a loaded value: unknown from here on
            self._variables[target] = None

    def _loop(self, s: For, mask: np.ndarray) -> None:
        index, stop, step = (self._value(e) for e in (s.start, s.stop, s.step))
        while np.any(active := mask & (index < stop)):
            self._values[s.index] = index
            self.run(s.body, active)
            index = index * 2 if s.geometric else index + step
