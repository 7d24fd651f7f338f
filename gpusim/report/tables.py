"""Profiles as tables of at most 100 columns: one launch by level, or several launches by row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gpusim.report.claims import HALF, INTERVAL, MOST, claim, error_rows
from gpusim.report.grid import Grid
from gpusim.report.time import interval, waiting_metric
from gpusim.report.units import NOTHING, format_bytes, format_count, format_seconds, format_share
from gpusim.results.metric import CYCLES

if TYPE_CHECKING:
    from gpusim.report.grid import Cell, Kind
    from gpusim.results.figures import Figures
    from gpusim.results.metric import Metric


WIDTH = 100
"""Columns that no line of a report exceeds."""


class Level(NamedTuple):
    """One row of the memory table: where its numbers come from, each a metric or a property of Profile."""

    label: str
    requests: str = ""
    units: str = ""  # counted in sectors or wavefronts
    nbytes: str = ""
    hit_rate: str = ""
    textbook: str = ""  # key of Profile.textbook
    claim: str = ""  # metric whose claim is the row's, if it is not that of the units
    seldom: str = ""  # what must be above 0 for there to be a row


_L1, _LTS, _DRAM = "l1tex__t_{}_pipe_lsu_mem_{}.sum", "lts__t_{}_srcunit_tex_op_{}.sum", "dram__bytes_{}.sum"
_TEXTURE = "l1tex__t_{}_pipe_tex_mem_texture.sum"
_INST = "smsp__inst_executed_op_{}.sum"
_WAVEFRONTS, _COPIED = (f"l1tex__data_pipe_lsu_wavefronts_mem_shared{of}.sum" for of in ("", "_op_ldgsts"))
_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"


def _through_l1(kind: str) -> tuple[str, str]:
    """Requests and sectors of one kind of access at L1."""
    return _L1.format("requests", kind), _L1.format("sectors", kind)


def _through_l2(kind: str) -> tuple[str, str]:
    return _LTS.format("requests", kind), _LTS.format("sectors", kind)


LEVELS = (
    Level("L1 global loads", *_through_l1("global_op_ld"), "global_load_bytes", "l1_hit_rate", "reads"),
    Level("L1 global stores", *_through_l1("global_op_st"), "global_store_bytes", "", "writes"),
    Level("global atomics", "global_atomic_requests", "global_atomic_sectors", "global_atomic_bytes",
          claim=_L1.format("sectors", "global_op_atom"), seldom="global_atomic_requests"),
    Level("local loads", *_through_l1("local_op_ld"), "local_load_bytes", "local_hit_rate",
          seldom=_L1.format("requests", "local_op_ld")),
    Level("local stores", *_through_l1("local_op_st"), "local_store_bytes",
          seldom=_L1.format("requests", "local_op_st")),
    Level("texture fetches", _TEXTURE.format("requests"), _TEXTURE.format("sectors"), "texture_bytes",
          "texture_hit_rate", seldom=_TEXTURE.format("requests")),
    Level("shared wavefronts", "shared_requests", _WAVEFRONTS, "shared_bytes", seldom="uses_shared_memory"),
    Level("  bank conflicts", "", "bank_conflicts", "bank_conflict_bytes", claim=_CONFLICTS.format("ld"),
          seldom="bank_conflicts"),
    Level("shared atomics", _INST.format("shared_atom"), claim=_INST.format("shared_atom"),
          seldom=_INST.format("shared_atom")),
    Level("matrix loads", _INST.format("ldsm"), claim=_INST.format("ldsm"), seldom=_INST.format("ldsm")),
    Level("copies to shared", _INST.format("ldgsts"), _COPIED, "shared_copy_bytes", claim=_INST.format("ldgsts"),
          seldom=_INST.format("ldgsts")),
    Level("  bank conflicts", "", _CONFLICTS.format("ldgsts"), "copy_conflict_bytes",
          seldom=_CONFLICTS.format("ldgsts")),
    Level("L2 reads", *_through_l2("read"), "l2_read_bytes", "l2_read_hit_rate", "reads"),
    Level("L2 writes", *_through_l2("write"), "l2_write_bytes", "l2_write_hit_rate", "writes"),
    Level("{memory} reads", "", "", "dram_bytes_read", "", "reads", _DRAM.format("read")),
    Level("{memory} writes", "", "", "dram_bytes_written", "", "writes", _DRAM.format("write")),
)  # fmt: skip

SPARED = {"requests": 0, "sectors": 1, "hit rate": 2, "textbook": 3}
"""Columns of the memory table that are left out where it is too wide, the first ones first."""


def memory_table(profile: Figures) -> Grid:
    """Lay one launch out by level of the memory hierarchy.

    Parameters
    ----------
    profile : Profile

    Returns
    -------
    Grid
        Without the column of the textbook where there is none, and without rows of what the launch does not do.
    """
    grid = Grid()
    grid.add_column("", "name", key=True)
    book = ["textbook"] if profile.textbook else []
    for heading in ("requests", "sectors", "bytes", "hit rate", *book):
        grid.add_column(heading, spared=SPARED.get(heading))
    grid.add_column("claim", "name", about=True)
    for level in _levels(profile):
        grid.add_row(*_level_cells(profile, level))
    return grid


def _levels(profile: Figures) -> list[Level]:
    """Rows that say something."""
    return [level for level in LEVELS if not level.seldom or number(profile, level.seldom) > 0]


def comparison_table(profiles: Sequence[Figures]) -> Grid:
    """Lay several launches out, one row each, and under them how far off their figures are.

    Parameters
    ----------
    profiles : sequence of Profile
        At least one; the columns are what tells them apart and their main figures.

    Returns
    -------
    Grid
    """
    names = varying(profiles)
    memory = profiles[0].memory if len({profile.memory for profile in profiles}) == 1 else "DRAM"
    cells = [_comparison_cells(profile, names, memory) for profile in profiles]
    headings = [name for name in cells[0] if _tells(name, {row[name] for row in cells})]
    errors = error_rows(profiles, {name.format(memory=memory): metric for name, metric in JUDGED.items()})
    grid = Grid()
    for name in headings:
        spared = SPARED_FIRST.index(name) if name in SPARED_FIRST else None
        kind: Kind = "name" if name in ("kernel", "gpu", "claim") else "number"
        grid.add_column(name, kind, spared=spared, key=name in names)
    for row in cells:
        grid.add_row(*(row[name] for name in headings), end_section=bool(errors) and row is cells[-1])
    for label, of in zip((HALF, MOST), errors, strict=False):
        grid.add_row(*(label if name == names[0] else of.get(name, "") for name in headings))
    return grid


def _tells(name: str, cells: set[str]) -> bool:
    """Whether a column of the comparison says something: a claim does where it is not that of all rows."""
    return len(cells) > 1 if name == "claim" else name not in OPTIONAL or cells != {NOTHING}


def varying(profiles: Sequence[Figures]) -> list[str]:
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


def label(profile: Figures, names: Iterable[str]) -> str:
    """Word what tells a profile from others: ``"h200, T=32"``."""
    return ", ".join(
        _told(profile, name) if name in ("kernel", "gpu") else f"{name}={_told(profile, name)}" for name in names
    )


def heading(profile: Figures) -> str:
    """First line of a report on one launch: kernel, parameters, GPU, cache state."""
    params = " ".join(f"{name}={value}" for name, value in profile.params.items())
    return "  ".join(filter(None, (profile.kernel, params, f"on {profile.gpu}", f"{profile.cache} caches")))


def common_heading(profiles: Sequence[Figures]) -> str:
    """First line of a report on several launches: whatever they have in common."""
    names, first = varying(profiles), profiles[0]
    same = " ".join(f"{name}={value}" for name, value in first.params.items() if name not in names)
    kernel = "" if "kernel" in names else first.kernel
    gpu = "" if "gpu" in names else f"on {first.gpu}"
    caches = " and ".join(dict.fromkeys(profile.cache for profile in profiles))
    return "  ".join(filter(None, (kernel, same, gpu, f"{caches} caches")))


def launch_line(profile: Figures) -> str:
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


def shown_metrics(profile: Figures) -> dict[str, Metric | None]:
    """Metrics whose claims are shown: of time, of what warps wait for, and of the rows of :func:`memory_table`."""
    waits = {"waiting": waiting_metric(profile)}
    return {"time": profile.metrics.get(CYCLES), **waits} | {
        level.label.strip().format(memory=profile.memory): profile.metrics.get(level.claim or level.units)
        for level in _levels(profile)
    }


def _level_cells(profile: Figures, level: Level) -> list[Cell]:
    book = profile.textbook.get(level.textbook)
    return [
        level.label.format(memory=profile.memory),
        format_count(number(profile, level.requests)),
        format_count(number(profile, level.units)),
        format_bytes(number(profile, level.nbytes)),
        format_share(number(profile, level.hit_rate)),
        *([format_bytes(book.nbytes) if book else NOTHING] if profile.textbook else []),
        claim(profile.metrics.get(level.claim or level.units)),
    ]


def number(profile: Figures, name: str) -> float:
    """Give a metric or a property of a profile; NaN, which is shown as nothing, for no name.

    Parameters
    ----------
    profile : Profile
    name : str
        As Nsight Compute has it, or as :class:`~gpusim.Profile` has.
    """
    if not name:
        return math.nan
    found: float = profile.value(name) if "__" in name else getattr(profile, name)
    return found


MEMORY_READS = "{memory} reads"
JUDGED = {
    "time": CYCLES,
    "L1 loads": _L1.format("sectors", "global_op_ld"),
    "L1 hits": _L1.format("sectors", "global_op_ld").replace(".sum", "_lookup_hit.sum"),
    "shared": _WAVEFRONTS,
    "L2 reads": _LTS.format("sectors", "read"),
    "L2 hits": _LTS.format("sectors", "read").replace(".sum", "_lookup_hit.sum"),
    MEMORY_READS: _DRAM.format("read"),
    "writes": _DRAM.format("write"),
}
"""Metrics behind the columns of the comparison, whose errors stand under them."""


def _comparison_cells(profile: Figures, distinct: Iterable[str], memory: str) -> dict[str, str]:
    """One row of the comparison, by heading."""
    book = profile.textbook.get("reads")
    of_it = profile.dram_bytes_read / book.nbytes if book and book.nbytes else math.nan
    return {name: _told(profile, name) for name in distinct} | {
        "time": format_seconds(profile.seconds) if profile.seconds > 0 else NOTHING,
        INTERVAL: interval(profile),
        "L1 loads": format_bytes(profile.global_load_bytes),
        "L1 hits": format_share(profile.l1_hit_rate),
        "shared": format_bytes(profile.shared_bytes) if profile.uses_shared_memory else NOTHING,
        "L2 reads": format_bytes(profile.l2_read_bytes),
        "L2 hits": format_share(profile.l2_read_hit_rate),
        MEMORY_READS.format(memory=memory): format_bytes(profile.dram_bytes_read),
        "writes": format_bytes(profile.dram_bytes_written),
        "textbook": format_bytes(book.nbytes) if book else NOTHING,
        "of it": format_share(of_it),
        "claim": getattr(profile.metrics.get("dram__bytes_read.sum"), "claim", NOTHING),
    }


OPTIONAL = (INTERVAL, "shared", "textbook", "of it")
"""Columns of the comparison that are there only if a launch has an interval, uses shared memory, or has a textbook."""

SPARED_FIRST = ("claim", "L2 hits", "L1 hits", "writes", "shared", "L1 loads", "L2 reads")
"""Columns of the comparison that make room for the others, in this order."""


def _told(profile: Figures, name: str) -> str:
    """The profile's value of a column that tells profiles apart."""
    if name in ("kernel", "gpu"):
        return str(getattr(profile, name))
    return str(profile.params.get(name, NOTHING))
