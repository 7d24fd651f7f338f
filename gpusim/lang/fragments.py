"""A warp's matrices in a description: fragments, whose elements are spread over its lanes, and what is done with them.

Which lane has which element is known here alone (source: PTX ISA, "Matrix fragments for mma.m16n8k16" and "ldmatrix").
Of a 16 x 8 accumulator lane l has, where g = l / 4 and t = l % 4, columns 2 t and 2 t + 1 of row g, then of row g + 8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gpusim.lang.description_errors import assigned_name, fail, line_here
from gpusim.lang.trace import LocalHandle, MemoryHandle, condition, current, fill, indices_of, loop, static_shape
from gpusim.lang.tree import (
    MMA_ROWS,
    Const,
    CopyAsync,
    CopyCommit,
    CopyWait,
    DType,
    Expr,
    Fragment,
    GlobalArray,
    LoadMatrices,
    LocalArray,
    Mma,
    Pair,
    SharedArray,
    Shuffle,
    Special,
)

A_WORDS, B_WORDS, SUMS, ROWS_A_LANE = 4, 2, 4, 2  # registers of a lane
MATRIX, PIECE = 8, 16  # rows of a matrix that ldmatrix loads, and bytes of each
ROW_LANES = 4  # lanes that share a row of an accumulator
ELEMENTS = {DType.F16: "gl.f16", DType.BF16: "gl.bf16", DType.E4M3: "gl.e4m3", DType.F32: "gl.f32"}
COPIED = (4, 8, 16)  # bytes that a thread copies at a time

LANE: Any = Special("laneid")
Function = Callable[..., Any]


# ------------------------------------------------------------------ arrays of fragments


class Fragments:
    """An array of fragments: ``a[i]`` is one of them."""

    __slots__ = ("_tracer", "array", "kind")

    def __init__(self, what: str, kind: DType, shape: tuple[Any, ...], words: int, dtype: DType) -> None:
        self._tracer, self.kind = current(f"gl.{what}"), kind
        if kind not in ELEMENTS:
            fail(f"gl.{what} of {getattr(kind, 'value', kind)}; tensor cores take {', '.join(ELEMENTS.values())}")
        extents = static_shape(f"gl.{what}", shape)
        name = assigned_name(what, self._tracer.names(), what[0])
        self.array = LocalArray(name, dtype, (*extents, Const(words, DType.I32)))
        self._tracer.locals.append(self.array)

    @property
    def shape(self) -> tuple[Expr, ...]:
        """How many fragments there are along each axis."""
        return self.array.shape[:-1]

    def _at(self, index: Any) -> Fragment:
        index = index if isinstance(index, tuple) else (index,)
        return Fragment(self.array, indices_of(self.array, (*index, 0))[:-1])

    def _registers(self) -> LocalHandle:
        return LocalHandle(self._tracer, self.array)


class Element:
    """One fragment of an array of them."""

    __slots__ = ("_registers", "fragment", "kind")

    def __init__(self, fragment: Fragment, kind: DType, registers: LocalHandle) -> None:
        self.fragment, self.kind, self._registers = fragment, kind, registers

    def __getitem__(self, place: Any) -> Expr:
        return self._registers[(*self.fragment.indices, place)]

    def __setitem__(self, place: Any, new: Any) -> None:
        self._registers[(*self.fragment.indices, place)] = new


class FragmentsA(Fragments):
    """Fragments of the first matrix of products: 16 rows of 32 bytes each."""

    __slots__ = ()

    def __init__(self, kind: DType, *shape: Any) -> None:
        super().__init__("fragment_a", kind, shape, A_WORDS, DType.U32)

    def __getitem__(self, index: Any) -> FragmentA:
        return FragmentA(self._at(index), self.kind, self._registers())

    def load(self, index: Any, tile: MemoryHandle, at: tuple[Any, ...]) -> None:
        """Load fragment ``index`` from shared memory: its first row begins at ``tile[at]``."""
        *before, row, column = at
        where = (*before, row + LANE % MMA_ROWS, column + LANE // MMA_ROWS * _piece(self.kind))
        _load(self.kind, (self._at(index),), tile, where, transpose=False)


class FragmentA(Element):
    """A fragment of the first matrix."""

    __slots__ = ()

    def take(self, left: Accumulator, right: Accumulator) -> None:
        """Become the 16 x 16 elements of two accumulators side by side, rounded to 16 bits."""
        if self.kind not in (DType.F16, DType.BF16):
            fail(f"take() into a fragment of {self.kind.value}; accumulators become fragments of gl.f16 or gl.bf16")
        for side, sums in enumerate((left, right)):
            for half in (0, 1):
                self[2 * side + half] = Pair(sums[2 * half], sums[2 * half + 1], self.kind)


class FragmentsB(Fragments):
    """Fragments of the second matrix of products: 8 columns of 32 bytes each."""

    __slots__ = ()

    def __init__(self, kind: DType, *shape: Any) -> None:
        super().__init__("fragment_b", kind, shape, B_WORDS, DType.U32)

    def __getitem__(self, index: Any) -> FragmentB:
        return FragmentB(self._at(index), self.kind, self._registers())

    def load(self, index: Any, tile: MemoryHandle, at: tuple[Any, ...], *, transposed: bool = False) -> None:
        """Load fragment ``index`` and the next one, 16 columns, from shared memory.

        Their first row of K begins at ``tile[at]``, at (..., k, column).  ``transposed``: the tile has a row for each
        column, and they begin at (..., column, k).
        """
        index = index if isinstance(index, tuple) else (index,)
        both = self._at(index), self._at((*index[:-1], index[-1] + 1))
        *before, row, column = at
        if transposed:
            upper, piece = LANE // (2 * MATRIX) * MATRIX, LANE // MATRIX % 2
            where = (*before, row + upper + LANE % MATRIX, column + piece * _piece(self.kind))
        else:
            where = (*before, row + LANE % MMA_ROWS, column + LANE // MMA_ROWS * MATRIX)
        _load(self.kind, both, tile, where, transpose=not transposed)


class FragmentB(Element):
    """A fragment of the second matrix."""

    __slots__ = ()


class Accumulators(Fragments):
    """Sums of products, 16 x 8 elements of f32 each; they begin as zeros."""

    __slots__ = ()

    def __init__(self, *shape: Any) -> None:
        super().__init__("accumulator", DType.F32, shape, SUMS, DType.F32)
        fill(self._tracer, self.array, Const(0.0, DType.F32))

    def __getitem__(self, index: Any) -> Accumulator:
        return Accumulator(self._at(index), self.kind, self._registers())


class Accumulator(Element):
    """16 x 8 sums."""

    __slots__ = ()

    def map(self, function: Function, rows: RowValue | None = None) -> None:
        """Make each element ``function(element, row, column)``, its place in the 16 x 8 counted from 0.

        With ``rows``, the value of its row is a fourth argument.
        """
        for half in _halves():
            for side in _sides():
                others = () if rows is None else (rows[half],)
                place = 2 * half + side
                self[place] = function(self[place], _row(half), _column(side), *others)

    def store(self, array: MemoryHandle, at: tuple[Any, ...], *, guard: Function | None = None) -> None:
        """Store to ``array``, two neighbours at a time, from ``array[at]`` on; where ``guard(row, column)`` holds.

        The last extent of ``array`` must be even, as must be the column in ``at``.
        """
        *before, top, left = at
        for half in _halves():
            row, column = top + _row(half), left + _column(0)
            where = None if guard is None else guard(row, column)
            array.store(*before, row, column, (self[2 * half], self[2 * half + 1]), guard=where)


class RowValues(Fragments):
    """A number of f32 for each row of accumulators: an array of 16 of them each, all ``init`` at first."""

    __slots__ = ()

    def __init__(self, *shape: Any, init: float = 0.0) -> None:
        super().__init__("row_values", DType.F32, shape, ROWS_A_LANE, DType.F32)
        fill(self._tracer, self.array, Const(init, DType.F32))

    def __getitem__(self, index: Any) -> RowValue:
        return RowValue(self._at(index), self.kind, self._registers())


class RowValue(Element):
    """Numbers of the 16 rows of an accumulator."""

    __slots__ = ()

    def map(self, function: Function, *others: RowValue) -> None:
        """Make each number ``function(number, ...)``, with those of ``others`` for the same row."""
        for half in _halves():
            self[half] = function(self[half], *(other[half] for other in others))

    def fold(self, function: Function, sums: Accumulator) -> None:
        """Put the elements of an accumulator that this lane has to its numbers, by ``function(number, element)``."""
        for half in _halves():
            for side in _sides():
                self[half] = function(self[half], sums[2 * half + side])

    def across(self, function: Function) -> None:
        """Join the numbers of the lanes that share a row, so that all have the number of the whole row."""
        tracer = self._registers._tracer
        for half in _halves():
            for apart in (1, 2):
                mine, theirs = self[half], tracer.temp(DType.F32)
                tracer.emit(Shuffle(line_here(), theirs, "xor", mine, Const(apart, DType.I32)))
                self[half] = function(mine, theirs)

    def store(self, array: MemoryHandle, at: tuple[Any, ...], *, guard: Function | None = None) -> None:
        """Store to ``array`` from ``array[at]`` on, where ``guard(row)`` holds; one lane of each row does."""
        *before, top = at
        for half in _halves():
            row = top + _row(half)
            first = LANE % ROW_LANES < 1
            array.store(*before, row, self[half], guard=first if guard is None else first & guard(row))


def _halves() -> Iterator[Any]:
    """The upper and the lower eight rows of an accumulator."""
    return loop("unroll", (ROWS_A_LANE,), "half")


def _sides() -> Iterator[Any]:
    """The two neighbours that a lane has in a row."""
    return loop("unroll", (2,), "side")


def _row(half: Any) -> Any:
    """Row of an accumulator, in its upper or lower half."""
    return LANE // ROW_LANES + half * MATRIX


def _column(side: Any) -> Any:
    return LANE % ROW_LANES * 2 + side


def _piece(kind: DType) -> int:
    """Elements in 16 bytes."""
    return PIECE // kind.nbytes


def _load(
    kind: DType, fragments: tuple[Fragment, ...], tile: MemoryHandle, at: tuple[Any, ...], *, transpose: bool
) -> None:
    tracer = current("load of a fragment")
    array = tile.usable("load of a fragment")
    if not isinstance(array, SharedArray):
        fail(f"a fragment loaded from {array.name}, which is in global memory; copy it to a gl.shared tile first")
    if array.dtype is not kind:
        fail(f"a fragment of {kind.value} loaded from {array.name} of {array.dtype.value}; take one type for both")
    if transpose and kind.nbytes != 2:
        fail(
            f"rows of K in {array.name} of {kind.value}: only 16-bit elements are transposed while they are loaded; "
            "keep a row for each column and say transposed=True"
        )
    tracer.emit(LoadMatrices(line_here(), fragments, array, indices_of(array, at), transpose))


def mma(sums: Accumulator, a: FragmentA, b: FragmentB) -> None:
    """``sums += a b``, by the warp's tensor core; f32 is taken as tf32."""
    tracer = current("gl.mma")
    for what, operand, kind in (("sums", sums, Accumulator), ("a", a, FragmentA), ("b", b, FragmentB)):
        if not isinstance(operand, kind):
            fail(f"{what} of gl.mma is no {kind.__name__}; it takes gl.accumulator, gl.fragment_a, gl.fragment_b")
    if a.kind is not b.kind:
        fail(f"gl.mma of fragments of {a.kind.value} and {b.kind.value}; take one type for both")
    tracer.emit(Mma(line_here(), a.kind, sums.fragment, a.fragment, b.fragment))


