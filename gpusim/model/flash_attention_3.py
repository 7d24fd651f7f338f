"""FlashAttention-3, forward: bytes, FLOPs, exponentials, and the time that none of them allows to undercut.

A block takes Br queries of one head.  A warp of it fetches tiles of Bc keys and values into a ring of stages in
shared memory, its other warps multiply Q K^T, take exponentials, and multiply P V, both products on tensor cores.
Every weight costs 4 d FLOPs there and one exponential on the multi-function units, of which an SM has 16 lanes:
on an H100 that is half a product's time at d = 128 in fp16, and all of it in fp8 or at d = 64.  So the exponentials
of one tile are taken while the products of another are under way; in turn, the two times would add up.

Counted are whole tiles, as a block computes them, for products and exponentials; of exponentials the weights' alone
(rescaling O takes one more a row and tile: 1 / Bc as many).  FLOPs as they are published count N^2 weights a head,
half of them where causal, so that tiles on the diagonal and at the edge make the published rate lower.

In FP8 every tile of Q, K and V has a scale in FP32, O is in 16 bits, and V is transposed where it lies.

Source: Shah et al. 2024, "FlashAttention-3", arXiv 2407.08608: algorithm 1 (loops, ring of stages), section 3.1
(exponentials), section 3.3 (a scale a tile); section 4.1 counts FLOPs.  Tiles as released: :data:`TILES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpusim.errors import ParameterError, UnknownNameError
from gpusim.hardware.occupancy import ceil_div
from gpusim.model import roofline
from gpusim.model.attention_memory import STATISTIC_BYTES
from gpusim.model.fp8 import Scaling, scale_bytes
from gpusim.model.inputs import at_least, gpu_of

if TYPE_CHECKING:
    from gpusim.hardware import Gpu

ELEMENT_BYTES = {"fp16": 2, "bf16": 2, "fp8": 1}
"""Bytes of an element of Q, K and V, by type."""

RESULT_BYTES = 2
"""Bytes of an element of O, for FP8 too."""

TILES = {
    ("fp16", 64, False): (192, 128, 2),
    ("fp16", 64, True): (192, 128, 2),
    ("fp16", 128, False): (128, 176, 2),
    ("fp16", 128, True): (128, 128, 2),
    ("fp16", 256, False): (128, 80, 2),
    ("fp16", 256, True): (128, 80, 2),
    ("fp8", 64, False): (192, 128, 2),
    ("fp8", 64, True): (192, 128, 2),
    ("fp8", 128, False): (128, 128, 4),
    ("fp8", 128, True): (128, 128, 4),
    ("fp8", 256, False): (128, 128, 3),
    ("fp8", 256, True): (128, 128, 3),
}
"""Br, Bc and stages by type, d, and whether causal; bf16 has those of fp16.

Source: github.com/Dao-AILab/flash-attention, hopper/flash_fwd_launch_template.h at commit 1899c970 (2024).
"""


@dataclass(frozen=True, slots=True)
class Bound:
    """What each of three units needs for a forward pass; no unit's time can be undercut.

    Attributes
    ----------
    flops : float
        As published rates count them.
    tensor_seconds, exponential_seconds, hbm_seconds : float
        Of the tensor cores, the multi-function units and device memory, s.
    """

    flops: float
    tensor_seconds: float
    exponential_seconds: float
    hbm_seconds: float

    @property
    def seconds(self) -> float:
        """Least time, everything under way at once: the slowest unit's."""
        return max(self.tensor_seconds, self.exponential_seconds, self.hbm_seconds)

    @property
    def seconds_in_turn(self) -> float:
        """Least time where no exponential is taken while a product is under way."""
        return max(self.tensor_seconds + self.exponential_seconds, self.hbm_seconds)

    @property
    def flops_per_s(self) -> float:
        """Rate that :attr:`seconds` allows."""
        return self.flops / self.seconds

    @property
    def flops_per_s_in_turn(self) -> float:
        """Rate that :attr:`seconds_in_turn` allows."""
        return self.flops / self.seconds_in_turn

    @property
    def limit(self) -> str:
        """What is in the way: ``"tensor cores"``, ``"exponentials"`` or ``"HBM"``."""
        times = {
            "tensor cores": self.tensor_seconds,
            "exponentials": self.exponential_seconds,
            "HBM": self.hbm_seconds,
        }
        return max(times, key=times.__getitem__)


