"""A driver for Triton that launches on a simulated GPU.

Source: Triton 3.5 to 3.9, ``triton/backends/driver.py`` (what a driver offers) and ``triton/compiler/compiler.py`` and
``triton/runtime/jit.py`` (what is asked of one).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.cuda import module as modules
from gpusim.cuda.triton import SCRATCH
from gpusim.errors import ParameterError
from gpusim.triton.arguments import Passed, passed, pointer
from gpusim.triton.arrays import Array
from gpusim.triton.benchmarks import benchmark
from gpusim.triton.session import Asked

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.triton.session import Session

WORD = 4  # bytes of a register
KHZ = 1000


class Driver:
    """What Triton asks of the GPU.

    Parameters
    ----------
    session : Session
    compiled : callable
        Called whenever a kernel is about to be launched for the first time.
    """

    def __init__(self, session: Session, compiled: Callable[[], None]) -> None:
        self.session = session
        self.utils = Utils(session)
        self._compiled = compiled

    def launcher_cls(self, source: Any, metadata: Any) -> Launcher:
        """What launches a kernel."""
        self._compiled()
        return Launcher(self.session, source, metadata)

    @staticmethod
    def is_active() -> bool:
        """Whether there is such a GPU."""
        return True

    def get_current_target(self) -> Any:
        """What is compiled for."""
        from triton.backends.compiler import GPUTarget

        major, minor = self.session.gpu.compute_capability
        return GPUTarget("cuda", 10 * major + minor, WARP)

    def get_current_device(self) -> int:
        """Number of the GPU: one of its own for each session, for Triton keeps compiled kernels by it."""
        return self.session.number

    def set_current_device(self, device: int) -> None:
        """There is but one."""

    def get_current_stream(self, device: int) -> int:
        """The default one."""
        return 0

    def get_device_capability(self, device: int = 0) -> tuple[int, int]:
        """Compute capability."""
        return self.session.gpu.compute_capability

    def get_active_torch_device(self) -> Any:
        """What PyTorch calls the GPU."""
        import torch

        return torch.device("cuda", 0)

    def get_device_interface(self) -> Any:
        """What PyTorch offers for GPUs."""
        import torch

        return torch.cuda

    def get_benchmarker(self) -> Callable[..., Any]:
        """What the autotuner measures with: it only times, for the best configuration computes in the end."""

        def predicted(kernel_call: Callable[[], Any], **how: Any) -> Any:
            return benchmark(self.session, kernel_call, computes=False, **how)

        return predicted

    def get_empty_cache_for_benchmark(self) -> Any:
        """An array that is as large as L2: nothing, for every launch of a benchmark finds L2 as the session says."""
        return np.empty(0, np.int32)

    def clear_cache(self, cache: Any) -> None:
        """Nothing is in it."""

    def map_python_to_cpp_type(self, kind: str) -> str:
        """What C++ calls a type; nothing here is compiled by a C++ compiler."""
        return kind

    def allocate_default_profile_scratch(self, size: int, alignment: int, stream: Any) -> Array:
        """Memory for a kernel that profiles itself."""
        return Array(np.zeros(size, np.int8), self.session.memory)


WARP = 32  # threads


class Utils:
    """What Triton asks of the driver's functions.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kernels: dict[tuple[str, bytes], Kernel] = {}

    def load_binary(self, name: str, cubin: bytes, shared: int, device: int) -> tuple[None, Kernel, int, int, int]:
        """No module, for none is to be unloaded; a kernel, its registers, words that it spills, threads of a block."""
        if (name, cubin) not in self._kernels:
            self._kernels[name, cubin] = modules.from_cubin(cubin, name).kernel(name)
        gpu, kernel = self._session.gpu, self._kernels[name, cubin]
        registers = max(kernel.code.registers, 1)
        per_warp = -(-registers * WARP // gpu.sm.register_alloc_unit) * gpu.sm.register_alloc_unit
        most = min(gpu.sm.registers // per_warp * WARP, gpu.sm.max_threads_per_block)
        return None, kernel, registers, kernel.code.local_bytes // WORD, most

    def unload_module(self, module: Any) -> None:
        """None is loaded."""

    def get_device_properties(self, device: int = 0) -> dict[str, int]:
        """What Triton wants to know of the GPU, in its units: bytes, kHz, bits."""
        gpu = self._session.gpu
        return {
            "max_shared_mem": gpu.shared.max_bytes_per_block,
            "max_num_regs": gpu.sm.registers,
            "multiprocessor_count": gpu.sm_count,
            "warpSize": WARP,
            "sm_clock_rate": round(gpu.clock.sm_hz / KHZ),
            "mem_clock_rate": round(gpu.clock.memory_hz / KHZ),
            "mem_bus_width": gpu.dram.bus_bits,
        }

    def is_stream_capturing(self, stream: Any) -> bool:
        """Nothing captures launches."""
        return False

    def set_printf_fifo_size(self, nbytes: int) -> None:
        """Nothing holds what kernels print."""


class Launcher:
    """Launches a compiled kernel.

    Parameters
    ----------
    session : Session
    source : object
        What it was compiled of, with the types of its arguments.
    metadata : object
        What the compiler notes.
    """

    def __init__(self, session: Session, source: Any, metadata: Any) -> None:
        self._session, self._metadata = session, metadata
        self._signature: Mapping[str, Any] = {str(name): kind for name, kind in source.signature.items()}

    def __call__(
        self, x: int, y: int, z: int, stream: Any, kernel: Kernel, packed: Any, launch_metadata: Any,
        enter: Callable[..., Any] | None, leave: Callable[..., Any] | None, *values: Any,
    ) -> None:  # fmt: skip
        """Launch it on a grid of so many programs."""
        if not (x and y and z):
            return
        note, memory = self._metadata, self._session.memory
        found = passed(self._signature, getattr(note, "tensordesc_meta", None), values, memory)
        found += self._scratch(x * y * z, stream)[: len(kernel.parameters) - len(found)]
        if len(found) != len(kernel.parameters):
            raise ParameterError(
                f"{kernel.name.full} has {len(kernel.parameters)} parameters, its arguments make {len(found)}"
            )
        blocks = getattr(note, "num_ctas", 1)
        cluster = None if blocks == 1 and kernel.code.cluster is None else (blocks, 1, 1)
        if enter is not None:
            enter(launch_metadata)
        grid = (x * blocks, y, z) if not kernel.code.grid_of_clusters else (x, y, z)
        asked = Asked(kernel, grid, WARP * self._warps(kernel), found, note.shared, cluster)
        del values, found  # a launch that is put off keeps no outputs alive
        self._session.launch(asked)
        if leave is not None:
            leave(launch_metadata)

    def _warps(self, kernel: Kernel) -> int:
        """Warps of a block: more than the program has where some are for other work."""
        only = kernel.code.block
        return self._metadata.num_warps if only is None else math.prod(only) // WARP

    def _scratch(self, programs: int, stream: Any) -> list[Passed]:
        """Pointers to memory that Triton adds: what the program's allocator gives, or nothing where none is needed."""
        from triton.runtime import _allocation

        found = []
        for word in SCRATCH:
            size = getattr(self._metadata, word, 0) * programs * getattr(self._metadata, "num_ctas", 1)
            name = word.removesuffix("_size").replace("_", " ")
            given = None
            if size and word == SCRATCH[0]:
                given = _allocation._allocator.get()(size, getattr(self._metadata, "global_scratch_align", 1), stream)
            elif size:
                given = Array(np.zeros(size, np.int8), self._session.memory)
            found.append(pointer(name, given, self._session.memory))
        return found
