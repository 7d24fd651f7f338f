"""Counts -> metrics under Nsight Compute's names, each with its claim."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache as remembered
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from gpusim.engine.state import counts as C
from gpusim.hardware.occupancy import FEWEST_REGISTERS
from gpusim.isa.instruction import INSTRUCTION_BYTES
from gpusim.profiles.profile import Profile
from gpusim.results.figures import SECTOR_BYTES
from gpusim.results.metric import LEFT_DIRTY, Claim, Metric
from gpusim.simulate.build import waves
from gpusim.simulate.clock import time_metrics
from gpusim.simulate.utilisation import DATA_STAGE, SHARED
from gpusim.simulate.where import by_array, by_line

if TYPE_CHECKING:
    from gpusim.hardware.generation import Launching
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.program import Program
    from gpusim.simulate.counted import Counts
    from gpusim.simulate.launch import Launch


class _Sum(NamedTuple):
    """A metric that is a weighted sum of columns of counts."""

    columns: tuple[tuple[int, float], ...]
    unit: str
    claim: Claim


def _sum(unit: str, claim: Claim, *columns: int, minus: tuple[int, ...] = (), scale: float = 1) -> _Sum:
    return _Sum((*((c, scale) for c in columns), *((c, -scale) for c in minus)), unit, claim)


_EXACT, _MODEL = Claim.EXACT, Claim.MODELLED
_L1 = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
_LOCAL = "l1tex__t_{}_pipe_lsu_mem_local_op_{}.sum"
_WAVES = "l1tex__data_pipe_lsu_wavefronts{}.sum"
_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
_LTS = "lts__t_sectors_srcunit_{}.sum"

METRICS: dict[str, _Sum] = {
    "smsp__inst_executed.sum": _sum("inst", _MODEL, C.INST),
    "smsp__thread_inst_executed.sum": _sum("inst", _MODEL, C.THREAD_INST),
    "smsp__thread_inst_executed_pred_on.sum": _sum("inst", _MODEL, C.THREAD_ON),
    "smsp__sass_inst_executed_op_branch.sum": _sum("inst", _MODEL, C.BRANCHES),
    "smsp__inst_executed_op_global_ld.sum": _sum("inst", _EXACT, C.INST_LDG),
    "smsp__inst_executed_op_global_st.sum": _sum("inst", _EXACT, C.INST_STG),
    "smsp__inst_executed_op_shared_ld.sum": _sum("inst", _MODEL, C.INST_LDS),
    "smsp__inst_executed_op_shared_st.sum": _sum("inst", _MODEL, C.INST_STS),
    _L1.format("requests", "ld"): _sum("request", _EXACT, C.LD_REQ),
    _L1.format("sectors", "ld"): _sum("sector", _EXACT, C.LD_SECTORS),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum": _sum("sector", _MODEL, C.LD_HIT),
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum": _sum("wavefront", _EXACT, C.LD_TAGS),
    _L1.format("requests", "st"): _sum("request", _EXACT, C.ST_REQ),
    _L1.format("sectors", "st"): _sum("sector", _EXACT, C.ST_SECTORS),
    "smsp__inst_executed_op_local_ld.sum": _sum("inst", _MODEL, C.INST_LDL),
    "smsp__inst_executed_op_local_st.sum": _sum("inst", _MODEL, C.INST_STL),
    "smsp__inst_executed_op_ldgsts.sum": _sum("inst", _MODEL, C.INST_LDGSTS),
    "smsp__inst_executed_op_ldsm.sum": _sum("inst", _MODEL, C.INST_LDSM),
    "smsp__inst_executed_op_shared_atom.sum": _sum("inst", _MODEL, C.INST_ATOMS),
    _L1.format("requests", "atom"): _sum("request", _MODEL, C.ATOM_REQ),
    _L1.format("sectors", "atom"): _sum("sector", _MODEL, C.ATOM_SECTORS),
    _L1.format("requests", "red"): _sum("request", _MODEL, C.RED_REQ),
    _L1.format("sectors", "red"): _sum("sector", _MODEL, C.RED_SECTORS),
    _LOCAL.format("requests", "ld"): _sum("request", _MODEL, C.LOCAL_LD_REQ),
    _LOCAL.format("sectors", "ld"): _sum("sector", _MODEL, C.LOCAL_LD_SECTORS),
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum": _sum("sector", _MODEL, C.LOCAL_LD_HIT),
    _LOCAL.format("requests", "st"): _sum("request", _MODEL, C.LOCAL_ST_REQ),
    _LOCAL.format("sectors", "st"): _sum("sector", _MODEL, C.LOCAL_ST_SECTORS),
    "l1tex__t_set_accesses.sum": _sum("access", _MODEL, C.LINES),
    _WAVES.format(""): _sum("wavefront", _MODEL, *DATA_STAGE),
    _WAVES.format("_mem_shared"): _sum("wavefront", _MODEL, *SHARED),
    _WAVES.format("_mem_shared_op_ld"): _sum("wavefront", _MODEL, C.SH_LD_WAVES),
    _WAVES.format("_mem_shared_op_st"): _sum("wavefront", _MODEL, C.SH_ST_WAVES),
    _WAVES.format("_mem_shared_op_atom"): _sum("wavefront", _MODEL, C.SH_ATOM_WAVES),
    _WAVES.format("_mem_shared_op_ldgsts"): _sum("wavefront", _MODEL, C.SH_ASYNC_WAVES),
    _CONFLICTS.format("ld"): _sum("conflict", _MODEL, C.SH_LD_WAVES, minus=(C.SH_LD_IDEAL,)),
    _CONFLICTS.format("st"): _sum("conflict", _MODEL, C.SH_ST_WAVES, minus=(C.SH_ST_IDEAL,)),
    _CONFLICTS.format("ldgsts"): _sum("conflict", _MODEL, C.SH_ASYNC_WAVES, minus=(C.SH_ASYNC_IDEAL,)),
    "lts__t_requests_srcunit_tex.sum": _sum("request", _MODEL, C.L2_READ_REQ, C.L2_WRITE_REQ, C.L2_ATOM_REQ),
    "lts__t_requests_srcunit_tex_op_read.sum": _sum("request", _MODEL, C.L2_READ_REQ),
    "lts__t_requests_srcunit_tex_op_write.sum": _sum("request", _MODEL, C.L2_WRITE_REQ),
    _LTS.format("tex"): _sum("sector", _MODEL, C.L2_READ, C.L2_WRITE, C.L2_ATOM),
    _LTS.format("tex_op_read"): _sum("sector", _MODEL, C.L2_READ),
    _LTS.format("tex_op_write"): _sum("sector", _MODEL, C.L2_WRITE),
    _LTS.format("tex_lookup_miss"): _sum("sector", _MODEL, C.L2_MISS),
    _LTS.format("tex_lookup_hit"): _sum("sector", _MODEL, C.L2_READ, C.L2_WRITE, C.L2_ATOM, minus=(C.L2_MISS,)),
    _LTS.format("tex_op_read_lookup_hit"): _sum("sector", _MODEL, C.L2_READ_HIT),
    _LTS.format("tex_op_read_lookup_miss"): _sum("sector", _MODEL, C.L2_READ_MISS),
    # L2 takes every write: H200 and H100 count none that misses
    _LTS.format("tex_op_write_lookup_hit"): _sum("sector", _MODEL, C.L2_WRITE),
    _LTS.format("tex_op_write_lookup_miss"): _sum("sector", _MODEL),
    _LTS.format("ltcfabric"): _sum("sector", _MODEL, C.FABRIC),
    "dram__bytes_read.sum": _sum("byte", _MODEL, C.DRAM_READ, scale=SECTOR_BYTES),
    "dram__bytes_write.sum": _sum("byte", _MODEL, C.DRAM_WRITE, scale=SECTOR_BYTES),
}


Way = Literal["description", "machine_code"]
"""How a program came about: lowered from a description, or compiled from CUDA."""


ENOUGH = 5
"""Launches of a family of kernels from which on its errors stand for it; of fewer, those of all launches do."""

_WAY_WORDS: dict[Way, str] = {"description": "by description", "machine_code": "by machine code"}


class Errors(NamedTuple):
    """Errors of a metric: see :class:`gpusim.results.metric.Metric`, whose fields these are."""

    error: float | None = None
    held_out: float | None = None
    p90: float | None = None
    among: str = ""


@remembered
def _table(gpu: str) -> dict[str, Any]:
    source = resources.files("gpusim") / "data" / f"validation-{gpu}.json"
    table: dict[str, Any] = json.loads(source.read_text()) if source.is_file() else {}
    return table


@remembered
def validation(gpu: str, way: Way, family: str = "", *, sampled: bool = False) -> dict[str, Errors]:
    """Errors of each metric over the launches measured on a GPU; empty where none were.

    Parameters
    ----------
    gpu : str
        Name of the GPU, as in ``gpusim gpus``.
    way : str
    family : str
        Of the kernel, as in ``gpusim kernels``: where :data:`ENOUGH` of its launches were measured, over these alone.
    sampled : bool
        Over launches of which only part was run, of whatever family.
    """
    table = _table(gpu)
    if sampled:
        return _errors(table.get("sampled", {}), f"{{}} launches on {gpu}, each sampled")
    found = _errors(table.get(way, {}), f"{{}} launches of all kernels on {gpu}, {_WAY_WORDS[way]}")
    own = table.get("families", {}).get(way, {}).get(family, {})
    known = {name: row for name, row in own.items() if row["n"] >= ENOUGH}
    return found | _errors(known, f"{{}} launches of {family} kernels on {gpu}, {_WAY_WORDS[way]}")


def _errors(rows: Mapping[str, Mapping[str, Any]], among: str) -> dict[str, Errors]:
    return {
        name: Errors(row["median"], row.get("held_out"), row["p90"], among.format(row["n"]))
        for name, row in rows.items()
    }


def _number(value: float) -> int | float:
    return round(value) if abs(value - round(value)) < 1e-6 or abs(value) > 1e6 else float(value)


def metrics(counts: Counts) -> dict[str, Metric]:
    """Every counter that follows from counts.

    Parameters
    ----------
    counts : Counts
    """
    found = {}
    for name, rule in METRICS.items():
        value = float(np.sum([counts.total[column] * factor for column, factor in rule.columns]))
        claim = Claim.EXTRAPOLATED if counts.sampled else rule.claim
        found[name] = Metric(_number(max(value, 0.0)), rule.unit, claim)
    return found


def read_by_launch(program: Program, launching: Launching) -> int:
    """Bytes that a launch reads from HBM whatever it does: what the GPU is told of it, and its code, run or not.

    Parameters
    ----------
    program : Program
    launching : Launching
        Of the GPU.
    """
    pieces = -(-len(program) * INSTRUCTION_BYTES // launching.code_piece_bytes)
    return launching.dram_read_bytes + pieces * launching.code_piece_bytes


def launch_metrics(held: Occupancy, registers: int, waves: float) -> dict[str, Metric]:
    """Registers, occupancy and waves of a launch."""
    values: dict[str, tuple[int | float, str]] = {
        "launch__registers_per_thread": (max(registers, FEWEST_REGISTERS), "register/thread"),
        "launch__occupancy_limit_registers": (held.limit_registers, "block"),
        "launch__occupancy_limit_shared_mem": (held.limit_shared, "block"),
        "launch__occupancy_limit_warps": (held.limit_warps, "block"),
        "launch__occupancy_limit_blocks": (held.limit_blocks, "block"),
        "launch__waves_per_multiprocessor": (waves, "wave"),
        "sm__maximum_warps_per_active_cycle_pct": (held.occupancy_pct, "%"),
    }
    return {name: Metric(v, unit, Claim.MODELLED) for name, (v, unit) in values.items()}


def summary(
    kernel: str, params: Mapping[str, Any], gpu: Gpu, launch: Launch, held: Occupancy, counts: Counts, cache: str,
    way: Way, family: str = "",
) -> Profile:  # fmt: skip
    """Gather what was counted of a launch into a Profile.

    Parameters
    ----------
    kernel : str
        What it is called.
    params : mapping
        Its sizes.
    gpu, launch, held, counts
        What ran where, and what it did.
    cache : str
        ``"cold"`` or ``"warm"``.
    way : str
        How the program came about: it decides which errors are known.
    family : str
        Of the kernel, if it is one of the catalogue: so does it.
    """
    stretch = counts.timing.warps is None
    time = time_metrics(counts.timing, gpu, sampled=stretch, total=counts.total)
    limits = launch_metrics(held, launch.registers_per_thread, waves(gpu, launch, held))
    found = metrics(counts) | {LEFT_DIRTY: _left_dirty(counts)}
    if cache == "cold":
        read = found["dram__bytes_read.sum"]
        found["dram__bytes_read.sum"] = replace(read, value=read.value + read_by_launch(launch.program, gpu.launch))
    return Profile(
        kernel=kernel,
        params=params,
        gpu=gpu.name,
        grid=launch.grid,
        block=launch.block,
        metrics={
            **_judged(time, validation(gpu.name, way, family, sampled=stretch)),
            **_judged(found, validation(gpu.name, way, family, sampled=counts.sampled)),
            **_judged(limits, validation(gpu.name, way, family)),
        },
        cache=cache,
        memory=gpu.memory,
        notes=_notes(counts, launch),
        warp_instructions=counts.warp_instructions,
        lines=by_line(launch.program, counts.sites),
        arrays=by_array(launch, counts.arrays),
        timeline=counts.timeline and counts.timeline.of(kernel),
    )


def _left_dirty(counts: Counts) -> Metric:
    claim = Claim.EXTRAPOLATED if counts.sampled else Claim.MODELLED
    return Metric(_number(SECTOR_BYTES * counts.left_dirty), "byte", claim)


def _judged(found: Mapping[str, Metric], errors: Mapping[str, Errors]) -> dict[str, Metric]:
    """Metrics with their errors, where these are known."""
    return {name: replace(metric, **errors.get(name, Errors())._asdict()) for name, metric in found.items()}


def _notes(counts: Counts, launch: Launch) -> tuple[str, ...]:
    if not counts.sampled:
        return ()
    return (f"{counts.blocks_run} of {launch.blocks} blocks went through the caches; the rest is scaled from them",)
