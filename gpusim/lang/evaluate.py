"""What an expression means: its type, its value where that is known already, its value under a binding."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from gpusim.lang.description_errors import DescriptionError, fail
from gpusim.lang.operators import COMPARE, OPERATORS, meaning
from gpusim.lang.tree import (
    Binary,
    Cast,
    Compare,
    Const,
    DType,
    Expr,
    Fma,
    Index,
    Param,
    Read,
    Select,
    Special,
    Temp,
    Unary,
)

INTEGERS = (DType.I32, DType.U32)


# ------------------------------------------------------------------ types and construction


def constant(value: object, dtype: DType | None = None) -> Const:
    """Python or NumPy number as a :class:`Const`, of ``dtype`` or its natural type (i32, f32, pred)."""
    if isinstance(value, (bool, np.bool_)):
        if dtype is not None and dtype is not DType.PRED:
            fail(f"True/False used as {dtype.value}; write 1 or 0, or gl.select")
        return Const(bool(value), DType.PRED)
    if isinstance(value, Integral):
        if dtype is DType.PRED:
            fail(f"{value} used as a condition; write True or False, or compare with != 0")
        return Const(float(value), dtype) if dtype and dtype.is_float else Const(int(value), dtype or DType.I32)
    if not isinstance(value, Real):
        fail(f"expected a number or a gl expression, not {type(value).__name__}")
    if dtype is not None and not dtype.is_float:
        fail(f"the float {value} meets a value of type {dtype.value}; write an int, or gl.cast(gl.f32, ...)")
    return Const(float(value), dtype or DType.F32)


def unify(a: object, b: object, what: str) -> tuple[Expr, Expr, DType]:
    """Bring two operands to one type: numbers take the other's, i32 with u32 gives u32, all else must match."""
    if not isinstance(a, Expr):
        a = constant(a, b.dtype if isinstance(b, Expr) else DType.F32 if isinstance(b, float) else None)
    if not isinstance(b, Expr):
        b = constant(b, a.dtype)
    if a.dtype is b.dtype:
        return a, b, a.dtype
    if a.dtype in INTEGERS and b.dtype in INTEGERS:
        return a, b, DType.U32
    if isinstance(a, Const) and a.dtype is DType.I32 and b.dtype.is_float:
        return Const(float(a.value), b.dtype), b, b.dtype
    if not (isinstance(b, Const) and b.dtype is DType.I32 and a.dtype.is_float):
        hint = "" if DType.PRED in (a.dtype, b.dtype) else f"; convert one with gl.cast(gl.{_wider(a, b)}, ...)"
        fail(f"{what!r} between {a.dtype.value} and {b.dtype.value}{hint}")
    return a, Const(float(b.value), a.dtype), a.dtype


def _wider(a: Expr, b: Expr) -> str:
    return "f32" if a.dtype.is_float or b.dtype.is_float else "i32"


def binary(op: str, a: object, b: object) -> Expr:
    """``a op b`` with types checked, constants folded and neutral elements dropped."""
    symbol = OPERATORS[op].python if op in OPERATORS else op
    a, b, dtype = unify(a, b, symbol)
    if dtype is DType.PRED and op not in ("and", "or", "xor"):
        fail(f"{symbol!r} between conditions; only & | ~ ^ combine them, gl.select(c, 1, 0) makes a number")
    if dtype.is_float and op not in ("add", "sub", "mul", "div", "min", "max"):
        fail(f"{symbol!r} needs integers, got {dtype.value}; convert with gl.cast(gl.i32, ...)")
    if op == "div" and not dtype.is_float:
        fail("'/' between integers; use // (or gl.cdiv), or gl.cast(gl.f32, ...) first")
    if op in ("floordiv", "mod") and isinstance(b, Const) and b.value == 0:
        fail(f"{OPERATORS[op].python!r} by 0")
    if isinstance(a, Const) and isinstance(b, Const):
        folded = _fold(op, a.value, b.value, dtype)
        if folded is not None:
            return folded
    simpler = _neutral(op, a, b, dtype)
    return Binary(op, a, b, dtype) if simpler is None else simpler


