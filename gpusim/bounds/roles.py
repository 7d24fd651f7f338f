"""What the points of a statement need in fast memory: groups of values, of which each takes its own room.

Values are told apart by version.  Sums that a statement gathers, and finished values of the same array (``A'``), are
two groups, for both can be in memory at a time.  Accesses of one group share its room, because what they touch may be
the same: ``A[i,k]`` and ``A[j,k]`` of ``A A^T``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from gpusim.bounds.computation import Access, Computation, Statement

SUMS = "sums of "


@dataclass(frozen=True, slots=True)
class Group:
    """Values that share room.

    Attributes
    ----------
    name : str
        The array with its prime; ``"sums of C"`` while a statement gathers it and nobody reads it.
    array : str
        Without a prime.
    patterns : tuple of Access
        One for each way in which points name its elements.
    whole : tuple of str
        Axes that every point takes whole.
    """

    name: str
    array: str
    patterns: tuple[Access, ...]
    whole: tuple[str, ...]

    def weight(self, sizes: Mapping[str, int], element_bytes: Mapping[str, int]) -> int:
        """Bytes of what one index names.

        Parameters
        ----------
        sizes : mapping of str to int
            Extents of loops.
        element_bytes : mapping of str to int
            Of each array.
        """
        return element_bytes[self.array] * prod(sizes[loop] for loop in self.whole)


def groups(computation: Computation, statement: Statement) -> list[Group]:
    """Give the groups of a statement, those of its sums first.

    Parameters
    ----------
    computation : Computation
    statement : Statement

    Examples
    --------
    >>> from gpusim.bounds.computation import parse
    >>> syrk = parse("C[i,j] += A[i,k] * A[j,k]")
    >>> [one.name for one in groups(syrk, syrk.statements[0])]
    ['sums of C', 'A']
    """
    found: dict[tuple[str, str, tuple[str, ...]], dict[object, Access]] = {}
    for out in statement.outs if statement.gathers else ():
        found[_sums(computation, out), "", out.whole] = {out.linear: out}
    sides = _sides(computation, statement)
    for access in statement.inputs:
        patterns = found.setdefault((access.array, sides.get(access, ""), access.whole), {})
        patterns.setdefault(access.linear, access)
    return [
        Group(name, next(iter(patterns.values())).base, tuple(patterns.values()), whole)
        for (name, _, whole), patterns in found.items()
    ]


def _sums(computation: Computation, out: Access) -> str:
    """Name of the group of what is gathered: the array's own where it is read while that goes on."""
    read = any(access.array == out.array for one in computation.statements for access in one.inputs)
    return out.array if read else SUMS + out.array


def _sides(computation: Computation, statement: Statement) -> dict[Access, str]:
    """Accesses on different sides of the diagonal of an array, by an order of loops: they touch different elements."""
    below = {(a, b) for a, b, equal in computation.constraints(statement) if not equal}
    found: dict[Access, str] = {}
    for access in statement.inputs:
        loops = tuple(form.loops for form in access.forms)
        if len(loops) == 2 and all(len(one) == 1 for one in loops) and not any(form.constant for form in access.forms):
            row, column = loops[0][0], loops[1][0]
            found[access] = "under" if (column, row) in below else "over" if (row, column) in below else ""
    arrays = {access.array for access in statement.inputs}
    told = {a for a in arrays if all(found.get(access, "") for access in statement.inputs if access.array == a)}
    return {access: side for access, side in found.items() if access.array in told}


def mirrored(computation: Computation, statement: Statement) -> bool:
    """Whether two loops can change places in all that a gathering statement reads, where one is below the other.

    The points and their mirror images then read the same elements, and gather twice as many sums.  So half of what an
    inequality allows for both is allowed for the points: what Beaumont, Eyraud-Dubois, Verite and Langou found of
    A A^T and of Cholesky (2022, arXiv 2202.10217).
    """
    found = groups(computation, statement)
    if not statement.gathers or statement.others or not found[0].name.startswith(SUMS):
        return False
    return any(
        {one, other} <= set(statement.out.loops)
        and all(_is_same({one: other, other: one}, group) for group in found[1:])
        for one, other, _ in computation.constraints(statement)
    )


def _is_same(swap: Mapping[str, str], group: Group) -> bool:
    """Whether a group's patterns stay the same where loops change places."""
    return {_swapped(access, swap) for access in group.patterns} == {access.linear for access in group.patterns}


def _swapped(access: Access, swap: Mapping[str, str]) -> tuple[tuple[tuple[str, int], ...], ...]:
    return tuple(tuple(sorted((swap.get(loop, loop), factor) for loop, factor in form.terms)) for form in access.forms)


def points(computation: Computation, statement: Statement, sizes: Mapping[str, int]) -> int:
    """How often a statement is run; of one with a mirror image without the points on the diagonal.

    Parameters
    ----------
    computation : Computation
    statement : Statement
    sizes : mapping of str to int
        Extents of loops.
    """
    from dataclasses import replace

    if not mirrored(computation, statement):
        return computation.points(statement, sizes)
    strict = tuple((a, b, False) for a, b, _ in computation.below)
    return replace(computation, below=strict).points(statement, sizes)


def sharing(computation: Computation) -> dict[str, int]:
    """In how many statements each group is."""
    names = [name for one in computation.statements for name in {group.name for group in groups(computation, one)}]
    return {name: names.count(name) for name in names}
