"""When registers are written: by what shared loads bring, between the results of their scheduler's own units.

A wavefront of a load comes to a scheduler every other cycle.  A load of 16 bytes a lane, the lanes of which agree in
pairs or more, comes as two wavefronts of four registers each, twice as much a cycle as others: it needs cycles in which
no other result comes, to whatever bank.  Those wait a little for a cycle in which none does anyway, then the scheduler
does not issue (calibration/microbenchmarks/shared_loads_among_ffmas.py).
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I

WIDEST = 16  # bytes a lane of any access


@inline
def arrive(m, row, now):
    """Count in the dense loads whose registers have come until ``now``."""
    while row[S.N_ARRIVED] < row[S.N_INBOUND]:
        t = row[S.INBOUND + (row[S.N_ARRIVED] & (S.INBOUND_KEPT - 1))]
        if t > now:
            return
        row[S.WRITES_UNTIL] = max(row[S.WRITES_UNTIL], t) + m.rates[S.DENSE]
        row[S.N_ARRIVED] += 1


@inline
def return_data(m, row, c, leaves, done, now):
    """What a shared load that issues at ``now`` brings to its scheduler, the registers of a dense one from ``done`` on.

    The next instruction leaves for the load/store pipe when the scheduler has taken all wavefronts.
    """
    waves = m.misc[S.LATEST_WAVES]
    taken = leaves + (waves & ((1 << S.WAVES_FIELD) - 1)) * m.rates[S.WAVE_APART]
    row[S.LETS_GO] = max(row[S.LETS_GO], taken)
    if c[I.WIDTH] == WIDEST and waves >> S.WAVES_FIELD <= m.shape[S.DENSE_WAVES]:
        arrive(m, row, now)
        n = row[S.N_INBOUND]
        row[S.INBOUND + (n & (S.INBOUND_KEPT - 1))] = done
        row[S.N_INBOUND] = n + 1


@inline
def result_at(m, row, now):
    """What issues at ``now`` has a unit give a result; returns for how much longer nothing issues after it."""
    if row[S.N_ARRIVED] < row[S.N_INBOUND]:
        arrive(m, row, now)
    if row[S.WRITES_UNTIL] <= now:
        return np.int64(0)
    row[S.WRITES_UNTIL] += S.TICKS
    return max(row[S.WRITES_UNTIL] - (now + S.TICKS) - m.rates[S.DENSE_WAIT], 0)
