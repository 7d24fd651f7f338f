"""Counts -> metrics under Nsight Compute's names, each with its claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from gpusim.engine.state import counts as C
from gpusim.engine.state.counts import METRICS
from gpusim.isa.instruction import INSTRUCTION_BYTES
from gpusim.isa.opcodes import Op
from gpusim.profiles.profile import Profile
from gpusim.results.figures import SECTOR_BYTES
from gpusim.results.metric import LEFT_DIRTY, Claim, Metric
from gpusim.simulate.build import waves
from gpusim.simulate.clock import time_metrics
from gpusim.simulate.known_errors import Errors, Way, errors_of_quick, known_errors
from gpusim.simulate.prediction_intervals import Known, known, with_intervals
from gpusim.simulate.where import by_array, by_line

if TYPE_CHECKING:
    from gpusim.hardware.generation import Launching
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.program import Program
    from gpusim.simulate.counted import Counts
    from gpusim.simulate.launch import Launch


def _number(value: float) -> int | float:
    return round(value) if abs(value - round(value)) < 1e-6 or abs(value) > 1e6 else float(value)


def metrics(counts: Counts) -> dict[str, Metric]:
    """Every counter that follows from counts.

    Parameters
    ----------
    counts : Counts
    """
    found, total, known = {}, counts.total.tolist(), not _calls_the_system(counts)
    for name, rule in METRICS.items():
        size = SECTOR_BYTES if rule.unit == "byte" else 1  # the engine counts sectors
        parts = [*(total[k] * size for k in rule.plus), *(total[k] * -size for k in rule.minus)]
        claim = Claim.EXACT if rule.exact and known else Claim.MODELLED
        value = _number(max(reduce(add, parts, 0.0), 0.0))
        found[name] = Metric(value, rule.unit, Claim.EXTRAPOLATED if counts.sampled else claim)
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


def launch_metrics(held: Occupancy, registers: int, waves: float, launch: Launch) -> dict[str, Metric]:
    """Registers, shared memory, occupancy and waves of a launch."""
    values: dict[str, tuple[int | float, str]] = {
        "launch__registers_per_thread": (registers, "register/thread"),
        "launch__shared_mem_per_block_static": (launch.program.shared_bytes, "byte/block"),
        "launch__shared_mem_per_block_dynamic": (launch.dynamic_shared, "byte/block"),
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
        ``"cold"``, ``"warm"`` or ``"flushed"``.
    way : str
        How the program came about: it decides which errors are known.
    family : str
        Of the kernel, if it is one of the catalogue: so does it.
    """
    stretch = counts.timing.warps is None
    time = time_metrics(counts.timing, gpu, sampled=stretch or counts.quick, total=counts.total)
    given = max(launch.registers_per_thread, gpu.limits.fewest_registers)
    limits = launch_metrics(held, given, waves(gpu, launch, held), launch)

    def errors(*, sampled: bool) -> Mapping[str, Errors]:
        if cache != "cold" and way != "program":  # launches that were measured found empty caches
            return {}
        if counts.quick:
            return {name: e for name, e in errors_of_quick(gpu.name, family, way).items() if _is_known(name, counts)}
        return known_errors(gpu.name, way, family, sampled=sampled)

    found = metrics(counts) | {LEFT_DIRTY: _left_dirty(counts)}
    if cache != "warm":
        read = found["dram__bytes_read.sum"]
        found["dram__bytes_read.sum"] = replace(read, value=read.value + read_by_launch(launch.program, gpu.launch))
    judged = {
        **_judged(time, errors(sampled=stretch)),
        **_judged(found, errors(sampled=counts.sampled)),
        **_judged(limits, known_errors(gpu.name, "machine_code" if way == "program" else way, family)),
    }
    whole = cache == "cold" and not (stretch or counts.quick)
    return Profile(
        kernel=kernel,
        params=params,
        gpu=gpu.name,
        grid=launch.grid,
        block=launch.block,
        metrics=with_intervals(judged, _launches_like(gpu, way, family) if whole else None),
        cache=cache,
        memory=gpu.memory,
        notes=_notes(counts, launch),
        warp_instructions=counts.warp_instructions,
        lines=by_line(launch.program, counts.sites),
        arrays=by_array(launch, counts.arrays),
        printed=counts.printed.text,
        timeline=counts.timeline and counts.timeline.of(kernel),
    )


def _launches_like(gpu: Gpu, way: Way, family: str) -> Known | None:
    """Measured launches, timed whole with cold caches, from which a time's interval follows; not of emitted CUDA."""
    return None if way == "machine_code" and family else known(gpu.name, way)


def _left_dirty(counts: Counts) -> Metric:
    claim = Claim.EXTRAPOLATED if counts.sampled else Claim.MODELLED
    return Metric(_number(SECTOR_BYTES * counts.left_dirty), "byte", claim)


def _is_known(name: str, counts: Counts) -> bool:
    """Whether errors of other launches stand for a metric: not where blocks differ as they did in none of these."""
    rule = METRICS.get(name)
    return rule is None or not {*rule.plus, *rule.minus} & {*counts.unlike}


def _judged(found: Mapping[str, Metric], errors: Mapping[str, Errors]) -> dict[str, Metric]:
    """Metrics with their errors, where these are known."""
    return {
        name: replace(metric, **errors[name]._asdict()) if name in errors else metric for name, metric in found.items()
    }


def _notes(counts: Counts, launch: Launch) -> tuple[str, ...]:
    return (*_notes_of_part(counts, launch), *_notes_of_calls(counts, launch))


def _notes_of_part(counts: Counts, launch: Launch) -> Iterator[str]:
    if counts.quick:
        yield "predicted from a few million warp instructions; --exact and --sample run more"
    elif counts.sampled:
        yield f"{counts.blocks_run} of {launch.blocks} blocks went through the caches; the rest is scaled from them"


def _notes_of_calls(counts: Counts, launch: Launch) -> Iterator[str]:
    if _calls_the_system(counts):
        yield "printf, malloc and free count as one instruction a call: NVIDIA's code for them is not simulated"
    if counts.printed.lost:
        yield f"the oldest {counts.printed.lost} lines of printf are lost, as on a GPU: its buffer has 1 MiB"
    if launch.program.has(Op.VPRINTF) and (counts.sampled or counts.quick):
        yield "of printf is shown what the blocks print that were run"


def _calls_the_system(counts: Counts) -> bool:
    """Whether functions of CUDA's own were called, of which not all that they do is counted."""
    return bool(counts.total[C.SYSTEM_CALLS] > 0)
