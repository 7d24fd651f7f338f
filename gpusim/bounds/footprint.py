"""Distinct elements that a computation touches of each array: what must come in once, and go out once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from gpusim.bounds import stencils
from gpusim.bounds.computation import Access, Computation, Form, Statement, ordered_points


def read_arrays(computation: Computation) -> tuple[str, ...]:
    """Arrays whose contents the computation is given: those that it reads and does not make.

    An array that a statement both reads and writes is given, too, and changed in place.

    Parameters
    ----------
    computation : Computation
    """
    return tuple(array for array in computation.arrays if is_given(computation, array))


def is_given(computation: Computation, array: str) -> bool:
    """Whether an array has contents that the computation needs before it begins.

    Parameters
    ----------
    computation : Computation
    array : str
    """
    makes = [one for one in computation.statements if array in {out.base for out in one.outs}]
    reads = [one for one in computation.statements if any(access.base == array for access in one.inputs)]
    return bool(reads) and (not makes or any(one in makes for one in reads))


def elements(computation: Computation, array: str, sizes: Mapping[str, int], *, written: bool = False) -> int:
    """Distinct elements that accesses name, or no more than these.

    Parameters
    ----------
    computation : Computation
    array : str
    sizes : mapping of str to int
        Extents of loops.
    written : bool
        Of outputs instead of inputs.
    """
    for statement in computation.statements:
        if statement.out.base == array and (steps := stencils.steps(statement)) is not None:
            rest = {*statement.out.loops, *statement.out.whole} - {*steps}
            return prod(sizes[loop] for loop in rest)  # of one step: the first one, or the last
    found: dict[tuple[object, ...], list[tuple[Statement, Access]]] = {}
    for statement in computation.statements:
        for access in statement.outs if written else statement.inputs:
            if access.base == array:
                found.setdefault((access.linear, access.whole), []).append((statement, access))
    return max((_of_pattern(computation, same, sizes) for same in found.values()), default=0)


def _of_pattern(computation: Computation, same: Iterable[tuple[Statement, Access]], sizes: Mapping[str, int]) -> int:
    """Of accesses that constants alone tell apart."""
    (statement, first), *others = same
    whole = prod(sizes[loop] for loop in first.whole)
    loops = first.loops
    if len(loops) != sum(len(form.loops) for form in first.forms):  # a loop in two indices: at least its own values
        return whole * max((sizes[loop] for loop in loops), default=1)
    tied = {loop for pair in computation.constraints(statement) for loop in pair[:2]} & set(loops)
    if tied:
        return whole * _ordered(computation, statement, first, sizes)
    accesses = [first, *(access for _, access in others)]
    return whole * prod(_values([access.forms[n] for access in accesses], sizes) for n in range(len(first.forms)))


def _ordered(computation: Computation, statement: Statement, access: Access, sizes: Mapping[str, int]) -> int:
    """Values that an access's loops take together, in the order that a statement has."""
    pairs = computation.constraints(statement)
    tied = tuple(loop for loop in statement.loops if any(loop in pair[:2] for pair in pairs))
    kept = tuple(loop for loop in access.loops if loop in tied)
    return ordered_points(tied, pairs, sizes, kept) * prod(sizes[loop] for loop in access.loops if loop not in tied)


def _values(forms: list[Form], sizes: Mapping[str, int]) -> int:
    """Distinct values of an index, over several constants."""
    terms = sorted(forms[0].terms, key=lambda term: abs(term[1]))
    spread = max(form.constant for form in forms) - min(form.constant for form in forms)
    reach = 0
    for loop, factor in terms:
        if abs(factor) > reach + 1:  # values with gaps between them: at least those of the longest loop
            return max(sizes[loop] for loop, _ in terms)
        reach += abs(factor) * (sizes[loop] - 1)
    return reach + 1 + (spread if spread <= reach + 1 else 0)
