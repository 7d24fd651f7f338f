"""A runtime without a GPU: kernels run in the simulator, times are made up."""

from __future__ import annotations

import itertools
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gpusim import cuda
from gpusim.frontends.cuda import profile
from gpusim.measure.measurement_errors import DeviceError
from gpusim.measure.processes import Lost
from gpusim.measure.worker import work
from gpusim.measured.measurement import Device

H200 = Device("NVIDIA H200", "h200", "sm_90", 132, "580.159", "13.0")
HELPERS = ("spin", "empty")


class StandIn:
    """An H200 that takes 10, 11, 12, 10, ... microseconds for everything, and 2 for nothing.

    Parameters
    ----------
    device : Device
    breaks_at : str
        The kernel whose launch fails on the device.
    """

    def __init__(self, device: Device = H200, breaks_at: str = "") -> None:
        self.calls: list[str] = []
        self._device, self._breaks_at = device, breaks_at
        self._turns = itertools.cycle((1e-5, 1.1e-5, 1.2e-5))
        self._last = ""

    def device(self) -> Device:
        return self._device

    def load(self, cubin: bytes, symbol: str, dynamic_shared: int) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "kernel.cubin")
            file.write_bytes(cubin)
            return cuda.compile(file, gpu=self._device.arch).kernel(symbol)

    def upload(self, argument: Any) -> Any:
        return argument.copy() if isinstance(argument, np.ndarray) else argument

    def mapped(self, told: Any, there: Any) -> Any:
        return replace(told, array=there.reshape(told.shape))

    def restore(self, there: Any, argument: Any) -> None:
        if isinstance(argument, np.ndarray):
            there[...] = argument

    def download(self, there: Any, like: np.ndarray) -> np.ndarray:
        return there.copy()

    def launch(self, kernel: Any, grid: Any, block: Any, shared: int, arguments: list[Any]) -> None:
        self._last = kernel.name.name
        self.calls.append(self._last)
        if self._last == self._breaks_at:
            raise DeviceError("failed on the device: an illegal memory access was encountered")
        if self._last not in HELPERS:
            profile(kernel, grid, block, arguments, gpu=self._device.gpu, dynamic_shared=shared)

    def wait(self) -> None:
        self.calls.append("wait")

    def flush(self, *, dirty: bool) -> None:
        self.calls.append("set" if dirty else "flush")

    def seconds(self, before: Any, launch: Any) -> float:
        before()
        launch()
        return 2e-6 if self._last in HELPERS else next(self._turns)

    @contextmanager
    def profiled(self):
        self.calls.append("profiler on")
        yield
        self.calls.append("profiler off")

    def conditions(self) -> tuple[float | None, float | None]:
        return 1.98e9, 40.0

    def release(self) -> None:
        self.calls.append("release")


def starting(runtime: StandIn):
    """A start of processes that are none."""

    def start(job):
        lines: list[dict[str, Any]] = []
        try:
            work(job, runtime, lines.append)
        except DeviceError as error:
            yield from lines
            raise Lost(str(error)) from None
        yield from lines

    return start
