"""The least traffic of a kernel beside what it has, level by level, and why they differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpusim import hardware
from gpusim.bounds.computation import Computation, parse
from gpusim.bounds.formula import bound_text
from gpusim.bounds.kernels import computed, is_tested, least_of
from gpusim.bounds.levels import Level, levels
from gpusim.bounds.measured import Counts, counts_of
from gpusim.bounds.result import Bound
from gpusim.bounds.rungs import LevelBound
from gpusim.bounds.tiles import best, formula_bytes
from gpusim.errors import ParameterError, check_flags, is_number, shown, whole
from gpusim.results.metric import Metric

if TYPE_CHECKING:
    from gpusim.catalogue.algorithm import Algorithm, KernelLaunch
    from gpusim.catalogue.chain import Chain
    from gpusim.progress import Progress


ELEMENT_BYTES, MOST_ELEMENT_BYTES = 4, 16
"""Of a computation's arrays: where nobody says otherwise, and at most."""

TAKEN = "That it touches all of its arrays is taken for granted; touched= of its Algorithm says what it does not."


def bound(
    kernel: str | Algorithm | Chain,
    gpu: str | hardware.Gpu = "h200",
    *,
    count: bool = True,
    kernels: Sequence[str] | None = None,
    progress: Progress | None = None,
    fresh: bool = False,
    memory: float | None = None,
    element_bytes: int | None = None,
    **params: int,
) -> Bound:
    """Say what no schedule of a kernel's computation can do without, beside what the kernel has.

    Parameters
    ----------
    kernel : str, Algorithm or Chain
        Name as in ``gpusim kernels``, or a computation: ``"C[m,n] += A[m,k] * B[k,n]"``.
    gpu : str or Gpu
    count : bool
        Predict what the kernel moves, too; without it nothing is simulated.
    kernels : sequence of str, optional
        More folders to look for kernels in.
    progress : callable, optional
        As for :func:`gpusim.predict`.
    fresh : bool
        Simulate, even if the result of an earlier run is kept.
    memory : float, optional
        Bytes of one fast memory, for a computation; without it the levels of the GPU.
    element_bytes : int, optional
        Of a computation's arrays; 4 unless given.
    **params : int
        Sizes and tiles, as for :func:`gpusim.predict`; of a computation the extents of its loops.

    Returns
    -------
    Bound

    Raises
    ------
    GpusimError
        Unknown name, impossible parameter, no computation; one line that says what would be right.

    Examples
    --------
    >>> bound("matmul-tiled", count=False, n=4096)["HBM"].bound == 2 * 4096 * 4096 * 4
    True
    >>> bound("C[m,n] += A[m,k] * B[k,n]", memory=1e6, m=4096, n=4096, k=4096).formula
    '2 K M N / sqrt(S)'
    """
    check_flags(count=count, fresh=fresh)
    if isinstance(kernel, str) and "[" in kernel:
        return of_text(kernel, gpu, memory, ELEMENT_BYTES if element_bytes is None else element_bytes, params)
    if memory is not None:
        raise ParameterError("a size of memory is for a computation: a kernel's are those of the GPU")
    if element_bytes is not None:
        raise ParameterError("element_bytes is for a computation: a kernel's arrays have their own")
    from gpusim.catalogue import lookup
    from gpusim.catalogue.chain import Chain
    from gpusim.frontends.described import algorithm_of

    found = lookup.find(kernel, kernels or ()) if isinstance(kernel, str) else kernel
    found = found if isinstance(found, Chain) else algorithm_of(found)
    how: dict[str, Any] = {"progress": progress, "fresh": fresh, "kernels": kernels}
    if isinstance(found, Chain):
        from gpusim.bounds.chains import of_chain

        return of_chain(found, hardware.given(gpu), count, how, params)
    return of_kernel(found, hardware.given(gpu), count, how, params)


def of_kernel(
    algorithm: Algorithm, gpu: hardware.Gpu, count: bool, how: Mapping[str, Any], params: Mapping[str, int]
) -> Bound:
    """Bound a described kernel.

    Parameters
    ----------
    algorithm : Algorithm
    gpu : Gpu
    count : bool
        Predict it, too.
    how : mapping
        How to, as for :func:`gpusim.predict`.
    params : mapping of str to int
        Sizes and tiles.
    """
    from gpusim.frontends.described import predict

    launch = algorithm.launch(**params)
    asked: dict[str, Any] = {**how, **launch.params}
    counted = predict(algorithm, gpu, **asked).metrics if count else {}
    measured = counts_of(algorithm, launch, gpu)
    found = tuple(_level(algorithm, launch, gpu, level, counted, measured) for level in levels(gpu))
    computation = computed(algorithm, launch)
    text = computation.text if computation else ""
    notes = () if is_tested(algorithm) else (TAKEN,)
    return Bound(algorithm.name, launch.params, gpu.name, text, bound_text(computation), found, notes)


def of_text(
    text: str, gpu: str | hardware.Gpu, memory: float | None, element_bytes: int, params: Mapping[str, int]
) -> Bound:
    """Bound a computation that is told as text.

    Parameters
    ----------
    text : str
    gpu : str or Gpu
    memory : float or None
        Bytes of one fast memory; None: the levels of the GPU.
    element_bytes : int
    params : mapping of str to int
        Extents of loops.
    """
    from gpusim.bounds.traffic import least

    computation = parse(text)
    sizes = _extents(computation, params)
    whole("element_bytes", element_bytes, 1, MOST_ELEMENT_BYTES)
    if memory is not None and (not is_number(memory) or not math.isfinite(memory)):
        raise ParameterError(f"memory must be a number of bytes, such as 1e6, not {shown(memory)}")
    if memory is not None and memory < 2 * element_bytes:
        raise ParameterError(f"a memory of {memory:g} bytes holds no two elements of {element_bytes} bytes")
    on = hardware.given(gpu)  # which may be wrong even where it decides nothing
    told = on if memory is None else None
    known = levels(told) if told else (Level("memory", "the memory", int(memory or 0), 1, (), 1),)
    found = tuple(
        LevelBound(level, least(computation, sizes, level.memory, level.memories, element_bytes)) for level in known
    )
    return Bound("", sizes, told.name if told else "", text, bound_text(computation), found)


def _extents(computation: Computation, params: Mapping[str, int]) -> dict[str, int]:
    from gpusim.errors import UnknownNameError

    known = {*computation.loops, *(loop.upper() for loop in computation.loops), *dict(computation.extents).values()}
    if unknown := next((name for name in params if name not in known), None):
        raise UnknownNameError("loop", unknown, sorted(known))
    return dict(computation.sizes(params))


def _level(
    algorithm: Algorithm,
    launch: KernelLaunch,
    gpu: hardware.Gpu,
    level: Level,
    counted: Mapping[str, Metric],
    measured: Counts,
) -> LevelBound:
    has_formula = level.name == "L2"
    found = {name: float(metric.value) for name, metric in counted.items()}
    first = counted.get(level.metrics[0])
    return LevelBound(
        level,
        least_of(algorithm, launch, level),
        None,
        best(algorithm, launch, gpu) if has_formula else None,
        formula_bytes(algorithm, launch) if has_formula else None,
        level.counted(found),
        first.error if first is not None else None,
        level.counted(measured),
    )
