"""What ``torch.cuda`` answers while a session is active: the simulated GPU, its streams and its events."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import torch

from gpusim.triton.torch_device import CUDA, Device

if TYPE_CHECKING:
    from gpusim.patches import Patches
    from gpusim.triton.session import Session


class Event:
    """A point in the time that launches take, as predicted.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session) -> None:
        self._session, self.at = session, session.time

    def record(self, stream: Any = None) -> None:
        """Note the time."""
        self.at = self._session.time

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds to another event."""
        return (end.at - self.at) * 1000

    def synchronize(self) -> None:
        """Everything is done when it is asked for."""

    def wait(self, stream: Any = None) -> None:
        """Launches follow one another."""

    def query(self) -> bool:
        """Whether it is done."""
        return True


class Stream:
    """A stream: launches follow one another, whichever they are given to."""

    cuda_stream, device = 0, CUDA

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def synchronize(self) -> None:
        """Everything is done when it is asked for."""

    def wait_stream(self, stream: Any) -> None:
        """Launches follow one another."""

    def wait_event(self, event: Any) -> None:
        """Launches follow one another."""

    def record_event(self, event: Any = None) -> Any:
        """Note the time."""
        found = torch.cuda.Event() if event is None else event
        found.record()
        return found

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class Properties:
    """What ``torch.cuda.get_device_properties`` gives.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session) -> None:
        gpu = session.gpu
        self.name, (self.major, self.minor) = gpu.name, gpu.compute_capability
        self.multi_processor_count, self.total_memory = gpu.sm_count, gpu.dram.size_bytes
        self.L2_cache_size, self.warp_size = gpu.l2.size_bytes, 32
        self.max_threads_per_multi_processor = gpu.sm.max_warps * self.warp_size
        self.regs_per_multiprocessor = gpu.sm.registers
        self.shared_memory_per_block_optin = gpu.shared.max_bytes_per_block
        self.shared_memory_per_multiprocessor = max(gpu.shared.carveout_steps)


def stand_in(session: Session, patches: Patches) -> Device:
    """Put a simulated GPU in the place of ``torch.cuda``.

    Parameters
    ----------
    session : Session
    patches : Patches
        Note what was there before.

    Returns
    -------
    Device
        That carries out what is done on ``cuda``, once it is entered.
    """
    cuda, gpu, stream = torch.cuda, session.gpu, Stream()
    for name, value in {
        "is_available": True, "is_initialized": True, "device_count": 1, "current_device": 0,
        "get_device_name": gpu.name, "get_device_capability": gpu.compute_capability, "current_stream": stream,
        "get_device_properties": Properties(session), "default_stream": stream, "is_current_stream_capturing": False,
        "synchronize": None, "set_device": None, "set_stream": None, "empty_cache": None, "manual_seed": None,
        "manual_seed_all": None, "init": None, "reset_peak_memory_stats": None, "max_memory_allocated": 0,
        "memory_allocated": 0, "is_bf16_supported": True, "_exchange_device": 0, "_maybe_exchange_device": 0,
    }.items():  # fmt: skip
        patches.set(cuda, name, lambda *args, _value=value, **kwargs: _value)
    patches.set(cuda, "Event", lambda *args, **kwargs: Event(session))
    patches.set(cuda, "Stream", Stream)
    for name in ("stream", "device", "device_of", "_DeviceGuard"):
        patches.set(cuda, name, lambda *args, **kwargs: nullcontext())
    patches.set(torch._C, "_cuda_getCurrentRawStream", lambda device: 0)
    device = Device(session)
    patches.set(torch._C._dynamo.guards, "_empty_strided_cuda", device.empty_strided)
    patches.set(torch.autograd, "_engine_run_backward", _watched(device, torch.autograd._engine_run_backward))
    return device


def _watched(device: Device, run: Callable[..., Any]) -> Callable[..., Any]:
    """A backward pass whose calls are carried out, too; PyTorch watches none while it carries out one."""

    def run_watched(*args: Any, **kwargs: Any) -> Any:
        with device:
            return run(*args, **kwargs)

    return run_watched
