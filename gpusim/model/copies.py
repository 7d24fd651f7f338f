"""Copies between host and device: how long they take, and what overlapping them with kernels saves.

Data goes to the device, a kernel works on it, results come back.  One after another
that takes the sum of the three.  Cut into k equal chunks, each with its own stream,
the three units work at the same time on different chunks: copies in, the SMs, copies
out.  Each unit takes the chunks in their order, and a chunk waits for its own unit
before.  With a, b, c seconds a chunk all of it takes a + b + c + (k - 1) max(a, b, c).

The link is taken at its peak, one way: copies take longer. They overlap only where the
host's memory is pinned.  ``setup_s`` is what a copy takes besides its bytes; nobody
measured it here, so it is 0 unless given.

Sources: PCI Express Base Specification (8, 16 and 32 GT/s a lane, 128b/130b coding, 16
lanes); NVIDIA's datasheets and whitepapers of the GPUs for the generation of each, and
that of the GH200 Grace Hopper Superchip for NVLink-C2C (900 GB/s both ways together);
CUDA C++ Programming Guide, "Asynchronous Concurrent Execution", for what overlaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpusim.errors import UnknownNameError
from gpusim.model.inputs import above_zero, at_least, gpu_of

if TYPE_CHECKING:
    from gpusim.hardware import Gpu

LANES, CODING = 16, 128 / 130
TRANSFERS = {3: 8e9, 4: 16e9, 5: 32e9}
"""Of a lane a second, by generation of PCIe."""

GENERATIONS = {
    "p100": 3, "v100": 3, "a100-40gb": 4, "a100-80gb": 4, "rtx-a6000": 4, "rtx-4090": 4, "h100-pcie": 5,
    "h100-sxm": 5, "h200": 5, "b200": 5,
}  # fmt: skip
"""PCIe of each GPU, by the vendor's datasheet."""

NVLINK_C2C_BYTES_PER_S = 450e9
"""One way, between CPU and GPU of a GH200."""

UNITS = ("copy in", "kernel", "copy out")
"""What works on a chunk, in order."""


@dataclass(frozen=True, slots=True)
class Span:
    """A unit at work on a chunk.

    Attributes
    ----------
    unit : str
        One of :data:`UNITS`.
    chunk : int
        Counted from 0.
    begin_s, end_s : float
        Seconds from the start.
    """

    unit: str
    chunk: int
    begin_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Chunk:
    """What a part of the data takes in each unit.

    Attributes
    ----------
    copy_in_s, kernel_s, copy_out_s : float
        Seconds, alone.
    """

    copy_in_s: float
    kernel_s: float
    copy_out_s: float

    def __post_init__(self) -> None:
        at_least(0, copy_in_s=self.copy_in_s, kernel_s=self.kernel_s, copy_out_s=self.copy_out_s)

    @property
    def seconds(self) -> tuple[float, float, float]:
        """What each of :data:`UNITS` takes."""
        return self.copy_in_s, self.kernel_s, self.copy_out_s


def link_bytes_per_s(gpu: Gpu | str) -> float:
    """Give the peak of the link between host and device, one way.

    Parameters
    ----------
    gpu : Gpu or str

    Returns
    -------
    float
        Bytes/s of PCIe with 16 lanes: 15.8, 31.5 or 63.0 GB/s.

    Raises
    ------
    UnknownNameError
        If it is not known which link the GPU has.

    Examples
    --------
    >>> round(link_bytes_per_s("h200") / 1e9, 1)
    63.0
    """
    name = gpu_of(gpu).name
    if name not in GENERATIONS:
        raise UnknownNameError("GPU with a known link", name, GENERATIONS)
    return TRANSFERS[GENERATIONS[name]] * LANES * CODING / 8


def copy_seconds(nbytes: float, bytes_per_s: float, setup_s: float = 0.0) -> float:
    """Give what a copy takes.

    Parameters
    ----------
    nbytes : float
    bytes_per_s : float
        Of the link.
    setup_s : float
        Before the first byte, seconds.

    Returns
    -------
    float
        Seconds.
    """
    at_least(0, nbytes=nbytes, setup_s=setup_s)
    above_zero(bytes_per_s=bytes_per_s)
    return setup_s + nbytes / bytes_per_s


def sequential(chunks: Iterable[Chunk]) -> list[Span]:
    """Lay out chunks one after another, nothing at the same time.

    Parameters
    ----------
    chunks : iterable of Chunk

    Returns
    -------
    list of Span
        By time.
    """
    spans: list[Span] = []
    now = 0.0
    for number, chunk in enumerate(chunks):
        for unit, seconds in zip(UNITS, chunk.seconds, strict=True):
            spans.append(Span(unit, number, now, now + seconds))
            now += seconds
    return spans


def overlapped(chunks: Iterable[Chunk]) -> list[Span]:
    """Lay out chunks with a stream each: a unit takes them in order, each when the unit before has done with it.

    There is a copy engine for each direction, and one kernel runs at a time.

    Parameters
    ----------
    chunks : iterable of Chunk

    Returns
    -------
    list of Span
        By chunk, then by unit.

    Examples
    --------
    >>> total_seconds(overlapped([Chunk(2.0, 3.0, 1.0)] * 4))
    15.0
    """
    spans: list[Span] = []
    free = dict.fromkeys(UNITS, 0.0)
    for number, chunk in enumerate(chunks):
        ready = 0.0
        for unit, seconds in zip(UNITS, chunk.seconds, strict=True):
            begin = max(ready, free[unit])
            ready = free[unit] = begin + seconds
            spans.append(Span(unit, number, begin, ready))
    return spans


def total_seconds(spans: Sequence[Span]) -> float:
    """Give when the last one ends.

    Parameters
    ----------
    spans : sequence of Span

    Returns
    -------
    float
        Seconds.
    """
    return max((span.end_s for span in spans), default=0.0)
