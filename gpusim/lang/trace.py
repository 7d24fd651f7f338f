"""Tracing: runs a description once, with every size and tile symbolic, and records its statements.

Conventions of the recorded tree

- Loads of f16, bf16 and fp8 define temps of the array's type; what the description gets is ``Cast(temp, F32)``.
  Stores cast back.
- Reading a Var or a LocalArray element is a ``Let`` of :class:`~gpusim.lang.tree.Read` at that place.
- ``a == b`` and ``a != b`` in a description are conditions; where this package handles trees, they say whether two
  expressions are the same.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

from gpusim.lang.description_errors import assigned_name, fail, frame_here, line_here
from gpusim.lang.evaluate import INTEGERS, binary, cast, compare, constant, unary
from gpusim.lang.naming import LocalNames
from gpusim.lang.operators import BINARY
from gpusim.lang.tree import (
    Assign,
    Const,
    DType,
    Expr,
    For,
    GlobalArray,
    Index,
    Let,
    Load,
    LocalArray,
    Param,
    Read,
    SharedArray,
    Stmt,
    Store,
    Temp,
    Var,
    children,
    leaves,
)


class Tracer:
    """What one description has said so far.

    Attributes
    ----------
    params : dict of str to Param
        In the order of first mention.
    blocks : list of list of Stmt
        Statement lists that are open, innermost last.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.params: dict[str, Param] = {}
        self.globals: list[GlobalArray] = []
        self.shared: list[SharedArray] = []
        self.locals: list[LocalArray | Var] = []
        self.blocks: list[list[Stmt]] = [[]]
        self.loops: list[Index] = []
        self.abandoned: int | None = None  # line of a loop left by break
        self._ids = 0
        self._names = LocalNames()

    def emit(self, statement: Stmt) -> None:
        """Append to the innermost open block."""
        self.check_loops()
        statement.names = self._names.fresh(frame_here(), self.blocks)
        self.blocks[-1].append(statement)

    def check_loops(self) -> None:
        """Fail where a loop's body was left early: the tree could not show it."""
        if self.abandoned is not None:
            fail("this loop was left early (break or return); its body is traced once, use gl.if_", self.abandoned)

    def fresh(self) -> int:
        """A new id for a temp or index."""
        self._ids += 1
        return self._ids - 1

    def temp(self, dtype: DType) -> Temp:
        """A new temp."""
        return Temp(self.fresh(), dtype)

    def size(self, name: str) -> Param:
        """The problem size ``name``, made known on first mention."""
        return self.param(name, DType.I32, "size")

    def param(self, name: str, dtype: DType, role: str) -> Param:
        """Parameter ``name``; on first mention it gets ``dtype`` and ``role``."""
        if not name.isidentifier():
            fail(f"{name!r} cannot name a parameter; use an identifier such as 'N'")
        return self.params.setdefault(name, Param(name, dtype, role))

    def names(self) -> list[str]:
        """Names in use for arrays and variables."""
        return [x.name for x in (*self.globals, *self.shared, *self.locals)]


_tracer: ContextVar[Tracer | None] = ContextVar("gpusim_tracer", default=None)


def current(what: str) -> Tracer:
    """The running tracer; ``what`` is told to be of no use outside of a kernel."""
    tracer = _tracer.get()
    if tracer is None:
        fail(f"{what} outside of a kernel; call it in a function under @gl.kernel")
    return tracer


@contextmanager
def tracing(tracer: Tracer) -> Iterator[Tracer]:
    """Make ``tracer`` the running one."""
    token = _tracer.set(tracer)
    try:
        yield tracer
    finally:
        _tracer.reset(token)


# ------------------------------------------------------------------ operators


def value(x: Any) -> Any:
    """``x`` as an operand: a variable is read here and now, expressions and numbers pass through."""
    if isinstance(x, VarHandle):
        return x.read()
    if isinstance(x, (LocalHandle, MemoryHandle)):
        fail(f"array {x.name!r} used as a number; index it, {x.name}[...]")
    return x


