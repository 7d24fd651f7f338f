"""Parameters of a kernel bound to numbers: checked, completed, and the grid and block that follow."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from gpusim import hardware
from gpusim.hardware.programming import Limits
from gpusim.lang.description_errors import DescriptionError, fail, nearest
from gpusim.lang.evaluate import evaluate
from gpusim.lang.tree import Binary, DType, Expr, Param, Tree, distinct, leaves, operands, statements


def bind(
    tree: Tree, params: Mapping[str, float], roles: tuple[str, ...] = ("size", "tile", "scalar")
) -> dict[str, int | float]:
    """Checked values of the parameters of ``roles``; scalars may be left out."""
    known = {p.name: p for p in tree.params if p.role in roles}
    for name in params:
        if name not in known:
            kind = "tile" if roles == ("tile",) else "parameter"
            raise DescriptionError(f"{tree.name} has no {kind} {name!r}{nearest(name, known)}")
    values = {**{k: v for k, v in tree.defaults.items() if k in known}, **params}
    missing = [name for name, p in known.items() if name not in values and p.role != "scalar"]
    if missing:
        raise DescriptionError(f"{tree.name} needs a value for {', '.join(missing)}")
    found = {name: _checked(tree, known[name], values[name]) for name in known if name in values}
    for name in (name for name, value in found.items() if value <= 0 and _divides(tree, known[name])):
        raise DescriptionError(f"{tree.name}: {name} = {found[name]} divides an integer; it must be at least 1")
    return found


def _divides(tree: Tree, param: Param) -> bool:
    """Whether the kernel divides an integer by a parameter."""
    expressions = distinct(operand for s in statements(tree.body) for operand in operands(s))
    return any(isinstance(e, Binary) and e.op in ("floordiv", "mod") and e.b == param for e in expressions)


def _checked(tree: Tree, param: Param, value: Any) -> int | float:
    try:
        if param.role != "scalar":
            return positive(param.name, param.role, value)
        if param.dtype.is_float and isinstance(value, Real):
            return float(value)
        low, high = (-(2**31), 2**31) if param.dtype is DType.I32 else (0, 2**32)
        if isinstance(value, Integral) and low <= int(value) < high:
            return int(value)
    except DescriptionError as error:
        raise DescriptionError(f"{tree.name}: {error}") from None
    raise DescriptionError(f"{tree.name}: {param.name} = {value!r} is not a value of type {param.dtype.value}")


def positive(name: str, role: str, value: Any) -> int:
    """A value of a size or tile, if it is one."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 < int(value) < 2**31:
        fail(f"{role} {name} = {value!r}; it must be a positive int below 2**31")
    return int(value)


def launch_shape(tree: Tree, binding: Mapping[str, Any]) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Grid and block under ``binding``, once all requirements are met, within what any known architecture allows."""
    for needed, text in tree.requires:
        if not evaluate(needed, binding):
            raise DescriptionError(f"{tree.name}: {text} ({_given(needed, binding)})")
    grid, block = _numbers(tree.grid, binding), _numbers(tree.block, binding)
    limits = hardware.of_architecture(hardware.DEFAULT_ARCHITECTURE, Limits)
    for what, shape, most in (("grid", grid, limits.grid), ("block", block, limits.block)):
        if not all(0 < n <= limit for n, limit in zip(shape, most, strict=True)):
            raise DescriptionError(f"{tree.name}: {what} {shape}; each extent must be 1 to {most}")
    threads = block[0] * block[1] * block[2]
    if threads > most_threads():
        raise DescriptionError(f"{tree.name}: {threads} threads a block; at most {most_threads()}")
    return grid, block


def most_threads() -> int:
    """Threads that a block may have."""
    found: int = hardware.architecture(hardware.DEFAULT_ARCHITECTURE)["sm.max_threads_per_block"]
    return found


def _numbers(shape: tuple[Expr, Expr, Expr], binding: Mapping[str, Any]) -> tuple[int, int, int]:
    x, y, z = (int(evaluate(e, binding)) for e in shape)
    return x, y, z


def _given(e: Expr, binding: Mapping[str, Any]) -> str:
    names = dict.fromkeys(leaf.name for leaf in leaves(e) if isinstance(leaf, Param))
    return ", ".join(f"{name} = {binding[name]}" for name in names)
