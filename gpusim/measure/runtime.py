"""The GPU, through CuPy: arrays go there, kernels run there, events tell how long they took."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gpusim import hardware
from gpusim.measure.driver_maps import encoded
from gpusim.measure.measurement_errors import DeviceError, MeasureError, OutOfMemoryError
from gpusim.measured.measurement import Device

if TYPE_CHECKING:
    from gpusim.simulate.tensor_maps import TensorMap

FLUSHED = 4
"""Sizes of L2 that are read, or set, to flush it."""

NEAR = 0.1
"""Two GPUs of as many SMs are told apart by their memory, of which the driver keeps a part for itself."""

LARGE_CLUSTERS = 14
"""The attribute that allows a kernel clusters of more than 8 blocks.
Source: CUDA Driver API, ``CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED``."""

NO_DEVICE, OLD_DRIVER = 100, 35
"""Source: CUDA Runtime API, enum ``cudaError``."""

Function = Callable[[], None]


class Runtime(Protocol):
    """What a GPU is asked to do."""

    def device(self) -> Device:
        """Which GPU it is."""

    def load(self, cubin: bytes, symbol: str, dynamic_shared: int) -> Any:
        """A kernel of a module, allowed so many bytes of dynamic shared memory."""

    def upload(self, argument: Any) -> Any:
        """An argument as a launch takes it; an array's copy on the device."""

    def mapped(self, told: TensorMap, there: Any) -> Any:
        """A tensor map of an array on the device, as a launch takes it."""

    def restore(self, there: Any, argument: Any) -> None:
        """Put an array's contents on the device once more."""

    def download(self, there: Any, like: np.ndarray) -> np.ndarray:
        """An array's contents on the device, of the type and shape of another."""

    def launch(self, kernel: Any, grid: Sequence[int], block: Sequence[int], shared: int, arguments: list[Any]) -> None:
        """Launch a kernel."""

    def wait(self) -> None:
        """Wait until all that was launched has ended."""

    def flush(self, *, dirty: bool) -> None:
        """Leave nothing of what kernels have touched in L2: of other data what was read, or set and not yet written."""

    def seconds(self, before: Function, launch: Function) -> float:
        """Time between events around a launch, ``before`` having been launched so that none waits for the host."""

    def profiled(self) -> Any:
        """A context in which the profiler looks on."""

    def conditions(self) -> tuple[float | None, float | None]:
        """SM clock in hertz and temperature in degrees Celsius; None where they cannot be read."""

    def release(self) -> None:
        """Give back memory that no array uses any more."""


