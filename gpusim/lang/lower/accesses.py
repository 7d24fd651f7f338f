"""Statements that touch memory or other lanes, as effects in order.

Loads that would fetch again what is known already are not made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gpusim.hardware.programming import Limits
from gpusim.lang.lower import bind, integer, logic
from gpusim.lang.lower.expressions import KIND, Expressions
from gpusim.lang.lower.regions import Access, Array, Exchange, Item
from gpusim.lang.lower.swizzled import exchanged
from gpusim.lang.lower.values import PRED, U32, Graph, Node
from gpusim.lang.swizzle import turn
from gpusim.lang.tree import Atomic, Expr, GlobalArray, Load, SharedArray, Shuffle, Store, Tree

# Number and offset of each array, as in Array.
Places = Mapping[GlobalArray | SharedArray, tuple[int, int]]

# array, index, bytes, guard, words instead, cache operator
LoadKey = tuple[Array, Node, int, Node | None, tuple[Node, ...], str]

WORD = 4  # bytes of a register


class Accesses:
    """What a description has done so far, and how its memory statements add to it.

    Attributes
    ----------
    items : list of Item
        Effects of the region being built.
    guard : Node or None
        Condition of the branch whose statements are being predicated.
    depth : int
        Loops around this point.
    loaded : dict
        Registers that hold what a load, by its key, would fetch.
    """

    def __init__(self, tree: Tree, tiles: Mapping[str, int], g: Graph, arrays: Places, limits: Limits) -> None:
        self.tree, self.g = tree, g
        self.value = Expressions(g, tiles, bind.block_shape(tree, tiles), limits)
        memories: tuple[GlobalArray | SharedArray, ...] = (*tree.globals, *tree.shared)
        self.arrays = {a: self._array(a, *arrays[a]) for a in memories}
        self.items: list[Item] = []
        self.guard: Node | None = None
        self.depth = 0
        self.loaded: dict[LoadKey, tuple[Node, ...]] = {}

    def _array(self, a: GlobalArray | SharedArray, number: int, offset: int) -> Array:
        strides: list[Node] = [self.g.integer(1)]
        for extent in reversed(a.shape[1:]):
            strides.insert(0, integer.mul(self.g, strides[0], self.value(extent)))
        space = "global" if isinstance(a, GlobalArray) else "shared"
        readonly = isinstance(a, GlobalArray) and a.intent == "in"
        nbytes = bind.element_bytes(a.dtype)
        return Array(a.name, space, a.dtype.value, nbytes, number, offset, tuple(strides), readonly)

    def place_in(self, memory: GlobalArray | SharedArray, index: tuple[Expr, ...]) -> Node:
        """Number of an element of an array."""
        moved = turn(memory, index, self.value.tiles)
        total = self.g.integer(0)
        for axis, (e, stride) in enumerate(zip(index, self.arrays[memory].strides, strict=True)):
            node = self.value(e)
            if moved is not None and axis == len(index) - 1:
                node = exchanged(self.g, node, self.value(moved))
            total = integer.add(self.g, total, integer.mul(self.g, node, stride))
        return total

    def guarded(self, guard: Expr | None) -> Node | None:
        """The statement's guard and the branch's around it; None where always true."""
        node = None if guard is None else self.value(guard)
        if node is None:
            node = self.guard
        elif self.guard is not None:
            node = logic.both(self.g, self.guard, node)
        return None if node is not None and node.is_const and node.value else node

    def load(self, stmt: Load) -> None:
        """A load, unless what it would fetch is at hand."""
        array = self.arrays[stmt.array]
        index, guard = self.place_in(stmt.array, stmt.index), self.guarded(stmt.guard)
        other = None if stmt.other is None else self.value(stmt.other)
        if guard is not None and guard.is_const:
            self._define(stmt, [other or self.g.const(0, KIND[t.dtype]) for t in stmt.temps])
            return
        words = self._words(array, [other] * len(stmt.temps)) if other is not None and guard is not None else []
        width = array.nbytes * len(stmt.temps)
        key = (array, index, width, guard, tuple(words), stmt.cache)
        results = self.loaded.get(key)
        if results is None:
            kind = U32 if array.nbytes < WORD else KIND[stmt.temps[0].dtype]
            results = tuple(self.g.fresh("def", kind, depth=self.depth) for _ in range(max(width // WORD, 1)))
            self.items.append(
                Access("load", array, index, width, stmt.line, results, (), guard, tuple(words), stmt.cache)
            )
            self.loaded[key] = results
        self._define(stmt, self._elements(array, results, len(stmt.temps)))

    def _define(self, stmt: Load, values: list[Node]) -> None:
        for temp, node in zip(stmt.temps, values, strict=True):
            self.value.temps[temp.id] = node

    def _elements(self, array: Array, words: tuple[Node, ...], count: int) -> list[Node]:
        if array.nbytes == WORD:
            return list(words)
        per = WORD // array.nbytes
        return [self.value.widen(words[i // per], array.dtype, i % per) for i in range(count)]

    def _words(self, array: Array, values: list[Node]) -> list[Node]:
        """Registers that hold ``values`` as they are in memory."""
        if array.nbytes == WORD:
            return [logic.as_number(self.g, v) if v.dtype == PRED else v for v in values]
        per = WORD // array.nbytes
        return [self.value.pack(values[i : i + per], array.dtype) for i in range(0, len(values), per)]

    def store(self, stmt: Store) -> None:
        """A store; loads of its array are stale from here on."""
        array = self.arrays[stmt.array]
        index, guard = self.place_in(stmt.array, stmt.index), self.guarded(stmt.guard)
        if guard is not None and guard.is_const:
            return
        values = self._words(array, [self.value(v) for v in stmt.values])
        width = array.nbytes * len(stmt.values)
        self.forget(lambda other: other is array)
        self.items.append(Access("store", array, index, width, stmt.line, values=tuple(values), guard=guard))

    def atomic(self, stmt: Atomic) -> None:
        """An atomic update."""
        array = self.arrays[stmt.array]
        result = self.g.fresh("def", KIND[stmt.temp.dtype], depth=self.depth)
        self.value.temps[stmt.temp.id] = result
        self.forget(lambda other: other is array)
        values = tuple(self._words(array, [self.value(stmt.value)]))
        index = self.place_in(stmt.array, stmt.index)
        self.items.append(
            Access("atomic", array, index, array.nbytes, stmt.line, (result,), values, self.guard, op=stmt.op)
        )

    def shuffle(self, stmt: Shuffle) -> None:
        """A value from another lane."""
        result = self.g.fresh("def", KIND[stmt.temp.dtype], depth=self.depth)
        self.value.temps[stmt.temp.id] = result
        self.items.append(Exchange(stmt.kind, result, self.value(stmt.value), self.value(stmt.lane), stmt.line))

    def forget(self, which: Callable[[Array], bool]) -> None:
        """Loads of arrays that ``which`` picks can no longer be reused."""
        self.loaded = {key: value for key, value in self.loaded.items() if not which(key[0])}
