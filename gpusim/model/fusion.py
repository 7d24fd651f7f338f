"""Fusion of pointwise kernels: n kernels read and write n times what one kernel does.

Stage i of a chain reads what stage i - 1 wrote, and e_i other arrays of the same
length N (a bias, a mask, a residual), and writes one array.  Apart, n stages move
2 n + sum(e_i) arrays; fused, 2 + sum(e_i): the n - 1 arrays in between are neither
written nor read again.  Each array must be too large for a cache to keep it until
the next kernel.

Source: counting; the same counts follow from :mod:`gpusim.model.pipeline`.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.errors import ParameterError
from gpusim.model.inputs import above_zero, at_least


@dataclass(frozen=True)
class PointwiseChain:
    """Pointwise kernels, each on the output of the one before.

    Parameters
    ----------
    stages : int
        Kernels, n.
    elements : int
        Of each array, N.
    element_bytes : float
        Of an element.
    extra_inputs : tuple of int
        Arrays that each stage reads besides the output of the one before, one number a stage; empty: none.

    Examples
    --------
    >>> gelu = PointwiseChain(stages=5, elements=1_000_000)
    >>> gelu.unfused_elements, gelu.fused_elements, gelu.speedup
    (10000000, 2000000, 5.0)
    """

    stages: int
    elements: int
    element_bytes: float = 4
    extra_inputs: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        at_least(1, stages=self.stages, elements=self.elements)
        above_zero(element_bytes=self.element_bytes)
        if self.extra_inputs and len(self.extra_inputs) != self.stages:
            raise ParameterError(f"extra_inputs must have a number for each of {self.stages} stages")
        for extra in self.extra_inputs:
            at_least(0, extra_inputs=extra)

    @property
    def unfused_elements(self) -> int:
        """Elements moved by a kernel a stage: (2 n + sum(e_i)) N."""
        return (2 * self.stages + sum(self.extra_inputs)) * self.elements

    @property
    def fused_elements(self) -> int:
        """Elements moved by one kernel: (2 + sum(e_i)) N."""
        return (2 + sum(self.extra_inputs)) * self.elements

    @property
    def saved_elements(self) -> int:
        """Elements in between that are no longer written and read: 2 (n - 1) N."""
        return self.unfused_elements - self.fused_elements

    @property
    def saved_bytes(self) -> float:
        """The same in bytes."""
        return self.saved_elements * self.element_bytes

    @property
    def speedup(self) -> float:
        """Unfused over fused traffic: how much faster, where device memory is all that binds."""
        return self.unfused_elements / self.fused_elements

    def saved_seconds(self, bytes_per_s: float, launch_s: float = 0.0) -> float:
        """Time saved: the bytes at a bandwidth, and n - 1 launches.

        Parameters
        ----------
        bytes_per_s : float
            Bandwidth of device memory.
        launch_s : float
            What a launch costs between two dependent kernels, seconds.

        Returns
        -------
        float
            Seconds.
        """
        above_zero(bytes_per_s=bytes_per_s)
        at_least(0, launch_s=launch_s)
        return self.saved_bytes / bytes_per_s + (self.stages - 1) * launch_s
