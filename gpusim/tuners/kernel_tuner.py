"""Kernel Tuner on a machine with no GPU: ``tune_kernel`` and ``run_kernel`` as there, on a simulated GPU.

>>> from gpusim.tuners.kernel_tuner import tune_kernel  # in the place of: from kernel_tuner import tune_kernel

Kernel Tuner itself makes the space, searches it, and writes what it finds.  Its backend for CUDA is replaced
meanwhile (:mod:`gpusim.tuners.predicted_backend`), and what it measures is what gpusim predicts.

Source: Kernel Tuner 1.4 and 1.5, ``kernel_tuner/interface.py``, ``core.py``; van Werkhoven, "Kernel Tuner: A
search-optimizing GPU code auto-tuner", Future Generation Computer Systems 90, 2019.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gpusim import hardware
from gpusim.errors import LackingError, ParameterError
from gpusim.patches import Patches
from gpusim.simulate.work import How, Sample

if TYPE_CHECKING:
    from kernel_tuner.observers.observer import BenchmarkObserver

OLDEST = (1, 4)
"""Release of Kernel Tuner from which on its backends are chosen as here."""

CUDA = "CUDA"
"""The language, of those that Kernel Tuner knows, that is compiled here."""

CUDA_BACKENDS = ("CUPY", "NVCUDA", "PYCUDA")
"""What Kernel Tuner takes for a language, and is one of its ways to launch CUDA."""

ARCHITECTURE = re.compile(r"(--?arch|--gpu-architecture)(?P<value>=.*)?")
"""Compiler options that say for which GPU."""

REFUSED = {
    "texmem_args": "texture references are gone since CUDA 12; give gpusim.profile a gpusim.Texture",
    "parallel": "each prediction uses all processors already; leave it out, and say jobs= for fewer",
    "platform": "that is for OpenCL",
}
"""Arguments of Kernel Tuner's that cannot be heeded, and why."""


