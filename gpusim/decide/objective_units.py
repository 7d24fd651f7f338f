"""Units of an objective: seconds and bytes do not add up unless somebody says what each is worth."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gpusim.errors import GpusimError, shown

UnitOf = Callable[[str], str | None]
"""Gives the unit of a figure; None where it is not known."""

IN_WORDS = {"s": "seconds", "byte": "bytes", "cycle": "cycles", "share": "a share", "": "a number"}


class UnlikeUnitsError(GpusimError):
    """An objective that adds figures in unlike units, with no weights."""


class _Term(NamedTuple):
    """What a part of an expression is counted in, None where it is a number or unknown, and whether it has a weight."""

    unit: str | None
    is_weighted: bool


def check_units(text: str, unit_of: UnitOf) -> None:
    """Refuse sums, ``min`` and ``max`` of figures in unlike units of which more than one has no weight.

    Parameters
    ----------
    text : str
        An expression.
    unit_of : callable

    Raises
    ------
    UnlikeUnitsError

    Examples
    --------
    >>> units = {"time": "s", "hbm_bytes": "byte"}.get
    >>> check_units("2e12*time + hbm_bytes", units)
    >>> check_units("time + hbm_bytes", units)
    Traceback (most recent call last):
    gpusim.decide.objective_units.UnlikeUnitsError: objective 'time + hbm_bytes' adds seconds and bytes: ...
    """
    for node in ast.walk(ast.parse(text.strip(), mode="eval")):
        parts = list(_compared(node))
        bare = dict.fromkeys(one.unit for part in parts if not (one := _term(part, unit_of)).is_weighted)
        units = [unit for unit in bare if unit is not None]
        if len(units) > 1:
            named = " and ".join(IN_WORDS.get(unit, unit) for unit in units)
            does = "adds" if isinstance(node, ast.BinOp) else "compares"
            raise UnlikeUnitsError(
                f"objective {shown(text)} {does} {named}: give weights that make them one unit, such as "
                "'4e12*time + hbm_bytes', or several objectives"
            )


def _compared(node: ast.AST) -> Iterator[ast.expr]:
    """The parts of a sum, of ``min`` and of ``max``, which must be in one unit."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield from _summands(node)
    elif isinstance(node, ast.Call):
        yield from node.args


def _summands(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield from _summands(node.left)
        yield from _summands(node.right)
    else:
        yield node


def _term(node: ast.expr, unit_of: UnitOf) -> _Term:
    if isinstance(node, ast.Name | ast.Attribute):
        return _Term(unit_of(ast.unparse(node)), False)
    if isinstance(node, ast.UnaryOp):
        return _term(node.operand, unit_of)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.FloorDiv):
        left, right = _term(node.left, unit_of), _term(node.right, unit_of)
        weighted = left.is_weighted or right.is_weighted or _is_number(node.left) or _is_number(node.right)
        return _Term(_product(left.unit, right.unit, "*" if isinstance(node.op, ast.Mult) else "/"), weighted)
    parts = list(_compared(node))
    return _term(parts[0], unit_of) if parts else _Term(None, False)  # others of it are checked by themselves


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant))


def _product(left: str | None, right: str | None, sign: str) -> str | None:
    """A unit of a product or a quotient; a plain number has none."""
    if left is None or right is None:
        return (left or right) if sign == "*" or right is None else f"1/{right}"
    return "" if sign == "/" and left == right else f"{left}{sign}{right}"
