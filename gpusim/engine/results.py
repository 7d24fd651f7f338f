"""What loads bring goes into the register file of a scheduler's warps between the results of its own units.

A load of 16 bytes a lane, the lanes of which agree in pairs or more, comes as two wavefronts of four registers each:
twice what a load brings otherwise.  Each cycle that it needs is one in which no other result comes, whatever its bank.
Those wait a little for a cycle in which none does anyway, then the scheduler does not issue.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine import state as S
from gpusim.engine.jit import inline

DENSE_BYTES, DENSE_PASSES = 16, 2  # of a lane; at most so many wavefronts


@inline
def arrive(m, row, now):
    """Count in what has come until ``now``."""
    while row[S.N_ARRIVED] < row[S.N_INBOUND]:
        t = row[S.INBOUND + (row[S.N_ARRIVED] & (S.INBOUND_KEPT - 1))]
        if t > now:
            return
        row[S.WRITES_UNTIL] = max(row[S.WRITES_UNTIL], t) + m.rates[S.DENSE]
        row[S.N_ARRIVED] += 1


@inline
def expect(m, row, t, now):
    """A dense load, that issues at ``now``, has its registers come at tick ``t``."""
    arrive(m, row, now)
    n = row[S.N_INBOUND]
    row[S.INBOUND + (n & (S.INBOUND_KEPT - 1))] = t
    row[S.N_INBOUND] = n + 1


@inline
def result_at(m, row, now):
    """A unit of the scheduler is to give a result to what issues at ``now``; returns for how long it then cannot issue."""
    if row[S.N_ARRIVED] < row[S.N_INBOUND]:
        arrive(m, row, now)
    if row[S.WRITES_UNTIL] <= now:
        return np.int64(0)
    row[S.WRITES_UNTIL] += S.TICKS
    return max(row[S.WRITES_UNTIL] - (now + S.TICKS) - m.rates[S.DENSE_WAIT], 0)
