"""The GPU as a program sees it: what cudaGetDeviceProperties and cudaDeviceGetAttribute say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpusim.engine.state.columns import GLOBAL_BASE
from gpusim.hardware.fixed import WARP
from gpusim.hardware.programming import LAST_OFFSET

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu

GRANULE = 1 << 21  # bytes; drivers give memory in pieces of so many


def memory_bytes(gpu: Gpu) -> int:
    """Bytes of device memory that a program has."""
    return gpu.dram.size_bytes // GRANULE * GRANULE


def described(gpu: Gpu) -> str:
    """What the runtime is told of a GPU: its name, then a line for each number.

    Parameters
    ----------
    gpu : Gpu

    Returns
    -------
    str
    """
    major, minor = divmod(int(gpu.arch.removeprefix("sm_")), 10)
    numbers = {
        "base": int(GLOBAL_BASE),
        "memory_bytes": memory_bytes(gpu),
        "major": major,
        "minor": minor,
        "clusters": int(gpu.limits.cluster > 1),
        "sm_count": gpu.sm_count,
        "warp": WARP,
        "threads_per_block": gpu.sm.max_threads_per_block,
        "threads_per_sm": gpu.sm.max_warps * WARP,
        "blocks_per_sm": gpu.sm.max_blocks,
        "registers_per_block": gpu.sm.registers,
        "registers_per_sm": gpu.sm.registers,
        "shared_per_block": gpu.shared.default_max_bytes_per_block,
        "shared_optin": gpu.shared.max_bytes_per_block,
        "shared_per_sm": gpu.shared.bytes_per_sm,
        "shared_reserved": gpu.shared.reserved_bytes_per_block,
        "constant_bytes": LAST_OFFSET + 1,
        "l2_bytes": gpu.l2.size_bytes,
        "bus_bits": gpu.dram.bus_bits,
        "clock_khz": round(gpu.clock.sm_hz / 1e3),
        "memory_clock_khz": round(gpu.clock.memory_hz / 1e3),
        "event_ns": round(gpu.launch.event_s * 1e9),
        "graph_saves_ns": round(gpu.launch.graph_saves_s * 1e9),
    }
    for name, limits in (("grid", gpu.limits.grid), ("block", gpu.limits.block)):
        numbers |= {f"{name}_{axis}": limit for axis, limit in zip("xyz", limits, strict=True)}
    return "\n".join([gpu.full_name, *(f"{key} {value}" for key, value in numbers.items())]) + "\n"
