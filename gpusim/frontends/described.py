"""Front end of descriptions: an algorithm and its parameters -> a launch, beside what the textbook says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpusim import hardware
from gpusim.catalogue import lookup
from gpusim.catalogue.parameters import INT32_MAX
from gpusim.errors import ParameterError, shown, whole
from gpusim.isa.array_use import arrays_read
from gpusim.lang.lower.target import Target
from gpusim.results.traffic import Formula
from gpusim.simulate.launch import Buffer, Launch
from gpusim.simulate.prediction import predict as simulated
from gpusim.simulate.work import ClosedForms, How, Sample, Work

if TYPE_CHECKING:
    from gpusim.catalogue.algorithm import Algorithm, KernelLaunch
    from gpusim.isa.program import Program
    from gpusim.lang import Kernel
    from gpusim.profiles.profile import Profile
    from gpusim.progress import Progress
    from gpusim.results.timeline import Recording

MOST_ELEMENTS = 1 << 31
"""Elements of an array: descriptions index it by 32-bit ints, as CUDA C++ written so does."""


def predict(
    kernel: str | Algorithm | Kernel,
    gpu: str | hardware.Gpu = "h200",
    *,
    cache: str = "cold",
    sample: Sample = None,
    progress: Progress | None = None,
    kernels: Sequence[str] | None = None,
    limit: int | None = None,
    timeline: Recording | None = None,
    registers: int | None = None,
    fresh: bool = False,
    jobs: int | None = None,
    **params: int,
) -> Profile:
    """Predict what a described kernel moves at every level of the memory hierarchy.

    Parameters
    ----------
    kernel : str, Algorithm or Kernel
        Name as in ``gpusim kernels``, an algorithm of your own, or a description as ``@gl.kernel`` makes it.
    gpu : str or Gpu
        Name as in ``gpusim gpus``, path of a TOML file, or a loaded specification.
    cache : {"cold", "warm", "flushed"}
        Caches empty before the launch, as Nsight Compute leaves them; as the same launch left them; or with an L2 full
        of other data that HBM does not have yet, as benchmarks leave it that set a large array before.
    sample : bool or "quick", optional
        Run only part of a large launch, or little of it; None decides by its size.
    progress : callable, optional
        Called with (blocks done, blocks, text).
    kernels : sequence of str, optional
        More folders to look for kernels in.
    limit : int, optional
        Warp instructions beyond which a run is taken not to end; by default only one that gets nowhere is.
    timeline : Recording, optional
        Record what one SM does, cycle by cycle, into ``profile.timeline``.
    registers : int, optional
        Registers a thread, as ``ptxas -v`` says of the kernel you have; by default as many as the lowered code needs.
        They decide how many blocks an SM holds; what would be spilled to have fewer is not modelled.
    fresh : bool
        Simulate, even if the result of an earlier run is kept; ``profile.kept`` says when that was.
    jobs : int, optional
        Processors of this host to work with; by default all of them.  No result depends on it.
    **params : int
        Sizes and tiles: ``M=4096, T=32`` or by alias: ``n=4096, tile=32``.  A description alone has neither aliases
        nor defaults of sizes; its scalars may be floats.

    Returns
    -------
    Profile

    Raises
    ------
    GpusimError
        Unknown name, impossible parameter, wrong description; one line that says what would be right.

    Examples
    --------
    >>> profile = predict("vector-add", gpu="h200", n=100_000)
    >>> profile.dram_bytes_read
    802560
    """
    how = How(cache, sample, limit=limit, progress=progress, timeline=timeline, fresh=fresh, jobs=jobs)
    algorithm, spec = algorithm_of(kernel, kernels), hardware.given(gpu)
    bound = algorithm.launch(**params)
    return simulated([work(Described(algorithm, bound, kernels), spec, registers=registers)], spec, how)[0]


class Described(NamedTuple):
    """What a launch is made of: an algorithm, bound to parameters, and the folders in which it was looked for."""

    algorithm: Algorithm
    bound: KernelLaunch
    folders: Sequence[Any] | None = None


def work(
    source: Described, gpu: hardware.Gpu, *, places: Mapping[str, int] | None = None, step: str = "",
    registers: int | None = None,
) -> Work:  # fmt: skip
    """A described launch, ready to be simulated: with contents of arrays where these decide what is touched.

    Parameters
    ----------
    source : Described
    gpu : Gpu
    places : mapping of str to int, optional
        As of :class:`~gpusim.simulate.Launch`.
    step : str
        Which launch of several it is.
    registers : int, optional
        As for :func:`predict`.

    Raises
    ------
    ParameterError
        Registers, or an array, beyond what there can be.
    """
    algorithm, bound, _ = source
    program = lower(bound, gpu)
    arrays = drawn(algorithm, bound, only=arrays_read(program))
    launch = assemble(bound, program, arrays, places=places or {}, registers=registers)
    _check_registers(launch, gpu)
    return Work(
        launch, algorithm.name, bound.params, "description", algorithm.family, partial(_closed_forms, source),
        (algorithm.textbook, bound.kernel.digest or bound.kernel), watched=True, step=step, source=source,
    )  # fmt: skip


def _closed_forms(source: Described) -> ClosedForms:
    """What closed forms say of a launch; they follow from the textbook and the tree."""
    return ClosedForms(_textbook(source), _flops(source.bound))


def _textbook(source: Described) -> dict[str, Formula]:
    """What the textbook says of a launch."""
    from gpusim.catalogue.formulas import pretty

    texts = {"reads": "global reads", "writes": "global writes", "compulsory": "inputs, once each"}
    values = source.algorithm.textbook_values(**source.bound.params)
    return {key: Formula(texts[key], pretty(value.formula), value.nbytes) for key, value in values.items()}


def _flops(bound: KernelLaunch) -> int | None:
    """Floating-point operations of the launch."""
    return int(bound.kernel.flops().evaluate(**bound.params)) if hasattr(bound.kernel, "flops") else None


def _check_registers(launch: Launch, gpu: hardware.Gpu) -> None:
    """Refuse registers that no thread of a GPU has."""
    most = gpu.sm.max_registers_per_thread
    whole("registers", launch.registers_per_thread, -INT32_MAX, INT32_MAX)
    if not 1 <= launch.registers_per_thread <= most:
        raise ParameterError(f"registers={launch.registers_per_thread}: a thread of {gpu.name} has 1 to {most}")


def algorithm_of(kernel: str | Algorithm | Kernel, folders: Sequence[str] | None = None) -> Algorithm:
    """The algorithm of a name, or around a kernel.

    Raises
    ------
    ParameterError
        It is neither of these.
    """
    from gpusim.catalogue.algorithm import Algorithm, BareKernel
    from gpusim.lang import Kernel

    if isinstance(kernel, str):
        return lookup.get(kernel, () if folders is None else folders)
    if isinstance(kernel, Kernel):
        return BareKernel.of(kernel)
    if not isinstance(kernel, Algorithm):
        raise ParameterError(f"a kernel is a name, an Algorithm or what @gl.kernel makes, not {_what(kernel)}")
    return kernel


def _what(other: Any) -> str:
    """What was given instead of a kernel."""
    from gpusim.catalogue.chain import Chain

    if isinstance(other, Chain):
        return f"a chain: gpusim.predict_chain and run_chain take {other.name}"
    if callable(other) and hasattr(other, "__code__"):
        return f"the function {other.__name__} without that decorator"
    return shown(other)


def tiles_of(bound: KernelLaunch) -> dict[str, int]:
    """The tile sizes among the parameters of a launch."""
    return {p.name: bound.params[p.name] for p in bound.kernel.tree.params if p.role == "tile"}


def lower(bound: KernelLaunch, gpu: hardware.Gpu) -> Program:
    """Program of a described launch for a GPU's architecture.

    Raises
    ------
    ParameterError
        An array with elements that the program's indices do not reach.
    """
    for array in bound.arrays:
        elements = array.nbytes // array.element_bytes
        if elements > MOST_ELEMENTS:
            raise ParameterError(
                f"{bound.kernel.name}: {array.name} has {elements} elements ({array.nbytes:.3g} bytes): an index is "
                f"a 32-bit int, so an array has at most {MOST_ELEMENTS} (gpusim formula takes any size)"
            )
    return bound.kernel.lower(arch=Target.of(gpu), **tiles_of(bound))


def assemble(bound: KernelLaunch, program: Program, arrays: dict[str, np.ndarray] | None = None, **more: Any) -> Launch:
    """Launch of a described kernel.

    Parameters
    ----------
    bound : KernelLaunch
    program : Program
    arrays : dict of str to ndarray, optional
        Contents; without them buffers have a size only.
    **more
        Of the launch.
    """
    arguments: dict[str, Any] = {spec.name: Buffer(spec.nbytes) for spec in bound.arrays}
    arguments |= {p.name: bound.params[p.name] for p in program.params if p.kind != "buffer"}
    arguments |= arrays or {}
    outputs = tuple(spec.name for spec in bound.arrays if spec.intent == "out")
    return Launch(program, bound.grid, bound.block, arguments, outputs=outputs, **more)


def drawn(
    algorithm: Algorithm, bound: KernelLaunch, seed: int = 0, *, only: Collection[str] | None = None
) -> dict[str, np.ndarray]:
    """Arrays of a described launch by name: inputs as the algorithm draws them, outputs zero; of some ``only``."""
    from gpusim.catalogue.algorithm import numpy_dtype

    wanted = [spec for spec in bound.arrays if only is None or spec.name in only]
    arrays: dict[str, np.ndarray] = {}
    if any(spec.intent != "out" for spec in wanted):
        arrays = algorithm.inputs(np.random.default_rng(seed), only, **bound.params)
    for spec in wanted:
        arrays.setdefault(spec.name, np.zeros(spec.shape, numpy_dtype(spec.dtype)))
    return arrays
