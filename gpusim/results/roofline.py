"""A roofline as plain numbers: the roof of a GPU or CPU, and where kernels stand below it.

What works them out is :mod:`gpusim.model.marks`; what draws or tabulates them needs nothing else.

Sources: Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009, section 3; Yang, Kurth and Williams,
"Hierarchical Roofline analysis for GPUs", Concurrency and Computation 32(20), 2020 (a mark for each level).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gpusim.results.documents import finite, plain
from gpusim.results.metric import Interval


@dataclass(frozen=True, slots=True)
class Roof:
    """What a processor allows: horizontal ceilings of arithmetic, slanted ones of memory.

    Attributes
    ----------
    gpu : str
        Its name, as ``gpusim gpus`` lists it; of a CPU, too.
    peak_flops : mapping of str to float
        Dense peaks by name (``"fp32"``, ``"tensor fp16"``), FLOP/s; a fused multiply-add is two.
    bandwidths : mapping of str to float
        Peak bandwidth of each level of memory, nearest first (``"L1"``, ``"L2"``, ``"HBM"``), bytes/s.
    kinds : mapping of str to str
        How each of these is known, by the same names: ``"datasheet"``, ``"measured"``, ``"fitted"``, ``"assumed"``.
    """

    gpu: str
    peak_flops: Mapping[str, float]
    bandwidths: Mapping[str, float]
    kinds: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Give it as a plain dict, ready for JSON: each number with how it is known."""
        return {
            "gpu": self.gpu,
            "peaks": {name: self._number(name, "flops_per_s", value) for name, value in self.peak_flops.items()},
            "levels": {name: self._number(name, "bytes_per_s", value) for name, value in self.bandwidths.items()},
        }

    def _number(self, name: str, unit: str, value: float) -> dict[str, Any]:
        return {unit: value, "kind": self.kinds.get(name, "")}


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a kernel stands at one level of memory.

    Attributes
    ----------
    kernel : str
        As it is shown: ``"matmul-tiled M=512 T=32"``.
    gpu : str
        That of its :class:`Roof`.
    level : str
        One of ``Roof.bandwidths``.
    flops : float
        Floating-point operations of the algorithm.
    nbytes : float
        Moved through the level, bytes.
    seconds : float
        Time of the launch; NaN where it was not timed.
    intensity : float
        flops / nbytes, FLOP/byte; infinite where nothing is moved.
    flop_rate : float
        flops / seconds, FLOP/s.
    measured : bool
        Whether bytes and time were counted on hardware; else they are predicted.
    peak : str
        Which of ``Roof.peak_flops`` is above the kernel.
    roof_flops : float
        What the roof allows at this intensity, FLOP/s: min(peak, intensity times bandwidth).
    bound : str
        What the roof is there: the level's bandwidth, by its name, or ``"compute"``, the peak.
    bytes_claim, seconds_claim : str
        How far to trust `nbytes` and `seconds`, as tables show it: ``"modelled ±0.4/3.1 %"``.
    interval : Interval or None
        Between what the seconds lie.
    note : str
        What else a reader must know of the bytes, such as how much of the result is still in L2; mostly empty.
    """

    kernel: str
    gpu: str
    level: str
    flops: float
    nbytes: float
    seconds: float
    intensity: float
    flop_rate: float
    measured: bool = False
    peak: str = "fp32"
    roof_flops: float = float("nan")
    bound: str = ""
    bytes_claim: str = ""
    seconds_claim: str = ""
    interval: Interval | None = None
    note: str = ""

    @property
    def share(self) -> float:
        """What is achieved of what the roof allows at this intensity (0 to 1)."""
        return self.flop_rate / self.roof_flops

    @property
    def flop_rate_interval(self) -> tuple[float, float] | None:
        """Between what the rate lies, FLOP/s: the longest time gives the lowest; None where no interval is known."""
        if self.interval is None:
            return None
        return self.flops / self.interval.high, self.flops / self.interval.low

    def to_dict(self) -> dict[str, Any]:
        """Give it as a plain dict, ready for JSON; None for what is not known, and for an infinite intensity."""
        ends = self.interval
        return {
            "kernel": self.kernel,
            "gpu": self.gpu,
            "level": self.level,
            "measured": self.measured,
            "peak": self.peak,
            "flops": plain(self.flops),
            "bytes": finite(self.nbytes),
            "seconds": finite(self.seconds),
            "flops_per_byte": finite(self.intensity),
            "flops_per_s": finite(self.flop_rate),
            "roof_flops_per_s": finite(self.roof_flops),
            "share": finite(self.share),
            "bound": self.bound,
            "bytes_claim": self.bytes_claim,
            "seconds_claim": self.seconds_claim,
            "interval": None if ends is None else {key: plain(value) for key, value in ends._asdict().items()},
            "note": self.note,
        }
