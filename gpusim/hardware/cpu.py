"""CPUs as a roofline only: a peak and a bandwidth each, from a TOML file; no kernel can be predicted on one."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gpusim import reading
from gpusim.errors import UnknownNameError
from gpusim.hardware.errors import SpecError
from gpusim.hardware.spec import Provenance

CPUS = Path(__file__).parent / "cpus"
"""The folder of built-in CPUs."""

CPU_ALIASES = {"cpu": "epyc-7742", "epyc": "epyc-7742", "xeon": "xeon-8480plus", "xeon-8480+": "xeon-8480plus"}
"""Shorter names; ``"cpu"`` is the one that NVIDIA's DGX A100 has two of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cpu:
    """One socket of a CPU.

    Attributes
    ----------
    name, full_name : str
    memory : str
        What its memory channels hold: ``"DDR4-3200"``.
    cores : int
    hz : float
        Base clock: no more is promised with all cores busy.
    fp32_flops_per_cycle, fp64_flops_per_cycle : int
        Of a core; a fused multiply-add is two.
    l3_bytes : int
        All of it together, bytes.
    dram_bytes : int
        The most that a socket takes, bytes.
    dram_bytes_per_s : float
        Peak of all memory channels, bytes/s.
    sources : tuple of (str, Provenance)
        Every number by its key.

    Examples
    --------
    >>> cpu = load_cpu("epyc-7742")
    >>> cpu.cores, round(cpu.peak_flops["fp32"] / 1e12, 3), cpu.dram_bytes_per_s / 1e9
    (64, 4.608, 204.8)
    """

    name: str
    full_name: str
    memory: str
    cores: int
    hz: float
    fp32_flops_per_cycle: int
    fp64_flops_per_cycle: int
    l3_bytes: int
    dram_bytes: int
    dram_bytes_per_s: float
    sources: tuple[tuple[str, Provenance], ...] = ()

    @property
    def peak_flops(self) -> Mapping[str, float]:
        """Peaks by type, FLOP/s: cores times the clock times what a core does a cycle."""
        rate = self.cores * self.hz
        return {"fp32": rate * self.fp32_flops_per_cycle, "fp64": rate * self.fp64_flops_per_cycle}


def cpu_names() -> list[str]:
    """Give the names of the built-in CPUs, in alphabetical order.

    Examples
    --------
    >>> cpu_names()
    ['epyc-7742', 'xeon-8480plus']
    """
    return sorted(path.stem for path in CPUS.glob("*.toml"))


def cpu_of(text: str) -> str | None:
    """Give the CPU that a name means; None where it means none.

    Examples
    --------
    >>> cpu_of("cpu"), cpu_of("h200")
    ('epyc-7742', None)
    """
    name = text.strip().lower().replace("_", "-").replace(" ", "-")
    name = CPU_ALIASES.get(name, name)
    return name if name in cpu_names() else None


@functools.cache
def load_cpu(name: str) -> Cpu:
    """Load a CPU by its name.

    Parameters
    ----------
    name : str
        See :func:`cpu_names`; ``"cpu"`` stands for one of them.

    Raises
    ------
    UnknownNameError
        If there is no such CPU.
    """
    known = cpu_of(name)
    if known is None:
        raise UnknownNameError("CPU", name, cpu_names())
    content = tomllib.loads(reading.read_text(CPUS / f"{known}.toml", SpecError))
    texts, entries = content["sources"], dict(content["cpu"])
    words = {key: entries.pop(key) for key in ("full_name", "memory")}
    numbers = {
        key: Provenance(entry["value"], entry["unit"], entry["kind"], texts.get(entry["source"], entry["source"]))
        for key, entry in entries.items()
    }
    values = {key: entry.value for key, entry in numbers.items()}
    return Cpu(name=known, **words, **values, sources=tuple(numbers.items()))


def refuse_cpu(text: str) -> None:
    """Refuse a CPU where a GPU is asked for.

    Raises
    ------
    SpecError
        If the name means a CPU.
    """
    name = cpu_of(text)
    if name is not None:
        full = load_cpu(name).full_name
        raise SpecError(
            f"{text.strip()} is a CPU ({full}), known as a roofline only: gpusim cannot predict kernels on it; "
            f"gpusim roofline KERNEL --gpu {text.strip()} shows its roof"
        )
