"""The structured tree that a description is traced to.

Expressions are immutable and pure; everything with an order (loads, stores,
assignments, barriers, shuffles) is a statement.  Sizes and tile sizes stay
symbolic (:class:`Param`), so one tree serves the symbolic IO, the printer, the
lowering (which binds tile sizes and unrolls) and the CUDA emitter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

MMA_ROWS, MMA_COLUMNS, MMA_ROW_BYTES = 16, 8, 32
"""A product of a warp: rows and columns of the sums, and bytes of a row of the first matrix (PTX ISA, ``mma.sync``)."""


class DType(Enum):
    """Element types."""

    I32 = "i32"
    U32 = "u32"
    F32 = "f32"
    F16 = "f16"  # storage type: computed with as f32
    BF16 = "bf16"  # storage type: computed with as f32
    E4M3 = "e4m3"  # storage type: computed with as f32; the field's float8_e4m3fn, without infinities
    E5M2 = "e5m2"  # storage type: computed with as f32; the field's float8_e5m2
    PRED = "pred"

    @property
    def nbytes(self) -> int:
        """Storage size in bytes."""
        return 1 if self.is_fp8 else 2 if self.is_narrow else 4

    @property
    def is_float(self) -> bool:
        """Whether arithmetic on it is floating point."""
        return self is DType.F32 or self.is_narrow

    @property
    def is_narrow(self) -> bool:
        """Whether it is a storage type: loaded as f32, rounded where it is stored."""
        return self in (DType.F16, DType.BF16) or self.is_fp8

    @property
    def is_fp8(self) -> bool:
        """Whether it has 8 bits; what is too large to be stored becomes the largest number."""
        return self in (DType.E4M3, DType.E5M2)


# ------------------------------------------------------------------ expressions


@dataclass(frozen=True, slots=True)
class Expr:
    """Base of all expressions; Python operators on it are added by ``gpusim.lang.trace``."""

    if TYPE_CHECKING:

        @property
        def dtype(self) -> DType:
            """Type of the value."""


@dataclass(frozen=True, slots=True)
class Const(Expr):
    """A number, or True or False."""

    value: int | float | bool
    dtype: DType


@dataclass(frozen=True, slots=True)
class Param(Expr):
    """A size (``role='size'``), tile size (``'tile'``, bound at lowering) or scalar argument."""

    name: str
    dtype: DType
    role: str  # "size" | "tile" | "scalar"


@dataclass(frozen=True, slots=True)
class Special(Expr):
    """``tid.x`` ``ctaid.y`` ``ntid.x`` ``nctaid.x`` ``laneid`` ``warpid`` ``smid``."""

    name: str
    dtype: DType = DType.I32


@dataclass(frozen=True, slots=True)
class Index(Expr):
    """The variable of an enclosing :class:`For`."""

    id: int
    name: str
    dtype: DType = DType.I32


@dataclass(frozen=True, slots=True)
class Temp(Expr):
    """A value that a statement (Let, Load, Shuffle, Atomic) defined once."""

    id: int
    dtype: DType


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """``neg`` ``not`` ``abs`` ``exp`` ``exp2`` ``log`` ``log2`` ``sqrt`` ``rsqrt`` ``rcp`` ``sin`` ``cos`` ``tanh``."""

    op: str
    a: Expr
    dtype: DType


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """``add sub mul div floordiv mod min max and or xor shl shr`` (``div`` is fp32; floordiv and mod round down)."""

    op: str
    a: Expr
    b: Expr
    dtype: DType


@dataclass(frozen=True, slots=True)
class Compare(Expr):
    """``lt le gt ge eq ne``; dtype of the result is PRED."""

    op: str
    a: Expr
    b: Expr
    dtype: DType = DType.PRED


@dataclass(frozen=True, slots=True)
class Select(Expr):
    """``c ? a : b`` — both sides are pure, so no branch is needed."""

    c: Expr
    a: Expr
    b: Expr
    dtype: DType


@dataclass(frozen=True, slots=True)
class Fma(Expr):
    """Fused a * b + c in fp32."""

    a: Expr
    b: Expr
    c: Expr
    dtype: DType = DType.F32


@dataclass(frozen=True, slots=True)
class Cast(Expr):
    """Numeric conversion to ``dtype``."""

    a: Expr
    dtype: DType


@dataclass(frozen=True, slots=True)
class Pair(Expr):
    """Two floats rounded to a 16-bit ``kind``, in one register: ``a`` in its low half."""

    a: Expr
    b: Expr
    kind: DType
    dtype: DType = DType.U32


# ------------------------------------------------------------------ storage


@dataclass(frozen=True, slots=True, eq=False)
class GlobalArray:
    """A buffer in global memory, row-major.  ``intent``: ``in`` ``out`` ``inout``."""

    name: str
    dtype: DType
    shape: tuple[Expr, ...]
    intent: str


@dataclass(frozen=True, slots=True, eq=False)
class SharedArray:
    """An array in a block's shared memory, row-major.

    ``swizzled``: 16-byte pieces of a row change places by the row's number (:mod:`gpusim.lang.swizzle`).
    """

    name: str
    dtype: DType
    shape: tuple[Expr, ...]
    swizzled: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class LocalArray:
    """A thread's own array; its indices must be constants after unrolling (registers)."""

    name: str
    dtype: DType
    shape: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Var:
    """A thread's own mutable scalar."""

    name: str
    dtype: DType


