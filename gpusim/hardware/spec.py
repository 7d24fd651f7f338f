"""Gpu: the immutable specification of one GPU, and where each of its numbers comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from gpusim.errors import UnknownNameError
from gpusim.hardware.generation import Access, Clusters, Copies, Fetch, Issue, Launching, Spacing
from gpusim.hardware.links import Links
from gpusim.hardware.programming import Abi, Instructions, Limits
from gpusim.hardware.sections import L1, L2, SECTIONS, Clock, Dram, Identity, Latency, Placement, Shared, Sm, Throughput

TOP = "identity"
"""The section whose fields are attributes of the Gpu itself."""


class Provenance(NamedTuple):
    """One number of a specification with where it comes from.

    Attributes
    ----------
    value : int, float or tuple
    unit : str
    kind : str
        ``"datasheet"``, ``"measured"``, ``"fitted"`` or ``"assumed"``.
    source : str
    """

    value: Any
    unit: str
    kind: str
    source: str

    @property
    def lender(self) -> str:
        """The GPU or architecture whose number this is; empty where it is one's own.

        Examples
        --------
        >>> Provenance(4, "1", "assumed", "as h200: measured").lender
        'h200'
        """
        found = re.match(r"as ([\w.-]+): ", self.source)
        return found[1] if found else ""


@dataclass(frozen=True, kw_only=True)
class Gpu(Identity):
    """One GPU.  The attributes and units of a section are described at its class.

    Attributes
    ----------
    sm : Sm
    shared : Shared
    l1 : L1
    l2 : L2
    dram : Dram
    latency : Latency
    clock : Clock
    throughput : Throughput
    placement : Placement
    launch : Launching
    fetch : Fetch
    issue : Issue
    access : Access
    copies : Copies
    clusters : Clusters
    spacing : Spacing
    links : Links
    abi : Abi
    limits : Limits
    instructions : Instructions
    sources : tuple of (str, Provenance)
        Every number by its key, in the order of the sections.

    Examples
    --------
    >>> from gpusim.hardware import load
    >>> gpu = load("h200")
    >>> gpu.sm_count, gpu.l2.size_bytes, gpu.compute_capability
    (132, 62914560, (9, 0))
    """

    sm: Sm
    shared: Shared
    l1: L1
    l2: L2
    dram: Dram
    latency: Latency
    clock: Clock
    throughput: Throughput
    placement: Placement
    launch: Launching
    fetch: Fetch
    issue: Issue
    access: Access
    copies: Copies
    clusters: Clusters
    spacing: Spacing
    links: Links
    abi: Abi
    limits: Limits
    instructions: Instructions
    sources: tuple[tuple[str, Provenance], ...] = field(repr=False)

    @property
    def memory(self) -> str:
        """What device memory is called in tables: ``"HBM"`` or ``"GDDR"``."""
        return "HBM" if self.dram.type.startswith("HBM") else "GDDR"

    @property
    def dram_peak_bytes_per_s(self) -> float:
        """What the bus of device memory can carry, bytes/s."""
        return bus_peak(self.dram.bus_bits, self.clock.memory_hz)

    @property
    def compute_capability(self) -> tuple[int, int]:
        """Major and minor compute capability: ``(9, 0)`` for ``sm_90``."""
        number = int(self.arch.removeprefix("sm_"))
        return divmod(number, 10)

    def provenance(self, key: str) -> Provenance:
        """Say where a number comes from.

        Parameters
        ----------
        key : str
            Section and field as in attribute access, such as ``"l2.size_bytes"`` or ``"sm_count"``.

        Returns
        -------
        Provenance
            Value, unit, kind and source.

        Raises
        ------
        UnknownNameError
            If there is no number of that key.

        Examples
        --------
        >>> from gpusim.hardware import load
        >>> load("h200").provenance("sm.schedulers")[:3]
        (4, '1', 'datasheet')
        """
        known = dict(self.sources)
        if key not in known:
            raise UnknownNameError(f"number of {self.name}", key, known)
        return known[key]

    def l1_bytes(self, carveout_bytes: int) -> int:
        """Give the size of an SM's L1 beside a carve-out of shared memory.

        Parameters
        ----------
        carveout_bytes : int
            One of ``shared.carveout_steps``.

        Returns
        -------
        int
            Bytes.
        """
        if self.l1.size_bytes is not None:
            return self.l1.size_bytes
        assert self.l1.unified_bytes is not None  # a specification gives one of the two
        return self.l1.unified_bytes - carveout_bytes


def bus_peak(bits: int, hz: float) -> float:
    """Give what a memory bus can carry, bytes/s: its width times two transfers a clock."""
    return bits / 8 * 2 * hz


def key_of(section: str, name: str) -> str:
    """Give the key of a field: ``"l2.size_bytes"``, and ``"sm_count"`` for the identity's."""
    return name if section == TOP else f"{section}.{name}"


def place_of(key: str) -> tuple[str, str]:
    """Give section and field of a key, the inverse of :func:`key_of`."""
    section, dot, name = key.rpartition(".")
    return (section, name) if dot else (TOP, name)


def values(gpu: Gpu) -> dict[str, Any]:
    """Give everything a GPU's sections hold, text included, by key."""
    found: dict[str, Any] = {}
    for section, kind in SECTIONS.items():
        holder = gpu if section == TOP else getattr(gpu, section)
        found |= {key_of(section, f.name): getattr(holder, f.name) for f in fields(kind)}
    return found
