"""8x8 matrices of 16-bit elements between shared memory and registers: LDSM, STSM, MOVM.

A matrix is spread over a warp as PTX documents for ``ldmatrix``: lane l holds elements 2 (l % 4) and
the next of row l / 4, in one register.  Lane 8 i + r names the address of row r of matrix i; the rows of one
matrix, 16 bytes each, go together like eight lanes of a 128-bit load.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.access_patterns import PAT_WAVES, coalesce
from gpusim.engine.load_store.buffers import own_offset, short_addresses
from gpusim.engine.load_store.shared_memory import check_shared, shared_time, without_conflicts
from gpusim.engine.load_store.traffic import note_shared
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row

ONE = np.uint32(1)
ROW = 16  # bytes


@jit
def access_matrices(m, c, op, index, w, block, sm, on, t, count):
    """LDSM, STSM; returns the tick its data is there, or -1."""
    address, n, base = m.scratch[S.ADDRESSES], np.int64(c[I.SUB]), first_row(m, w)
    short_addresses(m.regs, base, c[I.A], c[I.C_], 0, own_offset(m, c, block), address)
    rows = np.uint32((np.int64(1) << (8 * n)) - 1)
    loads = op == I.LDSM
    if not check_shared(m, index, w, block, address, rows, np.int64(ROW), not loads, False):
        return S.FAILURE
    if not c[I.LIGHT]:
        for k in range(n):
            if loads:
                load_matrix(m, c, k, base, block, address, on)
            else:
                store_matrix(m, c, k, base, block, address, on)
    p, _ = coalesce(m.patterns[index], address, rows, ROW, False, False, m.scratch)
    waves = without_conflicts(m, p[PAT_WAVES], n)
    count[C.SH_LD_WAVES if loads else C.SH_ST_WAVES] += waves
    count[C.SH_LD_IDEAL if loads else C.SH_ST_IDEAL] += n
    note_shared(m, index, waves, n)
    m.misc[S.LATEST_WAVES] = waves | (n << S.WAVES_FIELD)
    return shared_time(m, sm, waves, 1, 1, t)


@inline
def two(row, column, transpose):
    """Rows and columns of a lane's two elements, given its place in the matrix: of the low half, of the high one."""
    if transpose:
        return column, row, column + 1, row
    return row, column, row, column + 1


@jit
def load_matrix(m, c, k, base, block, address, on):
    """Matrix ``k`` of an LDSM."""
    halves, d = m.shared[block].view(np.uint16), m.regs[at(c[I.DST], base) + k]
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            r0, c0, r1, c1 = two(lane >> 2, 2 * (lane & 3), c[I.FLAGS] & I.TRANSPOSE)
            low = halves[(address[8 * k + r0] >> 1) + c0]
            high = halves[(address[8 * k + r1] >> 1) + c1]
            d[lane] = np.uint32(low) | np.uint32(np.uint32(high) << np.uint32(16))


@jit
def store_matrix(m, c, k, base, block, address, on):
    """Matrix ``k`` of an STSM."""
    halves, value = m.shared[block].view(np.uint16), m.regs[at(c[I.B], base) + k]
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            r0, c0, r1, c1 = two(lane >> 2, 2 * (lane & 3), c[I.FLAGS] & I.TRANSPOSE)
            halves[(address[8 * k + r0] >> 1) + c0] = np.uint16(value[lane] & np.uint32(0xFFFF))
            halves[(address[8 * k + r1] >> 1) + c1] = np.uint16(value[lane] >> np.uint32(16))


@jit
def transpose(a, d, old, on):
    """MOVM: d = the matrix in a, transposed; ``old`` is scratch."""
    for lane in range(S.LANES):
        old[lane] = a[lane]
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        row, column = lane >> 2, 2 * (lane & 3)
        shift = np.uint32(16 * (row & 1))
        low = (old[4 * column + (row >> 1)] >> shift) & np.uint32(0xFFFF)
        high = (old[4 * (column + 1) + (row >> 1)] >> shift) & np.uint32(0xFFFF)
        d[lane] = low | np.uint32(high << np.uint32(16))