@dataclass(frozen=True)
class FlashAttention3:
    """Forward pass of self-attention over H heads of B sequences.

    Parameters
    ----------
    N : int
        Sequence length.
    d : int
        Of a head.
    B, H : int
        Sequences and heads.
    Br, Bc : int
        Queries of a block, and keys of a tile.
    stages : int
        Tiles of keys and of values that a block's shared memory has room for.
    dtype : str
        Of Q, K and V: one of :data:`ELEMENT_BYTES`.
    causal : bool
        Whether a query sees no later key.

    Examples
    --------
    >>> layer = FlashAttention3(N=8192, d=128, B=2, H=16, Br=128, Bc=176, stages=2)
    >>> layer.smem_bytes // 1024, layer.hbm_bytes // 2**20, round(layer.loaded_bytes / layer.hbm_bytes)
    (208, 257, 32)
    >>> bound = layer.bound("h100-sxm")
    >>> bound.limit, round(bound.exponential_seconds / bound.tensor_seconds, 2)
    ('tensor cores', 0.46)
    """

    N: int
    d: int
    B: int = 1
    H: int = 1
    Br: int = 128
    Bc: int = 128
    stages: int = 2
    dtype: str = "fp16"
    causal: bool = False

    def __post_init__(self) -> None:
        at_least(1, N=self.N, d=self.d, B=self.B, H=self.H, Br=self.Br, Bc=self.Bc, stages=self.stages)
        if self.dtype not in ELEMENT_BYTES:
            raise UnknownNameError("type", self.dtype, ELEMENT_BYTES)

    # ------------------------------------------------------------ tiles

    @property
    def heads(self) -> int:
        """B H."""
        return self.B * self.H

    @property
    def query_tiles(self) -> int:
        """Tiles of queries of a head: ceil(N / Br)."""
        return ceil_div(self.N, self.Br)

    def _key_tiles(self) -> Iterator[int]:
        """Tiles of keys that each tile of queries meets: all, or those that its last query sees."""
        for tile in range(self.query_tiles):
            last = min(self.N, (tile + 1) * self.Br) if self.causal else self.N
            yield ceil_div(last, self.Bc)

    @property
    def tile_pairs(self) -> int:
        """Pairs of a tile of queries and one of keys that a head computes."""
        return sum(self._key_tiles())

    # ------------------------------------------------------------ work

    @property
    def flops(self) -> float:
        """FLOPs of both products as published rates count them: 4 B H N^2 d, half of it where causal."""
        return 4 * self.heads * self.N**2 * self.d / (2 if self.causal else 1)

    @property
    def tile_flops(self) -> int:
        """FLOPs of both products that are executed: 4 Br Bc d a pair of tiles."""
        return 4 * self.d * self.exponentials

    @property
    def exponentials(self) -> int:
        """Exponentials that are executed, one a weight: Br Bc a pair of tiles."""
        return self.heads * self.tile_pairs * self.Br * self.Bc

    # ------------------------------------------------------------ bytes

    @property
    def _matrix_bytes(self) -> int:
        """Q, K or V of a head."""
        return self.N * self.d * ELEMENT_BYTES[self.dtype]

    def _scale_bytes(self, rows: int) -> int:
        """The scales of a head's Q, K or V in tiles of so many rows."""
        return scale_bytes((self.N, self.d), Scaling(rows, None)) if self.dtype == "fp8" else 0

    @property
    def _stored_bytes(self) -> int:
        """O and L of a head."""
        return self.N * (self.d * RESULT_BYTES + STATISTIC_BYTES)

    @property
    def scale_bytes(self) -> int:
        """Scales of Q, K and V: one of FP32 for every tile; none but for FP8."""
        return self.heads * (self._scale_bytes(self.Br) + 2 * self._scale_bytes(self.Bc))

    @property
    def hbm_bytes(self) -> int:
        """Bytes that device memory moves at least, caches cold: Q, K, V and scales read once, O and L written once."""
        return self.heads * (3 * self._matrix_bytes + self._stored_bytes) + self.scale_bytes

    @property
    def loaded_bytes(self) -> int:
        """Bytes that blocks fetch and store: K and V once for every tile of queries that meets them.

        Device memory moves as many if L2 keeps nothing, and a cluster of c blocks that share what they fetch asks L2
        for 1 / c of the keys and values.
        """
        keys = sum(min(self.N, tiles * self.Bc) for tiles in self._key_tiles())
        fetched = 2 * keys * self.d * ELEMENT_BYTES[self.dtype] + self._matrix_bytes
        scales = 0 if self.dtype != "fp8" else 2 * 4 * self.tile_pairs + self._scale_bytes(self.Br)
        return self.heads * (fetched + scales + self._stored_bytes)

    @property
    def smem_bytes(self) -> int:
        """Shared memory of a block: a tile of Q and the stages of K and V; O leaves through the room of V.

        The barriers of the ring, tens of bytes, are left out.
        """
        element = ELEMENT_BYTES[self.dtype]
        ring = self.stages * self.Bc * self.d * element
        return self.Br * self.d * element + ring + max(ring, self.Br * self.d * RESULT_BYTES)

    # ------------------------------------------------------------ time

    def bound(self, gpu: Gpu | str) -> Bound:
        """Give the least time of each unit.

        Peaks of tensor cores are the datasheet's, at its boost clock; the multi-function units run at the clock of the
        specification, which may be a few per cent higher (8 % on an H100).

        Parameters
        ----------
        gpu : Gpu or str

        Returns
        -------
        Bound

        Raises
        ------
        ParameterError
            If a block does not fit the GPU's shared memory, or its tensor cores do not know the type.
        """
        gpu = gpu_of(gpu)
        room = gpu.shared.max_bytes_per_block
        if self.smem_bytes > room:
            raise ParameterError(
                f"a block needs {self.smem_bytes} bytes of shared memory, and one of {gpu.name} has {room} at most: "
                "take smaller tiles or fewer stages"
            )
        return Bound(
            self.flops,
            self.tile_flops / roofline.peak_flops(gpu, self.dtype),
            self.exponentials / exponentials_per_s(gpu),
            self.hbm_bytes / roofline.bandwidth(gpu, "HBM"),
        )


