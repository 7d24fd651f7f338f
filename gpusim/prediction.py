"""An algorithm, its parameters and a GPU -> Profile, beside what the textbook says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim import catalog, hardware
from gpusim.errors import ParameterError, UnknownNameError, shown, whole
from gpusim.parameters import INT32_MAX, check_flags, check_how
from gpusim.result import Formula, Profile
from gpusim.simulate import Buffer, Launch, count, execute, load_engine
from gpusim.simulate.metrics import summary
from gpusim.simulate.sample import probe_blocks

if TYPE_CHECKING:
    from gpusim.algorithm import Algorithm, KernelLaunch
    from gpusim.isa.program import Program
    from gpusim.lang import Kernel
    from gpusim.simulate import CacheState, Counts
    from gpusim.timeline import Recording

Progress = Callable[[int, int, str], None]


def tiles_of(bound: KernelLaunch) -> dict[str, int]:
    """The tile sizes among the parameters of a launch."""
    return {p.name: bound.params[p.name] for p in bound.kernel.tree.params if p.role == "tile"}


MOST_ELEMENTS = 1 << 31
"""Elements of an array: descriptions index it by 32-bit ints, as CUDA C++ written so does."""


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
                f"{bound.kernel.name}: {array.name} has {elements} elements ({array.nbytes / 1e9:.3g} GB): an index is "
                f"a 32-bit int, so an array has at most {MOST_ELEMENTS} (gpusim formula takes any size)"
            )
    return bound.kernel.lower(arch=gpu.arch, **tiles_of(bound))


def assemble(bound: KernelLaunch, program: Program, arrays: dict[str, np.ndarray] | None = None) -> Launch:
    """Launch of a described kernel.

    Parameters
    ----------
    bound : KernelLaunch
    program : Program
    arrays : dict of str to ndarray, optional
        Contents; without them buffers have a size only.
    """
    arguments: dict[str, Any] = {spec.name: Buffer(spec.nbytes) for spec in bound.arrays}
    arguments |= {p.name: bound.params[p.name] for p in program.params if p.kind != "buffer"}
    arguments |= arrays or {}
    outputs = tuple(spec.name for spec in bound.arrays if spec.intent == "out")
    return Launch(program, bound.grid, bound.block, arguments, outputs=outputs)


def drawn(algorithm: Algorithm, bound: KernelLaunch, seed: int = 0) -> dict[str, np.ndarray]:
    """Arrays of a described launch by name: inputs as the algorithm draws them, outputs zero."""
    from gpusim.algorithm import numpy_dtype

    arrays = algorithm.inputs(np.random.default_rng(seed), **bound.params)
    for spec in bound.arrays:
        arrays.setdefault(spec.name, np.zeros(spec.shape, numpy_dtype(spec.dtype)))
    return arrays


def run(
    kernel: str | Algorithm | Kernel, arrays: dict[str, np.ndarray] | None = None, gpu: str | hardware.Gpu = "h200", *,
    checked: bool = True, limit: int | None = None, **params: Any,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Execute a described kernel for its values.

    Parameters
    ----------
    kernel : str, Algorithm or Kernel
        As for :func:`predict`.
    arrays : dict of str to ndarray, optional
        Every input by name; outputs not given start as zeros.
    gpu : str or Gpu
    checked : bool
        Look for races and for reads of what was never written.
    limit : int, optional
        Warp instructions beyond which the run is taken not to end; by default only one that gets nowhere is.
    **params : int, float or ndarray
        Sizes, tiles and scalars; arrays may be given here as well.  A size that is not given is taken from the shape
        of an array.

    Returns
    -------
    dict of str to ndarray
        Every array after the launch.

    Raises
    ------
    GpusimError
        Unknown name, impossible parameter, array of another shape or type, wrong description.

    Examples
    --------
    >>> ones = np.ones(4, np.float32)
    >>> run("vector-add", a=ones, b=ones)["c"]
    array([2., 2., 2., 2.], dtype=float32)
    """
    check_flags(checked=checked)
    algorithm = _algorithm(kernel)
    given, own = by_name(algorithm.name, arrays), {array.name for array in algorithm.kernel.arrays}
    given |= {name: value for name, value in params.items() if name in own or isinstance(value, np.ndarray)}
    spec = hardware.given(gpu)
    numbers = {name: value for name, value in params.items() if name not in given}
    bound = algorithm.launch(**_sizes(algorithm, given, numbers), **numbers)
    launch = assemble(bound, lower(bound, spec), {**_zeros(bound), **_fitting(algorithm, bound, given)})
    return execute(launch, spec, _held(spec, launch, algorithm), checked=checked, limit=limit)


