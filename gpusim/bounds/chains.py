"""The least traffic of kernels that follow one another: each by itself, and all of them as one computation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpusim.bounds.computation import Computation, parse
from gpusim.bounds.formula import bound_text
from gpusim.bounds.kernels import least_of
from gpusim.bounds.levels import Level, levels
from gpusim.bounds.measured import Counts, counts_of, together
from gpusim.bounds.result import Bound
from gpusim.bounds.rungs import LevelBound
from gpusim.bounds.traffic import Least, least
from gpusim.report.units import format_bytes

if TYPE_CHECKING:
    from gpusim import hardware
    from gpusim.catalogue.chain import Chain, ChainLaunch
    from gpusim.profiles.chain import ChainProfile


def of_chain(chain: Chain, gpu: hardware.Gpu, count: bool, how: Mapping[str, Any], params: Mapping[str, int]) -> Bound:
    """Bound a chain: what its first kernels are given, and what is asked of it; arrays between kernels need not move.

    Parameters
    ----------
    chain : Chain
    gpu : Gpu
    count : bool
        Predict it, too.
    how : mapping
        How to, as for :func:`gpusim.predict_chain`.
    params : mapping of str to int
        Sizes and tiles.
    """
    from gpusim.frontends.chains import predict_chain

    launch = chain.launch(**params)
    computation = parse(chain.computation) if chain.computation else None
    asked: dict[str, Any] = {**how, **launch.params}
    counted = predict_chain(chain, gpu, **asked) if count else None
    there = [counts_of(step.step.algorithm, step.bound, gpu) for step in launch.steps]
    found = tuple(_level(chain, launch, computation, level, counted, there) for level in levels(gpu))
    formula = bound_text(computation)
    return Bound(chain.name, launch.params, gpu.name, chain.computation, formula, found, (_between(chain, launch),))


def _level(
    chain: Chain,
    launch: ChainLaunch,
    computation: Computation | None,
    level: Level,
    counted: ChainProfile | None,
    there: Sequence[Counts],
) -> LevelBound:
    by_step = [level.bound(least_of(step.step.algorithm, step.bound, level)) for step in launch.steps]
    apart = None if level.reads_only else sum(by_step)  # L2 hands results on from kernel to kernel
    moved = [
        level.counted({name: float(metric.value) for name, metric in step.metrics.items()})
        for step in (counted.steps if counted else ())
    ]
    total = sum(value for value in moved if value is not None) if moved else None
    derived = _derived(chain, launch) if level.name == "L2" else None
    whole = _whole(chain, launch, computation, level)
    return LevelBound(level, whole, apart, derived=derived, counted=total, measured=together(there, level))


def _whole(chain: Chain, launch: ChainLaunch, computation: Computation | None, level: Level) -> Least:
    """All kernels as one."""
    nbytes = launch.nbytes
    given, stored = (sum(nbytes[name] for name in names) for names in (launch.inputs, chain.outputs))
    if computation is None:
        return Least(given, stored, 0.0, 0.0)
    known = {name: spec.element_bytes for step in launch.steps for name, spec in step.arrays}
    sizes = {array: known.get(array, min(known.values())) for array in computation.arrays}
    found = least(computation, computation.sizes(launch.params), level.memory, level.memories, sizes)
    return replace(found, given=given, stored=stored)


def _derived(chain: Chain, launch: ChainLaunch) -> Any:
    """What the kernels' own formulas have, together."""
    from gpusim.bounds.tiles import Tiled, formula_bytes

    found = [formula_bytes(step.step.algorithm, step.bound) for step in launch.steps]
    if any(one is None for one in found):
        return None
    return Tiled({}, sum(one.nbytes for one in found if one is not None))


def _between(chain: Chain, launch: ChainLaunch) -> str:
    """Arrays that one kernel writes and another reads, which one kernel for all need not move."""
    kept = [name for name in launch.nbytes if name not in (*launch.inputs, *chain.outputs)]
    if not kept:
        return "No array goes from one kernel to the next alone."
    sizes = ", ".join(f"{name} ({format_bytes(launch.nbytes[name])})" for name in kept)
    return f"Between kernels: {sizes}. One kernel for all need not move them."
