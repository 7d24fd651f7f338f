"""Thread-level descriptions of GPU kernels; ``import gpusim.lang as gl`` is the vocabulary.

Every public name here is used as ``gl.<name>`` in a function under ``@gl.kernel``; see ``docs/language.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gpusim.lang import evaluate
from gpusim.lang.description_errors import DescriptionError, assigned_name, fail, frame_here, line_here
from gpusim.lang.fragments import (
    Accumulators as accumulator,  # noqa: N813 (gl.accumulator)
)
from gpusim.lang.fragments import (
    FragmentsA as fragment_a,  # noqa: N813 (gl.fragment_a)
)
from gpusim.lang.fragments import (
    FragmentsB as fragment_b,  # noqa: N813 (gl.fragment_b)
)
from gpusim.lang.fragments import (
    RowValues as row_values,  # noqa: N813 (gl.row_values)
)
from gpusim.lang.fragments import copy_async, copy_commit, copy_wait, mma
from gpusim.lang.kernel import In, InOut, Kernel, Out, Scalar, Tile, kernel
from gpusim.lang.trace import (
    LocalHandle,
    MemoryHandle,
    VarHandle,
    branch,
    coerce,
    condition,
    current,
    fill,
    indices_of,
    integer,
    loop,
    static_shape,
    value,
)
from gpusim.lang.tree import (
    Atomic,
    Barrier,
    DType,
    Expr,
    GlobalArray,
    If,
    Index,
    LocalArray,
    Param,
    SharedArray,
    Shuffle,
    Special,
    Temp,
    Var,
)
from gpusim.names import either, nearest

f32, f16, bf16, e4m3, e5m2 = DType.F32, DType.F16, DType.BF16, DType.E4M3, DType.E5M2
i32, u32, pred = DType.I32, DType.U32, DType.PRED
inf = float("inf")

__all__ = [
    "DType", "DescriptionError", "In", "InOut", "Kernel", "Out", "Scalar", "Tile", "abs", "accumulator", "atomic_add",
    "atomic_max", "atomic_min", "barrier", "bf16", "cast", "cdiv", "copy_async", "copy_commit", "copy_wait", "cos",
    "ctaid", "doubling", "e4m3", "e5m2", "else_", "exp", "exp2", "f16", "f32", "fma", "fragment_a", "fragment_b",
    "i32", "if_", "inf", "kernel", "laneid", "local", "log", "log2", "maximum", "minimum", "mma", "nctaid", "ntid",
    "pred", "range", "rcp", "row_values", "rsqrt", "select", "shared", "shfl", "shfl_down", "shfl_up", "shfl_xor",
    "sin", "sizes", "smid", "sqrt", "tanh", "tid", "u32", "unroll", "var", "warpid",
]  # fmt: skip

CUDA = {
    "threadIdx": "tid", "blockIdx": "ctaid", "blockDim": "ntid", "gridDim": "nctaid", "syncthreads": "barrier",
    "min": "minimum", "max": "maximum", "atomicAdd": "atomic_add", "float32": "f32", "float16": "f16", "int32": "i32",
    "uint32": "u32", "zeros": "local", "where": "select", "dot": "mma",
}  # fmt: skip
"""What CUDA, NumPy and Triton call some of these, and what they are called here."""

REGISTER_TYPES = (DType.I32, DType.U32, DType.F32, DType.PRED)


def __dir__() -> list[str]:
    """The vocabulary alone: whatever else is imported here is for the functions below."""
    return sorted(__all__)


if not TYPE_CHECKING:  # a type checker knows the names

    def __getattr__(name: str) -> Any:
        near = [CUDA[name]] if name in CUDA else nearest(name, __all__)
        meant = f": did you mean {either([f'gl.{one}' for one in near])}?" if near and name[0] != "_" else ""
        if name[0] != "_" and frame_here() is not None:
            fail(f"gl has no {name!r}{meant}")
        raise AttributeError(f"gpusim.lang has no {name!r}{meant}", name=name)


# ------------------------------------------------------------------ sizes, loops, branches


def sizes(*names: str) -> Param | tuple[Param, ...]:
    """Problem sizes by name: one, or a tuple for several."""
    tracer = current("gl.sizes")
    for name in names:
        known = tracer.params.get(name)
        if known is not None and known.role != "size":
            fail(f"{name!r} is a {known.role}, not a size; use the argument itself")
    found = tuple(tracer.size(name) for name in names)
    return found[0] if len(found) == 1 else found


def range(*bounds: Any) -> Iterator[Index]:  # noqa: A001 (gl.range)
    """``gl.range(stop)``, ``gl.range(start, stop, step=1)``: a loop run at run time; the body is traced once."""
    return loop("range", bounds)


def unroll(*bounds: Any) -> Iterator[Index]:
    """Like ``gl.range``, unrolled whole when lowered: stop and step must be known once tiles are bound."""
    return loop("unroll", bounds)


def doubling(start: Any, stop: Any) -> Iterator[Index]:
    """Start, 2 * start, 4 * start, ... below ``stop``."""
    return loop("doubling", (start, stop, 2))


@contextmanager
def if_(cond: Any) -> Iterator[None]:
    """``with gl.if_(cond):`` real divergence: the body runs where ``cond`` holds."""
    tracer = current("gl.if_")
    statement = If(line_here(), condition(cond, "gl.if_"), [])
    tracer.emit(statement)
    yield from branch(tracer, statement.then)


@contextmanager
def else_() -> Iterator[None]:
    """``with gl.else_():`` right after a ``gl.if_`` block."""
    tracer = current("gl.else_")
    last = tracer.blocks[-1][-1] if tracer.blocks[-1] else None
    if not isinstance(last, If) or last.orelse:
        fail("gl.else_ must come right after the body of gl.if_ (nothing, not even a read, between)")
    yield from branch(tracer, last.orelse)


# ------------------------------------------------------------------ storage


def var(dtype: DType, init: Any) -> VarHandle:
    """A mutable scalar of ``dtype`` starting at ``init``."""
    tracer = current("gl.var")
    _check_register_type("gl.var", dtype)
    made = Var(assigned_name("var", tracer.names(), "v"), dtype)
    handle = VarHandle(tracer, made)
    init = coerce(init, dtype, made.name)
    tracer.locals.append(made)
    handle.set(init)
    return handle


def local(dtype: DType, *shape: Any, init: Any = 0.0) -> LocalHandle:
    """A register array of ``shape`` (constants and tiles), every element ``init`` (None: left unset)."""
    tracer = current("gl.local")
    _check_register_type("gl.local", dtype)
    made = LocalArray(assigned_name("local", tracer.names(), "a"), dtype, static_shape("gl.local", shape))
    tracer.locals.append(made)
    if init is not None:
        init = int(init) if dtype in evaluate.INTEGERS and init == 0 and not isinstance(init, Expr) else init
        fill(tracer, made, coerce(init, dtype, made.name))
    return LocalHandle(tracer, made)


def _check_register_type(what: str, dtype: object) -> None:
    if dtype not in REGISTER_TYPES:
        fail(f"{what} of {getattr(dtype, 'value', dtype)}; registers hold gl.f32, gl.i32, gl.u32 or gl.pred")


def shared(dtype: DType, *shape: Any, swizzled: bool = False) -> MemoryHandle:
    """An array in the block's shared memory, of ``shape`` (constants and tiles).

    ``swizzled``: 16-byte pieces of a row change places by the row's number, so that those below one another are in
    different banks; elements are addressed as without.
    """
    tracer = current("gl.shared")
    if not isinstance(dtype, DType) or dtype is DType.PRED:
        fail("gl.shared takes an element type first: gl.f32, gl.f16, gl.bf16, gl.e4m3, gl.e5m2, gl.i32 or gl.u32")
    made = SharedArray(assigned_name("shared", tracer.names(), "s"), dtype, static_shape("gl.shared", shape), swizzled)
    if swizzled and len(shape) < 2:
        fail(f"{made.name} is swizzled, but has no rows; give it two extents or more")
    tracer.shared.append(made)
    return MemoryHandle(tracer, made)


def barrier() -> None:
    """Wait for all threads of the block."""
    current("gl.barrier").emit(Barrier(line_here()))


def shfl(v: Any, lane: Any) -> Temp:
    """Value of lane number ``lane``."""
    return _shuffle("idx", v, lane)


def shfl_up(v: Any, n: Any) -> Temp:
    """Value of the lane ``n`` below (its own in the first ``n`` lanes)."""
    return _shuffle("up", v, n)


def shfl_down(v: Any, n: Any) -> Temp:
    """Value of the lane ``n`` above (its own in the last ``n`` lanes)."""
    return _shuffle("down", v, n)


def shfl_xor(v: Any, n: Any) -> Temp:
    """Value of the lane whose number differs by exclusive or with ``n``."""
    return _shuffle("xor", v, n)


def _shuffle(kind: str, v: Any, lane: Any) -> Temp:
    tracer = current("a shuffle")
    v = value(v)
    v = v if isinstance(v, Expr) else evaluate.constant(v)
    if v.dtype not in (DType.F32, DType.I32, DType.U32):
        fail(f"a shuffle of a value of type {v.dtype.value}; 32-bit numbers only")
    temp = tracer.temp(v.dtype)
    tracer.emit(Shuffle(line_here(), temp, kind, v, integer(lane, "lane of a shuffle")))
    return temp


def atomic_add(array: MemoryHandle, *index_and_value: Any) -> Temp:
    """``gl.atomic_add(array, i, j, value)``; gives the old value."""
    return _atomic("add", array, index_and_value)


def atomic_min(array: MemoryHandle, *index_and_value: Any) -> Temp:
    """``gl.atomic_min(array, i, j, value)``; gives the old value."""
    return _atomic("min", array, index_and_value)


def atomic_max(array: MemoryHandle, *index_and_value: Any) -> Temp:
    """``gl.atomic_max(array, i, j, value)``; gives the old value."""
    return _atomic("max", array, index_and_value)


def _atomic(op: str, handle: MemoryHandle, index_and_value: tuple[Any, ...]) -> Temp:
    tracer = current(f"gl.atomic_{op}")
    if not isinstance(handle, MemoryHandle) or len(index_and_value) < 2:
        fail(f"gl.atomic_{op} takes an array, its indices, then the value")
    array = handle.usable("atomic")
    if isinstance(array, GlobalArray) and array.intent != "inout":
        fail(f"atomic on {array.name}, which is gl.{array.intent.capitalize()}; it reads and writes: gl.InOut")
    if array.dtype not in (DType.F32, DType.I32, DType.U32):
        fail(f"atomic on {array.name} of {array.dtype.value}; f32, i32 or u32")
    *index, new = index_and_value
    indices, kept = indices_of(array, tuple(index)), coerce(new, array.dtype, array.name)
    temp = tracer.temp(array.dtype)
    tracer.emit(Atomic(line_here(), temp, op, array, indices, kept))
    return temp


# ------------------------------------------------------------------ pure functions


def cdiv(a: Any, b: Any) -> Any:
    """``a / b`` rounded up, for a >= 0 and b > 0."""
    return evaluate.cdiv(value(a), value(b))


def maximum(a: Any, b: Any) -> Expr:
    """The larger."""
    return evaluate.binary("max", value(a), value(b))


def minimum(a: Any, b: Any) -> Expr:
    """The smaller."""
    return evaluate.binary("min", value(a), value(b))


def select(c: Any, a: Any, b: Any) -> Expr:
    """``c ? a : b``; both sides are computed."""
    return evaluate.select(condition(c, "gl.select"), value(a), value(b))


def cast(dtype: DType, x: Any) -> Expr:
    """Numeric conversion (float to int truncates); f16, bf16 and fp8 round there and come back as f32."""
    if not isinstance(dtype, DType):
        fail("gl.cast takes the type first: gl.cast(gl.f32, x)")
    made = evaluate.cast(dtype, value(x))
    return evaluate.cast(DType.F32, made) if dtype.is_narrow else made


def fma(a: Any, b: Any, c: Any) -> Expr:
    """Fused ``a * b + c`` in fp32."""
    return evaluate.fma(value(a), value(b), value(c))


def _function(op: str, doc: str) -> Any:
    def apply(x: Any) -> Expr:
        return evaluate.unary(op, value(x))

    apply.__name__, apply.__doc__ = op, doc
    return apply


exp = _function("exp", "e to the x (fast: ex2.approx of x * log2 e).")
exp2 = _function("exp2", "2 to the x.")
log = _function("log", "Natural logarithm.")
log2 = _function("log2", "Logarithm to base 2.")
sqrt = _function("sqrt", "Square root.")
rsqrt = _function("rsqrt", "1 / square root.")
rcp = _function("rcp", "1 / x.")
sin = _function("sin", "Sine.")
cos = _function("cos", "Cosine.")
tanh = _function("tanh", "Hyperbolic tangent.")
abs = _function("abs", "Absolute value.")  # noqa: A001 (gl.abs)


class Axes:
    """``.x .y .z`` of ``tid``, ``ctaid``, ``ntid`` or ``nctaid``."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, axis: str) -> Special:
        if axis not in ("x", "y", "z"):
            fail(f"gl.{self._name}.{axis}; it has .x, .y and .z")
        return Special(f"{self._name}.{axis}")


tid, ctaid, ntid, nctaid = (Axes(name) for name in ("tid", "ctaid", "ntid", "nctaid"))
laneid, warpid, smid = (Special(name) for name in ("laneid", "warpid", "smid"))
