"""Levels of a GPU's memory as fast memories of a bound: how large each is, and what counts the traffic into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpusim.bounds.traffic import Least
    from gpusim.hardware import Gpu

REGISTER_BYTES = 4


GLOBAL = "l1tex__t_sectors_pipe_lsu_mem_global_op_"


@dataclass(frozen=True, slots=True)
class Level:
    """Traffic between one memory and the next, nearer one.

    Attributes
    ----------
    name : str
        ``"HBM"``, ``"L2"`` or ``"L1"``: where the traffic comes from.
    into : str
        What it goes into, in words.
    memory : int
        Bytes that one of the nearer memories holds, with all that is nearer still.
    memories : int
        How many there are side by side.
    metrics : tuple of str
        What counts it together, as Nsight Compute names it; those after the first are 0 where they are missing.
    unit_bytes : int
        Bytes of one count; where a count can be of less, the most.
    reads_only : bool
        Whether writes are left out: what is written to L2 need not reach HBM while a launch runs.
    """

    name: str
    into: str
    memory: int
    memories: int
    metrics: tuple[str, ...]
    unit_bytes: int
    reads_only: bool = False

    def counted(self, metrics: Mapping[str, float]) -> float | None:
        """Bytes that counters say; None where the counter is missing.

        Parameters
        ----------
        metrics : mapping of str to float
            By Nsight Compute's names.
        """
        if self.metrics[0] not in metrics:
            return None
        return self.unit_bytes * sum(metrics.get(name, 0.0) for name in self.metrics)

    def bound(self, least: Least) -> float:
        """Bytes of what is counted here that no schedule can do without.

        Parameters
        ----------
        least : Least
        """
        return least.read if self.reads_only else least.nbytes


def levels(gpu: Gpu) -> tuple[Level, ...]:
    """Give the levels of a GPU, the farthest first.

    A value that need not come from HBM again may be anywhere on the chip: in L2, or in an SM.  One that need not come
    from L2 again may be in an SM's L1, shared memory or registers.

    Parameters
    ----------
    gpu : gpusim.hardware.Gpu
    """
    registers = gpu.sm.registers * REGISTER_BYTES
    sm = near_bytes(gpu) + registers
    l2 = tuple(f"lts__t_sectors_srcunit_tex_op_{op}.sum" for op in ("read", "write"))
    return (
        Level(
            gpu.memory, "the chip", gpu.l2.size_bytes + gpu.sm_count * sm, 1, ("dram__bytes_read.sum",), 1,
            reads_only=True,
        ),
        Level(
            "L2", "SMs", sm, gpu.sm_count, (*l2, f"{GLOBAL}red.sum", f"{GLOBAL}atom.sum"), gpu.l2.sector_bytes
        ),
        Level(
            "L1", "registers", registers, gpu.sm_count, ("l1tex__data_pipe_lsu_wavefronts.sum",),
            gpu.l1.data_bytes_per_cycle,
        ),
    )  # fmt: skip


def near_bytes(gpu: Gpu) -> int:
    """Bytes of L1 and shared memory of one SM.

    Parameters
    ----------
    gpu : gpusim.hardware.Gpu
    """
    return gpu.l1.unified_bytes or gpu.shared.bytes_per_sm + (gpu.l1.size_bytes or 0)
