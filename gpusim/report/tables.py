"""Profiles as tables of at most 100 columns: one launch by level, or several launches by row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.table import Table

from gpusim.report.units import NOTHING, format_bytes, format_count, format_share

if TYPE_CHECKING:
    from gpusim.result import Metric, Profile

WIDTH = 100
"""Columns that no line of a report exceeds."""

GAP = 2
"""Columns between two columns of a table."""

UNMEASURED = "±?"
"""Stands for an error that was never measured on this GPU."""


class Level(NamedTuple):
    """One row of the memory table: where its numbers come from."""

    label: str
    requests: str  # metric or property of Profile
    units: str  # metric counted in sectors or wavefronts; its claim is the row's
    nbytes: str  # property of Profile
    hit_rate: str = ""  # property of Profile
    textbook: str = ""  # key of Profile.textbook


_LOADS, _STORES = "pipe_lsu_mem_global_op_ld.sum", "pipe_lsu_mem_global_op_st.sum"
_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
_READS, _WRITES = "srcunit_tex_op_read.sum", "srcunit_tex_op_write.sum"

LEVELS = (
    Level("L1 global loads", f"l1tex__t_requests_{_LOADS}", f"l1tex__t_sectors_{_LOADS}", "global_load_bytes",
          "l1_hit_rate", "reads"),
    Level("L1 global stores", f"l1tex__t_requests_{_STORES}", f"l1tex__t_sectors_{_STORES}", "global_store_bytes",
          "", "writes"),
    Level("shared wavefronts", "shared_requests", _WAVEFRONTS, "shared_bytes"),
    Level("L2 reads", f"lts__t_requests_{_READS}", f"lts__t_sectors_{_READS}", "l2_read_bytes",
          "l2_hit_rate", "reads"),
    Level("L2 writes", f"lts__t_requests_{_WRITES}", f"lts__t_sectors_{_WRITES}", "l2_write_bytes", "", "writes"),
    Level("{memory} reads", "", "dram__bytes_read.sum", "dram_bytes_read", "", "reads"),
    Level("{memory} writes", "", "dram__bytes_write.sum", "dram_bytes_written", "", "writes"),
)  # fmt: skip


def memory_table(profile: Profile) -> Table:
    """Lay one launch out by level of the memory hierarchy.

    Parameters
    ----------
    profile : Profile

    Returns
    -------
    rich.table.Table
    """
    grid = new_table()
    grid.add_column("")
    for heading in ("requests", "sectors", "bytes", "hit rate", "textbook"):
        grid.add_column(heading, justify="right", no_wrap=True)
    grid.add_column("claim", no_wrap=True)
    for level in LEVELS:
        grid.add_row(*_level_cells(profile, level))
    return grid


def comparison_table(profiles: Sequence[Profile]) -> Table:
    """Lay several launches out, one row each.

    Parameters
    ----------
    profiles : sequence of Profile
        At least one; the columns are what tells them apart and their main figures.

    Returns
    -------
    rich.table.Table
    """
    memory = profiles[0].memory if len({profile.memory for profile in profiles}) == 1 else "DRAM"
    cells = [_comparison_cells(profile, varying(profiles), memory) for profile in profiles]
    headings = _fitting({name: [row[name] for row in cells] for name in cells[0]})
    grid = new_table()
    for name in headings:
        grid.add_column(name, no_wrap=True, justify="left" if name in ("kernel", "gpu", "claim") else "right")
    for row in cells:
        grid.add_row(*(row[name] for name in headings))
    return grid


def varying(profiles: Sequence[Profile]) -> list[str]:
    """Name what tells the profiles apart: ``"kernel"``, ``"gpu"`` and parameters, those that differ.

    Parameters
    ----------
    profiles : sequence of Profile

    Returns
    -------
    list of str
        Never empty: ``["gpu"]`` where nothing differs.
    """
    names = ["kernel", "gpu", *dict.fromkeys(name for p in profiles for name in p.params)]
    return [name for name in names if len({_told(p, name) for p in profiles}) > 1] or ["gpu"]


def label(profile: Profile, names: Iterable[str]) -> str:
    """Word what tells a profile from others: ``"h200, T=32"``."""
    return ", ".join(
        _told(profile, name) if name in ("kernel", "gpu") else f"{name}={_told(profile, name)}" for name in names
    )


def heading(profile: Profile) -> str:
    """First line of a report on one launch: kernel, parameters, GPU, cache state."""
    params = " ".join(f"{name}={value}" for name, value in profile.params.items())
    return f"{profile.kernel}  {params}  on {profile.gpu}  {profile.cache} caches"


def common_heading(profiles: Sequence[Profile]) -> str:
    """First line of a report on several launches: whatever they have in common."""
    names, first = varying(profiles), profiles[0]
    same = " ".join(f"{name}={value}" for name, value in first.params.items() if name not in names)
    kernel = "" if "kernel" in names else first.kernel
    gpu = "" if "gpu" in names else f"on {first.gpu}"
    caches = " and ".join(dict.fromkeys(profile.cache for profile in profiles))
    return "  ".join(filter(None, (kernel, same, gpu, f"{caches} caches")))


def launch_line(profile: Profile) -> str:
    """Second line: the launch's shape, its occupancy and what limits it."""
    grid = "×".join(str(n) for n in trimmed(profile.grid))
    block = "×".join(str(n) for n in trimmed(profile.block))
    parts = [f"grid {grid} of {block} threads"]
    if math.isfinite(profile.registers_per_thread):
        parts.append(f"{profile.registers_per_thread:.0f} registers")
    if math.isfinite(profile.occupancy):
        limiters = " and ".join(what.replace("_mem", " memory") for what in profile.occupancy_limiters)
        parts.append(
            f"occupancy {format_share(profile.occupancy)}" + (f" ({limiters})" if profile.occupancy < 1 else "")
        )
    if math.isfinite(profile.waves):
        parts.append(f"{profile.waves:.4g} waves")
    return ", ".join(parts)


