"""Sizes as expressions, such as ``ceildiv(N, 256)``, and conditions on them: arithmetic on numbers and names alone."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from gpusim.errors import GpusimError, shown
from gpusim.names import suggest

Number = int | float

MOST_BITS = 128
"""Of an integer that comes out, or in between."""
LONGEST = 400
"""Characters of an expression."""


class ExpressionError(GpusimError):
    """An expression that is none, has a name that is not known, or has no value."""


def ceildiv(a: Number, b: Number) -> Number:
    """The least whole number that is no less than ``a / b``.

    Examples
    --------
    >>> ceildiv(1000, 256)
    4
    """
    found: Number = -(-a // b)
    return found


def _divided(a: Number, b: Number) -> Number:
    """A quotient, whole where it is so."""
    return a // b if isinstance(a, int) and isinstance(b, int) and a % b == 0 else a / b


def _power(a: Number, b: Number) -> Any:
    if abs(b) > MOST_BITS:
        raise OverflowError
    return a**b


def _shifted(a: Number, b: Number) -> int:
    if not (isinstance(a, int) and isinstance(b, int) and 0 <= b <= MOST_BITS):
        raise OverflowError
    return a << b


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: _divided,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: _power, ast.LShift: _shifted,
    ast.RShift: operator.rshift,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {"min": min, "max": max, "ceildiv": ceildiv}


def number(text: str) -> int | float | str:
    """Read a number where there is one: ``4096``, ``4_096``, ``1e6``, ``0.5``.

    Parameters
    ----------
    text : str
    """
    for kind in (int, float):
        try:
            found = kind(text)
        except ValueError:
            continue
        return int(found) if isinstance(found, float) and found.is_integer() else found
    return text


def names(text: str) -> set[str]:
    """Names in an expression that are no functions.

    Examples
    --------
    >>> sorted(names("ceildiv(N, 4) * M"))
    ['M', 'N']
    """
    nodes = [node for node in ast.walk(_tree(text)) if isinstance(node, ast.Name | ast.Attribute)]
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    return {ast.unparse(node) for node in nodes if id(node) not in inner} - FUNCTIONS.keys()


def evaluate(text: str, known: Mapping[str, Number]) -> Number:
    """Value of an expression of ``+ - * / // % ** << >>``, brackets, ``min``, ``max`` and ``ceildiv``.

    Parameters
    ----------
    text : str
    known : mapping of str to int or float
        Values of names.

    Returns
    -------
    int or float
        A quotient is whole where it can be.

    Raises
    ------
    ExpressionError

    Examples
    --------
    >>> evaluate("ceildiv(N, 256) * 2", {"N": 1000})
    8
    """
    found: Any = _worked_out(_value, text, known)
    if isinstance(found, complex) or (isinstance(found, int) and found.bit_length() > MOST_BITS):
        raise ExpressionError(f"{shown(text)} has no value that a size can have")
    number: Number = found
    return number


def holds(text: str, known: Mapping[str, Number]) -> bool:
    """Whether a condition holds: expressions with ``== != < <= > >=`` between them, and ``and``, ``or``, ``not``.

    Parameters
    ----------
    text : str
    known : mapping of str to int or float
        Values of names.

    Raises
    ------
    ExpressionError
        It is no condition, or an expression in it has no value.

    Examples
    --------
    >>> holds("32 <= x*y <= 1024 and x % 8 == 0", {"x": 16, "y": 4})
    True
    """
    return bool(_worked_out(_truth, text, known))


def _worked_out(read: Callable[[ast.expr, Mapping[str, Number]], Any], text: str, known: Mapping[str, Number]) -> Any:
    """What a text comes to, by what reads its tree."""
    try:
        return read(_tree(text).body, known)
    except GpusimError:  # of this expression, or of one that a name stands for
        raise
    except ZeroDivisionError:
        raise ExpressionError(f"{shown(text)} divides by 0") from None
    except (OverflowError, ValueError, TypeError):
        raise ExpressionError(f"{shown(text)} has no value that a size can have") from None


def _truth(node: ast.expr, known: Mapping[str, Number]) -> bool:
    """Whether a node holds that is a comparison, or several of them joined."""
    if isinstance(node, ast.BoolOp):
        found = [_truth(one, known) for one in node.values]
        return all(found) if isinstance(node.op, ast.And) else any(found)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _truth(node.operand, known)
    if not isinstance(node, ast.Compare) or any(type(op) not in _COMPARISONS for op in node.ops):
        raise ExpressionError(
            f"{shown(ast.unparse(node))} is no condition: it needs one of == != < <= > >=, as in x*y <= 1024"
        )
    values = [_value(one, known) for one in (node.left, *node.comparators)]
    pairs = zip(node.ops, values, values[1:], strict=False)
    return all(_COMPARISONS[type(op)](left, right) for op, left, right in pairs)


def _tree(text: str) -> ast.Expression:
    if len(text) > LONGEST:
        raise ExpressionError(f"{shown(text)} is longer than {LONGEST} characters")
    try:
        return ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"{shown(text)} is no number and no expression, such as ceildiv(N,256)") from None


def _value(node: ast.expr, known: Mapping[str, Number]) -> Any:
    """Value of a node, whose kinds are those that are listed here."""
    found: Any
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        found = node.value
    elif isinstance(node, ast.Name | ast.Attribute):
        found = _named(ast.unparse(node), known)
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        found = _BINARY[type(node.op)](_value(node.left, known), _value(node.right, known))
    elif isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        found = _UNARY[type(node.op)](_value(node.operand, known))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        found = _called(node.func.id, [_value(one, known) for one in node.args])
    else:
        raise ExpressionError(
            f"{shown(ast.unparse(node))} is no number: an expression has + - * / // % ** << >>, brackets, "
            f"{', '.join(FUNCTIONS)} and names"
        )
    if isinstance(found, int) and found.bit_length() > 8 * MOST_BITS:
        raise OverflowError
    return found


def _named(name: str, known: Mapping[str, Number]) -> Number:
    if name not in known:
        raise ExpressionError(f"{name} has no value here: {suggest(name, known) if known else 'no name has one'}")
    return known[name]


def _called(name: str, given: list[Any]) -> Any:
    if name not in FUNCTIONS or not given or (name == "ceildiv" and len(given) != 2):
        raise ExpressionError(f"{name} of {len(given)} numbers: there are min, max and ceildiv(A,B)")
    return FUNCTIONS[name](*given)
