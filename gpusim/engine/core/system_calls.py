"""Calls of functions of CUDA's own: printf, a failed assertion, malloc and free of the device.

A GPU runs NVIDIA's code for them.  Here a call is one instruction that does what the function does, and what that code
executes and takes is not counted.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at
from gpusim.engine.compiling.bits import first_lane
from gpusim.engine.compiling.jit import cold
from gpusim.engine.core.device_heap import N_HEAP, PLAIN, UNIT, allocate, give_back
from gpusim.engine.core.device_printf import print_lanes
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail, first_row

ONE = np.uint32(1)
LOW, HALF = np.int64(0xFFFFFFFF), np.int64(32)


@cold
def system_call(m, c, index, w, block, on, t, count):
    """Run a call by the lanes ``on``, one after another; returns the tick its result is there, or FAILURE."""
    op = c[0]
    if not on:
        return t
    if op == I.ASSERTFAIL:
        return assertion_fails(m, c, index, w, block, first_lane(on))
    count[C.SYSTEM_CALLS] += 1
    if op == I.VPRINTF:
        done = print_lanes(m, c, index, w, block, on, t)
    else:
        done = use_heap(m, c, index, w, block, on)
    return t + m.rates[S.SHUFFLE] if done else np.int64(S.FAILURE)


@cold
def pair_of(m, w, row, lane):
    """What a lane of a warp has in a pair of registers."""
    first = at(row, first_row(m, w))
    return np.int64(m.regs[first + 1, lane]) << HALF | np.int64(m.regs[first, lane])


@cold
def assertion_fails(m, c, index, w, block, lane):
    """End the launch, and note what does not hold where."""
    if m.misc[S.E_CODE] == 0:
        m.misc[S.E_FILE], m.misc[S.E_FUNCTION] = pair_of(m, w, c[I.B], lane), pair_of(m, w, c[I.D], lane)
        m.misc[S.E_HOLDS] = np.int64(m.regs[at(c[I.C_], first_row(m, w)), lane])
    fail(m, E.ASSERTED, index, lane, block, pair_of(m, w, c[I.A], lane), w)
    return np.int64(S.FAILURE)


@cold
def use_heap(m, c, index, w, block, on):
    """MALLOC and FREE; False where what is to be freed cannot be."""
    base = first_row(m, w)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        given = pair_of(m, w, c[I.A], lane)
        if c[0] == I.MALLOC:
            address = allocate(m.heap, m.shape[S.HEAP_FIRST], m.shape[S.HEAP_UNITS], given)
            note_site(m, address, index)
            m.regs[at(c[I.DST], base), lane] = np.uint32(address & LOW)
            m.regs[at(c[I.DST], base) + 1, lane] = np.uint32(address >> HALF)
            continue
        wrong = give_back(m.heap, m.shape[S.HEAP_FIRST], m.shape[S.HEAP_UNITS], given)
        if wrong:
            return fail(m, wrong, index, lane, block, given, w)
    return True


@cold
def note_site(m, address, index):
    """Checked runs: which instruction has asked for a piece."""
    units = m.shape[S.HEAP_UNITS]
    if address and len(m.heap) > N_HEAP + PLAIN * units:
        begin = (address - m.shape[S.HEAP_FIRST]) // UNIT
        m.heap[N_HEAP + (PLAIN + 1) * units + begin] = index + 1