def trimmed(extent: tuple[int, ...]) -> tuple[int, ...]:
    """Drop the trailing ones of a grid or block, keeping at least x.

    Examples
    --------
    >>> trimmed((128, 128, 1)), trimmed((1, 1, 1))
    ((128, 128), (1,))
    """
    while len(extent) > 1 and extent[-1] == 1:
        extent = extent[:-1]
    return extent


def new_table() -> Table:
    """Give an empty table in the house style: a rule under the headings, no frame, two spaces between columns."""
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="bold")


def legend(metrics: Iterable[Metric | None]) -> str:
    """Explain ``±?``, where a table of these metrics shows it."""
    unmeasured = any(metric is not None and metric.error is None and metric.claim != "exact" for metric in metrics)
    return f"{UNMEASURED}: how far off this is has not been measured on this GPU." if unmeasured else ""


def row_metrics(profile: Profile) -> list[Metric | None]:
    """Metrics whose claims :func:`memory_table` shows."""
    return [profile.metrics.get(level.units) for level in LEVELS]


def _level_cells(profile: Profile, level: Level) -> list[str]:
    book = profile.textbook.get(level.textbook)
    counted = not level.units.startswith("dram")
    return [
        level.label.format(memory=profile.memory),
        format_count(_number(profile, level.requests)) if level.requests else NOTHING,
        format_count(profile.value(level.units)) if counted else NOTHING,
        format_bytes(getattr(profile, level.nbytes)),
        format_share(getattr(profile, level.hit_rate)) if level.hit_rate else NOTHING,
        format_bytes(book.nbytes) if book else NOTHING,
        _claim(profile.metrics.get(level.units)),
    ]


def _number(profile: Profile, name: str) -> float:
    """A metric, or a property of the profile where it has no such metric."""
    number: float = profile.value(name) if "__" in name else getattr(profile, name)
    return number


def _comparison_cells(profile: Profile, distinct: Iterable[str], memory: str) -> dict[str, str]:
    """One row of the comparison, by heading."""
    book = profile.textbook.get("reads")
    of_it = profile.dram_bytes_read / book.nbytes if book and book.nbytes else math.nan
    return {name: _told(profile, name) for name in distinct} | {
        "L1 loads": format_bytes(profile.global_load_bytes),
        "L1 hits": format_share(profile.l1_hit_rate),
        "shared": format_bytes(profile.shared_bytes),
        "L2 reads": format_bytes(profile.l2_read_bytes),
        "L2 hits": format_share(profile.l2_hit_rate),
        f"{memory} reads": format_bytes(profile.dram_bytes_read),
        "writes": format_bytes(profile.dram_bytes_written),
        "textbook": format_bytes(book.nbytes) if book else NOTHING,
        "of it": format_share(of_it),
        "claim": _claim(profile.metrics.get("dram__bytes_read.sum")),
    }


DROPPED_FIRST = ("L2 hits", "L1 hits", "writes", "shared", "L1 loads", "L2 reads")
"""Columns of the comparison that make room for the others, in this order."""


def _fitting(columns: dict[str, list[str]]) -> list[str]:
    """Headings of as many columns as fit :data:`WIDTH`."""
    widths = {name: max(map(len, (name, *cells))) for name, cells in columns.items()}
    for name in DROPPED_FIRST:
        if sum(widths.values()) + GAP * (len(widths) - 1) <= WIDTH:
            break
        del widths[name]
    return list(widths)


def _claim(metric: Metric | None) -> str:
    """Claim and error, short."""
    if metric is None:
        return NOTHING
    return metric.claim_text.replace(", unmeasured", f" {UNMEASURED}")


def _told(profile: Profile, name: str) -> str:
    """The profile's value of a column that tells profiles apart."""
    if name in ("kernel", "gpu"):
        return str(getattr(profile, name))
    return str(profile.params.get(name, NOTHING))
