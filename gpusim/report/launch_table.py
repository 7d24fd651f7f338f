"""Launches of a program as a table: those that are alike in one row, in the order of their first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.report.grid import Grid
from gpusim.report.time import bound_by
from gpusim.report.units import NOTHING, format_seconds, format_share

if TYPE_CHECKING:
    from gpusim.results.figures import Figures


def launch_table(launches: Sequence[Figures], remarks: Iterable[str] = ()) -> list[RenderableType]:
    """Lay out the launches of a program.

    Parameters
    ----------
    launches : sequence of Profile
        In order.
    remarks : iterable of str
        What stands under the table.

    Returns
    -------
    list of rich renderables
    """
    if not launches:
        return [Text("No kernel was launched.")]
    total = sum(one.seconds for one in launches)
    heading = f"{len(launches)} launches on {launches[0].gpu}, {format_seconds(total)} together"
    return [Text(heading, style="bold"), Text(""), _rows(launches, total), Text(""), *map(Text, remarks)]


def _rows(launches: Sequence[Figures], total: float) -> Grid:
    """A row for each kind of launch."""
    grid = Grid()
    grid.add_column("kernel", "name", key=True)
    for heading in ("grid", "block", "count", "time", "in all", "share", "bound by"):
        grid.add_column(heading)
    alike: dict[tuple[object, ...], list[Figures]] = {}
    for one in launches:
        alike.setdefault((one.kernel, one.grid, one.block, one.seconds), []).append(one)
    for several in alike.values():
        first, together = several[0], len(several) * several[0].seconds
        sizes = ("x".join(map(str, _trimmed(size))) for size in (first.grid, first.block))
        times = format_seconds(first.seconds), format_seconds(together), format_share(together / total if total else 0)
        grid.add_row(first.kernel, *sizes, str(len(several)), *times, bound_by(first) or NOTHING)
    return grid


def _trimmed(size: Sequence[int]) -> Sequence[int]:
    """Sizes along x, y, z without trailing ones."""
    given = list(size)
    while len(given) > 1 and given[-1] == 1:
        given.pop()
    return given
