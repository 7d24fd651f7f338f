"""How many blocks of a launch fit an SM, and how much L1 is left beside them.

Limits follow NVIDIA's ``cuda_occupancy.h`` (CUDA 13.0) and are named as Nsight
Compute names them.  The driver's choice of the carve-out is not documented; the
rule here was read off Nsight Compute's ``launch__shared_mem_config_size`` for
1512 shapes of launch (32 to 1024 threads, 16 to 255 registers, 0 to 227 KiB)
on an H200, driver 580.159, CUDA 13.0, and gives all of them.  On other GPUs it
is assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.hardware.errors import OccupancyError
from gpusim.hardware.spec import Gpu

WARP = 32
"""Threads of a warp."""


@dataclass(frozen=True, slots=True)
class Occupancy:
    """What one SM holds of a launch.

    Attributes
    ----------
    blocks_per_sm : int
    limit_registers, limit_shared, limit_warps, limit_blocks : int
        Blocks that each resource alone would admit (``launch__occupancy_limit_registers``, ``_shared_mem``,
        ``_warps``, ``_blocks``); the one of shared memory counts in the chosen carve-out, as Nsight Compute's does.
    warps_per_block, warps_per_sm : int
    occupancy_pct : float
        Theoretical occupancy (``sm__maximum_warps_per_active_cycle_pct``).
    limiters : tuple of str
        Resources that admit no more than ``blocks_per_sm``: ``"registers"``, ``"shared"``, ``"warps"``, ``"blocks"``.
    shared_bytes_per_block : int
        As allocated: static, dynamic and reserved, rounded up.
    carveout_bytes : int
        Shared memory of the SM (``launch__shared_mem_config_size``).
    l1_bytes : int
        What L1 keeps.
    """

    blocks_per_sm: int
    limit_registers: int
    limit_shared: int
    limit_warps: int
    limit_blocks: int
    warps_per_block: int
    warps_per_sm: int
    occupancy_pct: float
    limiters: tuple[str, ...]
    shared_bytes_per_block: int
    carveout_bytes: int
    l1_bytes: int


def occupancy(
    gpu: Gpu, threads_per_block: int, registers_per_thread: int, shared_bytes_per_block: int = 0
) -> Occupancy:
    """Compute what one SM holds of a launch.

    Parameters
    ----------
    gpu : Gpu
    threads_per_block : int
    registers_per_thread : int
    shared_bytes_per_block : int
        Static and dynamic together, bytes.

    Returns
    -------
    Occupancy

    Raises
    ------
    OccupancyError
        If no SM can hold one block; says what is asked and the largest that fits.

    Examples
    --------
    >>> from gpusim.hardware import load
    >>> held = occupancy(load("h200"), 1024, 32, 8192)
    >>> held.blocks_per_sm, held.limiters, held.occupancy_pct, held.carveout_bytes, held.l1_bytes
    (2, ('registers', 'warps'), 100.0, 32768, 229376)
    """
    _demand(gpu, threads_per_block, registers_per_thread, shared_bytes_per_block)
    warps = ceil_div(threads_per_block, WARP)
    allocated = allocated_shared(gpu, shared_bytes_per_block)
    others = {
        "registers": _register_limit(gpu, warps, registers_per_thread),
        "warps": gpu.sm.max_warps // warps,
        "blocks": gpu.sm.max_blocks,
    }
    carveout = choose_carveout(gpu, threads_per_block, shared_bytes_per_block, min(others.values()))
    limits = others | {"shared": carveout // allocated if allocated else gpu.sm.max_blocks}
    blocks = min(limits.values())
    return Occupancy(
        blocks_per_sm=blocks,
        limit_registers=limits["registers"],
        limit_shared=limits["shared"],
        limit_warps=limits["warps"],
        limit_blocks=limits["blocks"],
        warps_per_block=warps,
        warps_per_sm=blocks * warps,
        occupancy_pct=100.0 * blocks * warps / gpu.sm.max_warps,
        limiters=tuple(name for name in ("registers", "shared", "warps", "blocks") if limits[name] == blocks),
        shared_bytes_per_block=allocated,
        carveout_bytes=carveout,
        l1_bytes=gpu.l1_bytes(carveout),
    )


def choose_carveout(gpu: Gpu, threads_per_block: int, shared_bytes_per_block: int, other_limit: int) -> int:
    """Give the shared memory that the driver sets aside on every SM for a launch.

    The smallest step that holds every block that can be resident.  Where that
    is more than one block there is to be room for others too: for twice as many,
    but for no more than (``sm.max_threads_per_block`` - threads) / 32 in all, and not beyond half of the
    largest step; without any shared memory of its own, for the latter number.

    Parameters
    ----------
    gpu : Gpu
    threads_per_block : int
    shared_bytes_per_block : int
        Static and dynamic together, bytes.
    other_limit : int
        Blocks of an SM that registers, warps and block slots admit.

    Returns
    -------
    int
        Bytes, one of ``gpu.shared.carveout_steps``.

    Examples
    --------
    >>> from gpusim.hardware import load
    >>> [choose_carveout(load("h200"), 1024, kib * 1024, 2) // 1024 for kib in (0, 16, 64, 128, 200)]
    [8, 64, 132, 132, 228]
    """
    largest, allocated = gpu.shared.bytes_per_sm, allocated_shared(gpu, shared_bytes_per_block)
    blocks = min(other_limit, largest // allocated) if allocated else other_limit
    wanted = blocks * allocated
    if blocks > 1:
        room = (gpu.sm.max_threads_per_block - threads_per_block) // WARP
        spare = min(2 * blocks, room) if shared_bytes_per_block else room
        wanted = max(wanted, min(spare * allocated, largest // 2))
    return next(step for step in gpu.shared.carveout_steps if step >= wanted)


def allocated_shared(gpu: Gpu, shared_bytes_per_block: int) -> int:
    """Give the bytes of shared memory that a block takes up, reserved ones and rounding included.

    Parameters
    ----------
    gpu : Gpu
    shared_bytes_per_block : int
        Static and dynamic together, bytes.

    Returns
    -------
    int
        Bytes.
    """
    unit = gpu.shared.alloc_granularity_bytes
    return ceil_div(shared_bytes_per_block + gpu.shared.reserved_bytes_per_block, unit) * unit


def ceil_div(a: int, b: int) -> int:
    """Divide two integers, rounding up."""
    return -(-a // b)


def _registers_per_warp(gpu: Gpu, registers_per_thread: int) -> int:
    unit = gpu.sm.register_alloc_unit
    return ceil_div(max(registers_per_thread, gpu.limits.fewest_registers) * WARP, unit) * unit


def _register_limit(gpu: Gpu, warps: int, registers_per_thread: int) -> int:
    """Count the blocks that the register files admit; a warp lies in one of them."""
    sm = gpu.sm
    per_partition = sm.registers // sm.register_partitions // _registers_per_warp(gpu, registers_per_thread)
    return sm.register_partitions * per_partition // warps


def _most_registers(gpu: Gpu, warps: int) -> int:
    """Give the registers a thread may have for one block of ``warps`` warps to fit."""
    sm = gpu.sm
    padded = ceil_div(warps, sm.register_partitions) * sm.register_partitions
    per_warp = sm.registers // padded // sm.register_alloc_unit * sm.register_alloc_unit
    return min(per_warp // WARP, sm.max_registers_per_thread)


def _demand(gpu: Gpu, threads: int, registers: int, shared: int) -> None:
    """Raise where one block does not fit."""
    most = gpu.sm.max_threads_per_block
    if not 1 <= threads <= most:
        raise OccupancyError(f"a block of {threads} threads does not fit {gpu.name}: a block has 1 to {most} threads")
    largest = gpu.shared.max_bytes_per_block
    if not 0 <= shared <= largest:
        raise OccupancyError(
            f"a block with {shared} bytes of shared memory does not fit {gpu.name}: at most {largest} bytes fit"
        )
    most = _most_registers(gpu, ceil_div(threads, WARP))
    if not 1 <= registers <= most:
        raise OccupancyError(
            f"a block of {threads} threads with {registers} registers each does not fit {gpu.name}: "
            f"at most {most} registers a thread fit"
        )
