"""Waves: blocks run in rounds over the SMs, and the last round may be nearly empty.

A GPU of S SMs that hold b blocks each has S b slots.  n blocks take
ceil(n / (S b)) waves; of the slots of all waves the share n / (waves S b) is used.

The model takes it that a wave lasts the same whatever is in it.  That holds
where a block takes as long beside others as alone, because it waits for
latencies or barriers.  Where the blocks of an SM share a unit that is busy all
the time, two of them take twice as long as one, and the rounds that count are
those of one block an SM: take ``blocks_per_sm = 1`` then.

Source: NVIDIA, "Matrix Multiplication Background User's Guide", sections "Tile
Quantization" and "Wave Quantization"; n / (S b) is Nsight Compute's
``launch__waves_per_multiprocessor``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpusim import hardware
from gpusim.errors import ParameterError
from gpusim.hardware.occupancy import ceil_div
from gpusim.model.inputs import above_zero, at_least, gpu_of

if TYPE_CHECKING:
    from gpusim.hardware import Gpu


@dataclass(frozen=True, slots=True)
class Waves:
    """How the blocks of a launch fill the GPU.

    Attributes
    ----------
    blocks : int
        Of the launch.
    slots : int
        Blocks that the GPU holds at once: SMs times blocks of an SM.
    """

    blocks: int
    slots: int

    @property
    def count(self) -> int:
        """Waves, the last one counted whole: ceil(blocks / slots)."""
        return ceil_div(self.blocks, self.slots)

    @property
    def exact(self) -> float:
        """Blocks over slots, as Nsight Compute counts waves."""
        return self.blocks / self.slots

    @property
    def tail_blocks(self) -> int:
        """Blocks of the last wave (all slots where it is full)."""
        return self.blocks - (self.count - 1) * self.slots

    @property
    def tail_efficiency(self) -> float:
        """Share of the slots that the last wave uses (0 to 1)."""
        return self.tail_blocks / self.slots

    @property
    def utilisation(self) -> float:
        """Share of the slots of all waves that are used (0 to 1)."""
        return self.blocks / (self.count * self.slots)

    def seconds(self, wave_seconds: float) -> float:
        """Time of the launch if every wave, the last one too, takes `wave_seconds`."""
        above_zero(wave_seconds=wave_seconds)
        return self.count * wave_seconds


def waves(blocks: int, sms: int, blocks_per_sm: int = 1) -> Waves:
    """Lay out blocks over SMs.

    Parameters
    ----------
    blocks : int
        Of the launch.
    sms : int
    blocks_per_sm : int
        Held at once.

    Returns
    -------
    Waves

    Examples
    --------
    >>> found = waves(120, sms=108)
    >>> found.count, found.tail_blocks, round(found.utilisation, 2)
    (2, 12, 0.56)
    """
    at_least(1, blocks=blocks, sms=sms, blocks_per_sm=blocks_per_sm)
    return Waves(blocks, sms * blocks_per_sm)


def launch_waves(
    gpu: Gpu | str, blocks: int, threads_per_block: int, registers_per_thread: int, shared_bytes_per_block: int = 0
) -> Waves:
    """Lay out a launch over a GPU, with as many blocks an SM as its resources admit.

    Parameters
    ----------
    gpu : Gpu or str
    blocks : int
        Of the launch.
    threads_per_block, registers_per_thread : int
    shared_bytes_per_block : int
        Static and dynamic together, bytes.

    Returns
    -------
    Waves

    Examples
    --------
    >>> launch_waves("h200", 265, threads_per_block=1024, registers_per_thread=32)
    Waves(blocks=265, slots=264)
    """
    spec = gpu_of(gpu)
    held = hardware.occupancy(spec, threads_per_block, registers_per_thread, shared_bytes_per_block)
    return waves(blocks, spec.sm_count, held.blocks_per_sm)


@dataclass(frozen=True, slots=True)
class Tiling:
    """How tiles cover an output, and waves the tiles.

    Attributes
    ----------
    tiles : int
    tile_efficiency : float
        Elements of the output over elements of all tiles (0 to 1): tiles at the edge compute more than there is.
    waves : Waves
        With a tile for a block.
    """

    tiles: int
    tile_efficiency: float
    waves: Waves

    @property
    def utilisation(self) -> float:
        """Share of the slots of all waves that does useful work (0 to 1): both losses together."""
        return self.tile_efficiency * self.waves.utilisation


def quantise(shape: Sequence[int], tile: Sequence[int], sms: int, blocks_per_sm: int = 1) -> Tiling:
    """Cover an output with tiles, one for each block, and lay these out over SMs.

    Parameters
    ----------
    shape : sequence of int
        Of the output, elements along each axis.
    tile : sequence of int
        Of a tile, elements along the same axes.
    sms : int
    blocks_per_sm : int
        Held at once.

    Returns
    -------
    Tiling

    Examples
    --------
    >>> [quantise((n, n), (256, 128), sms=108).waves.count for n in (1792, 1793)]
    [1, 2]
    """
    if len(shape) != len(tile) or not shape:
        raise ParameterError(f"shape and tile must have as many axes, not {len(shape)} and {len(tile)}")
    for size, extent in zip(shape, tile, strict=True):
        at_least(1, shape=size, tile=extent)
    tiles = math.prod(ceil_div(size, extent) for size, extent in zip(shape, tile, strict=True))
    efficiency = math.prod(shape) / (tiles * math.prod(tile))
    return Tiling(tiles, efficiency, waves(tiles, sms, blocks_per_sm))