def condition(x: Any, what: str) -> Expr:
    """``x`` as a condition (PRED)."""
    e = value(x)
    e = e if isinstance(e, Expr) else constant(e, DType.PRED)
    if e.dtype is not DType.PRED:
        fail(f"{what} must be a condition, got a value of type {e.dtype.value}; compare it, e.g. != 0")
    return e


def integer(x: Any, what: str) -> Expr:
    """``x`` as an integer expression."""
    e = value(x)
    e = e if isinstance(e, Expr) else constant(e)
    if e.dtype not in INTEGERS:
        fail(f"{what} must be an integer, got a value of type {e.dtype.value}; gl.cast(gl.i32, ...) truncates")
    return e


def coerce(x: Any, dtype: DType, what: str) -> Expr:
    """``x`` as a value to be kept in storage of ``dtype``: among integers or among floats, cast; else an error."""
    e = value(x)
    e = e if isinstance(e, Expr) else constant(e, dtype)
    if isinstance(e, Const) and e.dtype is DType.I32 and dtype.is_float:
        return Const(float(e.value), dtype)
    same_kind = (e.dtype in INTEGERS and dtype in INTEGERS) or (e.dtype.is_float and dtype.is_float)
    if e.dtype is not dtype and not same_kind:
        fail(f"a value of type {e.dtype.value} given to {what} of type {dtype.value}; gl.cast(gl.{dtype.value}, ...)")
    return cast(dtype, e)


class Operators:
    """Arithmetic of expressions and of variables (which are read where they are used)."""

    __slots__ = ()
    __array_ufunc__ = None  # so that NumPy numbers leave the operator to us

    __hash__ = object.__hash__

    def __neg__(self) -> Expr:
        return unary("neg", value(self))

    def __pos__(self) -> Any:
        return value(self)

    def __abs__(self) -> Expr:
        return unary("abs", value(self))

    def __invert__(self) -> Expr:
        return unary("not", value(self))

    def __bool__(self) -> bool:
        fail("a traced value has no truth in Python; use gl.if_, gl.select, and & | ~ instead of and or not")

    def __index__(self) -> int:
        fail("a traced value is no Python int; loop with gl.range or gl.unroll")

    def __iter__(self) -> Iterator[Any]:
        fail("a traced value cannot be iterated; loop with gl.range or gl.unroll")


_BINARY = {row.value.__name__.strip("_"): op for op, row in BINARY.items()}
"""Operations by the names of Python's methods for them: ``truediv``, ``lshift``, ..."""


def _forward(op: str) -> Any:
    return lambda self, other: binary(op, value(self), value(other))


def _backward(op: str) -> Any:
    return lambda self, other: binary(op, value(other), value(self))


def _comparison(op: str) -> Any:
    return lambda self, other: compare(op, value(self), value(other))


for _python, _op in _BINARY.items():
    setattr(Operators, f"__{_python}__", _forward(_op))
    setattr(Operators, f"__r{_python}__", _backward(_op))
for _op in ("lt", "le", "gt", "ge"):
    setattr(Operators, f"__{_op}__", _comparison(_op))
for _name, _method in list(vars(Operators).items()):
    if callable(_method) and _name != "__init_subclass__":
        setattr(Expr, _name, _method)
setattr(Expr, "__array_ufunc__", None)  # noqa: B010 (no attribute that type checkers know)


_WRITTEN_IN_IT = ("gpusim.lang.collective", "gpusim.lang.dropout")
"""Modules of this package that are written as descriptions are."""


def _described() -> bool:
    """Whether the operator that asks was written in a description, and not where trees are handled."""
    module = sys._getframe(2).f_globals.get("__name__", "")
    return _tracer.get() is not None and (module in _WRITTEN_IN_IT or not module.startswith("gpusim.lang"))


def _let_equality_be_a_condition(kind: Any) -> None:
    """``==`` and ``!=`` of a kind of operand: conditions in a description, as they were elsewhere."""
    same = kind.__eq__

    def equal(self: Any, other: Any) -> Any:
        return compare("eq", value(self), value(other)) if _described() else same(self, other)

    def differ(self: Any, other: Any) -> Any:
        if _described():
            return compare("ne", value(self), value(other))
        found = same(self, other)
        return found if found is NotImplemented else not found

    kind.__eq__, kind.__ne__ = equal, differ


