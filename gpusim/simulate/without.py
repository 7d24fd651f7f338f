"""A launch without one of the causes of its time: what then differs of the launch, of the GPU, and of the machine."""

from __future__ import annotations

import functools
import operator
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.isa.image_memory import needs_shared
from gpusim.results.causes import Cause

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.encode import Image
    from gpusim.simulate.launch import Launch

SWITCHES = {
    Cause.BANK_CONFLICTS: S.NO_CONFLICTS,
    Cause.EXCESS_SECTORS: S.NO_EXCESS,
    Cause.SPILLS: S.NO_SPILLS,
    Cause.DIVERGENCE: S.NO_DIVERGENCE,
    Cause.BARRIERS: S.NO_BARRIERS,
    Cause.ATOMICS: S.NO_ATOMICS,
    Cause.L2_CAPACITY: S.NO_CAPACITY,
    Cause.DOUBLES: S.SPARES,
    Cause.DIVISION: S.SPARES,
    Cause.NARROW: S.SPARES,
    Cause.REUSE: S.SPARES,
    Cause.SMALL_TILES: S.SPARES | S.BY_ROUNDS,
    Cause.NO_TENSOR: S.SPARES,
}
"""Of causes that the engine leaves out, how its shape says so."""

LESS = 2
"""By how much latency is shorter, and how many times the blocks an SM holds, without these causes."""

HANDING_OUT = [S.LAUNCH, S.GPC_TURN, S.TURNOVER, S.START_GAP, S.WARP_START, S.WARP_APART]
"""What passes from one block to the next."""

SOONER = 4
"""How many times as soon one follows another without short blocks, as if each did the work of so many."""

LARGER = 16
"""How many times as large L2 is without limits of its capacity."""


def switches(causes: Collection[Cause], image: Image) -> int:
    """What the engine leaves out, as ``Machine.shape`` has it.

    Warps do not pass barriers early where addresses or branches depend on what shared memory holds.
    """
    left_out = functools.reduce(operator.or_, (SWITCHES.get(cause, 0) for cause in causes), 0)
    return left_out & ~S.NO_BARRIERS if needs_shared(image) else left_out


def paced(rates: np.ndarray, causes: Collection[Cause]) -> np.ndarray:
    """Give the rates of a machine, which hands out blocks sooner where it is to be without short ones.

    Parameters
    ----------
    rates : int64 array, shape (N_RATES,)
        As :func:`gpusim.simulate.build.rates` gives them; changed.
    causes : collection of Cause
    """
    if Cause.SHORT_BLOCKS in causes:
        rates[HANDING_OUT] //= SOONER
    return rates


def gpu_without(gpu: Gpu, causes: Collection[Cause]) -> Gpu:
    """Give the GPU on which a launch runs without some causes: with a larger L2, or one from which loads come sooner.

    Half the latency is to a warp what twice the loads under way are (Little's law).  It has these, too, where threads
    do more.
    """
    latency, l2 = gpu.latency, gpu.l2
    if Cause.L2_CAPACITY in causes:
        l2 = replace(l2, size_bytes=LARGER * l2.size_bytes)
    if Cause.LATENCY in causes or Cause.SHORT_BLOCKS in causes:
        l2 = replace(l2, coalescer_window_cycles=l2.coalescer_window_cycles // LESS)
        latency = replace(
            latency,
            l2_hit_near_cycles=latency.l2_hit_near_cycles // LESS,
            l2_fabric_cycles=latency.l2_fabric_cycles // LESS,
            l2_spread_cycles=latency.l2_spread_cycles // LESS,
            dram_cycles=latency.dram_cycles // LESS,
        )
    return gpu if l2 is gpu.l2 else replace(gpu, latency=latency, l2=l2)


def held_without(held: Occupancy, launch: Launch, gpu: Gpu) -> Occupancy:
    """Give what an SM holds of a launch: twice the blocks, or what warps and places admit, if it is without few warps.

    L1 is no smaller for it.
    """
    if Cause.FEW_WARPS not in launch.without:
        return held
    blocks = min(LESS * held.blocks_per_sm, gpu.sm.max_warps // launch.warps, gpu.sm.max_blocks)
    warps = blocks * launch.warps
    return replace(
        held, blocks_per_sm=blocks, warps_per_sm=warps, occupancy_pct=held.occupancy_pct * warps / held.warps_per_sm
    )


def whole_waves(launch: Launch, wave: int) -> int:
    """Blocks that are run of a launch: all, or those of its full waves if it is without a last wave."""
    if Cause.LAST_WAVE not in launch.without:
        return launch.blocks
    return max(launch.blocks // wave, 1) * wave if launch.blocks > wave else launch.blocks
