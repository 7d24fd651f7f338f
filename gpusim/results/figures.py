"""Counters of a launch, under Nsight Compute's names, and the figures that people ask for, which follow from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpusim.errors import UnknownNameError
from gpusim.names import Suggesting
from gpusim.results.metric import CYCLES, DURATION, LEFT_DIRTY, STALL_REASON, Metric, Value
from gpusim.results.traffic import Formula, Traffic, ratio

if TYPE_CHECKING:
    from datetime import datetime

    from gpusim.results.causes import Again
    from gpusim.results.timeline import Timeline

CACHES = ("cold", "warm", "flushed")
"""What launches may find in the caches."""

SECTOR_BYTES = 32
"""Bytes of an L1 or L2 sector.  Source: NVIDIA, Nsight Compute documentation, "Memory Tables"."""

WAVEFRONT_BYTES = 128
"""Bytes a shared-memory wavefront can move: 32 banks of 4.  Source: CUDA C++ Programming Guide, "Shared Memory"."""

OCCUPANCY_LIMITS = ("registers", "shared_mem", "warps", "blocks")
"""What can limit the blocks an SM holds, as in ``launch__occupancy_limit_*``."""


class UnknownMetricError(UnknownNameError, KeyError):
    """A metric that a profile does not have; as a ``KeyError`` it is caught as one, too."""

    __str__ = UnknownNameError.__str__  # a KeyError shows its message in quotes


@dataclass(frozen=True, repr=False)
class Figures(Suggesting):
    """What is known of one launch, and what follows from it; :class:`gpusim.Profile` says what its fields are."""

    kernel: str
    params: Mapping[str, Any]
    gpu: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    metrics: Mapping[str, Metric]
    textbook: Mapping[str, Formula] = field(default_factory=dict)
    cache: str = "cold"
    flops: int | None = None
    memory: str = "HBM"
    notes: tuple[str, ...] = ()
    warp_instructions: int = 0
    lines: tuple[Traffic, ...] = ()
    arrays: tuple[Traffic, ...] = ()
    timeline: Timeline | None = None
    printed: str = ""
    kept: datetime | None = field(default=None, compare=False)
    rerun: Again | None = field(default=None, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """What is kept, or goes to another process: the launch itself stays here."""
        return self.__dict__ | {"rerun": None}

    def __getitem__(self, name: str) -> Metric:
        if name not in self.metrics:
            raise UnknownMetricError(f"metric of {self.kernel}", name, self.metrics)
        return self.metrics[name]

    def value(self, name: str) -> Value:
        """Value of the metric `name`; NaN where the profile does not have it."""
        metric = self.metrics.get(name)
        return math.nan if metric is None else metric.value

    # ------------------------------------------------------------ the launch

    @property
    def blocks(self) -> int:
        """Blocks in the grid."""
        return math.prod(self.grid)

    @property
    def threads_per_block(self) -> int:
        """Threads in a block."""
        return math.prod(self.block)

    @property
    def registers_per_thread(self) -> Value:
        """Registers a thread is given."""
        return self.value("launch__registers_per_thread")

    @property
    def shared_bytes_per_block(self) -> Value:
        """Bytes of shared memory that a block asks for, static and dynamic together."""
        return sum(self.value(f"launch__shared_mem_per_block_{what}") for what in ("static", "dynamic"))

    @property
    def blocks_per_sm(self) -> Value:
        """Blocks that one SM holds at once: the smallest of the four occupancy limits."""
        limits = [self.value(f"launch__occupancy_limit_{what}") for what in OCCUPANCY_LIMITS]
        return math.nan if any(math.isnan(limit) for limit in limits) else min(limits)

    @property
    def occupancy(self) -> float:
        """Warps that an SM can hold of this launch over the most it can hold of any (0 to 1)."""
        return self.value("sm__maximum_warps_per_active_cycle_pct") / 100

    @property
    def occupancy_limiters(self) -> tuple[str, ...]:
        """Which of ``registers``, ``shared_mem``, ``warps``, ``blocks`` hold the occupancy down."""
        least = self.blocks_per_sm
        return tuple(what for what in OCCUPANCY_LIMITS if self.value(f"launch__occupancy_limit_{what}") == least)

    @property
    def waves(self) -> Value:
        """Blocks of the grid over blocks the whole GPU holds at once."""
        return self.value("launch__waves_per_multiprocessor")

    # ------------------------------------------------------------ time

    @property
    def cycles(self) -> Value:
        """SM cycles from the start of the launch to its end; NaN where it was not timed."""
        return self.value(CYCLES)

    @property
    def seconds(self) -> float:
        """The same in seconds, at the SM clock of the GPU's specification."""
        return self.value(DURATION)

    @property
    def achieved_occupancy(self) -> float:
        """Warps that an SM holds on average while it has any, over the most it can hold (0 to 1)."""
        return self.value("sm__warps_active.avg.pct_of_peak_sustained_active") / 100

    @property
    def stalls(self) -> dict[str, float]:
        """Warps that wait, for each of Nsight Compute's reasons, in the average cycle in which a scheduler issues."""
        before, after = STALL_REASON.split("{}")
        return {
            name.removeprefix(before).removesuffix(after): float(metric.value)
            for name, metric in self.metrics.items()
            if name.startswith(before) and name.endswith(after)
        }

    @property
    def stall_shares(self) -> dict[str, float]:
        """Share of their time that warps wait, for each of Nsight Compute's reasons (0 to 1)."""
        stalls = self.stalls
        return {reason: warps / (1 + sum(stalls.values())) for reason, warps in stalls.items()}

    # ------------------------------------------------------------ instructions

    @property
    def instructions(self) -> Value:
        """Warp instructions executed."""
        return self.value("smsp__inst_executed.sum")

    @property
    def simt_efficiency(self) -> float:
        """Lanes active in the average warp instruction, over 32 (0 to 1)."""
        return ratio(self.value("smsp__thread_inst_executed.sum"), 32 * self.instructions)

    # ------------------------------------------------------------ L1 and shared memory

    @property
    def global_load_bytes(self) -> Value:
        """Bytes of the sectors that global loads ask L1 for."""
        return SECTOR_BYTES * self.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")

    @property
    def global_store_bytes(self) -> Value:
        """Bytes of the sectors that global stores touch."""
        return SECTOR_BYTES * self.value("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")

    @property
    def sectors_per_load(self) -> float:
        """Sectors that the average global load of a warp touches (4 is perfect for 4-byte loads)."""
        requests = self.value("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")
        return ratio(self.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), requests)

    @property
    def excess_sectors(self) -> Value:
        """Sectors of global memory touched beyond those that would do; NaN where no line of the source is known."""
        return sum(line.excess_sectors for line in self.lines) if self.lines else math.nan

    @property
    def l1_hit_rate(self) -> float:
        """Sectors of global loads that L1 held, over all of them (0 to 1)."""
        hits = self.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum")
        return ratio(hits, self.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"))

    @property
    def shared_wavefronts(self) -> Value:
        """Cycles that shared memory's data stage is busy, over all SMs."""
        return self.value("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")

    @property
    def shared_requests(self) -> Value:
        """Warp instructions that load from or store to shared memory."""
        return self.value("smsp__inst_executed_op_shared_ld.sum") + self.value("smsp__inst_executed_op_shared_st.sum")

    @property
    def uses_shared_memory(self) -> bool:
        """Whether any instruction accesses shared memory; shuffles and barriers take its wavefronts without."""
        kinds = ("shared_ld", "shared_st", "shared_atom", "ldsm", "ldgsts")
        accesses = [self.value(f"smsp__inst_executed_op_{kind}.sum") for kind in kinds]
        moved = [self.value(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum") for op in ("ld", "st")]
        return any(count > 0 for count in (*accesses, *moved))

    @property
    def shared_copy_bytes(self) -> Value:
        """Bytes that the wavefronts of copies from global to shared memory could have moved, 128 each."""
        return WAVEFRONT_BYTES * self.value("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum")

    @property
    def shared_bytes(self) -> Value:
        """Bytes that the shared-memory wavefronts could have moved, 128 each."""
        return WAVEFRONT_BYTES * self.shared_wavefronts

    @property
    def bank_conflicts(self) -> Value:
        """Extra shared-memory wavefronts that bank conflicts cost."""
        loads = self.value("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")
        return loads + self.value("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")

    @property
    def bank_conflict_bytes(self) -> Value:
        """Bytes that the wavefronts of :attr:`bank_conflicts` could have moved, 128 each."""
        return WAVEFRONT_BYTES * self.bank_conflicts

    @property
    def copy_conflict_bytes(self) -> Value:
        """Bytes that wavefronts of bank conflicts of copies to shared memory could have moved, 128 each."""
        return WAVEFRONT_BYTES * self.value("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum")

    # ------------------------------------------------------------ atomics and local memory

    @property
    def global_atomic_requests(self) -> Value:
        """Warp instructions that change global memory atomically, whether they want the old value or not."""
        return self._atomics("requests")

    @property
    def global_atomic_sectors(self) -> Value:
        """Sectors that those touch."""
        return self._atomics("sectors")

    @property
    def global_atomic_bytes(self) -> Value:
        """Bytes of the sectors that global atomics touch."""
        return SECTOR_BYTES * self.global_atomic_sectors

    def _atomics(self, unit: str) -> Value:
        return sum(self.value(f"l1tex__t_{unit}_pipe_lsu_mem_global_op_{what}.sum") for what in ("atom", "red"))

    @property
    def local_load_bytes(self) -> Value:
        """Bytes of the sectors that loads of local memory (spilled registers, arrays) ask L1 for."""
        return SECTOR_BYTES * self.value("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum")

    @property
    def local_store_bytes(self) -> Value:
        """Bytes of the sectors that stores to local memory touch."""
        return SECTOR_BYTES * self.value("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum")

    @property
    def local_hit_rate(self) -> float:
        """Sectors of local loads that L1 held, over all of them (0 to 1)."""
        hits = self.value("l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum")
        return ratio(hits, self.value("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"))

    @property
    def texture_bytes(self) -> Value:
        """Bytes of the sectors that texture fetches ask L1 for."""
        return SECTOR_BYTES * self.value("l1tex__t_sectors_pipe_tex_mem_texture.sum")

    @property
    def texture_hit_rate(self) -> float:
        """Sectors of texture fetches that L1 held, over all of them (0 to 1)."""
        hits = self.value("l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum")
        return ratio(hits, self.value("l1tex__t_sectors_pipe_tex_mem_texture.sum"))

    # ------------------------------------------------------------ L2 and HBM

    @property
    def l2_read_bytes(self) -> Value:
        """Bytes that L1s read from L2."""
        return SECTOR_BYTES * self.value("lts__t_sectors_srcunit_tex_op_read.sum")

    @property
    def l2_write_bytes(self) -> Value:
        """Bytes that L1s write to L2."""
        return SECTOR_BYTES * self.value("lts__t_sectors_srcunit_tex_op_write.sum")

    @property
    def l2_read_hit_rate(self) -> float:
        """Sectors that L1s read and L2 held, over those and what L2 had to fetch (0 to 1)."""
        return self._l2_hits("read")

    @property
    def l2_write_hit_rate(self) -> float:
        """The same of sectors written: L2 takes every write, so it is 1 where there are any."""
        return self._l2_hits("write")

    def _l2_hits(self, op: str) -> float:
        hits, misses = (self.value(f"lts__t_sectors_srcunit_tex_op_{op}_lookup_{what}.sum") for what in ("hit", "miss"))
        return ratio(hits, hits + misses)

    @property
    def l2_hit_rate(self) -> float:
        """Sectors, read and written together, that L2 held over all that L1s asked for (0 to 1)."""
        hits = self.value("lts__t_sectors_srcunit_tex_lookup_hit.sum")
        return ratio(hits, hits + self.value("lts__t_sectors_srcunit_tex_lookup_miss.sum"))

    @property
    def l2_fabric_bytes(self) -> Value:
        """Bytes that cross between the two halves of L2."""
        return SECTOR_BYTES * self.value("lts__t_sectors_srcunit_ltcfabric.sum")

    @property
    def dram_bytes_read(self) -> Value:
        """Bytes read from device memory (HBM or GDDR)."""
        return self.value("dram__bytes_read.sum")

    @property
    def dram_bytes_written(self) -> Value:
        """Bytes written to device memory (HBM or GDDR)."""
        return self.value("dram__bytes_write.sum")

    @property
    def dram_bytes(self) -> Value:
        """Bytes read from and written to device memory."""
        return self.dram_bytes_read + self.dram_bytes_written

    @property
    def l2_dirty_bytes(self) -> Value:
        """Bytes of the result that L2 still holds when the launch ends: device memory gets them later."""
        return self.value(LEFT_DIRTY)

    @property
    def arithmetic_intensity(self) -> float:
        """Floating-point operations for each byte that this launch moves from and to device memory (FLOP/byte).

        What L2 still holds of the result (:attr:`l2_dirty_bytes`) is not among these bytes.
        """
        return ratio(math.nan if self.flops is None else self.flops, self.dram_bytes)
