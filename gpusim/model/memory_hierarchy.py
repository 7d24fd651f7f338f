"""The memory hierarchy of a GPU, from its registers to the memory of the host: how large, how far, how fast.

All numbers follow from the GPU's specification, and say how those are known; of the host's memory from a CPU's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpusim.hardware.cpu import load_cpu
from gpusim.hardware.quantities import KINDS
from gpusim.model import roofline
from gpusim.model.inputs import gpu_of
from gpusim.model.marks import bandwidth_kind, weakest
from gpusim.results.documents import finite

if TYPE_CHECKING:
    from gpusim.hardware import Gpu

REGISTER_BYTES = 4
"""Bytes of a register.  Source: CUDA C++ Programming Guide, technical specifications: registers of 32 bits."""

OPERANDS = 3
"""Registers that a multiply-add reads: a, b and c of a * b + c."""

HOST = "epyc-7742"
"""The CPU whose memory stands for a host's: NVIDIA's DGX A100 has two of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level; NaN for what does not apply, or is not known.

    Attributes
    ----------
    name : str
    sm_bytes : float
        Capacity of one SM, bytes; NaN where SMs share it.
    nbytes : float
        Capacity of all SMs together, bytes.
    latency_cycles : float
        Of the SM clock, from a load to the first use of what it loads.
    sm_bytes_per_cycle : float
        Peak bandwidth of one SM; of what SMs share an equal share.
    bytes_per_s : float
        Peak bandwidth of the GPU; of links in one direction.
    reached_bytes_per_s : float
        What streaming kernels of all SMs together reached.
    sm_hz : float
        SM clock.
    kinds : mapping of str to str
        How ``"capacity"``, ``"latency"``, ``"sm_bandwidth"``, ``"bandwidth"`` and ``"reached"`` are known, as far as
        there are any.
    """

    name: str
    sm_bytes: float = math.nan
    nbytes: float = math.nan
    latency_cycles: float = math.nan
    sm_bytes_per_cycle: float = math.nan
    bytes_per_s: float = math.nan
    reached_bytes_per_s: float = math.nan
    sm_hz: float = math.nan
    kinds: Mapping[str, str] = field(default_factory=dict)

    @property
    def latency_s(self) -> float:
        """The latency in seconds, at the SM's boost clock."""
        return self.latency_cycles / self.sm_hz

    def to_dict(self) -> dict[str, Any]:
        """Give it as a plain dict, ready for JSON; None for what is not known."""
        return {
            "level": self.name,
            "bytes_per_sm": finite(self.sm_bytes),
            "bytes": finite(self.nbytes),
            "latency_cycles": finite(self.latency_cycles),
            "latency_s": finite(self.latency_s),
            "bytes_per_cycle_sm": finite(self.sm_bytes_per_cycle),
            "bytes_per_s": finite(self.bytes_per_s),
            "reached_bytes_per_s": finite(self.reached_bytes_per_s),
            "kinds": dict(self.kinds),
        }


def levels(gpu: Gpu | str, host: str = HOST) -> list[Level]:
    """Give the levels of a GPU's memory, nearest first.

    Parameters
    ----------
    gpu : Gpu or str
    host : str
        A CPU, as ``gpusim gpus`` lists it.

    Returns
    -------
    list of Level
        ``"registers"``, ``"shared memory"``, ``"L1 and shared"`` (``"L1"`` where it is apart), ``"L2"``, ``"HBM"`` or
        ``"GDDR"``, ``"NVLink"`` where there is any, ``"PCIe"`` and ``"CPU DRAM"``.

    Examples
    --------
    >>> for level in levels("a100-40gb")[1:3]:
    ...     print(level.name, level.sm_bytes / 1024, round(level.nbytes / 2**20, 2), round(level.bytes_per_s / 1e12, 1))
    shared memory 164.0 17.3 19.5
    L1 and shared 192.0 20.25 19.5
    """
    gpu = gpu_of(gpu)
    return [_registers(gpu), *_near(gpu), _l2(gpu), _device_memory(gpu), *_links(gpu), _host_memory(host)]


def _registers(gpu: Gpu) -> Level:
    """Registers; their bandwidth is what multiply-adds at their peak read."""
    one, wide = gpu.sm.registers * REGISTER_BYTES, gpu.sm.fp32_lanes * OPERANDS * REGISTER_BYTES
    return Level(
        name="registers", sm_bytes=one, nbytes=one * gpu.sm_count, sm_bytes_per_cycle=wide,
        bytes_per_s=wide * gpu.sm_count * gpu.clock.sm_hz, sm_hz=gpu.clock.sm_hz,
        kinds={
            "capacity": weakest(gpu, "sm.registers", "sm_count"),
            "sm_bandwidth": weakest(gpu, "sm.fp32_lanes"),
            "bandwidth": weakest(gpu, "sm.fp32_lanes", "sm_count", "clock.sm_hz"),
        },
    )  # fmt: skip


