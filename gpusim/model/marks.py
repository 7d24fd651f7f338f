"""Where kernels stand below the roof of a GPU: a mark for each level of memory, with the claims of its numbers.

Sources: Williams et al. 2009 and Yang et al. 2020, as in :mod:`gpusim.model.roofline`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING

from gpusim.errors import ParameterError, UnknownNameError
from gpusim.hardware.cpu import Cpu, cpu_of, load_cpu
from gpusim.hardware.quantities import KINDS
from gpusim.hardware.sections import Throughput
from gpusim.model import roofline
from gpusim.model.inputs import gpu_of
from gpusim.results.metric import DURATION, Metric
from gpusim.results.roofline import Mark, Roof

if TYPE_CHECKING:
    from gpusim.hardware import Gpu
    from gpusim.model.roofline import Ceiling
    from gpusim.results.chain import ChainFigures
    from gpusim.results.figures import Figures

METRICS = {
    "L1": (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    ),
    "L2": ("lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_srcunit_tex_op_write.sum"),
    "HBM": ("dram__bytes_read.sum", "dram__bytes_write.sum"),
}
"""What the bytes of a level are counted by."""

BANDWIDTHS = {
    "L1": ("sm_count", "l1.data_bytes_per_cycle", "clock.sm_hz"),
    "L2": ("l2.slices", "l2.slice_bytes_per_cycle", "clock.l2_hz"),
    "HBM": ("dram.datasheet_bytes_per_s",),
}
"""Numbers of a specification that a level's peak bandwidth follows from."""

BUS = ("dram.bus_bits", "clock.memory_hz")
"""Those of device memory where no datasheet prints its bandwidth."""

_NARROW = {
    "e4m3": "tensor fp8",
    "e5m2": "tensor fp8",
    "bf16": "tensor bf16",
    "f16": "tensor fp16",
    "f64": "tensor fp64",
    "f32": "tensor tf32",
}
"""Which tensor peak is meant by the narrowest type among a kernel's arrays, narrowest first."""


def roof_of(gpu: Gpu | Cpu | str) -> Roof:
    """Give the roof of a GPU: its dense peaks by type, and the peak bandwidth of each level of memory.

    Parameters
    ----------
    gpu : Gpu, Cpu or str
        Of a CPU the one level is its memory, ``"DRAM"``.

    Returns
    -------
    Roof
        Of halves outside the tensor cores, where the specification prints no peak: their lanes, two operations each.

    Examples
    --------
    >>> roof = roof_of("a100-40gb")
    >>> roof.peak_flops["fp32"], roof.peak_flops["tensor fp16"], list(roof.bandwidths), roof.kinds["HBM"]
    (19500000000000.0, 312000000000000.0, ['L1', 'L2', 'HBM'], 'datasheet')
    """
    if isinstance(gpu, str) and cpu_of(gpu) is not None:
        gpu = load_cpu(gpu)
    if isinstance(gpu, Cpu):
        kinds = {**dict.fromkeys(gpu.peak_flops, "datasheet"), "DRAM": "datasheet"}
        return Roof(gpu.name, gpu.peak_flops, {"DRAM": gpu.dram_bytes_per_s}, kinds)
    gpu = gpu_of(gpu)
    peaks = {name.removesuffix("_flops").replace("_", " "): name for name in _peak_fields(gpu)}
    flops = {name: float(getattr(gpu.throughput, key)) for name, key in peaks.items()}
    kinds = {name: gpu.provenance(f"throughput.{key}").kind for name, key in peaks.items()}
    if "fp16" not in flops:
        flops["fp16"] = 2 * gpu.sm.fp16_lanes * gpu.sm_count * gpu.clock.sm_hz
        kinds["fp16"] = weakest(gpu, "sm.fp16_lanes", "sm_count", "clock.sm_hz")
    rates = {level: roofline.bandwidth(gpu, level) for level in roofline.LEVELS}
    return Roof(gpu.name, flops, rates, kinds | {level: bandwidth_kind(gpu, level) for level in rates})


def _peak_fields(gpu: Gpu) -> list[str]:
    names = [f.name for f in fields(Throughput) if f.name.endswith("_flops")]
    return [name for name in names if getattr(gpu.throughput, name) is not None]


def bandwidth_kind(gpu: Gpu, level: str) -> str:
    """Say how the peak bandwidth of a level is known.

    Parameters
    ----------
    gpu : Gpu
    level : str
        One of :data:`gpusim.model.roofline.LEVELS`.
    """
    unprinted = level == "HBM" and gpu.dram.datasheet_bytes_per_s is None
    return weakest(gpu, *(BUS if unprinted else BANDWIDTHS[level]))


def weakest(gpu: Gpu, *keys: str) -> str:
    """Say how a number is known that follows from several: as the least well known of them is.

    Parameters
    ----------
    gpu : Gpu
    *keys : str
        As :meth:`gpusim.hardware.Gpu.provenance` takes them.

    Examples
    --------
    >>> from gpusim.hardware import load
    >>> weakest(load("a100-40gb"), "sm_count", "clock.l2_hz")
    'assumed'
    """
    return max((gpu.provenance(key).kind for key in keys), key=KINDS.index)