def _fold(op: str, a: Any, b: Any, dtype: DType) -> Const | None:
    """Constant result, or None where the operation is not defined for these operands."""
    if op == "div" and b == 0:
        return None
    found = meaning(op)(a, b)
    return Const(bool(found) if dtype is DType.PRED else float(found) if dtype.is_float else int(found), dtype)


def _neutral(op: str, a: Expr, b: Expr, dtype: DType) -> Expr | None:
    """Simpler equal of ``a op b`` where one side is 0, 1, True or False."""
    x = a.value if isinstance(a, Const) else None
    y = b.value if isinstance(b, Const) else None
    if dtype is DType.PRED:
        return _neutral_condition(op, a, b, x, y)
    if op in ("mul", "div", "floordiv") and y == 1:
        return a
    if op == "mul" and x == 1:
        return b
    if dtype.is_float:
        return None  # x + 0.0 and x * 0.0 are not neutral for -0.0, inf and nan
    if op in ("add", "sub", "or", "xor", "shl", "shr") and y == 0:
        return a
    if op in ("add", "or", "xor") and x == 0:
        return b
    if (op in ("mul", "and") and 0 in (x, y)) or (op == "mod" and y == 1) or (op in ("floordiv", "mod") and x == 0):
        return Const(0, dtype)
    return None


def _neutral_condition(op: str, a: Expr, b: Expr, x: object, y: object) -> Expr | None:
    for value, other in ((x, b), (y, a)):
        if value is None:
            continue
        if op == "and":
            return other if value else Const(False, DType.PRED)
        if op == "or":
            return Const(True, DType.PRED) if value else other
        return unary("not", other) if value else other
    return None


def compare(op: str, a: object, b: object) -> Expr:
    """Condition ``a op b``."""
    a, b, dtype = unify(a, b, COMPARE[op].python)
    if dtype is DType.PRED:
        fail(f"{OPERATORS[op].python!r} between conditions; combine them with & | ~ ^")
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(bool(COMPARE[op].value(a.value, b.value)), DType.PRED)
    return Compare(op, a, b)


def unary(op: str, a: object) -> Expr:
    """``op(a)``; ``neg``, ``abs`` and ``not`` of integers too, ``not`` of conditions, all else of f32."""
    if not isinstance(a, Expr):
        a = constant(a, None if op in ("neg", "abs", "not") else DType.F32)
    if op == "not" and a.dtype.is_float:
        fail(f"'~' of a value of type {a.dtype.value}; it inverts conditions and integers")
    if op != "not" and a.dtype is DType.PRED:
        fail(f"{op} of a condition; gl.select(c, 1, 0) makes a number of it")
    if op not in ("neg", "abs", "not") and not a.dtype.is_float:
        fail(f"{op} of a value of type {a.dtype.value}; convert with gl.cast(gl.f32, ...)")
    if op == "not" and isinstance(a, Unary) and a.op == "not":
        return a.a
    if isinstance(a, Const) and op in ("neg", "abs", "not"):
        plain = not a.value if a.dtype is DType.PRED else ~int(a.value) if op == "not" else None
        return Const(plain if plain is not None else -a.value if op == "neg" else abs(a.value), a.dtype)
    return Unary(op, a, a.dtype)


def select(condition: object, a: object, b: object) -> Expr:
    """``condition ? a : b``."""
    condition = condition if isinstance(condition, Expr) else constant(condition, DType.PRED)
    if condition.dtype is not DType.PRED:
        fail(f"gl.select needs a condition first, got {condition.dtype.value}; compare with != 0")
    a, b, dtype = unify(a, b, "gl.select")
    if isinstance(condition, Const):
        return a if condition.value else b
    return a if a == b else Select(condition, a, b, dtype)


