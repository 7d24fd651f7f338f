"""Roofline: how many FLOP/s an arithmetic intensity allows, level of memory by level of memory.

A kernel of W FLOPs that moves Q bytes through a level has the intensity
I = W / Q there.  With a peak of P FLOP/s and a bandwidth of b bytes/s it can
reach min(P, I b), and its ridge point, where both meet, lies at P / b FLOP/byte.

Sources: Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009, section 3
(one level); Yang, Kurth and Williams, "Hierarchical Roofline analysis for GPUs",
Concurrency and Computation 32(20), 2020 (one intensity a level).  Peaks and bandwidths
are those of the GPU's specification, dense, not sparse.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpusim.errors import ParameterError, UnknownNameError
from gpusim.model.inputs import above_zero, at_least, gpu_of
from gpusim.report.units import format_bytes

if TYPE_CHECKING:
    from gpusim.hardware import Gpu
    from gpusim.results.figures import Figures

LEVELS = ("L1", "L2", "HBM")
"""Levels of memory, nearest first; ``"HBM"`` is device memory, GDDR where a board has that."""

WORTH_SAYING = 0.05
"""Of the bytes that device memory moves: less than this that L2 still holds is not mentioned."""

FIGURES = ("peak", "achieved")
"""Which bandwidth: the largest there can be, or what streaming kernels reached."""

_PEAKS = {
    "fp64": ("tensor_fp64_flops", "fp64_flops"),
    "fp32": ("fp32_flops",),
    "tf32": ("tensor_tf32_flops",),
    "fp16": ("tensor_fp16_flops", "fp16_flops"),
    "bf16": ("tensor_bf16_flops",),
    "fp8": ("tensor_fp8_flops",),
    "fp4": ("tensor_fp4_flops",),
    "int8": ("tensor_int8_ops",),
}
"""Fields of the specification that hold a type's peak: the first one that a GPU has is taken."""


def attainable_flops(intensity: float, peak_flops: float, bytes_per_s: float) -> float:
    """Bound the rate of a kernel: min(P, I b).

    Parameters
    ----------
    intensity : float
        FLOPs for every byte moved; infinite where none is.
    peak_flops : float
        FLOP/s.
    bytes_per_s : float
        Bandwidth of the level, bytes/s.

    Returns
    -------
    float
        FLOP/s.  Source: Williams et al. 2009, section 3.

    Examples
    --------
    >>> attainable_flops(10, peak_flops=1e15, bytes_per_s=3.35e12)
    33500000000000.0
    """
    above_zero(peak_flops=peak_flops, bytes_per_s=bytes_per_s)
    if math.isnan(intensity) or intensity < 0:
        raise ParameterError(f"intensity must be 0 or more, not {intensity}")
    return min(peak_flops, intensity * bytes_per_s)


def ridge_point(
    gpu: Gpu | str, dtype: str, level: str = "HBM", *, figure: str = "peak", tensor_cores: bool = True
) -> float:
    """Give the intensity from which on arithmetic is in the way, no longer memory: P / b.

    Parameters
    ----------
    gpu : Gpu or str
    dtype : str
        As in :func:`peak_flops`.
    level : str
        One of :data:`LEVELS`.
    figure : str
        One of :data:`FIGURES`.
    tensor_cores : bool

    Returns
    -------
    float
        FLOP/byte.

    Examples
    --------
    >>> [round(ridge_point("h100-sxm", dtype)) for dtype in ("fp32", "bf16", "fp8")]
    [20, 295, 591]
    """
    return peak_flops(gpu, dtype, tensor_cores=tensor_cores) / bandwidth(gpu, level, figure)


def peak_flops(gpu: Gpu | str, dtype: str, *, tensor_cores: bool = True) -> float:
    """Give the dense peak of a GPU for a type.

    Parameters
    ----------
    gpu : Gpu or str
    dtype : str
        ``"fp64"``, ``"fp32"``, ``"tf32"``, ``"fp16"``, ``"bf16"``, ``"fp8"``, ``"fp4"`` or ``"int8"``.
    tensor_cores : bool
        Whether tensor cores may do it, where the GPU has some for this type.

    Returns
    -------
    float
        FLOP/s (int8: operations/s); a multiply-add is two.

    Raises
    ------
    ParameterError
        If the GPU's specification has no peak for the type.
    """
    gpu = gpu_of(gpu)
    found = _peaks(gpu, dtype, tensor_cores)
    if not found:
        known = ", ".join(other for other in _PEAKS if _peaks(gpu, other, tensor_cores))
        where = "" if tensor_cores else " outside the tensor cores"
        raise ParameterError(f"{gpu.name} has no peak for {dtype}{where}: it has {known}")
    return found[0]


