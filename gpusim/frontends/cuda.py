"""Front end of CUDA: a kernel compiled from the user's own source, its sizes and arguments -> a launch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim import hardware
from gpusim.cuda import unknown
from gpusim.cuda.cuda_errors import CudaError
from gpusim.cuda.signature import is_array
from gpusim.engine.state.columns import GLOBAL_BASE
from gpusim.errors import ParameterError, listed, shown, whole
from gpusim.frontends.foreign import taken
from gpusim.frontends.symbols import images, is_initialised, take_back, warning
from gpusim.simulate.launch import Describing, Launch, as_passed, bytes_of, memory_of, variables_end
from gpusim.simulate.prediction import predict as simulated
from gpusim.simulate.sharing import shared_places
from gpusim.simulate.work import How, Sample, Work

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.cuda.symbols import Images
    from gpusim.frontends.addresses import Places
    from gpusim.isa.program import Program
    from gpusim.profiles.profile import Profile
    from gpusim.progress import Progress
    from gpusim.results.timeline import Recording

Size = int | Sequence[int]


def profile(
    kernel: Kernel | Any,
    grid: Size,
    block: Size,
    args: Sequence[Any] = (),
    *,
    gpu: str | hardware.Gpu = "h200",
    dynamic_shared: int = 0,
    cluster: Size | None = None,
    name: str | None = None,
    symbols: Mapping[str, Any] | Images | None = None,
    cache: str = "cold",
    values: bool = True,
    sample: Sample = None,
    limit: int | None = None,
    progress: Progress | None = None,
    timeline: Recording | None = None,
    fresh: bool = False,
    jobs: int | None = None,
) -> Profile:
    """Run a CUDA kernel's machine code and count what it does at every level of the memory hierarchy.

    Parameters
    ----------
    kernel : Kernel, or a kernel of another package
        From :func:`gpusim.cuda.compile`, for this GPU's architecture; or CuPy's ``RawKernel`` or ``RawModule``, a
        function of Numba's ``@cuda.jit``, a kernel of Warp's, which are compiled for it.
    grid, block : int or sequence of int
        Blocks, and threads of a block, in x, y, z; of Warp's kernels ``dim`` and ``block_dim``.
    args : sequence
        An array in the host's memory (NumPy's, or what gives itself by ``__array_interface__`` or DLPack, as tensors of
        PyTorch do) for each pointer, a number (NumPy's or Python's) for each scalar, a mapping by field, or bytes,
        for a struct, a :class:`gpusim.TensorMap` for a tensor map, a :class:`gpusim.Texture` for a texture object.
        Arrays hold the kernel's results afterwards; one that is read-only must be one that the kernel does not change.
        Arrays that share memory share it in the launch, too.
    gpu : str or Gpu
        Name as in ``gpusim gpus``, path of a TOML file, or a loaded specification.
    dynamic_shared : int
        Bytes.
    cluster : int or sequence of int, optional
        Blocks of a cluster in x, y, z, where the kernel does not say (``__cluster_dims__``).
    name : str, optional
        Which kernel of a ``RawModule``.
    symbols : mapping or Images, optional
        What ``__constant__`` and ``__device__`` variables hold, by name, such as ``{"coef": array}``; an array of a
        ``__device__`` variable holds afterwards what the kernel leaves there.  :class:`gpusim.cuda.symbols.Images`
        lasts from launch to launch.
    cache : {"cold", "warm", "flushed"}
        As for :func:`gpusim.predict`.
    values : bool
        Compute the results.  Without them only what addresses and branches depend on is computed, which is faster,
        and arrays stay as they are.
    sample : bool or "quick", optional
        Without ``values``: run only part of a large launch, or little of it; None decides by its size.
    limit : int, optional
        Warp instructions beyond which the kernel is taken not to end; by default only one that gets nowhere is.
    progress : callable, optional
        Called with (blocks done, blocks, text).
    timeline : Recording, optional
        Record what one SM does, cycle by cycle, into ``profile.timeline``.
    fresh : bool
        Simulate, even if the result of an earlier run is kept; none is of a run with values or a timeline.
    jobs : int, optional
        Processors of this host to work with; by default all of them.  No result depends on it.

    Returns
    -------
    Profile

    Raises
    ------
    GpusimError
        Arguments that do not fit, a launch the GPU cannot hold, an access out of bounds, ...

    Examples
    --------
    >>> from gpusim import cuda
    >>> text = '__global__ void twice(float* x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }'
    >>> x = np.arange(4, dtype=np.float32)
    >>> found = profile(cuda.compile(text, gpu="h200").kernel(), 1, 32, [x, np.int32(4)])  # doctest: +SKIP
    >>> x  # doctest: +SKIP
    array([0., 2., 4., 6.], dtype=float32)
    """
    how = How(cache, sample, values, limit, progress, timeline, fresh, jobs)
    spec = hardware.given(gpu)
    args = listed(args, "args is a list with an argument for each parameter", ParameterError)
    asked = taken(kernel, spec, grid, block, args, dynamic_shared, name)
    launch = work(
        asked.kernel, spec, asked.grid, asked.block, asked.args, asked.dynamic_shared, cluster, asked.places, symbols
    )  # fmt: skip
    return simulated([launch], spec, how)[0]


def work(
    kernel: Kernel, gpu: hardware.Gpu, grid: Size, block: Size, args: Sequence[Any], dynamic_shared: int = 0,
    cluster: Size | None = None, places: Places | None = None, symbols: Mapping[str, Any] | Images | None = None,
) -> Work:  # fmt: skip
    """A launch of machine code, ready to be simulated; values that it computes go back into the arrays.

    Parameters
    ----------
    kernel, gpu, grid, block, args, dynamic_shared, cluster, symbols
        As for :func:`profile`.
    places : Places, optional
        Where arrays lie; one after another unless given.
    """
    _demand_runs_on(kernel, gpu)
    kernel, args = kernel.opened(args)
    held = images(kernel, symbols)
    launch = _launch(kernel, gpu, grid, block, args, dynamic_shared, cluster, places)
    unfilled = held.unfilled(launch.program)
    launch = replace(launch, program=held.put_into(launch.program))
    params = {name: value for name, value in zip(launch.arguments, args, strict=True) if _is_number(value)}
    take = partial(_write_back, launch, kernel, held, symbols)
    return Work(
        launch, kernel.name.full, params, "machine_code", take=take, source=kernel,
        notes=tuple(warning(one) for one in unfilled if not is_initialised(one, kernel)),
    )  # fmt: skip


def _launch(
    kernel: Kernel, gpu: hardware.Gpu, grid: Size, block: Size, args: Sequence[Any], dynamic_shared: int,
    cluster: Size | None, places: Places | None,
) -> Launch:  # fmt: skip
    """The launch, if kernel, sizes and arguments fit one another."""
    kernel.check(as_passed(args))
    program = kernel.program(int(GLOBAL_BASE))
    unknown.refuse(program)
    by_itself = (is_array(value) or isinstance(value, Describing) for value in args)
    passed = (v if itself else kernel.pack(n, v) for n, (v, itself) in enumerate(zip(args, by_itself, strict=True)))
    arguments = {p.name: value for p, value in zip(program.params, passed, strict=True)}
    sizes = _three("grid", grid, gpu.limits.grid), _three("block", block, gpu.limits.block)
    if kernel.code.block not in (None, sizes[1]):
        only, given = (" x ".join(map(str, size)) for size in (kernel.code.block, sizes[1]))
        raise ParameterError(f"{kernel.name.full}: a block of {given} threads, but its code is for {only} alone")
    if places is None:
        lie, besides = shared_places(_arrays(arguments), variables_end(program) - int(GLOBAL_BASE)), {}
    else:
        lie, besides = places.by_name(arguments), {name: array for name, (_, array) in places.besides.items()}
    dynamic = whole("dynamic_shared", dynamic_shared, 0, 2**31 - 1)
    nulls, shape = tuple(_nulls(kernel, arguments, args)), _cluster(cluster, program, gpu)
    if program.grid_of_clusters and shape is not None:
        blocks = tuple(n * own for n, own in zip(sizes[0], shape, strict=True))
        sizes = _three("grid", blocks, gpu.limits.grid), sizes[1]
    return Launch(program, *sizes, arguments, dynamic, places=lie, nulls=nulls, cluster=shape, besides=besides)


def _demand_runs_on(kernel: Kernel, gpu: hardware.Gpu) -> None:
    """Refuse what is no kernel, or one for another architecture."""
    if not hasattr(kernel, "pack"):
        raise ParameterError(f"a kernel from gpusim.cuda.compile(...).kernel() is needed, not {type(kernel).__name__}")
    if kernel.arch.rstrip("af") != gpu.arch:
        raise ParameterError(
            f"{kernel.name.full} is machine code for {kernel.arch}, {gpu.name} runs {gpu.arch}{_remedy(kernel, gpu)}"
        )


def _cluster(given: Size | None, program: Program, gpu: hardware.Gpu) -> tuple[int, int, int] | None:
    """Blocks of a cluster: those that the kernel was compiled for, or those that the launch says."""
    if given is None:
        return program.cluster
    if gpu.limits.cluster == 1:
        raise ParameterError(f"{program.name}: a cluster of {shown(given)}: {gpu.name} has no clusters")
    shape = _three("cluster", given, [gpu.limits.cluster] * 3)
    if program.cluster is not None and shape != program.cluster:
        own = ",".join(map(str, program.cluster))
        raise ParameterError(f"{program.name}: a cluster of {shown(given)}, but __cluster_dims__ says {own}")
    return shape


def _remedy(kernel: Kernel, gpu: hardware.Gpu) -> str:
    """What to do about machine code for another GPU, with the compiler that there is."""
    from gpusim.cuda import nvrtc

    try:
        files = nvrtc.chosen(gpu.arch)
        compiler, known = nvrtc.name(files), nvrtc.architectures(files)
    except CudaError:  # none, or one that cannot be asked
        return ""
    if gpu.arch in known:
        return f": compile it with gpu={gpu.name!r}"
    return f", for which {compiler} does not compile: take a GPU that runs {kernel.arch}"


def _nulls(kernel: Kernel, arguments: Mapping[str, Any], given: Sequence[Any]) -> Iterator[str]:
    """Names of the parameters that are null pointers, as far as types of parameters are known."""
    for parameter, value, (name, passed) in zip(kernel.parameters, given, arguments.items(), strict=True):
        if (parameter.is_pointer or value is None) and isinstance(passed, bytes) and not any(passed):
            yield name


def _three(name: str, size: Size, most: Sequence[int]) -> tuple[int, int, int]:
    """A size in x, y, z."""
    several = (
        isinstance(size, Sequence | np.ndarray) and not isinstance(size, str | bytes) and getattr(size, "ndim", 1) > 0
    )
    given: list[Any] = list(size) if several else [size]  # type: ignore[arg-type]
    whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in given)
    if not whole or not 1 <= len(given) <= 3:
        raise ParameterError(f"{name} must be one to three whole numbers, not {shown(size)}")
    x, y, z = (int(n) for n in [*given, 1, 1][:3])
    for n, limit, axis in zip((x, y, z), most, "xyz", strict=True):
        if not 1 <= n <= limit:
            raise ParameterError(f"{name}.{axis} = {shown(n)}: a {name} has 1 to {limit} in {axis}")
    return x, y, z


def _write_back(
    launch: Launch, kernel: Kernel, held: Images, symbols: Mapping[str, Any] | Images | None,
    outputs: Mapping[str, np.ndarray],
) -> None:  # fmt: skip
    """Put results where the arguments are; all of them, or none where one cannot take its own."""
    given = _arrays({**launch.arguments, **launch.besides})
    after = {name: found for name, found in outputs.items() if name in given}
    taking = {name: given[name] for name in after if not _takes_nothing(given[name])}
    for name in after.keys() - taking.keys():
        if _loses(given[name], after[name], taking.values()):
            why = _takes_nothing(given[name])
            raise ParameterError(f"{launch.program.name} writes to {name}, but its array {why}: give a copy of it")
    for name, array in taking.items():
        np.asarray(array)[...] = after[name]
    held.take(outputs)
    if isinstance(symbols, Mapping):
        take_back(kernel, held, symbols)


def _arrays(arguments: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Arrays that arguments have the launch hold, by parameter."""
    found = {name: memory_of(value) for name, value in arguments.items()}
    return {name: array for name, array in found.items() if array is not None}


def _takes_nothing(array: np.ndarray) -> str:
    """Why no results can be put into an array; empty if they can."""
    first, end = np.lib.array_utils.byte_bounds(array)
    if not array.flags.writeable:
        return "is read-only"
    return "has elements that share memory with each other" if end - first < array.nbytes else ""


def _loses(before: np.ndarray, after: np.ndarray, taking: Iterable[np.ndarray]) -> bool:
    """Whether a launch has changed bytes of an array that are in no other array that takes results."""
    changed = bytes_of(before) != bytes_of(after)
    for other in taking:
        if np.shares_memory(before, other):  # so neither has gaps
            start = other.ctypes.data - before.ctypes.data
            changed[max(start, 0) : max(start + other.nbytes, 0)] = False
    return bool(changed.any())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value)
