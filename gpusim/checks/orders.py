"""Results of other legal orders of warps and blocks, held against those of one: what they differ in depends on luck."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import ml_dtypes
import numpy as np

from gpusim.checks.finding import Finding
from gpusim.checks.kinds import KINDS, ORDER, Level
from gpusim.isa.variants import Atomic, Flag
from gpusim.simulate import checking

if TYPE_CHECKING:
    from gpusim.checks.how import CheckHow
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.program import Program
    from gpusim.simulate.launch import Launch

_OPERATION = 15  # bits of an atomic's sub
ROUNDING = "Sums by float atomics round as their order goes: fix the order if results must be the same bit by bit."


class Difference(NamedTuple):
    """Elements of an array that another order leaves otherwise.

    Attributes
    ----------
    element : int
        The first one, counted through the array as it lies in memory.
    usual, other : number
        What it holds in the usual order, and in the other one.
    elements : int
        How many differ.
    is_rounding : bool
        Whether they are floats, and agree in half of their digits.
    """

    element: int
    usual: object
    other: object
    elements: int
    is_rounding: bool


def differences(launch: Launch, kernel: str, gpu: Gpu, held: Occupancy, how: CheckHow) -> Iterator[Finding]:
    """Run a launch in other orders, and find arrays that end up otherwise.

    Parameters
    ----------
    launch : Launch
    kernel : str
    gpu, held
        Where it runs.
    how : CheckHow
        With as many orders as are wanted, and their seed.

    Yields
    ------
    Finding
        One for each array that differs: of the first order in which it does.
    """

    def run(seed: int | None) -> Mapping[str, np.ndarray]:
        return checking.values_of_order(launch, gpu, held, seed, progress=how.progress, limit=how.limit)

    usual, sums = run(None), adds_floats(launch.program)
    found: dict[str, Finding] = {}
    for number in range(how.schedules):
        for name, after in run(how.seed + number).items():
            difference = compared(usual[name], after)
            if difference is None:
                continue
            now = _finding(kernel, name, difference, how.seed + number, sums=sums)
            before = found.get(name)
            keeps = before is not None and (before.level is Level.ERROR or now.level is Level.NOTE)
            found[name] = replace(before if before and keeps else now, times=before.times + 1 if before else 1)
    yield from found.values()


def compared(usual: np.ndarray, other: np.ndarray) -> Difference | None:
    """Compare an array of two runs bit by bit.

    Parameters
    ----------
    usual, other : ndarray
        Of one type and shape.

    Returns
    -------
    Difference or None
        None where they are the same.
    """
    flat, after = np.ascontiguousarray(usual).reshape(-1), np.ascontiguousarray(other).reshape(-1)
    size = flat.dtype.itemsize
    bits = flat.view(np.uint8).reshape(-1, size) != after.view(np.uint8).reshape(-1, size)
    differing = np.flatnonzero(bits.any(axis=1))
    if not differing.size:
        return None
    first = int(differing[0])
    return Difference(first, flat[first].item(), after[first].item(), int(differing.size), _agree(flat, after))


def _agree(usual: np.ndarray, other: np.ndarray) -> bool:
    """Whether floats agree in half of their digits, next to the largest of them."""
    try:
        digits = float(ml_dtypes.finfo(usual.dtype).eps) ** 0.5  # type: ignore[no-untyped-call]
    except ValueError:
        return False
    a, b = usual.astype(np.float64), other.astype(np.float64)
    finite = np.isfinite(a)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(b[finite]).all():
        return False
    largest = float(np.abs(a[finite]).max(initial=0.0))
    return bool(np.all(np.abs(a[finite] - b[finite]) <= digits * largest))


def adds_floats(program: Program) -> bool:
    """Whether a program has atomics on floats, whose sums round as their order goes.

    Parameters
    ----------
    program : Program
    """
    adds = (one for one in program.instrs if one.op.info.is_atomic and one.sub & _OPERATION == Atomic.ADD)
    return any(one.flags & (Flag.FLOAT | Flag.HALF) for one in adds)


def _finding(kernel: str, name: str, found: Difference, seed: int, *, sums: bool) -> Finding:
    rounding = sums and found.is_rounding
    more = f" ({found.elements} elements differ)" if found.elements > 1 else ""
    what = (
        f"element {found.element} of {name} is {found.usual} in the usual order of warps and blocks, and {found.other} "
        f"in another that is as legal (seed {seed}){more}"
    )
    level, edit = (Level.NOTE, ROUNDING) if rounding else (KINDS[ORDER].level, KINDS[ORDER].edit)
    return Finding(ORDER, kernel, what, edit, space="global", array=name, level=level)