def _peaks(gpu: Gpu, dtype: str, tensor_cores: bool) -> list[float]:
    if dtype not in _PEAKS:
        raise UnknownNameError("type", dtype, _PEAKS)
    fields = [name for name in _PEAKS[dtype] if tensor_cores or not name.startswith("tensor")]
    return [peak for name in fields if (peak := getattr(gpu.throughput, name)) is not None]


def dtypes(gpu: Gpu | str) -> tuple[str, ...]:
    """Give the types that a GPU has a peak for, in the order of :func:`peak_flops`."""
    gpu = gpu_of(gpu)
    return tuple(dtype for dtype in _PEAKS if _peaks(gpu, dtype, True))


def bandwidth(gpu: Gpu | str, level: str = "HBM", figure: str = "peak") -> float:
    """Give the bandwidth of a level of memory, the whole GPU together.

    ``"peak"``: of L1 the width of its data stage times the SMs; of L2 what its
    slices can give; of device memory what the datasheet prints, or the bus's
    width times its clock where it prints nothing.  ``"achieved"``: what all SMs
    together read in streaming kernels; L1 reaches its peak.

    Parameters
    ----------
    gpu : Gpu or str
    level : str
        One of :data:`LEVELS`.
    figure : str
        One of :data:`FIGURES`.

    Returns
    -------
    float
        bytes/s.

    Raises
    ------
    ParameterError
        If nobody measured what is asked for.
    """
    gpu = gpu_of(gpu)
    for name, given, known in (("level", level, LEVELS), ("figure", figure, FIGURES)):
        if given not in known:
            raise UnknownNameError(name, given, known)
    if level == "L1":
        return gpu.sm_count * gpu.l1.data_bytes_per_cycle * gpu.clock.sm_hz
    if level == "L2":
        return _l2_bandwidth(gpu, figure)
    return _device_bandwidth(gpu, figure)


def _l2_bandwidth(gpu: Gpu, figure: str) -> float:
    if figure == "achieved":
        return gpu.throughput.l2_read_bytes_per_cycle * gpu.clock.sm_hz
    return gpu.l2.slices * gpu.l2.slice_bytes_per_cycle * gpu.clock.l2_hz


def _device_bandwidth(gpu: Gpu, figure: str) -> float:
    if figure == "peak":
        return gpu.dram.datasheet_bytes_per_s or gpu.dram_peak_bytes_per_s
    return gpu.dram.read_bytes_per_s


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What one level of memory allows a kernel.

    Attributes
    ----------
    level : str
    nbytes : float
        Moved through the level, bytes.
    bytes_per_s : float
    intensity : float
        FLOP/byte; infinite where nothing is moved.
    flops_per_s : float
        min(P, I b), FLOP/s.
    """

    level: str
    nbytes: float
    bytes_per_s: float
    intensity: float
    flops_per_s: float

    @property
    def seconds(self) -> float:
        """Time that the level alone needs for the bytes."""
        return self.nbytes / self.bytes_per_s


@dataclass(frozen=True, slots=True)
class Roofline:
    """What all levels together allow a kernel.

    Attributes
    ----------
    flops : float
        Of the kernel.
    peak_flops : float
        FLOP/s.
    ceilings : tuple of Ceiling
        One for each level, in the order given.
    note : str
        What else a reader must know of the intensities; mostly empty.
    """

    flops: float
    peak_flops: float
    ceilings: tuple[Ceiling, ...]
    note: str = ""

    @property
    def seconds(self) -> float:
        """Least time: that of the level, or of the arithmetic, that needs most."""
        return max(self.flops / self.peak_flops, *(ceiling.seconds for ceiling in self.ceilings))

    @property
    def flops_per_s(self) -> float:
        """The lowest ceiling, FLOP/s."""
        return min(self.peak_flops, *(ceiling.flops_per_s for ceiling in self.ceilings))

    @property
    def bound(self) -> str:
        """What is in the way: a level's name, or ``"compute"``."""
        slowest = max(self.ceilings, key=lambda ceiling: ceiling.seconds)
        return slowest.level if slowest.seconds > self.flops / self.peak_flops else "compute"


