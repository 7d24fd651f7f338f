"""Chains of kernels as tables: a row a launch and their total, or a row a chain."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from gpusim.report.claims import HALF, INTERVAL, MOST, error_rows, rows_legend
from gpusim.report.grid import Grid
from gpusim.report.kept import kept_line
from gpusim.report.time import bound_by, interval
from gpusim.report.units import NOTHING, format_bytes, format_count, format_seconds
from gpusim.results.metric import CYCLES

if TYPE_CHECKING:
    from gpusim.results.chain import ChainFigures
    from gpusim.results.figures import Figures


def chains(profiles: Sequence[ChainFigures]) -> list[RenderableType]:
    """Lay chains out: one by its launches, several by row.

    Parameters
    ----------
    profiles : sequence of ChainProfile
        At least one.

    Returns
    -------
    list of rich renderables
    """
    return list(_one(profiles[0]) if len(profiles) == 1 else _several(profiles))


def _one(profile: ChainFigures) -> Iterator[RenderableType]:
    yield Text(_heading(profile, profile.params), style="bold")
    yield Text("")
    yield _by_launch(profile)
    yield Text("")
    yield Text(_passing(profile))
    explained = rows_legend(profile.steps, JUDGED)
    yield from (Text(line) for line in (*_notes(profile.steps), explained, kept_line([profile.kept])) if line)


def _heading(profile: ChainFigures, names: Iterable[str]) -> str:
    params = " ".join(f"{name}={profile.params[name]}" for name in names)
    return "  ".join(filter(None, (profile.chain, params, f"on {profile.gpu}", f"{profile.cache} caches")))


def _by_launch(profile: ChainFigures) -> Grid:
    """A row for each launch, and their total."""
    rows = [_cells(step, bound_by(step) or NOTHING, interval(step)) for step in profile.steps]
    told = [name for name in rows[0] if name != INTERVAL or any(row[name] != NOTHING for row in rows)]
    memory = profile.steps[0].memory
    grid = Grid()
    grid.add_column("kernel", "name", key=True)
    for heading in told:
        grid.add_column(heading.replace("memory", memory), spared=_spared(heading))
    for label, row in zip(profile.labels, rows, strict=True):
        grid.add_row(label, *(row[name] for name in told), end_section=row is rows[-1])
    errors, total = error_rows(profile.steps, JUDGED), _cells(profile, "", "")
    grid.add_row("together", *(total[name] for name in told), end_section=bool(errors))
    _add_errors(grid, errors, 1, told)
    return grid


def _add_errors(grid: Grid, errors: Sequence[dict[str, str]], keys: int, headings: Sequence[str]) -> None:
    """Rows of errors, under so many columns that tell rows apart and the others."""
    for label, row in zip((HALF, MOST), errors, strict=False):
        grid.add_row(label, *[""] * (keys - 1), *(row.get(heading, "") for heading in headings))


SPARED = ("FLOP", "L1 loads", "L2 reads", "memory writes", "bound by")
"""Columns that are left out where the table is too wide, in this order."""

OF_LAUNCHES = (INTERVAL, "bound by")
"""Columns that are of launches alone."""

JUDGED = {
    "time": CYCLES,
    "L1 loads": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "L2 reads": "lts__t_sectors_srcunit_tex_op_read.sum",
    "memory reads": "dram__bytes_read.sum",
    "memory writes": "dram__bytes_write.sum",
}
"""Metrics behind the columns, whose errors stand under them."""


def _spared(heading: str) -> int | None:
    return SPARED.index(heading) if heading in SPARED else None


def _cells(profile: Any, bound: str, between: str) -> dict[str, str]:
    """Figures of a launch, or of a chain, by heading; of a chain's time no interval is known."""
    total = getattr(profile, "total", lambda name: getattr(profile, name))
    return {
        "time": format_seconds(profile.seconds) if profile.seconds > 0 else NOTHING,
        INTERVAL: between,
        "bound by": bound,
        "FLOP": format_count(profile.flops) if profile.flops else NOTHING,
        "L1 loads": format_bytes(total("global_load_bytes")),
        "L2 reads": format_bytes(total("l2_read_bytes")),
        "memory reads": format_bytes(profile.dram_bytes_read),
        "memory writes": format_bytes(profile.dram_bytes_written),
    }


def _passing(profile: ChainFigures) -> str:
    """What passes from launch to launch, beside what device memory saw."""
    inside, ends = (
        sum(profile.nbytes[name] for name in names)
        for names in (profile.between, dict.fromkeys((*profile.inputs, *profile.outputs)))
    )
    memory = profile.steps[0].memory
    moved = "" if math.isnan(profile.dram_bytes) else f"; {memory} moves {format_bytes(profile.dram_bytes)}"
    if not inside:
        return f"Inputs and outputs are {format_bytes(ends)}{moved}."
    names = (
        " and ".join((", ".join(profile.between[:-1]), profile.between[-1]))
        if len(profile.between) > 1
        else profile.between[0]
    )
    return (
        f"Inputs and outputs are {format_bytes(ends)}; {names}, which only pass from launch to launch, "
        f"{format_bytes(inside)}{moved}. Each launch finds L2 as the one before left it."
    )


def _notes(steps: Sequence[Figures]) -> Iterator[str]:
    """Notes of the launches, each once."""
    yield from dict.fromkeys(note for step in steps for note in step.notes)


def _several(profiles: Sequence[ChainFigures]) -> Iterator[RenderableType]:
    distinct = [name for name in profiles[0].params if len({profile.params[name] for profile in profiles}) > 1]
    same = [name for name in profiles[0].params if name not in distinct]
    told = [*(["gpu"] if len({profile.gpu for profile in profiles}) > 1 else []), *distinct]
    yield Text(_heading(profiles[0], same), style="bold")
    yield Text("")
    cells = [{name: cell for name, cell in _cells(p, "", "").items() if name not in OF_LAUNCHES} for p in profiles]
    grid = Grid()
    for name in told:
        grid.add_column(name, "name", key=True)
    for heading in cells[0]:
        grid.add_column(heading.replace("memory", profiles[0].steps[0].memory), spared=_spared(heading))
    steps = [step for profile in profiles for step in profile.steps]
    errors = error_rows(steps, JUDGED)
    for profile, row in zip(profiles, cells, strict=True):
        names = (str(profile.gpu if n == "gpu" else profile.params[n]) for n in told)
        grid.add_row(*names, *row.values(), end_section=bool(errors) and row is cells[-1])
    _add_errors(grid, errors, len(told), list(cells[0]))
    yield grid
    yield Text("")
    explained = rows_legend(steps, JUDGED), kept_line(profile.kept for profile in profiles)
    yield from (Text(line) for line in explained if line)
