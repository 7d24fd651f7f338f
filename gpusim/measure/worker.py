"""The process that works on the GPU: it launches what a job lists, and reports each launch in a line of JSON.

Started as ``python -m gpusim.measure JOB``, alone or under Nsight Compute.  Whoever started it reads its
standard output: what comes before and after the time in which a launch has the GPU is said, so that one that hangs can
be told from one that is still compiled.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.cuda.signature import is_array
from gpusim.errors import GpusimError
from gpusim.launches import empty_kernel
from gpusim.launches.spec import AnyLaunch, DescribedLaunch
from gpusim.measure.measurement_errors import DeviceError
from gpusim.simulate.launch import as_passed
from gpusim.simulate.tensor_maps import TensorMap
from gpusim.simulate.textures import Texture

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.measure.runtime import Runtime

Say = Callable[[dict[str, Any]], None]

AHEAD_CYCLES = 100_000
"""For so long the GPU is kept busy while the host sends what is timed after it."""

AS_REFERENCED = "match"
NEAR = 0.02
"""A clock so far off is still the one asked for: GPUs have steps of 15 MHz."""
MOST_KEPT = 4096
"""Elements of an array that is reported."""


@dataclass(frozen=True)
class Job:
    """What a process is to do.

    Attributes
    ----------
    specs : tuple of LaunchSpec or DescribedLaunch
    timed : bool
        Launch each many times between events; otherwise under the profiler's eyes.
    repeats : int
        How often.
    cache : {"cold", "warm", "flushed"}
        Caches emptied before each launch; as the same launch left them; or L2 full of what was set and not written.
    seed : int
        Decides what random arrays hold.
    outputs : bool
        Report the small arrays that a launch changes.
    clock : float or None
        Hz that SMs are locked to; None: whatever clock.
    """

    specs: tuple[AnyLaunch, ...]
    timed: bool
    repeats: int
    cache: str
    seed: int
    outputs: bool = False
    clock: float | None = None


def machine_code(kernel: Kernel) -> str:
    """SHA-256 of what a GPU would run."""
    return sha256(kernel.code.code).hexdigest()


class _Ready(NamedTuple):
    """A launch with everything it needs on the device: arrays here and there, and the arguments made of them."""

    runtime: Runtime
    kernel: Kernel
    compiler: str
    function: Any
    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic_shared: int
    here: list[Any]
    there: list[Any]
    passed: list[Any]

    def launch(self) -> None:
        self.runtime.launch(self.function, self.grid, self.block, self.dynamic_shared, self.passed)

    def restore(self, names: Collection[str] | None = None) -> None:
        """Arguments as they were before the first launch: all, or some by name."""
        for name, there, here in zip(self.kernel.parameter_names, self.there, self.here, strict=True):
            if names is None or name in names:
                self.runtime.restore(there, here)

    def changed(self, outputs: dict[str, Any]) -> list[str]:
        """Names of the arrays that hold something else than before the first launch."""
        import numpy as np

        before = dict(zip(self.kernel.parameter_names, self.here, strict=True))
        return [name for name, array in outputs.items() if not np.array_equal(array, before[name])]

    def outputs(self) -> dict[str, Any]:
        """The arrays by name, as the kernel has left them."""
        return {
            name: self.runtime.download(there, here)
            for name, there, here in zip(self.kernel.parameter_names, self.there, self.here, strict=True)
            if is_array(here)
        }


def work(job: Job, runtime: Runtime, say: Say) -> None:
    """Launch everything, one after the other.

    Parameters
    ----------
    job : Job
    runtime : Runtime
    say : callable
        Called with ``{"device": ...}``, and of each launch with ``{"at": n}``, ``{"begins": n}`` when it goes to the
        GPU, ``{"left": n}`` when it is done there, and ``{"done": n, ...}`` or ``{"done": n, "error": ...}``.

    Raises
    ------
    DeviceError
        After which the process can do no more; it has been reported.
    """
    say({"device": asdict(runtime.device())})
    stopwatch = _Stopwatch(runtime, job) if job.timed else None
    if stopwatch is not None:
        say({"overhead": stopwatch.overhead()})
    for number, spec in enumerate(job.specs):
        say({"at": number})
        try:
            found = _one(job, runtime, stopwatch, number, spec, say)
        except GpusimError as error:
            say({"done": number, "error": str(error)})
            if isinstance(error, DeviceError):
                raise
        else:
            say({"done": number, **found})
        runtime.release()


def _one(
    job: Job, runtime: Runtime, stopwatch: _Stopwatch | None, number: int, spec: AnyLaunch, say: Say
) -> dict[str, Any]:
    """Measure a launch: times and whether its outputs are right, or nothing but what the profiler sees."""
    ready = _prepare(spec, runtime, job.seed)
    say({"begins": number})
    if stopwatch is None:
        _show(ready, job)
        say({"left": number})
        return {}
    outputs = _outputs(ready, job)
    seconds = [stopwatch.time(ready.launch) for _ in range(job.repeats)]
    hz, celsius = runtime.conditions()
    say({"left": number})
    _check_clock(hz, job.clock)
    name, code = ready.kernel.name.full, machine_code(ready.kernel)
    values = verdict(spec, outputs, job.seed) if isinstance(spec, DescribedLaunch) else ""
    about = {"kernel": name, "grid": ready.grid, "block": ready.block, "machine_code": code, "values": values}
    kept = _changed(ready, outputs) if job.outputs else {}
    return {**about, "outputs": kept, "compiler": ready.compiler, "seconds": seconds, "sm_hz": hz, "celsius": celsius}


def ran_at(hz: float | None, wanted: float | None) -> bool:
    """Whether a clock that was read, None: it could not be, is the one asked for; None: any is."""
    return wanted is None or (hz is not None and abs(hz / wanted - 1) <= NEAR)


def _check_clock(hz: float | None, wanted: float | None) -> None:
    """Refuse what ran at another clock than asked for."""
    if wanted is None or ran_at(hz, wanted):
        return
    if hz is None:
        raise GpusimError("nobody can tell the clock: pip install nvidia-ml-py")
    raise GpusimError(
        f"ran at {hz / 1e6:.0f} MHz, not {wanted / 1e6:.0f}: lock the clock before, as an administrator: "
        f"nvidia-smi --lock-gpu-clocks={wanted / 1e6:.0f}"
    )


def _prepare(spec: AnyLaunch, runtime: Runtime, seed: int) -> _Ready:
    """Compile it, and put its arguments on the device."""
    module = spec.compile(runtime.device().arch)
    kernel = module.kernel()
    _refuse_cluster(spec, kernel)
    _refuse_fields(spec, kernel)
    drawn = spec.draw(kernel, seed)
    kernel.check(as_passed(drawn))
    if any(isinstance(argument, Texture) for argument in drawn):
        raise DeviceError("launches with textures are not measured")
    sizes = spec.sizes(kernel)
    function = runtime.load(kernel.cubin.data, kernel.symbol, sizes.dynamic_shared)
    here = [argument.memory if isinstance(argument, TensorMap) else argument for argument in drawn]
    there = [runtime.upload(argument) for argument in here]
    passed = [
        runtime.mapped(argument, array) if isinstance(argument, TensorMap) else array
        for argument, array in zip(drawn, there, strict=True)
    ]
    return _Ready(runtime, kernel, module.compiler, function, *sizes, here, there, passed)


def _refuse_cluster(spec: AnyLaunch, kernel: Kernel) -> None:
    """Refuse clusters that the launch alone names: CuPy cannot ask for them."""
    if spec.cluster is not None and spec.cluster != kernel.code.cluster:
        raise GpusimError(f"{spec.id}: cluster: measuring takes it from the kernel alone: give that __cluster_dims__")


def _refuse_fields(spec: AnyLaunch, kernel: Kernel) -> None:
    """Refuse what only a simulation fills: structs field by field, variables of the module."""
    if spec.opened(kernel) is not kernel:
        raise GpusimError(f"{spec.id}: measuring takes a struct as bytes (bytes:HEX), not field by field")
    if spec.values(kernel):
        raise GpusimError(f"{spec.id}: measuring fills no variables: leave out --set (symbols)")


def _warm(ready: _Ready) -> list[str]:
    """Leave the caches as a launch does; returns which arrays it changes, which alone the next one needs anew."""
    ready.launch()
    ready.runtime.wait()
    changed = ready.changed(ready.outputs())
    ready.restore()
    ready.launch()
    return changed


def _outputs(ready: _Ready, job: Job) -> dict[str, Any]:
    """The arrays as one launch leaves them that finds the caches as asked for."""
    if job.cache == "warm":
        ready.restore(_warm(ready))
    else:
        ready.runtime.flush(dirty=job.cache == "flushed")
    ready.launch()
    ready.runtime.wait()
    return ready.outputs()


def _show(ready: _Ready, job: Job) -> None:
    """Launch it as often as the profiler is to see it, each time with the arguments it began with."""
    changed = _warm(ready) if job.cache == "warm" else None
    for _ in range(job.repeats):
        ready.restore(changed)
        ready.runtime.wait()
        with ready.runtime.profiled():
            ready.launch()
            ready.runtime.wait()


def _changed(ready: _Ready, outputs: dict[str, Any]) -> dict[str, list[float]]:
    """Elements of the small arrays of finite numbers that a launch has changed."""
    import numpy as np

    small = {name: array for name, array in outputs.items() if array.size <= MOST_KEPT}
    return {
        name: small[name].ravel().tolist()
        for name in ready.changed(small)
        if np.isfinite(small[name].astype(np.float64)).all()
    }


class _Stopwatch:
    """Times launches, each behind one that keeps the GPU busy until the host has sent it."""

    def __init__(self, runtime: Runtime, job: Job) -> None:
        import numpy as np

        from gpusim import cuda

        module = cuda.compile(empty_kernel.SOURCE, gpu=runtime.device().arch)
        self._runtime, self._cache = runtime, job.cache
        self._cycles = np.int64(AHEAD_CYCLES)
        self._spin, self._empty = (
            runtime.load(module.cubin.data, module.kernel(name).symbol, 0) for name in ("spin", "empty")
        )

    def time(self, launch: Callable[[], None]) -> float:
        """Seconds of one launch."""
        return round(self._runtime.seconds(self._before, launch), 9)

    def overhead(self) -> float:
        """Seconds between events around a launch that does nothing: the median of 21."""
        import statistics

        return statistics.median(self.time(lambda: self._launch(self._empty, [])) for _ in range(21))

    def _before(self) -> None:
        if self._cache != "warm":
            self._runtime.flush(dirty=self._cache == "flushed")
        self._launch(self._spin, [self._cycles])

    def _launch(self, kernel: Any, arguments: list[Any]) -> None:
        self._runtime.launch(kernel, (1, 1, 1), (1, 1, 1), 0, arguments)


def verdict(spec: DescribedLaunch, outputs: dict[str, Any], seed: int = 0) -> str:
    """Hold outputs against the reference.

    Parameters
    ----------
    spec : DescribedLaunch
    outputs : dict of str to ndarray
    seed : int
        That of the inputs.

    Returns
    -------
    str
        :data:`AS_REFERENCED`, or what is wrong.
    """
    import numpy as np

    algorithm = spec.algorithm
    error = algorithm.allowed_error(**spec.params)
    for name, wanted in algorithm.reference(spec.inputs(seed), **spec.params).items():
        got, want = outputs[name].astype(np.float64), np.asarray(wanted).astype(np.float64).reshape(outputs[name].shape)
        wrong = ~np.isclose(got, want, rtol=error, atol=error, equal_nan=True)
        if wrong.any():
            at = tuple(int(index) for index in np.argwhere(wrong)[0])
            return (
                f"{wrong.sum()} of {wrong.size} elements of {name} are off by more than {error:g}, the first at {at}: "
                f"{got[at]:g} for {want[at]:g}"
            )
    return AS_REFERENCED


def _print(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


def main(arguments: Sequence[str]) -> int:
    """Do the job in a file; exit status 1 where nothing can be measured here, or the device has failed."""
    from gpusim.measure.runtime import CupyRuntime

    job: Job = pickle.loads(Path(arguments[0]).read_bytes())
    try:
        work(job, CupyRuntime(), _print)
    except DeviceError:
        return 1
    except GpusimError as error:
        _print({"impossible": str(error)})
        return 1
    return 0