def hierarchical(
    flops: float, nbytes: Mapping[str, float], peak_flops: float, bytes_per_s: Mapping[str, float]
) -> Roofline:
    """Give a kernel's intensity and bound at every level of memory.

    Parameters
    ----------
    flops : float
        Of the kernel.
    nbytes : mapping of str to float
        Bytes moved, by level.
    peak_flops : float
        FLOP/s.
    bytes_per_s : mapping of str to float
        Bandwidths, by level, of every level of `nbytes`.

    Returns
    -------
    Roofline
        Source: Yang et al. 2020.

    Examples
    --------
    >>> found = hierarchical(2e9, {"L2": 1e9, "HBM": 1e8}, 60e12, {"L2": 6e12, "HBM": 3e12})
    >>> [(c.level, c.intensity, c.flops_per_s) for c in found.ceilings], found.bound
    ([('L2', 2.0, 12000000000000.0), ('HBM', 20.0, 60000000000000.0)], 'L2')
    """
    at_least(0, flops=flops, **nbytes)
    if not nbytes:
        raise ParameterError("nbytes must name a level at least")
    missing = [level for level in nbytes if level not in bytes_per_s]
    if missing:
        raise ParameterError(f"bytes_per_s lacks the level {missing[0]}")
    ceilings = (_ceiling(level, flops, moved, peak_flops, bytes_per_s[level]) for level, moved in nbytes.items())
    return Roofline(flops, peak_flops, tuple(ceilings))


def _ceiling(level: str, flops: float, nbytes: float, peak_flops: float, bytes_per_s: float) -> Ceiling:
    intensity = flops / nbytes if nbytes else math.inf
    return Ceiling(level, nbytes, bytes_per_s, intensity, attainable_flops(intensity, peak_flops, bytes_per_s))


def of_profile(
    profile: Figures,
    dtype: str = "fp32",
    *,
    gpu: Gpu | str | None = None,
    figure: str = "peak",
    tensor_cores: bool = False,
) -> Roofline:
    """Give the hierarchical roofline of a prediction.

    Parameters
    ----------
    profile : Profile
        With its FLOPs.
    dtype : str
        Of its arithmetic, as in :func:`peak_flops`.
    gpu : Gpu or str, optional
        The profile's, unless given (a GPU of the user's own is not known by name).
    figure : str
        One of :data:`FIGURES`.
    tensor_cores : bool
        Whether the kernel uses them; types that have no other peak need it.

    Returns
    -------
    Roofline
        Of L1, L2 and device memory, by the bytes that this launch moves. What L2 still holds of the result when it ends
        device memory gets later: the note says how much that is, and the intensity with it.

    Raises
    ------
    ParameterError
        If the profile does not know its FLOPs, or not all bytes.
    """
    spec = gpu_of(profile.gpu if gpu is None else gpu)
    rates = {level: bandwidth(spec, level, figure) for level in LEVELS}
    return below(profile, peak_flops(spec, dtype, tensor_cores=tensor_cores), rates)


def below(profile: Figures, peak_flops: float, bytes_per_s: Mapping[str, float]) -> Roofline:
    """Give the hierarchical roofline of a prediction below a roof whose numbers are given.

    Parameters
    ----------
    profile : Profile
        With its FLOPs.
    peak_flops : float
        FLOP/s.
    bytes_per_s : mapping of str to float
        Bandwidths of all :data:`LEVELS`.

    Returns
    -------
    Roofline

    Raises
    ------
    ParameterError
        If the profile does not know its FLOPs, or not all bytes.
    """
    if profile.flops is None:
        raise ParameterError(f"the profile of {profile.kernel} does not say how many FLOPs it has")
    found = hierarchical(profile.flops, level_bytes(profile), peak_flops, bytes_per_s)
    return replace(found, note=_still_in_l2(profile, profile.flops))


def _still_in_l2(profile: Figures, flops: float) -> str:
    """Say what device memory's intensity leaves out, where L2 keeps part of the result."""
    kept = profile.l2_dirty_bytes
    if not kept > WORTH_SAYING * profile.dram_bytes:
        return ""
    moved = profile.dram_bytes
    without, whole = (f"{flops / nbytes:.3g}" if nbytes else "∞" for nbytes in (moved, moved + kept))
    return (
        f"{profile.memory} moves {format_bytes(moved)} ({without} FLOP/byte); {format_bytes(kept)} of the result are "
        f"still in L2 when the launch ends, with which it is {whole} FLOP/byte."
    )


def level_bytes(profile: Figures) -> dict[str, float]:
    """Give the bytes that a launch moves through every level.

    Parameters
    ----------
    profile : Profile

    Returns
    -------
    dict of str to float
        ``"L1"``: sectors that global loads, stores and atomics and accesses to local memory touch, as Nsight Compute
        counts them in its roofline (shared memory apart); ``"L2"``: between L1s and L2; ``"HBM"``: device memory.
        Reads and writes together.
    """
    l1 = profile.global_load_bytes + profile.global_store_bytes + profile.global_atomic_bytes
    return {
        "L1": l1 + profile.local_load_bytes + profile.local_store_bytes,
        "L2": profile.l2_read_bytes + profile.l2_write_bytes,
        "HBM": profile.dram_bytes,
    }