def marks_of(
    profile: Figures | ChainFigures, *, gpu: Gpu | str | None = None, peak: str | None = None, measured: bool = False
) -> list[Mark]:
    """Give a mark for each level of memory: of a launch, or of every launch of a chain that computes anything.

    Parameters
    ----------
    profile : Profile or ChainProfile
        With its FLOPs.
    gpu : Gpu or str, optional
        The profile's, unless given (a GPU of the user's own is not known by name).
    peak : str, optional
        Which of ``Roof.peak_flops`` is above it [default: what :func:`peak_name` says].
    measured : bool
        Whether its counters were counted on hardware.

    Returns
    -------
    list of Mark

    Raises
    ------
    ParameterError
        If the profile does not know its FLOPs, has none, or does not know all bytes.
    UnknownNameError
        If the roof has no such peak.
    """
    steps = getattr(profile, "steps", None)
    if steps is None:
        return list(_marks(profile, profile.kernel, gpu, peak, measured))  # type: ignore[union-attr,arg-type]
    return [
        mark
        for label, step in zip(profile.labels, steps, strict=True)  # type: ignore[union-attr]
        if step.flops
        for mark in _marks(step, f"{profile.chain}: {label}", gpu, peak, measured)  # type: ignore[union-attr]
    ]


def _marks(profile: Figures, kernel: str, gpu: Gpu | str | None, peak: str | None, measured: bool) -> Iterator[Mark]:
    if profile.flops == 0:
        raise ParameterError(f"{kernel} computes nothing in floating point: it has no place below a roof of FLOP/s")
    roof = roof_of(profile.gpu if gpu is None else gpu)
    name = peak_name(profile) if peak is None else peak
    if name not in roof.peak_flops:
        raise UnknownNameError(f"peak of {roof.gpu}", name, roof.peak_flops)
    found = roofline.below(profile, roof.peak_flops[name], roof.bandwidths)
    time = profile.metrics.get(DURATION)
    words = " ".join((kernel, *(f"{key}={value}" for key, value in profile.params.items())))
    for ceiling in found.ceilings:
        yield Mark(
            kernel=words, gpu=roof.gpu, level=ceiling.level, flops=found.flops, nbytes=ceiling.nbytes,
            seconds=float(profile.seconds), intensity=ceiling.intensity,
            flop_rate=float(found.flops / profile.seconds) if profile.seconds > 0 else math.nan,
            measured=measured, peak=name, roof_flops=ceiling.flops_per_s, bound=_bound(ceiling, roof, name),
            bytes_claim="measured" if measured else _bytes_claim(profile, ceiling.level),
            seconds_claim="measured" if measured else "" if time is None else time.claim_text,
            interval=None if time is None else time.interval,
            note=found.note if ceiling.level == "HBM" else "",
        )  # fmt: skip


def _bound(ceiling: Ceiling, roof: Roof, peak: str) -> str:
    return ceiling.level if ceiling.flops_per_s < roof.peak_flops[peak] else "compute"


def _bytes_claim(profile: Figures, level: str) -> str:
    """The claim of the counter that most of a level's bytes are counted by."""
    found = [metric for name in METRICS[level] if (metric := profile.metrics.get(name)) is not None]
    return max(found, key=_value).claim_text if found else ""


def _value(metric: Metric) -> float:
    return metric.value


def peak_name(profile: Figures) -> str:
    """Say which peak is above a kernel, by the pipes that it uses and the types of its arrays.

    Parameters
    ----------
    profile : Profile

    Returns
    -------
    str
        A tensor peak where tensor cores are used at all: that of the narrowest type among the arrays (of halves, where
        the types are not known).  Else fp32, or fp64 where its pipe is busier than that of fp32.
    """
    if profile.value("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active") > 0:
        types = " ".join(array.text for array in profile.arrays)
        return next((peak for kind, peak in _NARROW.items() if kind in types), "tensor fp16")
    double, single = (
        profile.value(f"sm__pipe_{pipe}_cycles_active.avg.pct_of_peak_sustained_active") for pipe in ("fp64", "fma")
    )
    return "fp64" if double > single else "fp32"


def least_mark(kernel: str, flops: float, nbytes: float, cpu: Cpu | str, peak: str = "fp32") -> Mark:
    """Give a mark on a CPU, of which nothing is predicted: every array goes once through its memory, no time is known.

    Parameters
    ----------
    kernel : str
    flops, nbytes : float
        Of the kernel, and of all its arrays: what is read and written, those that are both twice.
    cpu : Cpu or str
    peak : str
        ``"fp32"`` or ``"fp64"``.

    Returns
    -------
    Mark
        Its rate is NaN; its roof is what no program on the CPU can pass unless its caches hold the arrays already.

    Examples
    --------
    >>> mark = least_mark("add", 2**24, 3 * 4 * 2**24, "epyc-7742")
    >>> round(mark.intensity, 3), round(mark.roof_flops / 1e9, 1), mark.bound
    (0.083, 17.1, 'DRAM')
    """
    roof = roof_of(cpu)
    if peak not in roof.peak_flops:
        raise UnknownNameError(f"peak of {roof.gpu}", peak, roof.peak_flops)
    (found,) = roofline.hierarchical(flops, {"DRAM": nbytes}, roof.peak_flops[peak], roof.bandwidths).ceilings
    return Mark(
        kernel=kernel, gpu=roof.gpu, level="DRAM", flops=flops, nbytes=nbytes, seconds=math.nan,
        intensity=found.intensity, flop_rate=math.nan, peak=peak, roof_flops=found.flops_per_s,
        bound=_bound(found, roof, peak), bytes_claim="every array once",
    )  # fmt: skip