def count_elements(
    kernel: str | Algorithm | Kernel, gpu: str | hardware.Gpu = "h200", **params: int
) -> dict[str, tuple[float, float]]:
    """Count the elements of each global array that the threads load and store as the launch runs, lane by lane.

    An atomic is one load and one store.

    Parameters
    ----------
    kernel : str, Algorithm or Kernel
    gpu : str or Gpu
    **params : int

    Returns
    -------
    dict of str to (float, float)
        Elements loaded and stored.

    Examples
    --------
    >>> count_elements("vector-add", N=1000)["c"]
    (0.0, 1000.0)
    """
    from gpusim.algorithm import numpy_dtype
    from gpusim.engine.state import counts as C

    algorithm, spec = _algorithm(kernel), hardware.given(gpu)
    bound = algorithm.launch(**params)
    launch = assemble(bound, lower(bound, spec), drawn(algorithm, bound))
    rows = count(launch, spec, _held(spec, launch, algorithm), sample=False).arrays
    rows[:, C.A_LD_BYTES] += rows[:, C.A_ST_BYTES] * _updated(launch.program)  # the engine counts atomics as stores
    moved = {array.name: row for array, row in zip(launch.program.arrays, rows, strict=True)}
    sizes = {array.name: numpy_dtype(array.dtype).itemsize for array in bound.arrays}
    return {
        name: (float(moved[name][C.A_LD_BYTES] / size), float(moved[name][C.A_ST_BYTES] / size))
        for name, size in sizes.items()
    }


def _updated(program: Program) -> np.ndarray:
    """Say of every array whether it is written by atomics; no array may be by stores as well."""
    from gpusim.isa.opcodes import Op

    stored = {i.array for i in program.instrs if i.op is Op.STG}
    updated = {i.array for i in program.instrs if i.op in (Op.ATOMG, Op.RED)}
    if stored & updated:
        names = ", ".join(program.arrays[number].name for number in sorted(stored & updated))
        raise ParameterError(f"{program.name}: stores to {names} cannot be told from its atomics")
    return np.array([number in updated for number in range(len(program.arrays))])


def _sizes(algorithm: Algorithm, arrays: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, int]:
    """Sizes that no word sets, as the shapes of arrays have them."""
    from gpusim.lang.tree import Param

    chosen = {target for word in given for target in (word, *algorithm.aliases.get(word, ()))}
    found: dict[str, int] = {}
    for spec in algorithm.kernel.arrays:
        shape = getattr(arrays.get(spec.name), "shape", ())
        for extent, length in zip(spec.shape, shape, strict=False):
            if isinstance(extent, Param) and extent.role == "size" and extent.name not in chosen and length:
                found.setdefault(extent.name, length)
    return found


def by_name(kernel: str, arrays: Any) -> dict[str, Any]:
    """Arrays by name as given, in a dict of their own; none for None.

    Raises
    ------
    ParameterError
        If they are not given by name.
    """
    if arrays is None:
        return {}
    if not isinstance(arrays, Mapping):
        raise ParameterError(f"{kernel}: arrays are given by name, in a dict, not as {type(arrays).__name__}")
    return dict(arrays)