def tune_kernel(
    *args: Any, gpu: str | hardware.Gpu = "h200", caches: str = "cold", sample: Sample = "quick",
    jobs: int | None = None, limit: int | None = None, **options: Any,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:  # fmt: skip
    """Tune a kernel as ``kernel_tuner.tune_kernel`` does, by predicted times.

    Parameters
    ----------
    *args, **options
        As for ``kernel_tuner.tune_kernel``: kernel, source, problem size, arguments, values to try, strategy, ...
        Names of files of its ``cache`` are its own business; ``iterations`` does not matter.
    gpu : str or Gpu
        As for :func:`gpusim.profile`.
    caches : {"cold", "warm", "flushed"}
        What a launch finds.  Kernel Tuner launches a kernel again and again, so a GPU's L2 is warm there.
    sample : bool or "quick", optional
        How much of a launch is run, as for :func:`gpusim.profile`.  ``"quick"`` is of cold caches.
    jobs : int, optional
        Processors of this host to work with; by default all of them.
    limit : int, optional
        Warp instructions beyond which a kernel is taken not to end.

    Returns
    -------
    results : list of dict
        A point of the space each: its parameters, ``time`` (ms), ``time_low`` and ``time_high`` (ms; between them eight
        in ten measured launches lie, where launches were measured), ``claim``, ``compile_time`` (ms of this host), ...
        Where the compiler or the GPU refuses one, ``__error__`` says so, as in Kernel Tuner.
    environment : dict
        The GPU, the release of gpusim, the best point.

    Raises
    ------
    GpusimError
        Kernel Tuner is not installed, there is no such GPU, a language that is not CUDA, an argument that cannot be
        heeded, a launch that ends in an error.

    Examples
    --------
    >>> tune_kernel("add", source, n, [c, a, b, np.int32(n)], {"block_size_x": [128, 256]})  # doctest: +SKIP
    """
    package = _package()
    how = How(caches, sample, limit=limit, jobs=jobs)
    given = _bound(package.tune_kernel, args, options)
    with _predicting(package.tune_kernel, given, gpu, how):
        return package.tune_kernel(**given)  # type: ignore[no-any-return]


def run_kernel(
    *args: Any, gpu: str | hardware.Gpu = "h200", jobs: int | None = None, limit: int | None = None, **options: Any
) -> list[Any]:
    """Compute what a kernel computes, as ``kernel_tuner.run_kernel`` does.

    Parameters
    ----------
    *args, **options
        As for ``kernel_tuner.run_kernel``.
    gpu, jobs, limit
        As for :func:`tune_kernel`.

    Returns
    -------
    list
        Arguments as the kernel leaves them.

    Raises
    ------
    GpusimError
        As :func:`tune_kernel`.
    """
    package = _package()
    given = _bound(package.run_kernel, args, options)
    with _predicting(package.run_kernel, given, gpu, How(limit=limit, jobs=jobs)):
        return package.run_kernel(**given)  # type: ignore[no-any-return]


def counters(names: Sequence[str]) -> BenchmarkObserver:
    """An observer of Kernel Tuner's that has predicted counters stand beside the time.

    Parameters
    ----------
    names : sequence of str
        As Nsight Compute calls them, such as ``"dram__bytes_read.sum"``.  Metrics and objectives may name them.

    Returns
    -------
    BenchmarkObserver
        For ``observers=[...]``.

    Raises
    ------
    GpusimError
        Kernel Tuner is not installed; while it tunes, a name that no counter has.
    """
    _package()
    from gpusim.tuners.predicted_backend import Counters

    return Counters([names] if isinstance(names, str) else names)


def _package() -> ModuleType:
    """Kernel Tuner.

    Raises
    ------
    LackingError
        It is not installed, or too old.
    """
    from importlib.metadata import version

    try:
        import kernel_tuner
    except ImportError as error:
        raise LackingError(f"Kernel Tuner is needed: pip install 'gpusim[kernel-tuner]' ({error})") from None
    release = version("kernel_tuner")
    if tuple(int(part) for part in release.split(".")[:2]) < OLDEST:
        raise LackingError(f"Kernel Tuner {release} is too old: {'.'.join(map(str, OLDEST))} or newer is needed")
    return kernel_tuner  # type: ignore[no-any-return]


def _bound(function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name, but for those that say nothing.

    Raises
    ------
    ParameterError
        One is missing, unknown, or cannot be heeded.
    """
    try:
        given = dict(inspect.signature(function).bind(*args, **options).arguments)
    except TypeError as error:
        raise ParameterError(f"{function.__name__} of Kernel Tuner: {error}") from None
    for name, why in REFUSED.items():
        if given.get(name):
            raise ParameterError(f"{name} cannot be heeded: {why}")
    if given.get("compiler_options"):
        given["compiler_options"] = _without_architecture(given["compiler_options"])
    return given


def _without_architecture(options: Sequence[Any]) -> list[str]:
    """Compiler options, but for the architecture of the GPU that a script is for: ``gpu`` says which it is."""
    found: list[str] = []
    follows = False  # "-arch", "sm_80": two of them
    for one in map(str, options):
        chosen = ARCHITECTURE.fullmatch(one)
        if not (chosen or follows):
            found.append(one)
        follows = chosen is not None and chosen["value"] is None
    return found


@contextmanager
def _predicting(
    function: Callable[..., Any], given: dict[str, Any], gpu: str | hardware.Gpu, how: How
) -> Iterator[None]:
    """Have a function of Kernel Tuner's launch on a simulated GPU meanwhile."""
    from kernel_tuner import core
    from kernel_tuner.runners import sequential

    from gpusim.tuners.predicted_backend import Backend, runner_of

    spec = hardware.given(gpu)
    given["lang"] = _language(given)
    if "parallel" in inspect.signature(function).parameters:
        given["parallel"] = False  # whatever the environment says
    patches = Patches()
    try:
        patches.set(core, "_select_default_cuda_backend", lambda: Backend.of(spec, how))
        patches.set(sequential, "SequentialRunner", runner_of(sequential.SequentialRunner))
        yield
    finally:
        patches.undo()


def _language(given: Mapping[str, Any]) -> str:
    """The language as Kernel Tuner is told it: CUDA, whichever of its backends for that was named.

    Raises
    ------
    ParameterError
        It is another one.
    """
    from kernel_tuner.core import KernelSource

    try:
        found = KernelSource(given["kernel_name"], given["kernel_source"], given.get("lang"), given.get("defines")).lang
    except TypeError as error:  # a function makes the source
        raise ParameterError(f"kernel_source: {error}, such as lang={CUDA!r}") from None
    if found not in (CUDA, *CUDA_BACKENDS):
        raise ParameterError(f"lang: the kernel is in {found}, and only CUDA is compiled for a simulated GPU")
    return CUDA