# ------------------------------------------------------------------ asynchronous copies


def copy_async(
    tile: MemoryHandle, at: tuple[Any, ...], source: MemoryHandle, index: tuple[Any, ...], *, vec: int,
    guard: Any = None,
) -> None:  # fmt: skip
    """Copy ``vec`` neighbours from ``source[index]`` to the shared ``tile[at]`` while the thread goes on.

    They are there once the thread has waited for their group (:func:`copy_commit`, :func:`copy_wait`), and for other
    threads after a barrier behind that.

    Parameters
    ----------
    tile, source : array
        In shared and in global memory, of one type.
    at, index : tuple
        Where in them the first element is.
    vec : int
        Elements of a thread: 4, 8 or 16 bytes.
    guard : condition, optional
        Where false, nothing is read, and zeros are written.
    """
    tracer = current("gl.copy_async")
    to, origin = tile.usable("copy"), source.usable("copy")
    if not isinstance(to, SharedArray) or not isinstance(origin, GlobalArray):
        fail(f"gl.copy_async from {origin.name} to {to.name}; it copies from global to shared memory")
    if origin.intent == "out":
        fail(f"copy from {origin.name}, which is gl.Out; declare it gl.InOut (or gl.In)")
    if to.dtype is not origin.dtype:
        fail(f"copy from {origin.name} of {origin.dtype.value} to {to.name} of {to.dtype.value}; take one type")
    if vec * to.dtype.nbytes not in COPIED:
        fail(f"gl.copy_async of {vec} elements of {to.dtype.value}; a thread copies 4, 8 or 16 bytes")
    mask = None if guard is None else condition(guard, "guard")
    copied = CopyAsync(line_here(), to, indices_of(to, at), origin, indices_of(origin, index), vec, mask)
    tracer.emit(copied)


def copy_commit() -> None:
    """Make a group of the thread's copies since the last one."""
    current("gl.copy_commit").emit(CopyCommit(line_here()))


def copy_wait(left: Any = 0) -> None:
    """Wait until at most ``left`` (a constant, or made of tiles) of the thread's groups of copies are under way."""
    current("gl.copy_wait").emit(CopyWait(line_here(), static_shape("gl.copy_wait", (left,))[0]))
