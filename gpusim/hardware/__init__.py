"""GPU specifications, one TOML file each, and occupancy.

>>> from gpusim.hardware import load, occupancy
>>> gpu = load("h200")
>>> gpu.l2.size_bytes, gpu.provenance("l2.size_bytes").unit
(62914560, 'byte')
>>> occupancy(gpu, threads_per_block=256, registers_per_thread=32, shared_bytes_per_block=2048).blocks_per_sm
8
"""

from __future__ import annotations

from gpusim.hardware.cpu import Cpu, cpu_names, cpu_of, load_cpu
from gpusim.hardware.errors import OccupancyError, SpecError
from gpusim.hardware.library import DEFAULT_ARCHITECTURE, architecture, given, having, names, of_architecture
from gpusim.hardware.library import load_gpu as load
from gpusim.hardware.occupancy import Occupancy, occupancy
from gpusim.hardware.spec import Gpu, Provenance
from gpusim.hardware.writer import to_toml

__all__ = [
    "DEFAULT_ARCHITECTURE", "Cpu", "Gpu", "Occupancy", "OccupancyError", "Provenance", "SpecError", "architecture",
    "cpu_names", "cpu_of", "given", "having", "load", "load_cpu", "names", "occupancy", "of_architecture", "to_toml",
]  # fmt: skip
