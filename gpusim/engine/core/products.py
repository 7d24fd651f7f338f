"""Products by warpgroups at a scheduler's tensor core: those that wait for it, in the order they came.

So many may wait; one that has no place in the queue is not issued.  While the tensor core works on products it reads
and writes registers all the time, and others read theirs more slowly.  Measured on an H200
(``gpusim/data/microbenchmarks/beside_products.cu``): FFMAs beside products take 2.1 cycles for 1.2, with three
registers 3.1 for 1.7, moves 3.5 for 2, MUFUs 11 to 12 for 8.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline
from gpusim.engine.core.register_file import PLACES
from gpusim.engine.core.scheduler_entries import entry_of
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I
from gpusim.hardware.fixed import PRODUCTS_QUEUED

HALVES = 2  # of a register, that a unit of 16 lanes reads one after the other


@inline
def queue(m, c, w, t):
    """A scheduler hands its tensor core a product, which begins after those before it; note when it is done."""
    warp = m.warps[w]
    warp[S.MULTIPLIED] = t
    if not m.shape[S.TIMED]:
        return
    scheduler, _ = entry_of(m, w)
    row = m.schedulers[scheduler]
    n, begins = row[S.N_PRODUCTS], max(row[S.UNIT_FREE + S.U_TENSOR], t)
    done = begins + c[I.BUSY]
    row[S.UNIT_FREE + S.U_TENSOR] = done
    row[S.UNIT_BUSY + S.U_TENSOR] += c[I.BUSY]
    row[S.BEGUN_AT + n % PRODUCTS_QUEUED], row[S.N_PRODUCTS] = begins, n + 1
    if n + 1 >= PRODUCTS_QUEUED:
        row[S.UNIT_FREE + S.U_PRODUCTS] = row[S.BEGUN_AT + (n + 1) % PRODUCTS_QUEUED] + m.rates[S.PRODUCT_PLACE]
    warp[S.MULTIPLIED] = done + m.rates[S.PRODUCT_LASTS]


@inline
def slow_down(m, row, unit, reads, now):
    """Ticks that a scheduler waits longer after an instruction to a unit, while its tensor core works on products.

    ``reads``: as :func:`gpusim.engine.core.issue.read_registers` has it.  The bank of which it reads most counts.  Its
    unit is taken for longer, too.
    """
    if row[S.UNIT_FREE + S.U_TENSOR] <= now or row[S.N_PRODUCTS] == 0 or not S.NO_UNIT < unit < S.U_UNIFORM:
        return np.int64(0)
    if unit == S.U_XU:
        row[S.UNIT_FREE + unit] += m.rates[S.PRODUCT_SLOWS_XU]
        return np.int64(0)
    longer = m.rates[S.PRODUCT_SLOWS]
    if unit == S.U_ALU:
        row[S.UNIT_FREE + unit] += HALVES * longer
    return max(max(popcount(reads & PLACES), popcount(reads >> S.N_PLACES)), 1) * longer
