"""What the memory chart shows: levels of the memory hierarchy, and the bytes that flow between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gpusim.report.units import format_bytes, format_count, format_share
from gpusim.results.figures import WAVEFRONT_BYTES

if TYPE_CHECKING:
    from gpusim.results.figures import Figures

KERNEL, L1, SHARED, L2, DEVICE = "kernel", "L1", "shared memory", "L2", "device memory"
"""The levels."""

WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"


class Flow(NamedTuple):
    """Bytes that flow between two levels in one direction.

    Attributes
    ----------
    source, target : str
        Levels, such as :data:`L2`.
    name : str
        What flows: ``"loads"``.
    figure : str
        The property of a profile that says how many bytes, or the wavefronts of shared memory that move them.
    always : bool
        Whether it is shown even where nothing flows.
    """

    source: str
    target: str
    name: str
    figure: str
    always: bool = False

    def nbytes(self, profile: Figures) -> float:
        """How many bytes flow; NaN where nobody knows."""
        if self.figure.endswith(".sum"):
            return WAVEFRONT_BYTES * profile.value(self.figure)
        return float(getattr(profile, self.figure))


FLOWS = (
    Flow(L1, KERNEL, "global loads", "global_load_bytes", always=True),
    Flow(KERNEL, L1, "global stores", "global_store_bytes", always=True),
    Flow(KERNEL, L1, "atomics", "global_atomic_bytes"),
    Flow(L1, KERNEL, "local loads", "local_load_bytes"),
    Flow(KERNEL, L1, "local stores", "local_store_bytes"),
    Flow(L1, KERNEL, "textures", "texture_bytes"),
    Flow(SHARED, KERNEL, "shared loads", WAVEFRONTS.format("ld")),
    Flow(KERNEL, SHARED, "shared stores", WAVEFRONTS.format("st")),
    Flow(KERNEL, SHARED, "shared atomics", WAVEFRONTS.format("atom")),
    Flow(SHARED, KERNEL, "wgmma operands", WAVEFRONTS.format("gmma")),
    Flow(L1, SHARED, "copies", WAVEFRONTS.format("ldgsts")),
    Flow(L2, L1, "reads", "l2_read_bytes", always=True),
    Flow(L1, L2, "writes", "l2_write_bytes", always=True),
    Flow(DEVICE, L2, "reads", "dram_bytes_read", always=True),
    Flow(L2, DEVICE, "writes", "dram_bytes_written", always=True),
)
"""Everything that may flow.  Bytes of shared memory are those that its wavefronts could have moved."""


def flowing(profile: Figures) -> list[Flow]:
    """Give what the chart of a launch shows.

    Parameters
    ----------
    profile : Profile

    Returns
    -------
    list of Flow
    """
    return [flow for flow in FLOWS if flow.always or flow.nbytes(profile) > 0]


def inside(profile: Figures, level: str) -> list[str]:
    """Say what stands in the box of a level, a line each.

    Parameters
    ----------
    profile : Profile
    level : str

    Returns
    -------
    list of str
    """
    said = {KERNEL: _kernel, L1: _l1, SHARED: _shared, L2: _l2, DEVICE: _device}[level](profile)
    return [line for line in said if line]


def _kernel(profile: Figures) -> Sequence[str]:
    known = not math.isnan(profile.instructions)
    return (f"{format_count(profile.instructions)} warp instructions" if known else "",)


def _l1(profile: Figures) -> Sequence[str]:
    return (_hits(profile.l1_hit_rate, "hits"),)


def _shared(profile: Figures) -> Sequence[str]:
    wavefronts, conflicts = profile.shared_wavefronts, profile.bank_conflicts
    return (f"{format_share(conflicts / wavefronts)} bank conflicts" if wavefronts > 0 and conflicts >= 0 else "",)


def _l2(profile: Figures) -> Sequence[str]:
    fabric, dirty = profile.l2_fabric_bytes, profile.l2_dirty_bytes
    return (
        _hits(profile.l2_hit_rate, "hits"),
        f"{format_bytes(fabric)} between halves" if fabric > 0 else "",
        f"{format_bytes(dirty)} not written back" if dirty > 0 else "",
    )


def _device(profile: Figures) -> Sequence[str]:
    busy = profile.value("dram__throughput.avg.pct_of_peak_sustained_elapsed")
    return ("" if math.isnan(busy) else f"{format_share(busy / 100)} of peak",)


def _hits(rate: float, what: str) -> str:
    return "" if math.isnan(rate) else f"{format_share(rate)} {what}"


def levels(profile: Figures) -> list[str]:
    """Give the levels that the chart of a launch has; shared memory only where something flows."""
    used = {level for flow in flowing(profile) for level in (flow.source, flow.target)}
    return [level for level in (KERNEL, L1, SHARED, L2, DEVICE) if level in used]


def title(profile: Figures, level: str) -> str:
    """Give the name of a level as this launch's GPU has it."""
    return profile.memory if level == DEVICE else level[0].upper() + level[1:]
