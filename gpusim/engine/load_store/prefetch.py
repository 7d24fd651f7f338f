"""PREFETCH: sectors that a warp asks for and does not wait for."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import FULL
from gpusim.engine.compiling.jit import jit
from gpusim.engine.hierarchy.access_patterns import PAT_LINES, PAT_N_LINES, PAT_SECTORS, PAT_WORDS, coalesce
from gpusim.engine.hierarchy.l1 import l1_read, l1_row
from gpusim.engine.hierarchy.outbox import at_instruction
from gpusim.engine.load_store.buffers import find_array, wide_addresses
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row
from gpusim.engine.state.geometry import WORD


@jit
def prefetch(m, c, index, w, block, sm, on, t, count):
    """PREFETCH: each lane's sector, fetched as a load would; what lies in no array is passed over."""
    address = m.scratch[S.ADDRESSES]
    wide_addresses(m.regs, first_row(m, w), c[I.A], c[I.C_], c[I.OFFSET], c[I.FLAGS] & I.NARROW, address)
    good = on
    for lane in range(S.LANES):
        address[lane] &= -WORD
        if find_array(m.bounds, m.shape[S.N_BUFFERS], address[lane], WORD) < 0:
            good &= (np.uint32(1) << np.uint32(lane)) ^ FULL
    if not good or m.shape[S.TIMELESS]:
        return t
    p, origin = coalesce(m.patterns[index], address, good, WORD, False, False, m.scratch)
    count[C.PREFETCH_WAVES] += 1
    count[C.LINES] += p[PAT_N_LINES]
    at_instruction(m, sm, w, np.int64(-1), np.int64(-1))
    for j in range(p[PAT_N_LINES]):
        line = origin + p[PAT_LINES + j]
        row, sectors, words = l1_row(m, sm, line), p[PAT_SECTORS + j], p[PAT_WORDS + j]
        l1_read(m, sm, row, line, sectors, words, c[I.CACHE] == I.CG, t, count)
    return t