# ------------------------------------------------------------------ statements


Named = tuple[str, Expr | tuple[Expr, ...]]
"""A Python variable of a description and the expression, or the tuple of them, that it stands for."""


@dataclass(slots=True)
class Stmt:
    """Base of statements.

    Attributes
    ----------
    line : int
        Line of the description it came from.
    names : tuple
        What the description has given names to since the statement before, in this block or around it.
    """

    line: int
    names: tuple[Named, ...] = field(default=(), kw_only=True, compare=False, repr=False)


@dataclass(slots=True)
class Let(Stmt):
    """``temp = value``; reading a Var or LocalArray element is a Let of :class:`Read`."""

    temp: Temp
    value: Expr


@dataclass(frozen=True, slots=True)
class Read(Expr):
    """Current value of a Var (``indices == ()``) or LocalArray element; only as the value of a Let."""

    target: Var | LocalArray
    indices: tuple[Expr, ...]
    dtype: DType


@dataclass(slots=True)
class Assign(Stmt):
    """``target[indices] = value`` for a Var or LocalArray."""

    target: Var | LocalArray
    indices: tuple[Expr, ...]
    value: Expr


@dataclass(slots=True)
class Load(Stmt):
    """``temps = array[index, ...]``; ``len(temps)`` consecutive elements along the last axis.

    ``guard`` (PRED, or None): where false, nothing is read and temps take ``other``.
    """

    temps: tuple[Temp, ...]
    array: GlobalArray | SharedArray
    index: tuple[Expr, ...]
    guard: Expr | None = None
    other: Expr | None = None
    cache: str = "ca"


@dataclass(slots=True)
class Store(Stmt):
    """``array[index, ...] = values`` (consecutive along the last axis), where ``guard`` holds."""

    array: GlobalArray | SharedArray
    index: tuple[Expr, ...]
    values: tuple[Expr, ...]
    guard: Expr | None = None


@dataclass(slots=True)
class Atomic(Stmt):
    """``temp = array[index]; array[index] = op(temp, value)`` atomically."""

    temp: Temp
    op: str  # "add" | "min" | "max"
    array: GlobalArray | SharedArray
    index: tuple[Expr, ...]
    value: Expr


@dataclass(slots=True)
class Shuffle(Stmt):
    """``temp = value of another lane``; kind ``idx`` ``up`` ``down`` ``xor``."""

    temp: Temp
    kind: str
    value: Expr
    lane: Expr


@dataclass(frozen=True, slots=True)
class Fragment:
    """A warp's part of a matrix, spread over its lanes: registers ``array[(*indices, 0)]`` and after."""

    array: LocalArray
    indices: tuple[Expr, ...]


@dataclass(slots=True)
class LoadMatrices(Stmt):
    """Four 8 x 8 matrices of 16-bit elements from shared memory, to the registers of ``fragments`` in order.

    ``index``: where the row of 16 bytes begins that this lane names; ``transpose``: each matrix is transposed.
    """

    fragments: tuple[Fragment, ...]
    array: SharedArray
    index: tuple[Expr, ...]
    transpose: bool


@dataclass(slots=True)
class Mma(Stmt):
    """``sums += a b`` by the warp: 16 x ``depth`` times ``depth`` x 8 elements of ``kind``, f32 being taken as tf32."""

    kind: DType
    sums: Fragment
    a: Fragment
    b: Fragment

    @property
    def depth(self) -> int:
        """Columns of ``a``: 32 bytes of them."""
        return MMA_ROW_BYTES // self.kind.nbytes


