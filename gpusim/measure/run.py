"""Launches, on the GPU of this machine -> Measurement."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import gpusim
from gpusim import nsight
from gpusim.launches.spec import AnyLaunch
from gpusim.measure import counters
from gpusim.measure.errors import MeasureError
from gpusim.measure.processes import Line, Start, each, start
from gpusim.measure.worker import Job
from gpusim.measurement import Device, MeasuredLaunch, Measurement

Progress = Callable[[int, int, str], None]

TIMES = 20
RUNS = 3
SECONDS = 60.0
PASSES = 20
"""For so many times a launch's time limit the profiler may have the GPU: it launches again for each set of counters."""


@dataclass(frozen=True)
class Request:
    """What to measure and how.

    Attributes
    ----------
    specs : tuple of LaunchSpec or DescribedLaunch
    gpu : str or None
        Refuse any other than the one of this name; None: whichever there is.
    warm : bool
        Leave the caches as the same launch left them, rather than flush them.
    repeats : int
        How often a launch is timed.
    runs : int
        How often it is counted; 0: not at all.
    metrics : tuple of str
        By Nsight Compute's names.
    seconds : float
        For so long a launch may have the GPU.
    seed : int
        Decides what random arrays hold.
    folder : Path
        Where the measurement will lie: paths of sources begin there.
    outputs : bool
        Keep what the first launch leaves in small arrays.
    """

    specs: tuple[AnyLaunch, ...]
    gpu: str | None = None
    warm: bool = False
    repeats: int = TIMES
    runs: int = RUNS
    metrics: tuple[str, ...] = counters.METRICS
    seconds: float = SECONDS
    seed: int = 0
    folder: Path = field(default_factory=Path)
    outputs: bool = False


def measure(
    request: Request,
    *,
    progress: Progress | None = None,
    warn: Callable[[str], None] | None = None,
    time: Start | None = None,
    count: counters.Counted | None = None,
) -> Measurement:
    """Launch everything for real: time it, hold outputs against references, count it.

    Parameters
    ----------
    request : Request
    progress : callable, optional
        Called with (launches done, launches, text).
    warn : callable, optional
        Called with why no counters could be read, where timing goes on without.
    time, count : callable, optional
        What starts the processes on the GPU; stand-ins for where there is none.

    Returns
    -------
    Measurement
        A launch that failed says so and has no numbers.

    Raises
    ------
    MeasureError
        No GPU, another one than asked for, no CuPy, or one for another CUDA.
    """
    watch = _Watch(request, progress)
    job = Job(request.specs, True, request.repeats, request.warm, request.seed, request.outputs)
    found = each(job, time or (lambda job: start(job, limit=request.seconds)), watch)
    if watch.device is None:
        raise MeasureError("the process on the device ended without a word")
    launches = [_launch(spec, found[n], request.folder) for n, spec in enumerate(request.specs)]
    profiler, why = _profiler(request, count)
    if profiler is not None:
        try:
            launches = _counted(launches, request, profiler, watch)
        except MeasureError as error:
            profiler, why = None, str(error)
    if why and warn is not None:
        warn(f"no counters: {why}")
    return Measurement(
        watch.device, f"{datetime.date.today():%Y-%m-%d}", "warm" if request.warm else "cold",
        next((line["compiler"] for line in found.values() if line.get("compiler")), ""),
        counters.version() if profiler is not None else "", watch.overhead, launches, gpusim.__version__,
    )  # fmt: skip


class _Watch:
    """Hears what the processes say: which GPU it is, how far they are."""

    def __init__(self, request: Request, progress: Progress | None) -> None:
        self.device: Device | None = None
        self.overhead: float | None = None
        self._progress = progress
        self._wanted = request.gpu
        self.now("timing", request.specs)

    def now(self, text: str, specs: Sequence[AnyLaunch]) -> None:
        """Say what is done next, and to which launches."""
        self._text, self._specs = text, specs

    def __call__(self, line: Line) -> None:
        if "device" in line:
            self.device = Device(**line["device"])
            self._check(self.device)
        elif "overhead" in line:
            self.overhead = line["overhead"]
        elif "at" in line and self._progress is not None:
            self._progress(line["at"], len(self._specs), f"{self._text} {self._specs[line['at']].id}")

    def _check(self, device: Device) -> None:
        """Refuse another GPU than the one that was asked for."""
        wanted = self._wanted
        if wanted is not None and wanted != device.gpu:
            known = f" ({device.gpu})" if device.gpu else ""
            raise MeasureError(f"the GPU here is an {device.name}{known}, not {wanted}: leave --gpu out to measure it")


def _launch(spec: AnyLaunch, line: Line, folder: Path) -> MeasuredLaunch:
    """What the worker said of a launch."""
    about = MeasuredLaunch(spec.id, spec.to_json(folder))
    kept = {key: value for key, value in line.items() if key not in ("done", "compiler")}
    return replace(about, **kept)


def _profiler(request: Request, given: counters.Counted | None) -> tuple[counters.Counted | None, str]:
    """What counts, or why nothing does."""
    if request.runs == 0:
        return None, ""
    if given is None and not counters.version():
        return None, f"{counters.PROFILER} is not on the PATH; Nsight Compute brings it"
    return given or counters.Counted(request.metrics, PASSES * request.seconds), ""


def _counted(
    launches: Sequence[MeasuredLaunch], request: Request, profiler: counters.Counted, watch: _Watch
) -> list[MeasuredLaunch]:
    """The launches that could be timed, with what was counted of them."""
    timed = [n for n, launch in enumerate(launches) if launch.error is None]
    job = Job(tuple(request.specs[n] for n in timed), False, request.runs, request.warm, request.seed)
    watch.now("counting", job.specs)
    lines = each(job, profiler, watch) if timed else {}
    seen = iter(profiler.launches)
    found = list(launches)
    for position, n in enumerate(timed):
        error = lines[position].get("error")
        if error:
            found[n] = replace(launches[n], error=f"under the profiler: {error}")
        else:
            runs = [next(seen) for _ in range(request.runs)]
            found[n] = _with(launches[n], runs, request.metrics)
    return found


def _with(launch: MeasuredLaunch, runs: Sequence[nsight.Launched], metrics: Sequence[str]) -> MeasuredLaunch:
    """A launch with what was asked for of its metrics, once they are surely its own."""
    for run in runs:
        if (run.grid, run.block) != (tuple(launch.grid), tuple(launch.block)):
            raise MeasureError(f"Nsight Compute saw {run.kernel} of {run.grid} blocks where {launch.id} was launched")
    known = [name for name in metrics if all(name in run.metrics for run in runs)]
    return replace(launch, metrics={name: [run.metrics[name] for run in runs] for name in known})
