"""Launches of a chain one after the other, and what they come to together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpusim.names import Suggesting
from gpusim.results.figures import Figures

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, repr=False)
class ChainFigures(Suggesting):
    """What is known of the launches of a chain; :class:`gpusim.ChainProfile` says what its fields are."""

    chain: str
    params: Mapping[str, int]
    gpu: str
    cache: str
    steps: tuple[Figures, ...]
    labels: tuple[str, ...]
    nbytes: Mapping[str, int]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    names: tuple[Mapping[str, str], ...] = ()

    @property
    def kept(self) -> datetime | None:
        """When all of them were simulated, if that was in an earlier run, whose result is kept; else None."""
        return self.steps[0].kept

    @property
    def between(self) -> tuple[str, ...]:
        """Arrays that one launch writes for another to read."""
        return tuple(name for name in self.nbytes if name not in {*self.inputs, *self.outputs})

    def total(self, name: str) -> float:
        """Sum of a figure over the launches.

        Parameters
        ----------
        name : str
            A property of :class:`~gpusim.Profile` that adds up, such as ``"dram_bytes"``.

        Returns
        -------
        float
            NaN where it is not known of a launch.
        """
        return float(sum(getattr(step, name) for step in self.steps))

    @property
    def seconds(self) -> float:
        """Time of the launches one after the other, without what lies between them."""
        return self.total("seconds")

    @property
    def dram_bytes_read(self) -> float:
        """Bytes read from device memory."""
        return self.total("dram_bytes_read")

    @property
    def dram_bytes_written(self) -> float:
        """Bytes written to device memory; what L2 still holds at the end is not among them."""
        return self.total("dram_bytes_written")

    @property
    def dram_bytes(self) -> float:
        """Bytes read from and written to device memory."""
        return self.total("dram_bytes")

    @property
    def flops(self) -> int:
        """Floating-point operations."""
        return sum(step.flops or 0 for step in self.steps)