_KINDS = (Operators, *Expr.__subclasses__())
for _kind in _KINDS:
    _let_equality_be_a_condition(_kind)


# ------------------------------------------------------------------ variables and arrays


class VarHandle(Operators):
    """A mutable scalar in the description: reads where used, ``x += e`` and ``x.set(e)`` assign."""

    __slots__ = ("_tracer", "var")

    def __init__(self, tracer: Tracer, var: Var) -> None:
        self._tracer, self.var = tracer, var

    @property
    def dtype(self) -> DType:
        """Type of the value."""
        return self.var.dtype

    def read(self) -> Temp:
        """The value now."""
        return _read(self._tracer, self.var, ())

    def set(self, new: Any) -> None:
        """Assign ``new``."""
        _assign(self._tracer, self.var, (), new)


def _in_place(op: str) -> Any:
    def update(self: VarHandle, other: Any) -> VarHandle:
        other = value(other)
        self.set(binary(op, self.read(), other))
        return self

    return update


for _python, _op in _BINARY.items():
    setattr(VarHandle, f"__i{_python}__", _in_place(_op))


class LocalHandle(Operators):
    """A thread's register array: ``a[i, j]``, ``a[i, j] = v``, ``a[i, j] += v``."""

    __slots__ = ("_tracer", "array")

    def __init__(self, tracer: Tracer, array: LocalArray) -> None:
        self._tracer, self.array = tracer, array

    @property
    def name(self) -> str:
        """Name in the listing."""
        return self.array.name

    def __getitem__(self, index: Any) -> Temp:
        return _read(self._tracer, self.array, indices_of(self.array, index))

    def __setitem__(self, index: Any, new: Any) -> None:
        _assign(self._tracer, self.array, indices_of(self.array, index), new)


def fill(tracer: Tracer, array: LocalArray, init: Expr) -> None:
    """Give every element of a register array the same value."""
    line, indices, body = line_here(), [], tracer.blocks[-1]
    for axis, extent in enumerate(array.shape):
        index = Index(tracer.fresh(), "ijkl"[axis % 4])
        loop = For(line, index, constant(0), extent, constant(1), [], unroll=True)
        body.append(loop)
        body = loop.body
        indices.append(index)
    body.append(Assign(line, array, tuple(indices), init))


def _read(tracer: Tracer, target: Var | LocalArray, indices: tuple[Expr, ...]) -> Temp:
    _check_owner(tracer, target.name)
    temp = tracer.temp(target.dtype)
    tracer.emit(Let(line_here(), temp, Read(target, indices, target.dtype)))
    return temp


def _assign(tracer: Tracer, target: Var | LocalArray, indices: tuple[Expr, ...], new: Any) -> None:
    _check_owner(tracer, target.name)
    tracer.emit(Assign(line_here(), target, indices, coerce(new, target.dtype, target.name)))


def _check_owner(tracer: Tracer, name: str) -> None:
    if _tracer.get() is not tracer:
        fail(f"{name!r} belongs to kernel {tracer.name!r}; a kernel can use only what it made itself")


def indices_of(array: GlobalArray | SharedArray | LocalArray, index: Any) -> tuple[Expr, ...]:
    """Checked indices of one element."""
    index = index if isinstance(index, tuple) else (index,)
    if len(index) != len(array.shape):
        expected = "1 index" if len(array.shape) == 1 else f"{len(array.shape)} indices"
        fail(f"{array.name} takes {expected}, got {len(index)}")
    if any(isinstance(i, slice) for i in index):
        fail(f"{array.name}: slices are not element accesses; loop over the elements, or load(..., vec=4)")
    return tuple(integer(i, f"index of {array.name}") for i in index)


