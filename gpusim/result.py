"""Profile: what a launch is predicted to do, named as Nsight Compute names it.

A :class:`Profile` holds counters under their Nsight Compute names, each with
its claim (:class:`Claim`); the figures people ask for (bytes per level, hit
rates, occupancy, ...) are properties derived from them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from gpusim.errors import UnknownNameError
from gpusim.names import Suggesting

if TYPE_CHECKING:
    import pandas as pd

    from gpusim.timeline import Timeline

SECTOR_BYTES = 32
"""Bytes of an L1 or L2 sector.  Source: NVIDIA, Nsight Compute documentation, "Memory Tables"."""

WAVEFRONT_BYTES = 128
"""Bytes a shared-memory wavefront can move: 32 banks of 4.  Source: CUDA C++ Programming Guide, "Shared Memory"."""

STALL_REASON = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
"""Nsight Compute's name of what says how many warps wait for a reason."""

STALL_SHARE = "smsp__warp_issue_stalled_{}_per_warp_active.pct"
"""Nsight Compute's name of the share of their time that warps wait for it."""

LEFT_DIRTY = "gpusim__l2_bytes_left_dirty.sum"
"""Bytes written that L2 still holds when the launch ends; Nsight Compute has no name for them."""


class UnknownMetricError(UnknownNameError, KeyError):
    """A metric that a profile does not have; as a ``KeyError`` it is caught as one, too."""

    __str__ = UnknownNameError.__str__  # a KeyError shows its message in quotes


Value = int | float
"""A counter's value: an int where it counts, a float where it is a ratio or was scaled."""


class Claim(StrEnum):
    """How far to trust a value, strongest first.

    ``exact``: follows from the program alone, and hardware repeats it
    identically.  ``modelled``: computed by a model of the hardware.
    ``calibrated``: a model with constants measured on this GPU.
    ``extrapolated``: part of the launch was simulated, the rest scaled from it.
    """

    EXACT = "exact"
    MODELLED = "modelled"
    CALIBRATED = "calibrated"
    EXTRAPOLATED = "extrapolated"


@dataclass(frozen=True, slots=True)
class Metric:
    """One counter of a profile.

    Parameters
    ----------
    value : int or float
    unit : str
        ``"byte"``, ``"sector"``, ``"request"``, ``"inst"``, ``"%"``, ...
    claim : Claim
    error : float or None
        Half of the launches in `among` are off by this at most, relative to what was measured (0.01 = 1 %; of a share
        of time the difference); None where it was never measured on this GPU.
    held_out : float or None
        The same over those of them that no calibration has seen; None where none are.
    p90 : float or None
        Nine in ten launches in `among` are off by this at most.
    among : str
        Which measured launches: ``"61 launches of matmul kernels on h200, by description"``.

    Examples
    --------
    >>> print(Metric(33_554_432, "byte", Claim.MODELLED, 0.004, p90=0.031))
    33554432 byte (modelled ±0.4/3.1 %)
    """

    value: Value
    unit: str
    claim: Claim
    error: float | None = None
    held_out: float | None = None
    p90: float | None = None
    among: str = ""

    @property
    def claim_text(self) -> str:
        """Claim and errors as a table shows them: ``exact``, ``modelled ±0.4/3.1 %``, ``modelled, unmeasured``."""
        if self.claim is Claim.EXACT and not (self.error or self.p90):
            return self.claim.value
        if self.error is None:
            return f"{self.claim.value}, unmeasured"
        return f"{self.claim.value} {self.error_text}"

    @property
    def error_text(self) -> str:
        """Errors alone: ``±0.4/3.1 %``; empty where they are not known."""
        from gpusim.report.units import format_error

        if self.error is None:
            return ""
        return f"±{'/'.join(format_error(error) for error in (self.error, self.p90) if error is not None)} %"

    def __str__(self) -> str:
        return f"{self.value} {self.unit} ({self.claim_text})"