def cast(dtype: DType, a: object) -> Expr:
    """Numeric conversion; a no-op where the type is ``dtype`` already."""
    if not isinstance(a, Expr):
        if dtype in INTEGERS and isinstance(a, Real):
            return Const(int(a) if isinstance(a, Integral) else int(float(a)), dtype)
        return constant(a, dtype)
    if a.dtype is dtype:
        return a
    if DType.PRED in (dtype, a.dtype):
        fail("gl.cast from or to a condition; use gl.select(c, 1, 0), or != 0")
    if isinstance(a, Const):
        return Const(float(a.value) if dtype.is_float else int(a.value), dtype)
    return Cast(a, dtype)


def fma(a: object, b: object, c: object) -> Expr:
    """Fused ``a * b + c`` in f32."""
    a, b, c = (x if isinstance(x, Expr) else constant(x, DType.F32) for x in (a, b, c))
    for part in (a, b, c):
        if part.dtype is not DType.F32:
            fail(f"gl.fma of a value of type {part.dtype.value}; it is fp32 only, gl.cast(gl.f32, ...) first")
    return Fma(a, b, c)


def cdiv(a: Any, b: Any) -> Any:
    """``a / b`` rounded up, for a >= 0 and b > 0."""
    if not isinstance(a, Expr) and not isinstance(b, Expr):
        return -(-a // b)
    return binary("floordiv", binary("add", a, binary("sub", b, 1)), b)


# ------------------------------------------------------------------ numbers


def evaluate(e: Expr, binding: Mapping[Any, Any]) -> Any:
    """Value of ``e`` with its leaves taken from ``binding``.

    Parameters
    ----------
    e : Expr
    binding : mapping
        Values (ints, floats or broadcastable NumPy arrays) for leaves: keyed by the name of a
        :class:`Param` or :class:`Special`, or by the :class:`Index`/:class:`Temp` itself.

    Returns
    -------
    int, float, bool or numpy.ndarray

    Raises
    ------
    DescriptionError
        Where a leaf has no value.

    Examples
    --------
    >>> from gpusim.lang.tree import DType, Param
    >>> n = Param("N", DType.I32, "size")
    >>> evaluate(binary("floordiv", binary("add", n, 31), 32), {"N": 100})
    4
    """
    match e:
        case Const(value=value):
            return value
        case Param(name=name) | Special(name=name):
            return _bound(name, name, binding)
        case Index() | Temp() | Read():
            return _bound(e, getattr(e, "name", f"a value of type {e.dtype.value} known only when run"), binding)
        case Unary(op="not", a=a):
            return np.logical_not(evaluate(a, binding)) if a.dtype is DType.PRED else ~evaluate(a, binding)
        case Unary(op=op, a=a):
            return meaning(op)(evaluate(a, binding))
        case Binary(op=op, a=a, b=b):
            return meaning(op)(evaluate(a, binding), evaluate(b, binding))
        case Compare(op=op, a=a, b=b):
            return meaning(op)(evaluate(a, binding), evaluate(b, binding))
        case Select(c=c, a=a, b=b):
            return np.where(evaluate(c, binding), evaluate(a, binding), evaluate(b, binding))[()]
        case Fma(a=a, b=b, c=c):
            return evaluate(a, binding) * evaluate(b, binding) + evaluate(c, binding)
        case Cast(a=a, dtype=dtype):
            return _converted(evaluate(a, binding), dtype)
    raise TypeError(f"not an expression: {e!r}")


def _bound(key: object, name: str, binding: Mapping[Any, Any]) -> Any:
    try:
        return binding[key]
    except KeyError:
        raise DescriptionError(f"no value for {name}") from None


def _converted(value: Any, dtype: DType) -> Any:
    if isinstance(value, np.ndarray):
        return value.astype(np.float64) if dtype.is_float else np.trunc(value).astype(np.int64)
    return float(value) if dtype.is_float else math.trunc(value)