def static_shape(what: str, shape: tuple[Any, ...]) -> tuple[Expr, ...]:
    """Checked extents, made of constants and tiles; ``what`` is told where they are not."""
    if not shape:
        fail(f"{what} without extents; give one or more, e.g. {what}(gl.f32, T, T)")
    extents = tuple(integer(x, f"extent of {what}") for x in shape)
    for leaf in (leaf for e in extents for leaf in leaves(e)):
        if not (isinstance(leaf, Const) or (isinstance(leaf, Param) and leaf.role == "tile")):
            fail(f"extent of {what} depends on {getattr(leaf, 'name', 'a run-time value')}; use gl.Tile sizes and ints")
    return extents


class MemoryHandle(Operators):
    """A global or shared array in the description."""

    __slots__ = ("_tracer", "array")

    def __init__(self, tracer: Tracer, array: GlobalArray | SharedArray) -> None:
        self._tracer, self.array = tracer, array

    @property
    def name(self) -> str:
        """Name in the listing."""
        return self.array.name

    @property
    def shape(self) -> tuple[Expr, ...]:
        """Extents, outermost first."""
        return self.array.shape

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self.array.dtype

    def __getitem__(self, index: Any) -> Any:
        return self.load(*(index if isinstance(index, tuple) else (index,)))

    def __setitem__(self, index: Any, new: Any) -> None:
        self.store(*(index if isinstance(index, tuple) else (index,)), new)

    def load(
        self, *index: Any, vec: int = 1, guard: Any = None, other: Any = None, cache: str = "ca"
    ) -> Expr | tuple[Expr, ...]:
        """Read one element, or ``vec`` consecutive ones along the last axis.

        Parameters
        ----------
        *index : int or expression
            One an axis.
        vec : {1, 2, 4, 8, 16}
            Elements in one access of at most 16 bytes; a tuple of as many values is returned for more than one.
        guard : condition, optional
            Where false, nothing is read and the value is ``other`` (undefined without one).
        other : number or expression, optional
        cache : {"ca", "cg", "cs", "lu", "cv"}
            PTX cache operator; ``"cg"`` bypasses L1.
        """
        array = self.usable("load")
        if isinstance(array, GlobalArray) and array.intent == "out":
            fail(f"load from {array.name}, which is gl.Out; declare it gl.InOut (or gl.In)")
        if cache not in ("ca", "cg", "cs", "lu", "cv"):
            fail(f"cache operator {cache!r}; one of 'ca', 'cg', 'cs', 'lu', 'cv'")
        if other is not None and guard is None:
            fail("other= has no meaning without guard=; leave it out")
        indices = indices_of(array, index)
        _check_width(array, vec)
        mask = None if guard is None else condition(guard, "guard")
        instead = None if other is None else coerce(other, array.dtype, array.name)
        temps = tuple(self._tracer.temp(array.dtype) for _ in range(vec))
        self._tracer.emit(Load(line_here(), temps, array, indices, mask, instead, cache))
        values = tuple(_computed(t) for t in temps)
        return values[0] if vec == 1 else values

    def store(self, *index_and_values: Any, guard: Any = None) -> None:
        """``store(i, j, value)`` or ``store(i, j, (v0, v1, v2, v3))``, where ``guard`` holds."""
        array = self.usable("store")
        if isinstance(array, GlobalArray) and array.intent == "in":
            fail(f"store to {array.name}, which is gl.In; declare it gl.Out or gl.InOut")
        if len(index_and_values) < 2:
            fail(f"{array.name}.store takes the indices, then the value")
        *index, values = index_and_values
        values = values if isinstance(values, tuple) else (values,)
        indices = indices_of(array, tuple(index))
        _check_width(array, len(values))
        kept = tuple(coerce(v, array.dtype, array.name) for v in values)
        mask = None if guard is None else condition(guard, "guard")
        self._tracer.emit(Store(line_here(), array, indices, kept, mask))

    def usable(self, what: str) -> GlobalArray | SharedArray:
        """The array, where it belongs to the running kernel."""
        if _tracer.get() is not self._tracer:
            fail(f"{what} of {self.name!r}, which belongs to kernel {self._tracer.name!r}; pass it as a parameter")
        return self.array


def _computed(temp: Temp) -> Expr:
    """What arithmetic sees of a loaded temp: narrow types are computed with as f32."""
    return cast(DType.F32, temp) if temp.dtype.is_narrow else temp