@dataclass(frozen=True, slots=True)
class Formula:
    """What a closed form gives for one quantity of a profile.

    Parameters
    ----------
    name : str
        What it counts, in words: ``"global reads"``, ...
    text : str
        The form as it is to be shown, such as ``"2MNK/T"``.
    nbytes : int or float
        Its value in bytes for the profile's parameters.
    """

    name: str
    text: str
    nbytes: Value


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one line of the source, or one array, costs.

    Parameters
    ----------
    name : str
        ``"file.cu:41"``, or the array's name.
    text : str
        The line itself, where it is known; of an array its element type.
    requests : int or float
        Global requests: warp instructions that load, store or update.
    sectors : int or float
        Sectors of 32 bytes those touch.
    ideal_sectors : int or float
        Sectors that would do for the words touched.
    l1_hits : int or float
        Sectors of loads found in L1.
    l2_bytes : int or float
        Asked of L2, or written to it.
    dram_bytes : int or float
        Read from device memory for it (writes happen later, on no line's account).
    wavefronts : int or float
        Of shared memory.
    ideal_wavefronts : int or float
        What they would be without bank conflicts.
    load_sectors : int or float
        Those of the sectors that loads touch.
    """

    name: str
    text: str = ""
    requests: Value = 0
    sectors: Value = 0
    ideal_sectors: Value = 0
    l1_hits: Value = 0
    l2_bytes: Value = 0
    dram_bytes: Value = 0
    wavefronts: Value = 0
    ideal_wavefronts: Value = 0
    load_sectors: Value = 0

    @property
    def l1_hit_rate(self) -> float:
        """Sectors of loads that L1 held, over all of them (0 to 1); NaN where nothing is loaded."""
        return _ratio(self.l1_hits, self.load_sectors)

    @property
    def excess_sectors(self) -> Value:
        """Sectors more than would do."""
        return self.sectors - self.ideal_sectors

    @property
    def conflicts(self) -> Value:
        """Wavefronts of shared memory that bank conflicts cost."""
        return self.wavefronts - self.ideal_wavefronts


@dataclass(frozen=True, repr=False)
class Profile(Suggesting):
    """Everything predicted of one launch.

    Parameters
    ----------
    kernel : str
        Name of the kernel, as ``gpusim kernels`` lists it.
    params : mapping of str to int, float or str
        Sizes and tile sizes, complete (defaults filled in).
    gpu : str
        Name of the GPU, as ``gpusim gpus`` lists it.
    grid, block : tuple of int
        Blocks and threads in x, y, z.
    metrics : mapping of str to Metric
        Counters under their Nsight Compute names.
    textbook : mapping of str to Formula
        Closed forms to compare with: ``"reads"`` and ``"writes"`` are the global
        traffic the textbook counts, ``"compulsory"`` the bytes of the inputs,
        each read once.  Any of them may be missing.
    cache : str
        ``"cold"`` (flushed before the launch) or ``"warm"``.
    flops : int or None
        Floating-point operations of the algorithm (a fused multiply-add is two).
    memory : str
        What the GPU's device memory is called: ``"HBM"``, ``"GDDR"``.
    notes : tuple of str
        What else a reader must know, such as how much of the launch was simulated.
    warp_instructions : int
        How many were simulated.
    lines : tuple of Traffic
        What each line of the source costs, in the order of the source.
    arrays : tuple of Traffic
        The same for each array in global memory.
    timeline : Timeline or None
        What one SM did cycle by cycle, where it was asked for.

    Examples
    --------
    >>> read = Metric(64 * 2**20, "byte", Claim.MODELLED, 0.01)
    >>> profile = Profile("copy", {"N": 2**24}, "h200", (65536, 1, 1), (256, 1, 1), {"dram__bytes_read.sum": read})
    >>> profile.dram_bytes_read
    67108864
    >>> profile["dram__bytes_read.sum"].claim
    <Claim.MODELLED: 'modelled'>
    """

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
        return self.value("gpc__cycles_elapsed.max")

    @property
    def seconds(self) -> float:
        """The same in seconds, at the SM clock of the GPU's specification."""
        return self.value("gpu__time_duration.sum")

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
    def bound(self) -> str:
        """What binds it: ``compute``, ``memory``, ``latency``, ``barrier``, ``tail``, ``launch``; empty: not known."""
        from gpusim.report.time import verdict

        found = verdict(self)
        return found.kind if found else ""

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
        return _ratio(self.value("smsp__thread_inst_executed.sum"), 32 * self.instructions)

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
        return _ratio(self.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), requests)

    @property
    def l1_hit_rate(self) -> float:
        """Sectors of global loads that L1 held, over all of them (0 to 1)."""
        hits = self.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum")
        return _ratio(hits, self.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"))

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
        return _ratio(hits, self.value("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"))

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
        return _ratio(hits, hits + misses)

    @property
    def l2_hit_rate(self) -> float:
        """Sectors, read and written together, that L2 held over all that L1s asked for (0 to 1)."""
        hits = self.value("lts__t_sectors_srcunit_tex_lookup_hit.sum")
        return _ratio(hits, hits + self.value("lts__t_sectors_srcunit_tex_lookup_miss.sum"))

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
        return _ratio(math.nan if self.flops is None else self.flops, self.dram_bytes)

    # ------------------------------------------------------------ how it reads

    @property
    def sentence(self) -> str:
        """What the numbers say, in one sentence."""
        from gpusim.report.sentence import explain

        return explain(self)

    def __repr__(self) -> str:
        from gpusim.report import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        """Notebooks show the same table, in a fixed-width face."""
        from html import escape

        return f"<pre>{escape(repr(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """Give the profile as plain dicts, lists, strings and numbers, ready for JSON.

        Returns
        -------
        dict
            ``kernel``, ``params``, ``gpu``, ``grid``, ``block``, ``cache``, ``flops``,
            ``metrics`` (name to value, unit, claim, errors), ``derived`` (name to value;
            None where a metric it needs is missing), ``textbook``, ``lines``, ``arrays``,
            ``notes``, ``sentence``, ``bound``.
        """
        return {
            "kernel": self.kernel,
            "params": {name: _plain(value) for name, value in self.params.items()},
            "gpu": self.gpu,
            "grid": [int(n) for n in self.grid],
            "block": [int(n) for n in self.block],
            "cache": self.cache,
            "flops": _plain(self.flops),
            "metrics": {name: _metric_dict(metric) for name, metric in self.metrics.items()},
            "derived": {name: _finite(getattr(self, name)) for name in DERIVED},
            "textbook": {
                key: {"name": form.name, "formula": form.text, "bytes": _finite(form.nbytes)}
                for key, form in self.textbook.items()
            },
            "lines": [_traffic_dict(line) for line in self.lines],
            "arrays": [_traffic_dict(array) for array in self.arrays],
            "notes": list(self.notes),
            "sentence": self.sentence,
            "bound": self.bound,
        }

    def to_dataframe(self) -> pd.DataFrame:
        """Give the metrics as a table, one row each.

        Returns
        -------
        pandas.DataFrame
            Index ``metric``; columns ``kernel``, ``gpu``, one for each parameter,
            then ``value``, ``unit``, ``claim``, ``error``, ``held_out``, ``p90``, ``among``.
        """
        import pandas as pd

        launch = {"kernel": self.kernel, "gpu": self.gpu, **self.params}
        rows = [{"metric": name, **launch, **_metric_dict(metric)} for name, metric in self.metrics.items()]
        columns = ["metric", *launch, "value", "unit", "claim", "error", "held_out", "p90", "among"]
        return pd.DataFrame(rows, columns=columns).set_index("metric")


OCCUPANCY_LIMITS = ("registers", "shared_mem", "warps", "blocks")
"""What can limit the blocks an SM holds, as in ``launch__occupancy_limit_*``."""

DERIVED = (
    "blocks",
    "threads_per_block",
    "blocks_per_sm",
    "occupancy",
    "waves",
    "simt_efficiency",
    "global_load_bytes",
    "global_store_bytes",
    "sectors_per_load",
    "l1_hit_rate",
    "shared_wavefronts",
    "bank_conflicts",
    "global_atomic_bytes",
    "local_load_bytes",
    "local_store_bytes",
    "local_hit_rate",
    "l2_read_bytes",
    "l2_write_bytes",
    "l2_hit_rate",
    "l2_read_hit_rate",
    "l2_write_hit_rate",
    "l2_dirty_bytes",
    "l2_fabric_bytes",
    "dram_bytes_read",
    "dram_bytes_written",
    "arithmetic_intensity",
)
"""Properties of :class:`Profile` that ``to_dict`` writes under ``derived``."""


def _ratio(part: Value, whole: Value) -> float:
    """``part / whole``, NaN where there is nothing to divide by."""
    return part / whole if whole else math.nan


def _plain(value: Any) -> Any:
    """A NumPy scalar as the Python number it holds; anything else as it is."""
    return value.item() if hasattr(value, "item") else value


def _finite(value: Value) -> Value | None:
    """None for NaN, which JSON cannot hold."""
    number: Value = _plain(value)
    return number if math.isfinite(number) else None


def _known(error: float | None) -> Value | None:
    """An error as JSON holds it: None too where it is beyond all bounds."""
    return None if error is None else _finite(error)


def _traffic_dict(traffic: Traffic) -> dict[str, Any]:
    """Everything about a line or an array."""
    return {f.name: _plain(getattr(traffic, f.name)) for f in fields(traffic)}


def _metric_dict(metric: Metric) -> dict[str, Any]:
    return {
        "value": _finite(metric.value),
        "unit": metric.unit,
        "claim": metric.claim.value,
        "error": _known(metric.error),
        "held_out": _known(metric.held_out),
        "p90": _known(metric.p90),
        "among": metric.among,
    }