def _fitting(algorithm: Algorithm, bound: KernelLaunch, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays, if they are those that the launch takes."""
    from gpusim.algorithm import numpy_dtype

    wanted = {spec.name: (numpy_dtype(spec.dtype), tuple(spec.shape)) for spec in bound.arrays}
    for name, array in arrays.items():
        if name not in wanted:
            raise UnknownNameError(f"array of {algorithm.name}", name, wanted)
        dtype, shape = wanted[name]
        if not isinstance(array, np.ndarray):
            raise ParameterError(f"{algorithm.name}: {name} must be a NumPy array, not {type(array).__name__}")
        if (array.dtype, array.shape) != (dtype, shape):
            raise ParameterError(f"{algorithm.name}: {name} must be {dtype} {shape}, not {array.dtype} {array.shape}")
    missing = [spec.name for spec in bound.arrays if spec.intent != "out" and spec.name not in arrays]
    if missing:
        raise ParameterError(f"{algorithm.name}: no array given for {', '.join(missing)}")
    return arrays


def _zeros(bound: KernelLaunch) -> dict[str, np.ndarray]:
    from gpusim.algorithm import numpy_dtype

    return {spec.name: np.zeros(spec.shape, numpy_dtype(spec.dtype)) for spec in bound.arrays}


def _algorithm(kernel: str | Algorithm | Kernel, folders: Sequence[str] | None = None) -> Algorithm:
    """The algorithm of a name, or around a kernel.

    Raises
    ------
    ParameterError
        It is neither of these.
    """
    from gpusim.algorithm import Algorithm, BareKernel
    from gpusim.lang import Kernel

    if isinstance(kernel, str):
        return catalog.get(kernel, () if folders is None else folders)
    if isinstance(kernel, Kernel):
        return BareKernel.of(kernel)
    if not isinstance(kernel, Algorithm):
        raise ParameterError(f"a kernel is a name, an Algorithm or what @gl.kernel makes, not {_what(kernel)}")
    return kernel


def _what(other: Any) -> str:
    """What was given instead of a kernel."""
    from gpusim.chain import Chain

    if isinstance(other, Chain):
        return f"a chain: gpusim.predict_chain and run_chain take {other.name}"
    if callable(other) and hasattr(other, "__code__"):
        return f"the function {other.__name__} without that decorator"
    return shown(other)


def _held(gpu: hardware.Gpu, launch: Launch, algorithm: Algorithm) -> hardware.Occupancy:
    """Occupancy, with the algorithm named where no block fits."""
    most = gpu.sm.max_registers_per_thread
    whole("registers", launch.registers_per_thread, -INT32_MAX, INT32_MAX)
    if not 1 <= launch.registers_per_thread <= most:
        raise ParameterError(f"registers={launch.registers_per_thread}: a thread of {gpu.name} has 1 to {most}")
    try:
        return hardware.occupancy(gpu, launch.threads, launch.registers_per_thread, launch.shared_bytes)
    except hardware.OccupancyError as error:
        raise ParameterError(f"{algorithm.name}: {error}") from None


def _check(launch: Launch, gpu: hardware.Gpu, held: hardware.Occupancy, limit: int | None, interrupted: Event) -> None:
    """Execute a few blocks under watch: bounds, races, unwritten reads.  Buffers of unknown contents are zero."""

    def stop_if_interrupted(done: int, total: int, text: str) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt

    blocks = probe_blocks(launch.grid)
    execute(launch, gpu, held, checked=True, blocks=blocks, limit=limit, progress=stop_if_interrupted)


def predict(
    kernel: str | Algorithm | Kernel,
    gpu: str | hardware.Gpu = "h200",
    *,
    cache: str = "cold",
    sample: bool | None = None,
    progress: Progress | None = None,
    kernels: Sequence[str] | None = None,
    limit: int | None = None,
    timeline: Recording | None = None,
    registers: int | None = None,
    **params: int,
) -> Profile:
    """Predict what a described kernel moves at every level of the memory hierarchy.

    Parameters
    ----------
    kernel : str, Algorithm or Kernel
        Name as in ``gpusim kernels``, an algorithm of your own, or a description as ``@gl.kernel`` makes it.
    gpu : str or Gpu
        Name as in ``gpusim gpus``, path of a TOML file, or a loaded specification.
    cache : {"cold", "warm"}
        Caches flushed before the launch (as Nsight Compute does), or left as the same launch left them.
    sample : bool, optional
        Run only part of a large launch; None decides by its size.
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
    check_how(cache, progress, sample=sample)
    algorithm, spec = _algorithm(kernel, kernels), hardware.given(gpu)
    found = Prediction(algorithm, algorithm.launch(**params), spec, sample, limit, registers=registers)
    l2 = found.count(progress=progress, keep_l2=True).l2 if cache == "warm" else None
    return found.profile(found.count(l2, progress=progress, recording=timeline), cache)


@dataclass(frozen=True)
class Prediction:
    """A described kernel ready to be counted on a GPU.

    Attributes
    ----------
    algorithm : Algorithm
    bound : KernelLaunch
    gpu : Gpu
    sample, limit
        As for :func:`predict`.
    places : mapping of str to int
        As of :class:`~gpusim.simulate.Launch`.
    registers : int, optional
        As for :func:`predict`.
    """

    algorithm: Algorithm
    bound: KernelLaunch
    gpu: hardware.Gpu
    sample: bool | None = None
    limit: int | None = None
    places: Mapping[str, int] = field(default_factory=dict)
    registers: int | None = None

    @cached_property
    def launch(self) -> Launch:
        """What is simulated: with contents of arrays where these decide what is touched."""
        from gpusim.simulate.run import reads_data

        program = lower(self.bound, self.gpu)
        arrays = drawn(self.algorithm, self.bound) if reads_data(program) else None
        return replace(assemble(self.bound, program, arrays), places=self.places, registers=self.registers)

    @cached_property
    def held(self) -> hardware.Occupancy:
        """What of it an SM holds."""
        return _held(self.gpu, self.launch, self.algorithm)

    def count(
        self, l2: CacheState | None = None, *, keep_l2: bool = False, progress: Progress | None = None,
        recording: Recording | None = None,
    ) -> Counts:  # fmt: skip
        """Count what the launch does, executing a few blocks under watch beside it.

        Parameters
        ----------
        l2, keep_l2, progress, recording
            As for :func:`gpusim.simulate.count`.

        Raises
        ------
        GpusimError
            As :func:`predict` raises.
        """
        launch, held, interrupted = self.launch, self.held, Event()
        load_engine(launch.program)  # all of it, and here: Ctrl-C reaches this thread alone
        with ThreadPoolExecutor(1) as beside:
            checked = beside.submit(_check, launch, self.gpu, held, self.limit, interrupted)
            try:
                return count(
                    launch, self.gpu, held, sample=self.sample, l2=l2, keep_l2=keep_l2,
                    progress=_heeding(checked, progress), limit=self.limit, recording=recording,
                )  # fmt: skip
            except KeyboardInterrupt:
                interrupted.set()
                raise
            finally:
                checked.result()

    def profile(self, counts: Counts, cache: str) -> Profile:
        """Gather everything into a Profile.

        Parameters
        ----------
        counts : Counts
        cache : str
            ``"cold"`` or ``"warm"``: how the launch found the caches.
        """
        from gpusim.formulas import pretty

        texts = {"reads": "global reads", "writes": "global writes", "compulsory": "inputs, once each"}
        values = self.algorithm.textbook_values(**self.bound.params)
        textbook = {key: Formula(texts[key], pretty(value.formula), value.nbytes) for key, value in values.items()}
        launch = self.launch, self.held, counts
        what = self.algorithm.name, self.bound.params, self.gpu
        found = summary(*what, *launch, cache, "description", self.algorithm.family)
        return replace(found, textbook=textbook, flops=_flops(self.bound))


def _heeding(checked: Future[None], progress: Progress | None) -> Progress:
    """Report progress, or raise what a check beside it has found."""

    def report(done: int, total: int, text: str) -> None:
        if checked.done():
            checked.result()
        if progress is not None:
            progress(done, total, text)

    return report


def _flops(bound: KernelLaunch) -> int | None:
    """Floating-point operations of the launch."""
    return int(bound.kernel.flops().evaluate(**bound.params)) if hasattr(bound.kernel, "flops") else None
