"""Profiles launches: one, or many one after the other or side by side, where a failing one does not stop the rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from gpusim import children
from gpusim.errors import GpusimError
from gpusim.launches.side_by_side import side_by_side
from gpusim.launches.spec import AnyLaunch, DescribedLaunch
from gpusim.processors import processors

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.profiles.profile import Profile
    from gpusim.progress import Progress

LEAST_TOOL_S = 30.0


class TimeLimitError(GpusimError):
    """A launch that took longer than it was allowed."""


def profile(
    spec: AnyLaunch,
    gpu: str,
    *,
    seed: int = 0,
    seconds: float | None = None,
    progress: Progress | None = None,
    warn: Callable[[str], None] | None = None,
    described: bool = False,
    **how: Any,
) -> Profile:
    """Compile and count one launch; nothing but what decides where it goes is computed.

    Parameters
    ----------
    spec : LaunchSpec or DescribedLaunch
    gpu : str
        Name, or path of a TOML file.
    seed : int
        Decides what random arrays hold.
    seconds : float, optional
        Time it may run; compiling, and loading the engine, do not count.  A compiler or a disassembler may take as
        long, and half a minute in any case.
    progress : callable, optional
        Called with (blocks done, blocks, text).
    warn : callable, optional
        Called with the compiler's warnings, where there are any.
    described : bool
        Predict a described kernel from its description, as :func:`gpusim.predict` does, not from CUDA emitted from it.
    **how
        As for :func:`gpusim.profile`.

    Returns
    -------
    Profile

    Raises
    ------
    GpusimError
        Whatever keeps it from being compiled or run.
    """
    if seconds is not None:
        progress = Deadline(seconds, progress)
    with children.limited(None if seconds is None else max(seconds, LEAST_TOOL_S)):
        return _profiled(spec, gpu, seed, progress, warn, described, how)


def _profiled(
    spec: AnyLaunch, gpu: str, seed: int, progress: Progress | None, warn: Callable[[str], None] | None,
    by_description: bool, how: dict[str, Any],
) -> Profile:  # fmt: skip
    """The same, without a limit of its own."""
    from gpusim.frontends import cuda, described

    if by_description and isinstance(spec, DescribedLaunch):
        return described.predict(spec.algorithm, gpu, progress=progress, **how, **spec.params)
    module = spec.compile(_architecture(gpu))
    if warn is not None and module.log:
        warn(module.log)
    kernel = spec.opened(module.kernel())
    grid, block, shared = spec.sizes(kernel)
    return cuda.profile(
        kernel, grid, block, _drawn(spec, kernel, seed), gpu=gpu, dynamic_shared=shared, cluster=spec.cluster,
        symbols=spec.values(kernel, seed), values=False, progress=progress, **how,
    )  # fmt: skip


def _architecture(gpu: str) -> str:
    from gpusim import hardware

    return hardware.load(gpu).arch


def _drawn(spec: AnyLaunch, kernel: Kernel, seed: int) -> list[Any]:
    """The arguments; only those arrays are filled of which it matters what they hold."""
    from gpusim.isa.array_use import arrays_read

    names = [parameter.name for parameter in kernel.program().params]
    pointers = [names[position] for position in spec.arrays(kernel)]
    read = arrays_read(kernel.program(), pointers)
    return spec.draw(kernel, seed, contents=[k for k, name in enumerate(names) if name in read])


class Deadline:
    """Passes progress on until time is up; the clock starts with the first report, when everything is loaded."""

    def __init__(self, seconds: float, progress: Progress | None) -> None:
        self._seconds, self._progress = seconds, progress
        self._end = 0.0

    def __call__(self, done: int, total: int, text: str) -> None:
        """Pass a report on, or give up."""
        now = time.monotonic()
        self._end = self._end or now + self._seconds
        if now > self._end:
            raise TimeLimitError(f"given up after {self._seconds:g} s: {done} of {total} blocks done ({text})")
        if self._progress is not None:
            self._progress(done, total, text)


def record(spec: AnyLaunch, gpu: str, **how: Any) -> dict[str, Any]:
    """Profile one launch, whatever comes of it.

    Parameters
    ----------
    spec : LaunchSpec or DescribedLaunch
    gpu : str
    **how
        As for :func:`profile`.

    Returns
    -------
    dict
        ``id``, ``metrics`` (name to number), ``notes``, ``warp_instructions`` (simulated), ``kept``
        (date and time of the earlier run that it is from, or None), ``wall_s``, ``error`` (text or None).
    """
    began = time.perf_counter()
    found: dict[str, Any] = {"id": spec.id, "metrics": {}, "notes": [], "warp_instructions": 0}
    found |= {"kept": None, "error": None}
    try:
        counted = profile(spec, gpu, **how)
        written = counted.to_dict()
        found["metrics"] = {name: metric["value"] for name, metric in written["metrics"].items()}
        found["kept"] = written["kept"]
        found |= {"notes": list(counted.notes), "warp_instructions": counted.warp_instructions}
    except GpusimError as error:
        found["error"] = str(error)
    except Exception as error:  # a bug; what the others do is worth having all the same
        found["error"] = f"{type(error).__name__}: {error}"
    return found | {"wall_s": round(time.perf_counter() - began, 3)}


def record_all(
    specs: Sequence[AnyLaunch], gpu: str, *, jobs: int | None = None, progress: Progress | None = None, **how: Any
) -> list[dict[str, Any]]:
    """Profile many launches; one that fails is recorded and the rest go on.

    Parameters
    ----------
    specs : sequence of LaunchSpec or DescribedLaunch
    gpu : str
    jobs : int, optional
        Processors of this host to work with, several launches at once; by default all of them.
    progress : callable, optional
        Called with (launches done, launches, id of one).
    **how
        As for :func:`profile`.

    Returns
    -------
    list of dict
        As :func:`record` gives them, in the order of ``specs``.
    """
    tell = progress or (lambda done, total, text: None)
    jobs = processors(jobs)
    if min(jobs, len(specs)) <= 1:
        return [
            record(spec, gpu, progress=partial(_still, tell, n, len(specs), spec.id), jobs=jobs, **how)
            for n, spec in enumerate(specs)
        ]
    found: dict[str, dict[str, Any]] = {}
    for one in _side_by_side(specs, gpu, jobs, how):
        found[one["id"]] = one
        tell(len(found), len(specs), f"{one['id']} done")
    return [found[spec.id] for spec in specs]


def _still(tell: Progress, number: int, count: int, name: str, done: int, total: int, text: str) -> None:
    """A report from within a launch, as one on all of them."""
    tell(number, count, name)


def _side_by_side(specs: Sequence[AnyLaunch], gpu: str, jobs: int, how: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Records as they come."""
    from gpusim.simulate import load_engine

    load_engine()  # all of it and once, where otherwise each process would compile what it needs
    for _, found in side_by_side(record, [{"spec": spec, "gpu": gpu, **how} for spec in specs], jobs):
        yield found
