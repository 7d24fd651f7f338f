"""Statements that go to tensor cores, and copies beside the threads, as effects in order."""

from __future__ import annotations

from itertools import product

from gpusim.isa.variants import Mma as Variant
from gpusim.lang.description_errors import DescriptionError
from gpusim.lang.lower import bind, real
from gpusim.lang.lower.accesses import Accesses
from gpusim.lang.lower.expressions import KIND
from gpusim.lang.lower.regions import Access, AsyncCopy, Groups, Product
from gpusim.lang.lower.values import F32, SUM, U32, Node
from gpusim.lang.tree import (
    Const,
    CopyAsync,
    CopyCommit,
    CopyWait,
    DType,
    Expr,
    Fragment,
    LoadMatrices,
    LocalArray,
    Mma,
    Var,
)

Place = tuple[int, tuple[int, ...]]  # a variable, or an element of a local array

MATRIX_ROW = 16  # bytes
REGISTERS = 4  # that four matrices take
MOST_GROUPS = 63  # that a wait can name: DEPBAR has six bits for them
PRODUCTS = {
    DType.F16: Variant.F16_16816_F32, DType.BF16: Variant.BF16_16816_F32, DType.F32: Variant.TF32_1688_F32,
}  # fmt: skip


class Matrices(Accesses):
    """What a description does with fragments and asynchronous copies.

    Attributes
    ----------
    held : dict
        Values of variables and of elements of local arrays.
    """

    held: dict[Place, Node]

    def place(self, target: Var | LocalArray, indices: tuple[Expr, ...]) -> Place:
        """Which variable, or element of a local array, is meant."""
        nodes = [self.value(i) for i in indices]
        if not all(n.is_const for n in nodes):
            raise DescriptionError(
                f"{target.name} lives in registers: its index must be known once tiles are bound; "
                "loop with gl.unroll, or use gl.shared"
            )
        place = tuple(int(n.value) for n in nodes)
        extents = self._extents(target) if isinstance(target, LocalArray) else ()
        if not all(0 <= i < extent for i, extent in zip(place, extents, strict=True)):
            raise DescriptionError(f"{target.name}[{', '.join(map(str, place))}] is out of bounds")
        return id(target), place

    def places(self, target: LocalArray) -> list[tuple[int, ...]]:
        """Indices of all elements of a local array."""
        return list(product(*map(range, self._extents(target))))

    def _extents(self, target: LocalArray) -> tuple[int, ...]:
        return tuple(int(self.value(e).value) for e in target.shape)

    def _registers(self, fragment: Fragment) -> list[Place]:
        """Where a fragment's registers are, in order."""
        words = self._extents(fragment.array)[-1]
        return [self.place(fragment.array, (*fragment.indices, Const(k, DType.I32))) for k in range(words)]

    def _held(self, fragment: Fragment) -> tuple[Node, ...]:
        """What a fragment's registers hold."""
        zero = self.g.const(0, KIND[fragment.array.dtype])
        return tuple(self.held.get(place) or zero for place in self._registers(fragment))

    # ---------------------------------------------------------- statements

    def load_matrices(self, stmt: LoadMatrices) -> None:
        """Four matrices from shared memory, unless they are at hand."""
        array, how = self.arrays[stmt.array], "transpose" if stmt.transpose else "matrices"
        index = self.place_in(stmt.array, stmt.index)
        key = (array, index, MATRIX_ROW, None, (), how)
        results = self.loaded.get(key)
        if results is None:
            results = tuple(self.g.fresh("def", U32, depth=self.depth) for _ in range(REGISTERS))
            self.items.append(Access("matrices", array, index, MATRIX_ROW, stmt.line, results, op=how))
            self.loaded[key] = results
        places = [place for fragment in stmt.fragments for place in self._registers(fragment)]
        self.held.update(zip(places, results, strict=True))

    def mma(self, stmt: Mma) -> None:
        """A product, added to what the accumulator holds."""
        a, b, sums = (self._held(fragment) for fragment in (stmt.a, stmt.b, stmt.sums))
        if stmt.kind is DType.E4M3:
            results = self._octets(stmt, a, b, sums)
        else:
            results = self._product(PRODUCTS[stmt.kind], a, b, sums, stmt.line)
        self.held.update(zip(self._registers(stmt.sums), results, strict=True))

    def _product(
        self, variant: Variant, a: tuple[Node, ...], b: tuple[Node, ...], sums: tuple[Node, ...], line: int
    ) -> tuple[Node, ...]:
        results = tuple(self.g.fresh("def", F32, attr=SUM, depth=self.depth) for _ in sums)
        self.items.append(Product(variant, results, a, b, sums, line))
        return results

    def _octets(self, stmt: Mma, a: tuple[Node, ...], b: tuple[Node, ...], sums: tuple[Node, ...]) -> tuple[Node, ...]:
        """Products of 8-bit floats: of the lower pairs as fp16, then of the upper ones; what was there is added last.

        This is what ptxas makes of them for sm_90 (NVRTC 13.0, mma.m16n8k32 of e4m3).
        """
        total = tuple(self.g.const(0.0, F32) for _ in sums)
        for half in (0, 1):
            x, y = (tuple(self._unpacked(n, stmt.kind, half) for n in nodes) for nodes in (a, b))
            total = self._product(Variant.F16_16816_F32, x, y, total, stmt.line)
        return tuple(real.fadd(self.g, old, new) for old, new in zip(sums, total, strict=True))

    def _unpacked(self, word: Node, kind: DType, half: int) -> Node:
        """Two 8-bit floats of a register as fp16."""
        return self.g.make("unpack", word, attr=(kind.value, half), dtype=U32)

    def copy_async(self, stmt: CopyAsync) -> None:
        """A copy from global to shared memory that passes registers by."""
        source, to = self.arrays[stmt.source], self.arrays[stmt.array]
        guard = None if stmt.guard is None else self.value(stmt.guard)
        if guard is not None and guard.is_const and guard.value:
            guard = None
        at, index = self.place_in(stmt.array, stmt.index), self.place_in(stmt.source, stmt.source_index)
        reads = Access("load", source, index, stmt.nbytes, stmt.line, guard=guard)
        writes = Access("store", to, at, stmt.nbytes, stmt.line)
        self.forget(lambda other: other is to)
        self.items.append(AsyncCopy(reads, writes, stmt.line))

    def copy_groups(self, stmt: CopyCommit | CopyWait) -> None:
        """The end of a group of copies, or a wait for groups."""
        left = bind.constant_of(stmt.left, self.value.tiles, "gl.copy_wait") if isinstance(stmt, CopyWait) else None
        if left is not None and not 0 <= left <= MOST_GROUPS:
            raise DescriptionError(f"gl.copy_wait({left}); 0 to {MOST_GROUPS} groups can be under way")
        if left is not None:
            self.forget(lambda array: not array.readonly)
        self.items.append(Groups(left, stmt.line))
