"""Wires that leave a GPU: to other GPUs, and to the host."""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.hardware.quantities import quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Bandwidth to other GPUs and to the host, each way; vendors mostly print both ways together.

    Attributes
    ----------
    nvlink_bytes_per_s : float or None
        All links of the GPU together, in one direction; 0 where it has none; None where it was not looked up.
    pcie_bytes_per_s : float or None
        Of its PCI Express slot, in one direction.
    """

    nvlink_bytes_per_s: float | None = quantity("byte/s", low=0, high=1e15, optional=True, informational=True)
    pcie_bytes_per_s: float | None = quantity("byte/s", low=0, high=1e15, optional=True, informational=True)
