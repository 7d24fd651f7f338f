"""Scripts in Triton, on a machine with no GPU: one line makes a simulated GPU the one that they launch on.

>>> import gpusim.triton
>>> gpusim.triton.activate("h200")  # doctest: +SKIP
"""

from __future__ import annotations

from gpusim.triton.activation import Activation, activate, profile
from gpusim.triton.pruning import perf_model, rank

__all__ = ["Activation", "activate", "perf_model", "profile", "rank"]