def _near(gpu: Gpu) -> Iterator[Level]:
    """Shared memory and L1, which have one data stage."""
    apart = gpu.l1.size_bytes is not None
    key = "l1.size_bytes" if apart else "l1.unified_bytes"
    capacity = gpu.l1.size_bytes if gpu.l1.size_bytes is not None else gpu.l1.unified_bytes
    rows = (
        ("shared memory", gpu.shared.bytes_per_sm, "shared.bytes_per_sm", "latency.shared_cycles"),
        ("L1" if apart else "L1 and shared", capacity or 0, key, "latency.l1_hit_cycles"),
    )
    for name, one, where, latency in rows:
        yield Level(
            name=name, sm_bytes=one, nbytes=one * gpu.sm_count, latency_cycles=gpu.provenance(latency).value,
            sm_bytes_per_cycle=gpu.l1.data_bytes_per_cycle, bytes_per_s=roofline.bandwidth(gpu, "L1"),
            sm_hz=gpu.clock.sm_hz,
            kinds={
                "capacity": weakest(gpu, where, "sm_count"),
                "latency": weakest(gpu, latency),
                "sm_bandwidth": weakest(gpu, "l1.data_bytes_per_cycle"),
                "bandwidth": bandwidth_kind(gpu, "L1"),
            },
        )  # fmt: skip


def _l2(gpu: Gpu) -> Level:
    return Level(
        name="L2", nbytes=gpu.l2.size_bytes, latency_cycles=gpu.latency.l2_hit_near_cycles,
        sm_bytes_per_cycle=gpu.throughput.l2_to_sm_bytes_per_cycle, bytes_per_s=roofline.bandwidth(gpu, "L2"),
        reached_bytes_per_s=roofline.bandwidth(gpu, "L2", "achieved"), sm_hz=gpu.clock.sm_hz,
        kinds={
            "capacity": weakest(gpu, "l2.size_bytes"),
            "latency": weakest(gpu, "latency.l2_hit_near_cycles"),
            "sm_bandwidth": weakest(gpu, "throughput.l2_to_sm_bytes_per_cycle"),
            "bandwidth": bandwidth_kind(gpu, "L2"),
            "reached": weakest(gpu, "throughput.l2_read_bytes_per_cycle"),
        },
    )  # fmt: skip


def _device_memory(gpu: Gpu) -> Level:
    peak = roofline.bandwidth(gpu)
    return Level(
        name=gpu.memory, nbytes=gpu.dram.size_bytes, latency_cycles=gpu.latency.dram_cycles,
        sm_bytes_per_cycle=peak / gpu.clock.sm_hz / gpu.sm_count, bytes_per_s=peak,
        reached_bytes_per_s=roofline.bandwidth(gpu, "HBM", "achieved"), sm_hz=gpu.clock.sm_hz,
        kinds={
            "capacity": weakest(gpu, "dram.size_bytes"),
            "latency": weakest(gpu, "latency.dram_cycles"),
            "sm_bandwidth": _share_kind(gpu, bandwidth_kind(gpu, "HBM")),
            "bandwidth": bandwidth_kind(gpu, "HBM"),
            "reached": weakest(gpu, "dram.read_bytes_per_s"),
        },
    )  # fmt: skip


def _links(gpu: Gpu) -> Iterator[Level]:
    """Links that the specification knows, in one direction."""
    for name, key in (("NVLink", "nvlink_bytes_per_s"), ("PCIe", "pcie_bytes_per_s")):
        rate = getattr(gpu.links, key)
        if rate:
            share = rate / gpu.clock.sm_hz / gpu.sm_count
            known = weakest(gpu, f"links.{key}")
            kinds = {"sm_bandwidth": _share_kind(gpu, known), "bandwidth": known}
            yield Level(name=name, sm_bytes_per_cycle=share, bytes_per_s=rate, sm_hz=gpu.clock.sm_hz, kinds=kinds)


def _share_kind(gpu: Gpu, kind: str) -> str:
    """How an SM's share of a bandwidth in bytes a cycle is known: by SMs and their clock, too."""
    return max(kind, weakest(gpu, "sm_count", "clock.sm_hz"), key=KINDS.index)


def _host_memory(host: str) -> Level:
    cpu = load_cpu(host)
    known = dict(cpu.sources)
    kinds = {"capacity": known["dram_bytes"].kind, "bandwidth": known["dram_bytes_per_s"].kind}
    return Level(name="CPU DRAM", nbytes=cpu.dram_bytes, bytes_per_s=cpu.dram_bytes_per_s, kinds=kinds)


def tensor_flops_per_cycle(gpu: Gpu | str) -> float:
    """Give what an SM's tensor cores do a cycle with halves, dense: FLOP/cycle; 0 without tensor cores.

    Parameters
    ----------
    gpu : Gpu or str

    Returns
    -------
    float
        The datasheet's peak over SMs and the clock that it assumes.

    Examples
    --------
    >>> [round(tensor_flops_per_cycle(name)) for name in ("p100", "a100-40gb", "h200")]
    [0, 2049, 4096]
    """
    gpu = gpu_of(gpu)
    return (gpu.throughput.tensor_fp16_flops or 0) / gpu.sm_count / (gpu.clock.tensor_hz or gpu.clock.sm_hz)


def cuda_cores(gpu: Gpu | str) -> int:
    """Give how many fp32 lanes, "CUDA cores", a GPU has.

    Examples
    --------
    >>> cuda_cores("h100-pcie"), cuda_cores("h100-sxm")
    (14592, 16896)
    """
    gpu = gpu_of(gpu)
    return gpu.sm_count * gpu.sm.fp32_lanes