def _check_width(array: GlobalArray | SharedArray, width: int) -> None:
    if width not in (1, 2, 4, 8, 16) or width * array.dtype.nbytes > 16:
        most = 16 // array.dtype.nbytes
        fail(f"{width} elements of {array.name} in one access; 1, 2, 4, 8 or 16, at most {most} of {array.dtype.value}")


# ------------------------------------------------------------------ loops and branches


def loop(kind: str, bounds: tuple[Any, ...], name: str = "") -> Iterator[Index]:
    """A loop of ``kind`` (``range``, ``unroll``, ``doubling``) whose index is given once; ``name``: the index's."""
    tracer = current(f"gl.{kind}")
    if not 1 <= len(bounds) <= 3:
        fail(f"gl.{kind} takes (stop), (start, stop) or (start, stop, step), got {len(bounds)} arguments")
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    start, stop, step = (integer(x, f"bound of gl.{kind}") for x in (start, stop, step))
    if isinstance(step, Const) and step.value <= 0:
        fail(f"gl.{kind} with step {step.value}; it must be positive")
    if kind == "doubling" and isinstance(start, Const) and start.value <= 0:
        fail(f"gl.doubling from {start.value}; it must start at 1 or more")
    if kind == "unroll":
        _check_unroll(stop, step)
    dtype = DType.U32 if DType.U32 in (start.dtype, stop.dtype) else DType.I32
    name = name or assigned_name(kind, [i.name for i in tracer.loops], "i")
    index = Index(tracer.fresh(), name, dtype)
    return _body(tracer, For(line_here(), index, start, stop, step, [], kind == "unroll", kind == "doubling"))


def _check_unroll(stop: Expr, step: Expr) -> None:
    for leaf in (*leaves(stop), *leaves(step)):
        if not (isinstance(leaf, (Const, Index)) or (isinstance(leaf, Param) and leaf.role == "tile")):
            what = getattr(leaf, "name", "a value computed at run time")
            fail(f"gl.unroll up to {what}, unknown when lowered; use gl.range, or make it a gl.Tile")


def _body(tracer: Tracer, loop: For) -> Iterator[Index]:
    tracer.emit(loop)
    names = _Names(frame_here())
    tracer.blocks.append(loop.body)
    tracer.loops.append(loop.index)
    try:
        yield loop.index
    except GeneratorExit:
        tracer.abandoned = loop.line
        raise
    tracer.check_loops()
    tracer.blocks.pop()
    tracer.loops.pop()
    names.check("loop")


class _Names:
    """Expressions that Python names stood for when a body was entered."""

    def __init__(self, frame: FrameType | None) -> None:
        self._frame = frame
        self._before = self._now()

    def _now(self) -> dict[str, Expr]:
        names = self._frame.f_locals if self._frame else {}
        return {k: v for k, v in names.items() if isinstance(v, Expr) and not isinstance(v, (Const, Param))}

    def check(self, where: str) -> None:
        """Fail where a plain name was updated in the body: the update would be lost, or happen always."""
        now = self._now()
        for name, old in self._before.items():
            new = now.get(name, old)
            if new is not old and _contains(new, old):
                fail(f"{name!r} is updated in a {where} body but is no variable; make it gl.var(dtype, init)")
        self._frame = None


def _contains(whole: Expr, part: Expr) -> bool:
    """Whether the very object ``part`` is within ``whole``."""
    todo, seen = [whole], set()
    while todo:
        e = todo.pop()
        if e is part:
            return True
        if id(e) not in seen:
            seen.add(id(e))
            todo.extend(children(e))
    return False


def branch(tracer: Tracer, body: list[Stmt]) -> Iterator[None]:
    """Record into ``body``, for the length of a ``with``."""
    names = _Names(frame_here())
    tracer.blocks.append(body)
    yield
    tracer.check_loops()
    if tracer.blocks[-1] is not body:
        fail("a loop begun in this branch was not finished in it; keep loops and branches nested")
    tracer.blocks.pop()
    names.check("branch")
