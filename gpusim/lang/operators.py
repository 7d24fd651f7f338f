"""Operators and functions of the language: one row each, with how Python and CUDA C++ write it and what it computes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Operator(NamedTuple):
    """An operator of two operands.

    Attributes
    ----------
    python, cuda : str
        How it is written; empty: as no operator.
    python_level, cuda_level : int
        How tightly it binds there.
    value : callable
        What it gives of two numbers.
    negated, mirrored : str
        Of a comparison: the one that holds where it does not, and the one that holds of the operands swapped.
    """

    python: str
    python_level: int
    cuda: str
    cuda_level: int
    value: Callable[[Any, Any], Any]
    negated: str = ""
    mirrored: str = ""


BINARY = {
    "add": Operator("+", 6, "+", 12, operator.add),
    "sub": Operator("-", 6, "-", 12, operator.sub),
    "mul": Operator("*", 7, "*", 13, operator.mul),
    "div": Operator("/", 7, "/", 13, operator.truediv),
    "floordiv": Operator("//", 7, "/", 13, operator.floordiv),
    "mod": Operator("%", 7, "%", 13, operator.mod),
    "and": Operator("&", 4, "&", 8, operator.and_),
    "or": Operator("|", 2, "|", 6, operator.or_),
    "xor": Operator("^", 3, "^", 7, operator.xor),
    "shl": Operator("<<", 5, "<<", 11, operator.lshift),
    "shr": Operator(">>", 5, ">>", 11, operator.rshift),
}
"""Arithmetic written with an operator, by its name in the tree."""

COMPARE = {
    "lt": Operator("<", 1, "<", 10, operator.lt, "ge", "gt"),
    "le": Operator("<=", 1, "<=", 10, operator.le, "gt", "ge"),
    "gt": Operator(">", 1, ">", 10, operator.gt, "le", "lt"),
    "ge": Operator(">=", 1, ">=", 10, operator.ge, "lt", "le"),
    "eq": Operator("==", 1, "==", 9, operator.eq, "ne", "eq"),
    "ne": Operator("!=", 1, "!=", 9, operator.ne, "eq", "ne"),
}

OPERATORS = BINARY | COMPARE
"""Everything that is written between two operands."""


class Function(NamedTuple):
    """A function of one or two numbers: what CUDA calls it for f32, and what it gives."""

    cuda: str
    value: Callable[..., Any]


FUNCTIONS = {
    "exp": Function("__expf", np.exp),
    "exp2": Function("exp2f", np.exp2),
    "log": Function("__logf", np.log),
    "log2": Function("__log2f", np.log2),
    "sqrt": Function("fast_sqrt", np.sqrt),
    "rsqrt": Function("rsqrtf", lambda x: 1 / np.sqrt(x)),
    "rcp": Function("fast_rcp", lambda x: 1 / x),
    "sin": Function("__sinf", np.sin),
    "cos": Function("__cosf", np.cos),
    "tanh": Function("fast_tanh", np.tanh),
    "abs": Function("fabsf", np.abs),
    "min": Function("fminf", np.minimum),
    "max": Function("fmaxf", np.maximum),
}


def meaning(op: str) -> Callable[..., Any]:
    """What an operation gives of numbers, by its name in the tree."""
    if op == "neg":
        return operator.neg
    return FUNCTIONS[op].value if op in FUNCTIONS else OPERATORS[op].value
