"""How busy each unit is: a table of those that matter, the busiest first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from gpusim.report.grid import Grid
from gpusim.report.units import format_share

if TYPE_CHECKING:
    from gpusim.results.figures import Figures

MOST_UNITS, LEAST_SHARE = 6, 0.1
"""Units that the table shows at most, and how busy one must be to be shown (the two busiest are in any case)."""

BAR = 50
"""Columns of a bar that is full, where there is room for it."""


class Unit(NamedTuple):
    """A unit that a launch may be bound by.

    Attributes
    ----------
    kind : str
        ``"compute"``, ``"memory"`` or ``"launch"``.
    name : str
    metric : str
        Says how busy it is, in per cent.
    """

    kind: str
    name: str
    metric: str

    @property
    def of_active(self) -> bool:
        """Whether that is of the time in which SMs have warps, not of the whole."""
        return self.metric.endswith("_active")


ISSUE = "instruction issue"
_ACTIVE, _ELAPSED = "{}.avg.pct_of_peak_sustained_active", "{}.avg.pct_of_peak_sustained_elapsed"
_PIPES = {
    "alu": "ALU pipe", "fma": "FMA pipe", "fmaheavy": "FMA pipe's integer half", "xu": "special functions",
    "fp64": "FP64 pipe", "tensor": "tensor cores", "fp16": "FP16 pipe",
}  # fmt: skip
_LEVELS = {
    "l1tex__data_pipe_lsu_wavefronts": "L1 and shared memory's data stage",
    "l1tex__t_output_wavefronts": "L1's tag stage",
    "l1tex__m_xbar2l1tex_read_sectors": "wire from L2 to each SM",
    "l1tex__m_l1tex2xbar_req_cycles_active": "wire from each SM to L2",
    "lts__lts2xbar_cycles_active": "wires out of L2",
    "lts__t_sectors": "L2 slices",
    "dram__throughput": "{memory} bandwidth",
}

UNITS = (
    Unit("compute", ISSUE, _ACTIVE.format("smsp__issue_active")),
    *(Unit("compute", name, _ACTIVE.format(f"sm__pipe_{pipe}_cycles_active")) for pipe, name in _PIPES.items()),
    Unit("compute", "uniform pipe", _ACTIVE.format("sm__inst_executed_pipe_uniform")),
    Unit("memory", "load/store instructions", _ACTIVE.format("sm__inst_executed_pipe_lsu")),
    *(Unit("memory", name, _ELAPSED.format(metric)) for metric, name in _LEVELS.items()),
    Unit("memory", "fabric between L2's halves", "gpusim__l2_fabric_active.pct_of_peak_sustained_elapsed"),
    Unit("launch", "handing out blocks", "gpusim__block_launcher_active.pct_of_peak_sustained_elapsed"),
)
"""Every unit whose use is known."""


class Busy(NamedTuple):
    """A unit and the share of its peak that it is used (0 to 1); how far off that may be, where it is known."""

    share: float
    unit: Unit
    name: str
    error: str

    def __str__(self) -> str:
        return f"{format_share(self.share)} busy {self.error}".rstrip()


def ranked(profile: Figures) -> list[Busy]:
    """The units of a profile, the busiest first."""
    found = [_busy(profile, unit) for unit in UNITS]
    return sorted((busy for busy in found if not math.isnan(busy.share)), key=lambda busy: -busy.share)


def _busy(profile: Figures, unit: Unit) -> Busy:
    metric = profile.metrics.get(unit.metric)
    error = metric.error_text if metric is not None else ""
    return Busy(profile.value(unit.metric) / 100, unit, unit.name.format(memory=profile.memory), error)


def shown(profile: Figures) -> list[Busy]:
    """Those that matter; of a pipe's half nothing is said where it is no busier than the pipe."""
    units = ranked(profile)
    pipe = next((busy.share for busy in units if busy.name == _PIPES["fma"]), 0.0)
    units = [busy for busy in units if busy.name != _PIPES["fmaheavy"] or busy.share > pipe]
    return [busy for k, busy in enumerate(units) if k < 2 or busy.share >= LEAST_SHARE][:MOST_UNITS]


def busy_table(profile: Figures) -> Grid | None:
    """Lay out how busy units are.

    Parameters
    ----------
    profile : Profile

    Returns
    -------
    Grid or None
        None where nobody knows.
    """
    units = shown(profile)
    if not units:
        return None
    grid = Grid()
    grid.add_column("unit", "name")
    grid.add_column("busy")
    grid.add_column("", "bar", full=BAR)
    for busy in units:
        grid.add_row(busy.name, f"{format_share(busy.share)} {busy.error}".rstrip(), busy.share)
    return grid
