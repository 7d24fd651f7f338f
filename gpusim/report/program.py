"""The launches of a program as a table: a row for those of one kernel, one grid and one block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.report.grid import Grid
from gpusim.report.time import bound_by
from gpusim.report.units import NOTHING, format_seconds, format_share
from gpusim.results.metric import DURATION, format_error

if TYPE_CHECKING:
    from gpusim.results.program import Program, ProgramLaunch


def program(found: Program, remarks: Iterable[str] = ()) -> list[RenderableType]:
    """Lay out what a program launched.

    Parameters
    ----------
    found : Program
    remarks : iterable of str
        What stands under the table where something was timed.

    Returns
    -------
    list of rich renderables
    """
    return list(_laid_out(found, remarks))


def _laid_out(found: Program, remarks: Iterable[str]) -> Iterator[RenderableType]:
    n = len(found.launches)
    yield Text(f"{found.name}  on {found.gpu}: {n} launch{'' if n == 1 else 'es'}", style="bold")
    if not n:
        return
    yield Text("")
    yield _table(found)
    yield Text("")
    yield from (Text(line) for line in _notes(found, remarks))


def _table(found: Program) -> Grid:
    grid = Grid()
    grid.add_column("first", key=True, spared=0)
    grid.add_column("kernel", "text", key=True)
    for heading in ("grid", "block", "launches", "time each", "time", "share"):
        grid.add_column(heading)
    grid.add_column("bound by", "name", spared=1)
    groups = list(found.alike())
    for group in groups:
        grid.add_row(*_row(group, found.seconds), end_section=group is groups[-1])
    total = format_seconds(found.seconds) if found.seconds else NOTHING
    grid.add_row("", "together", "", "", str(len(found.launches)), "", total, "", "")
    return grid


def _row(group: Sequence[ProgramLaunch], total: float) -> Iterator[str]:
    first, times = group[0], [launch.seconds for launch in group if launch.seconds is not None]
    yield from (str(first.number), first.kernel, _size(first.grid), _size(first.block), str(len(group)))
    if not times:
        yield from [NOTHING] * 4
        return
    spent = sum(times)
    yield from (format_seconds(spent / len(times)), format_seconds(spent), format_share(spent / total))
    bounds = Counter(bound_by(launch.profile) for launch in group if launch.profile is not None)
    yield bounds.most_common(1)[0][0] or NOTHING


def _size(size: Sequence[int]) -> str:
    """A size without the ones at its end."""
    x, y, z = size
    return ",".join(map(str, (x, y, z) if z > 1 else (x, y) if y > 1 else (x,)))


def _notes(found: Program, remarks: Iterable[str]) -> Iterator[str]:
    timed = sum(launch.as_launch == launch.number for launch in found.launches if launch.profile)
    alike = sum(launch.as_launch != launch.number for launch in found.launches if launch.profile)
    computed = sum(launch.profile is None for launch in found.launches)
    if alike:
        yield f"Timed: {timed}; the same as one of these, and given its time: {alike}."
    if computed:
        yield f"Computed and not timed: {computed}."
    if found.skipped:
        calls = ", ".join(name if n == 1 else f"{name} ({n} times)" for name, n in found.skipped.items())
        yield f"Calls of libraries, computed in no time: {calls}."
    if timed:
        yield from remarks
        yield from _trust(found)


def _trust(found: Program) -> Iterator[str]:
    """How far off the times are, and those of which kernels nobody knows."""
    times = {one.kernel: one.profile[DURATION] for one in found.launches if one.profile is not None}
    for half, most, among in dict.fromkeys((m.error, m.p90, m.among) for m in times.values()):
        if half is None:
            continue
        yield (
            f"Times: half of those of {among} are off by {format_error(half)} % at most, nine in ten by "
            f"{format_error(most or 0.0)} %."
        )
    if unknown := [name for name, metric in times.items() if metric.error is None]:
        of = "" if len(unknown) == len(times) else f" of {', '.join(unknown)}"
        yield f"How far off the times{of} are has not been measured on {found.gpu}."
