"""Launches, on the GPU of this machine -> Measurement."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import gpusim
from gpusim.launches.spec import AnyLaunch
from gpusim.measure import counters, resume
from gpusim.measure.measurement_errors import MeasureError
from gpusim.measure.processes import Line, Start, each, start
from gpusim.measure.request import Request
from gpusim.measure.worker import Job
from gpusim.measured import nsight
from gpusim.measured.measurement import Device, MeasuredLaunch, Measurement

if TYPE_CHECKING:
    from gpusim.progress import Progress

PASSES = 20
"""For so many times a launch's time limit the profiler may have the GPU: it launches again for each set of counters."""
TOGETHER = 10
"""Launches that one start of the profiler counts: it says what it read at its end, and starting it takes seconds."""


def measure(
    request: Request,
    *,
    progress: Progress | None = None,
    warn: Callable[[str], None] | None = None,
    keep: Callable[[Measurement], None] | None = None,
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
        Called with why no counters could be read, where timing goes on without, and with what is kept of before.
    keep : callable, optional
        Called with all there is, as soon as a launch has been timed and as soon as some have been counted.
    time, count : callable, optional
        What starts the processes on the GPU; stand-ins for where there is none.

    Returns
    -------
    Measurement
        A launch that failed says so and has no numbers.

    Raises
    ------
    MeasureError
        No GPU, another one than asked for or than measured before, no CuPy, or one for another CUDA.
    """
    tell = warn or (lambda text: None)
    session = _Session(request, _Watch(request, progress), keep or (lambda found: None))
    if text := resume.said(session.launches, request):
        tell(text)
    session.time(time or (lambda job: start(job, limit=request.seconds)))
    profiler, why = _profiler(request, count)
    if profiler is not None:
        try:
            session.count(profiler)
        except MeasureError as error:
            why = str(error)
    if why:
        tell(f"no counters: {why}")
    return session.measurement


class _Session:
    """What is measured, as far as it has come."""

    def __init__(self, request: Request, watch: _Watch, keep: Callable[[Measurement], None]) -> None:
        self._request, self._watch, self._keep = request, watch, keep
        self._compiler = self._profiler = ""
        self.launches = resume.kept(request, watch.progress)
        if request.before is not None:
            watch.see(request.before.device)
            watch.overhead = request.before.overhead_seconds
            self._compiler = request.before.compiler
            self._profiler = request.before.profiler

    @property
    def measurement(self) -> Measurement:
        """Everything there is, in the order in which it was asked for."""
        if self._watch.device is None:
            raise MeasureError("the process on the device ended without a word")
        before, cache = self._request.before, self._request.cache
        found = [self.launches[n] for n in sorted(self.launches)] + resume.others(before, self._request.specs)
        return Measurement(
            self._watch.device, f"{datetime.date.today():%Y-%m-%d}", cache, self._compiler, self._profiler,
            self._watch.overhead, found, gpusim.__version__,
        )  # fmt: skip

    def time(self, begin: Start) -> None:
        """Time what was not timed before."""
        request = self._request
        todo = [n for n in range(len(request.specs)) if n not in self.launches]
        specs = tuple(request.specs[n] for n in todo)

        def finished(position: int, line: Line) -> None:
            number = todo[position]
            self._compiler = line.get("compiler") or self._compiler
            self.launches[number] = _launch(request.specs[number], line, request.folder)
            self._keep(self.measurement)

        self._watch.now("timing", specs)
        job = Job(specs, True, request.repeats, request.cache, request.seed, request.outputs, request.clock)
        each(job, begin, self._watch, finished)

    def count(self, profiler: counters.Counted) -> None:
        """Count what was timed and not counted before, some launches with each start of the profiler.

        Raises
        ------
        MeasureError
            Counters cannot be read.
        """
        runs = self._request.runs
        wanted = [n for n, launch in sorted(self.launches.items()) if launch.error is None and launch.runs != runs]
        for first in range(0, len(wanted), TOGETHER):
            self._count(wanted[first : first + TOGETHER], profiler)
            self._profiler = counters.version()
            self._keep(self.measurement)

    def _count(self, numbers: Sequence[int], profiler: counters.Counted) -> None:
        """Count some launches."""
        request = self._request
        job = Job(tuple(request.specs[n] for n in numbers), False, request.runs, request.cache, request.seed)
        self._watch.now("counting", job.specs)
        already = len(profiler.launches)
        lines = each(job, profiler, self._watch)
        seen = iter(profiler.launches[already:])
        for position, n in enumerate(numbers):
            error = lines[position].get("error")
            if error:
                self.launches[n] = replace(self.launches[n], error=f"under the profiler: {error}")
            else:
                runs = [next(seen) for _ in range(request.runs)]
                self.launches[n] = _with(self.launches[n], runs, request.metrics)


class _Watch:
    """Hears what the processes say: which GPU it is, how far they are."""

    def __init__(self, request: Request, progress: Progress | None) -> None:
        self.device: Device | None = None
        self.overhead: float | None = None
        self.progress = progress
        self._wanted, self._before = request.gpu, request.before
        self.now("timing", request.specs)

    def now(self, text: str, specs: Sequence[AnyLaunch]) -> None:
        """Say what is done next, and to which launches."""
        self._text, self._specs = text, specs

    def __call__(self, line: Line) -> None:
        if "device" in line:
            self.see(Device(**line["device"]))
        elif "overhead" in line:
            self.overhead = self.overhead or line["overhead"]
        elif "at" in line and self.progress is not None:
            self.progress(line["at"], len(self._specs), f"{self._text} {self._specs[line['at']].id}")

    def see(self, device: Device) -> None:
        """Take a GPU for the one that is measured; refuse another than was asked for or measured before."""
        resume.check_device(self._before, device)
        self.device, wanted = device, self._wanted
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
    if request.cache == "flushed":
        return None, "the profiler launches again for each of its passes, and nothing is set between them"
    if given is None and not counters.version():
        return None, f"{counters.PROFILER} is not on the PATH; Nsight Compute brings it"
    return given or counters.Counted(request.metrics, PASSES * request.seconds), ""


def _with(launch: MeasuredLaunch, runs: Sequence[nsight.Launched], metrics: Sequence[str]) -> MeasuredLaunch:
    """A launch with what was asked for of its metrics, once they are surely its own."""
    for run in runs:
        if (run.grid, run.block) != (tuple(launch.grid), tuple(launch.block)):
            raise MeasureError(f"Nsight Compute saw {run.kernel} of {run.grid} blocks where {launch.id} was launched")
    known = [name for name in metrics if all(name in run.metrics for run in runs)]
    found = {name: [run.metrics[name] for run in runs] for name in known}
    return replace(launch, metrics=found, runs=len(runs))
