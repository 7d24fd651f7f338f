"""Figures by which GPUs are compared: what each has, how that is known, and what CPUs have of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.hardware import Gpu, load, load_cpu
from gpusim.hardware.cpu import Cpu, cpu_of
from gpusim.hardware.quantities import KINDS
from gpusim.model import memory_hierarchy
from gpusim.model.marks import roof_of, weakest
from gpusim.results.documents import finite

if TYPE_CHECKING:
    from gpusim.results.roofline import Roof


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a GPU.

    Attributes
    ----------
    name : str
    unit : str
        ``"1"``, ``"Hz"``, ``"flop/s"``, ``"byte"``, ``"byte/s"``, ``"cycle"``, ``"flop/cycle"`` or ``"flop/byte"``.
    value : float
        NaN where the GPU has no such thing, or it is not known.
    kind : str
        How it is known, of what follows from several numbers as the least well known of them; empty for no value.
    """

    name: str
    unit: str
    value: float
    kind: str

    def to_dict(self, first: Figure) -> dict[str, Any]:
        """Give it as a plain dict, ready for JSON, with its ratio to that of the first GPU."""
        return {
            "figure": self.name,
            "unit": self.unit,
            "value": finite(self.value),
            "kind": self.kind or None,
            "ratio": finite(ratio(self, first)),
        }


class _Source(NamedTuple):
    """Where a figure is found: numbers of a specification, and what is made of them."""

    unit: str
    keys: tuple[str, ...]
    value: Callable[[Gpu], Any]


_LAYOUT = {
    "SMs": _Source("1", ("sm_count",), lambda gpu: gpu.sm_count),
    "CUDA cores": _Source("1", ("sm_count", "sm.fp32_lanes"), memory_hierarchy.cuda_cores),
    "SM clock": _Source("Hz", ("clock.sm_hz",), lambda gpu: gpu.clock.sm_hz),
    "L2 clock": _Source("Hz", ("clock.l2_hz",), lambda gpu: gpu.clock.l2_hz),
    "memory clock": _Source("Hz", ("clock.memory_hz",), lambda gpu: gpu.clock.memory_hz),
    "threads an SM holds": _Source("1", ("sm.max_warps",), lambda gpu: gpu.sm.max_threads),
    "blocks an SM holds": _Source("1", ("sm.max_blocks",), lambda gpu: gpu.sm.max_blocks),
    "shared memory a block": _Source(
        "byte", ("shared.max_bytes_per_block",), lambda gpu: gpu.shared.max_bytes_per_block
    ),
}
"""Figures read from a specification, in the order in which they are shown."""

_RIDGES = ("fp32", "tensor fp16", "tensor fp8")
"""Peaks whose ridge points with device memory are shown."""

TENSOR = "tensor FLOPs an SM cycle"
"""What the tensor cores of an SM do a cycle with halves."""


def processor_of(name: str) -> Gpu | Cpu:
    """Load a GPU or a CPU.

    Parameters
    ----------
    name : str
        As ``gpusim gpus`` lists it, or a TOML file of a GPU.

    Raises
    ------
    SpecError
        If there is neither of that name.
    """
    return load(name) if cpu_of(name) is None else load_cpu(name)


def figures(processor: Gpu | Cpu) -> list[Figure]:
    """Give all figures of a GPU; of a CPU those that it has.

    Parameters
    ----------
    processor : Gpu or Cpu

    Examples
    --------
    >>> found = {one.name: one for one in figures(processor_of("a100-40gb"))}
    >>> found["CUDA cores"].value, found["fp32 peak"].value, found["HBM bandwidth"].kind
    (6912, 19500000000000.0, 'datasheet')
    """
    roof = roof_of(processor)
    if isinstance(processor, Cpu):
        return [*_peaks(roof), *_cpu_memory(processor), *_ridges(roof, "DRAM")]
    return [*_layout(processor), *_peaks(roof), *_tensor(processor), *_memory(processor), *_ridges(roof, "HBM")]


def _layout(gpu: Gpu) -> Iterator[Figure]:
    for name, source in _LAYOUT.items():
        yield Figure(name, source.unit, source.value(gpu), weakest(gpu, *source.keys))


def _peaks(roof: Roof) -> Iterator[Figure]:
    for name, peak in roof.peak_flops.items():
        yield Figure(f"{name} peak", "flop/s", peak, roof.kinds[name])


def _tensor(gpu: Gpu) -> Iterator[Figure]:
    if gpu.throughput.tensor_fp16_flops is not None:
        clock = "clock.sm_hz" if gpu.clock.tensor_hz is None else "clock.tensor_hz"
        kind = weakest(gpu, "throughput.tensor_fp16_flops", "sm_count", clock)
        yield Figure(TENSOR, "flop/cycle", memory_hierarchy.tensor_flops_per_cycle(gpu), kind)


def _memory(gpu: Gpu) -> Iterator[Figure]:
    """Capacity, bandwidth and latency of each level; device memory is HBM here, whatever its type."""
    for level in memory_hierarchy.levels(gpu):
        name = "HBM" if level.name == gpu.memory else "L1" if level.name == "L1 and shared" else level.name
        if name == "CPU DRAM":
            continue
        parts = {
            "size an SM": ("byte", level.sm_bytes, "capacity"),
            "size": ("byte", level.nbytes, "capacity"),
            "bandwidth": ("byte/s", level.bytes_per_s, "bandwidth"),
            "reads reached": ("byte/s", level.reached_bytes_per_s, "reached"),
            "latency": ("cycle", level.latency_cycles, "latency"),
        }
        for what, (unit, value, kind) in parts.items():
            if math.isfinite(value):
                yield Figure(f"{name} {what}", unit, value, level.kinds[kind])


def _cpu_memory(cpu: Cpu) -> Iterator[Figure]:
    known = dict(cpu.sources)
    yield Figure("CPU cores", "1", cpu.cores, known["cores"].kind)
    yield Figure("CPU clock", "Hz", cpu.hz, known["hz"].kind)
    yield Figure("L3 size", "byte", cpu.l3_bytes, known["l3_bytes"].kind)
    yield Figure("DRAM size", "byte", cpu.dram_bytes, known["dram_bytes"].kind)
    yield Figure("DRAM bandwidth", "byte/s", cpu.dram_bytes_per_s, known["dram_bytes_per_s"].kind)


def _ridges(roof: Roof, level: str) -> Iterator[Figure]:
    for peak in _RIDGES:
        if peak in roof.peak_flops:
            kind = max(roof.kinds[peak], roof.kinds[level], key=KINDS.index)
            yield Figure(f"ridge {peak}, {level}", "flop/byte", roof.peak_flops[peak] / roof.bandwidths[level], kind)


def ratio(figure: Figure, first: Figure) -> float:
    """Give how many times the first GPU's figure another one's is; NaN where one of them is not known."""
    return figure.value / first.value if first.value else math.nan


def side_by_side(processors: Sequence[Gpu | Cpu]) -> list[list[Figure]]:
    """Give the figures of several GPUs, a list a figure that one of them has at least, with one of each GPU.

    Parameters
    ----------
    processors : sequence of Gpu or Cpu
    """
    each = [{one.name: one for one in figures(processor)} for processor in processors]
    units = {name: one.unit for known in each for name, one in known.items()}
    order = sorted(
        units, key=list(dict.fromkeys(name for known in sorted(each, key=len)[::-1] for name in known)).index
    )
    return [[known.get(name, Figure(name, units[name], math.nan, "")) for known in each] for name in order]
