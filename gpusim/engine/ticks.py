"""Whole cycles among ticks."""

from __future__ import annotations

import numpy as np

from gpusim.engine import state as S
from gpusim.engine.jit import inline

CYCLE = ~np.int64(S.TICKS - 1)


@inline
def next_cycle(t):
    """First tick of a cycle from ``t`` on."""
    return (t + S.TICKS - 1) & CYCLE