class CupyRuntime:
    """The first GPU that CUDA shows.

    Raises
    ------
    MeasureError
        No CuPy, no GPU, or a driver too old for the CUDA that CuPy was built for.
    """

    def __init__(self) -> None:
        try:
            import cupy
        except ImportError as error:
            raise MeasureError(
                f"measuring needs CuPy ({error}): pip install {_extra(13)!r}, or {_extra(12)!r}"
            ) from None
        self._cupy = cupy
        self._properties = _properties(cupy)
        self._swept: Any = None
        self._gauges = _Gauges(cupy.cuda.runtime.deviceGetPCIBusId(0))

    def device(self) -> Device:  # noqa: D102 (as in Runtime)
        found, runtime = self._properties, self._cupy.cuda.runtime
        name, sms = found["name"].decode(), int(found["multiProcessorCount"])
        arch = f"sm_{found['major']}{found['minor']}"
        driver = self._gauges.driver or _version(runtime.driverGetVersion())
        known = known_as(arch, sms, int(found["totalGlobalMem"]))
        return Device(name, known, arch, sms, driver, _version(runtime.runtimeGetVersion()))

    def load(self, cubin: bytes, symbol: str, dynamic_shared: int) -> Any:  # noqa: D102
        with tempfile.TemporaryDirectory() as folder, self._guarded():
            file = Path(folder, "kernel.cubin")  # CuPy keeps what it loaded by its path: each has one of its own
            file.write_bytes(cubin)
            kernel = self._cupy.RawModule(path=str(file)).get_function(symbol)
            if dynamic_shared:
                kernel.max_dynamic_shared_size_bytes = dynamic_shared
            if self.device().arch in hardware.having("clusters"):
                self._cupy.cuda.driver.funcSetAttribute(kernel.kernel.ptr, LARGE_CLUSTERS, 1)
        return kernel

    def upload(self, argument: Any) -> Any:  # noqa: D102
        if isinstance(argument, bytes):
            return np.frombuffer(argument, np.dtype((np.void, len(argument))))  # one element: CuPy takes no more
        if not isinstance(argument, np.ndarray):
            return argument
        with self._guarded(f"an array of {argument.nbytes} bytes"):
            return self._cupy.asarray(_plain(argument))

    def mapped(self, told: TensorMap, there: Any) -> Any:  # noqa: D102
        return self.upload(encoded(told, there.data.ptr))

    def restore(self, there: Any, argument: Any) -> None:  # noqa: D102
        if isinstance(argument, np.ndarray):
            with self._guarded():
                there.set(_plain(argument))

    def download(self, there: Any, like: np.ndarray) -> np.ndarray:  # noqa: D102
        with self._guarded():
            found: np.ndarray = there.get()
        return found.view(like.dtype).reshape(like.shape)

    def launch(self, kernel: Any, grid: Sequence[int], block: Sequence[int], shared: int, arguments: list[Any]) -> None:  # noqa: D102
        with self._guarded():
            kernel(tuple(grid), tuple(block), tuple(arguments), shared_mem=shared)

    def wait(self) -> None:  # noqa: D102
        with self._guarded():
            self._cupy.cuda.runtime.deviceSynchronize()

    def flush(self, *, dirty: bool) -> None:  # noqa: D102
        with self._guarded():
            if self._swept is None:
                size = FLUSHED * int(self._properties["l2CacheSize"])
                self._swept = self._cupy.zeros(size // 4, np.float32), self._cupy.empty((), np.float32)
            words, total = self._swept
            if dirty:
                words.fill(0)
            else:
                words.sum(out=total)

    def seconds(self, before: Function, launch: Function) -> float:  # noqa: D102
        begin, end = self._cupy.cuda.Event(), self._cupy.cuda.Event()
        before()
        begin.record()
        launch()
        end.record()
        with self._guarded():
            end.synchronize()
        return float(self._cupy.cuda.get_elapsed_time(begin, end)) / 1000

    @contextmanager
    def profiled(self) -> Iterator[None]:  # noqa: D102
        profiler = self._cupy.cuda.profiler
        profiler.start()
        try:
            yield
        finally:
            profiler.stop()

    def conditions(self) -> tuple[float | None, float | None]:  # noqa: D102
        return self._gauges.read()

    def release(self) -> None:  # noqa: D102
        self._cupy.get_default_memory_pool().free_all_blocks()

    @contextmanager
    def _guarded(self, what: str = "") -> Iterator[None]:
        """Word what CUDA complains of."""
        cuda = self._cupy.cuda
        try:
            yield
        except cuda.memory.OutOfMemoryError:
            room = self._properties["totalGlobalMem"]
            raise OutOfMemoryError(f"out of memory on the device ({room / 1e9:.0f} GB): no room for {what}") from None
        except (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError) as error:
            raise DeviceError(f"failed on the device: {error}") from None


def _extra(major: int) -> str:
    return f"gpusim[gpu-cu{major}]"


def _properties(cupy: Any) -> dict[str, Any]:
    """What the driver tells of the first GPU."""
    runtime = cupy.cuda.runtime
    try:
        found: dict[str, Any] = runtime.getDeviceProperties(0)
    except runtime.CUDARuntimeError as error:
        raise MeasureError(_why_none(runtime, error)) from None
    return found


def _why_none(runtime: Any, error: Any) -> str:
    """Why there is no GPU to be used."""
    driver, built = runtime.driverGetVersion(), runtime.runtimeGetVersion()
    if driver == 0:
        return f"no NVIDIA driver on {platform.node() or 'this machine'}: measuring needs one, and a GPU"
    if error.status == OLD_DRIVER or driver // 1000 < built // 1000:
        return (
            f"CuPy is built for CUDA {_version(built)}, the driver here knows CUDA up to {_version(driver)}: "
            f"pip install {_extra(driver // 1000)!r}"
        )
    if error.status == NO_DEVICE:
        return "CUDA shows no GPU here: is CUDA_VISIBLE_DEVICES set to none?"
    return f"CUDA shows no GPU here: {error}"


def _version(number: int) -> str:
    """CUDA's version from its number: 13010 is 13.1."""
    return f"{number // 1000}.{number % 1000 // 10}"


def _plain(array: np.ndarray) -> np.ndarray:
    """Bytes are bytes where CuPy does not know the type (bf16, fp8)."""
    whole = np.ascontiguousarray(array).reshape(array.shape)
    return whole if whole.dtype.kind in "biuf" and whole.dtype.isbuiltin == 1 else whole.view(f"u{whole.itemsize}")


def known_as(arch: str, sms: int, memory: int) -> str:
    """Name of gpusim's specification of a GPU; empty where it has none.

    Parameters
    ----------
    arch : str
    sms : int
    memory : int
        Bytes of device memory.

    Examples
    --------
    >>> known_as("sm_90", 132, 150_110_011_392), known_as("sm_90", 132, 85_029_158_912), known_as("sm_90", 114, 10**11)
    ('h200', 'h100-sxm', '')
    """
    alike = (hardware.load(known) for known in hardware.names())
    found = [gpu for gpu in alike if (gpu.arch, gpu.sm_count) == (arch, sms)]
    sized = [gpu.name for gpu in found if abs(memory / gpu.dram.size_bytes - 1) < NEAR]
    return sized[0] if len(sized) == 1 else ""


class _Gauges:
    """Clock and temperature, where NVIDIA's management library can be asked."""

    def __init__(self, bus: str) -> None:
        self.driver = ""
        self._handle: Any = None
        try:
            import pynvml

            pynvml.nvmlInit()
            self._nvml, self._handle = pynvml, pynvml.nvmlDeviceGetHandleByPciBusId(bus)
            self.driver = pynvml.nvmlSystemGetDriverVersion()
        except Exception:  # not installed, or no such library on this machine: then nobody knows
            self._handle = None

    def read(self) -> tuple[float | None, float | None]:
        if self._handle is None:
            return None, None
        hz = 1e6 * self._nvml.nvmlDeviceGetClockInfo(self._handle, self._nvml.NVML_CLOCK_SM)
        return hz, float(self._nvml.nvmlDeviceGetTemperature(self._handle, self._nvml.NVML_TEMPERATURE_GPU))
