"""Kernels run for real: timed between CUDA events, counted by Nsight Compute, their outputs held to the references.

Nothing but this room imports CuPy, and it only in the process that works on the GPU (``worker``): what fails or hangs
there takes no more than that launch with it.
"""

from __future__ import annotations

from gpusim.measure.measurement_errors import MeasureError
from gpusim.measure.request import Request
from gpusim.measure.session import measure

__all__ = ["MeasureError", "Request", "measure"]