def exponentials_per_s(gpu: Gpu | str) -> float:
    """Give the rate of a GPU's multi-function units: lanes of an SM times SMs times clock.

    Parameters
    ----------
    gpu : Gpu or str

    Returns
    -------
    float
        Exponentials (or other special functions) a second.

    Examples
    --------
    >>> round(exponentials_per_s("h100-sxm") / 1e12, 2)
    4.18
    """
    gpu = gpu_of(gpu)
    return gpu.sm_count * gpu.sm.mufu_lanes * gpu.clock.sm_hz


def as_released(N: int, d: int, B: int = 1, H: int = 1, dtype: str = "fp16", causal: bool = False) -> FlashAttention3:
    """Give a forward pass with the tiles of the released kernels.

    Parameters
    ----------
    N, d, B, H, dtype, causal
        As of :class:`FlashAttention3`.

    Returns
    -------
    FlashAttention3

    Raises
    ------
    ParameterError
        If there is no kernel for d.

    Examples
    --------
    >>> layer = as_released(N=16384, d=256, H=8)
    >>> layer.Br, layer.Bc, layer.stages, round(layer.bound("h100-sxm").flops_per_s / 1e12)
    (128, 80, 2, 988)
    """
    shape = FlashAttention3(N, d, B, H, dtype=dtype, causal=causal)
    key = ("fp8" if dtype == "fp8" else "fp16", d, causal)
    if key not in TILES:
        raise ParameterError(f"FlashAttention-3 has kernels for d = 64, 128 and 256, not {shape.d}")
    Br, Bc, stages = TILES[key]
    return FlashAttention3(N, d, B, H, Br, Bc, stages, dtype, causal)
