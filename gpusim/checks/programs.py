"""What is wrong with a whole program: findings of its launches by kernel, and memory that it has not freed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from gpusim.checks.finding import Finding, Spot
from gpusim.checks.findings import Checkable, findings, merged
from gpusim.checks.kinds import KINDS
from gpusim.checks.result import CheckResult
from gpusim.checks.variables import variables
from gpusim.checks.whereabouts import Freed
from gpusim.isa.program import lines_of
from gpusim.results.faults import Fault, Tool

if TYPE_CHECKING:
    from gpusim.programs.checks import CheckedLaunch, Checks, FailedCall
    from gpusim.programs.host_lines import HostLine
    from gpusim.programs.memory import Allocation

NOT_TOLD = "memory that is never freed (the program did not come to its end)"


def of_program(checks: Checks, path: str) -> list[CheckResult]:
    """Give what was found of a program that has run.

    Parameters
    ----------
    checks : Checks
    path : str
        The program's.

    Returns
    -------
    list of CheckResult
        One for launches of one kernel with one grid and one block, in the order of the first of each; then one of the
        program as a whole.
    """
    groups: dict[object, list[CheckedLaunch]] = {}
    for one in checks.launches:
        groups.setdefault((one.kernel, one.launch.grid, one.launch.block), []).append(one)
    return [*(_of_kernel(group, checks) for group in groups.values()), _of_all(checks, path)]


def _of_kernel(group: Sequence[CheckedLaunch], checks: Checks) -> CheckResult:
    first = group[0]
    return CheckResult(
        first.kernel, checks.gpu.name, first.launch.grid, first.launch.block, tuple(merged(_found(group))),
        tuple(map(str, checks.tools)), sum(one.checked.blocks_run for one in group),
        sum(one.checked.blocks for one in group), next((one.checked.ended for one in group if one.checked.ended), ""),
        tuple(dict.fromkeys(text for one in group for text in one.checked.unseen)), launches=len(group),
    )  # fmt: skip


def _found(group: Iterable[CheckedLaunch]) -> Iterator[Finding]:
    for one in group:
        if one.checked.faults:
            freed = [Freed(left.first, left.nbytes, left.name) for left in one.freed]
            of = Checkable(one.launch, one.kernel, freed, variables(one.source))
            yield from findings(of, one.checked.faults)


def _of_all(checks: Checks, path: str) -> CheckResult:
    """What the program has left, and what of it was not looked at."""
    found = list(merged(_of_host(checks, path))) if Tool.MEMCHECK in checks.tools else []
    unseen = [NOT_TOLD] if checks.left is None and checks.launches else []
    if checks.unchecked:
        unseen.append(f"{checks.unchecked} launches that were not chosen; what they wrote counts as written")
    return CheckResult(
        path, checks.gpu.name, None, None, tuple(found), tuple(map(str, checks.tools)), unseen=tuple(unseen),
        launches=len(checks.launches),
    )  # fmt: skip


def _of_host(checks: Checks, path: str) -> Iterator[Finding]:
    """What the program's own code has done wrong."""
    yield from (_failure(one, path, _spot(checks.line_of(one))) for one in checks.failures)
    if not any(one.checked.ended for one in checks.launches):  # after a fault nothing can be freed
        yield from (_leak(one, path, _spot(checks.line_of(one))) for one in checks.left or ())


def _failure(one: FailedCall, path: str, spot: Spot | None) -> Finding:
    known = KINDS[Fault.API_ERROR]
    return Finding(str(Fault.API_ERROR), path, f"{one.call} gives {one.error}", known.edit, spot, level=known.level)


def _leak(one: Allocation, path: str, spot: Spot | None) -> Finding:
    known = KINDS[Fault.LEAK]
    what = f"{one.name}, {one.nbytes} bytes at {one.first:#x}, is never freed"
    return Finding(
        str(Fault.LEAK), path, what, known.edit, spot, space="global", array="" if spot else one.name,
        address=one.first, nbytes=one.nbytes, level=known.level,
    )  # fmt: skip


def _spot(line: HostLine | None) -> Spot | None:
    """A line of the program's own code."""
    return None if line is None else Spot(*line, lines_of([line])[0].strip())