@dataclass(slots=True)
class CopyAsync(Stmt):
    """``array[index, ...] = source[source_index, ...]``, ``count`` elements, while the thread goes on.

    Where ``guard`` does not hold, nothing is read and zeros are written.
    """

    array: SharedArray
    index: tuple[Expr, ...]
    source: GlobalArray
    source_index: tuple[Expr, ...]
    count: int
    guard: Expr | None = None

    @property
    def nbytes(self) -> int:
        """Bytes a thread copies."""
        return self.count * self.array.dtype.nbytes


@dataclass(slots=True)
class CopyCommit(Stmt):
    """The thread's copies since the last one are a group."""


@dataclass(slots=True)
class CopyWait(Stmt):
    """Wait until at most ``left`` of the thread's groups of copies are under way; tiles alone say how many."""

    left: Expr


@dataclass(slots=True)
class Barrier(Stmt):
    """All threads of the block."""


@dataclass(slots=True)
class For(Stmt):
    """``for index in range(start, stop, step)``; geometric: index starts at start, times step until >= stop."""

    index: Index
    start: Expr
    stop: Expr
    step: Expr
    body: list[Stmt]
    unroll: bool = False  # the whole loop; bounds must be constants once tiles are bound
    geometric: bool = False


@dataclass(slots=True)
class If(Stmt):
    """Real divergence: both paths run under masks, then reconverge."""

    cond: Expr
    then: list[Stmt]
    orelse: list[Stmt] = field(default_factory=list)


@dataclass(frozen=True)
class Tree:
    """A traced kernel."""

    name: str
    params: tuple[Param, ...]  # in signature order
    globals: tuple[GlobalArray, ...]
    shared: tuple[SharedArray, ...]
    locals: tuple[LocalArray | Var, ...]
    grid: tuple[Expr, Expr, Expr]
    block: tuple[Expr, Expr, Expr]
    body: tuple[Stmt, ...]
    requires: tuple[tuple[Expr, str], ...]  # conditions on params that must hold, each with the message
    source: str  # file
    defaults: dict[str, int]  # tile defaults


# ------------------------------------------------------------------ walking


def children(e: Expr) -> tuple[Expr, ...]:
    """Direct subexpressions of ``e``."""
    match e:
        case Unary(a=a) | Cast(a=a):
            return (a,)
        case Binary(a=a, b=b) | Compare(a=a, b=b) | Pair(a=a, b=b):
            return (a, b)
        case Select(c=c, a=a, b=b) | Fma(a=a, b=b, c=c):
            return (c, a, b)
        case Read(indices=indices):
            return indices
    return ()


def distinct(expressions: Iterable[Expr]) -> Iterator[Expr]:
    """Every expression within ``expressions``, once, though many of them share it."""
    seen: dict[int, Expr] = {}
    left = list(expressions)
    while left:
        e = left.pop()
        if id(e) not in seen:
            seen[id(e)] = e
            left += children(e)
            yield e


def leaves(e: Expr) -> list[Expr]:
    """Leaf expressions of ``e`` (constants, parameters, specials, indices, temps), left to right."""
    below = children(e)
    if not below:
        return [e]
    return [leaf for child in below for leaf in leaves(child)]


def operands(s: Stmt) -> tuple[Expr, ...]:
    """Expressions that ``s`` itself evaluates (not those of its body)."""
    match s:
        case Let(value=value):
            return (value,)
        case Assign(indices=indices, value=value):
            return (*indices, value)
        case Load(index=index, guard=guard, other=other):
            return (*index, *(e for e in (guard, other) if e is not None))
        case Store(index=index, values=values, guard=guard):
            return (*index, *values, *(() if guard is None else (guard,)))
        case Atomic(index=index, value=value):
            return (*index, value)
        case Shuffle(value=value, lane=lane):
            return (value, lane)
        case LoadMatrices(fragments=fragments, index=index):
            return (*index, *(i for f in fragments for i in f.indices))
        case Mma(sums=sums, a=a, b=b):
            return (*sums.indices, *a.indices, *b.indices)
        case CopyAsync(index=index, source_index=source_index, guard=guard):
            return (*index, *source_index, *(() if guard is None else (guard,)))
        case CopyWait(left=left):
            return (left,)
        case For(start=start, stop=stop, step=step):
            return (start, stop, step)
        case If(cond=cond):
            return (cond,)
    return ()


def statements(body: Iterable[Stmt]) -> Iterator[Stmt]:
    """Every statement of ``body`` and of the bodies within, in program order."""
    for s in body:
        yield s
        if isinstance(s, For):
            yield from statements(s.body)
        elif isinstance(s, If):
            yield from statements(s.then)
            yield from statements(s.orelse)
