"""Whole cycles among ticks."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline
from gpusim.engine.state import columns as S

CYCLE = ~np.int64(S.TICKS - 1)


@inline
def next_cycle(t):
    """First tick of a cycle from ``t`` on."""
    return (t + S.TICKS - 1) & CYCLE
