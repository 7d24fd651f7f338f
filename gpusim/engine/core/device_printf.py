"""printf of device code: what each thread prints is noted, and written when the launch is over.

How many bytes of arguments a format has is known before (:mod:`gpusim.simulate.printed`): formats are string constants.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at
from gpusim.engine.compiling.jit import cold
from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail, first_row
from gpusim.engine.state.geometry import WORD

ONE, HALF = np.uint32(1), np.int64(32)


@cold
def print_lanes(m, c, index, w, block, on, t):
    """VPRINTF of the lanes ``on``, one after another; whether all could."""
    base = first_row(m, w)
    formats, places, upper = at(c[I.B], base), at(c[I.A], base), at(c[I.C_], base)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        address = np.int64(m.regs[formats + 1, lane]) << HALF | np.int64(m.regs[formats, lane])
        one = format_at(m.formats, address)
        if one < 0:
            return fail(m, E.NO_FORMAT, index, lane, block, address, w)
        place, nbytes = np.int64(m.regs[places, lane]), m.formats[one, S.FORMAT_BYTES]
        if nbytes and m.regs[upper, lane] != S.LOCAL_WINDOW_HI:
            return fail(m, E.PRINTS_ELSEWHERE, index, lane, block, place, w)
        if nbytes and place + nbytes > m.shape[S.LOCAL_BYTES]:
            return fail(m, E.LOCAL_BOUNDS, index, lane, block, place, w)
        note(m, w, block, lane, t, address, place, nbytes)
        m.regs[at(c[I.DST], base), lane] = np.uint32(m.formats[one, S.FORMAT_ARGUMENTS])
    return True


@cold
def format_at(formats, address):
    """Number of the format at an address, or -1; they stand in the order of memory."""
    low, high = 0, len(formats) - 1
    while low <= high:
        middle = (low + high) >> 1
        if formats[middle, S.FORMAT_ADDRESS] == address:
            return np.int64(middle)
        if formats[middle, S.FORMAT_ADDRESS] < address:
            low = middle + 1
        else:
            high = middle - 1
    return np.int64(-1)


@cold
def note(m, w, block, lane, t, address, place, nbytes):
    """Note what a thread prints, in place of what was printed first where there is no room."""
    row = m.printed[1 + m.printed[0, 0] % (len(m.printed) - 1)]
    m.printed[0, 0] += 1
    row[S.PRINTED_BLOCK], row[S.PRINTED_AT], row[S.PRINTED_FORMAT] = m.blocks[block, S.ID], t, address
    row[S.PRINTED_THREAD] = (w % m.shape[S.WARPS]) * S.LANES + lane
    for k in range(nbytes // WORD):
        value = np.int64(m.local[w, place // WORD + k, lane])
        column = S.PRINTED_WORDS + k // 2
        row[column] = row[column] | value << HALF if k % 2 else value
