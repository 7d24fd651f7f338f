"""Shared memory of the blocks of a cluster: whose an address is, and whether that block is still there.

An address has the block's place in the cluster in its upper 8 bits.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.load_store.boxes import check_place
from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state.faults import fail
from gpusim.engine.state.geometry import SECTOR_BITS
from gpusim.hardware.fixed import TPC_SMS

SECTOR_BYTES = 1 << SECTOR_BITS
WITHIN = (1 << S.WINDOW_AT) - 1
"""Bits of an address that say where in a block's shared memory it is."""
OF_EARLIER = 1
"""In checked runs what another block writes is as if a warp had written it in an earlier phase: who waits for that does
so in ways that are not of one block."""


@inline
def rank_of(address):
    """Place in its cluster of the block that an address belongs to."""
    return (address & 0xFFFFFFFF) >> S.WINDOW_AT


@jit
def block_at(m, slot, address, index, lane, w, t):
    """Slot of the block of the same cluster whose shared memory an address is of; -1: there is none at tick ``t``."""
    rank, row = rank_of(address), m.blocks[slot, S.OF_CLUSTER]
    if rank >= m.shape[S.CLUSTER]:
        fail(m, E.NO_SUCH_BLOCK, index, lane, slot, address, w)
        return np.int64(-1)
    found = m.clusters[row, S.MATES + rank]
    block = m.blocks[found]
    over = block[S.ID] < 0 or block[S.OF_CLUSTER] != row or (block[S.ENDED_AT] and block[S.ENDED_AT] - 1 <= t)
    if over:
        fail(m, E.ENDED_BLOCK, index, lane, slot, address, w)
        return np.int64(-1)
    return found


@jit
def place_at(m, slot, address, nbytes, aligned, index, lane, w, t):
    """The same where so many bytes from the address on are the block's own, and aligned."""
    found = block_at(m, slot, address, index, lane, w, t)
    if found < 0 or not check_place(m, address & WITHIN, nbytes, aligned, index, lane, w, slot):
        return np.int64(-1)
    return found


@jit
def tpc_apart(m, sm, slot):
    """Ticks by which another block's shared memory is farther than that of the other SM of a TPC."""
    return m.rates[S.REMOTE_TPC] * (slot // m.shape[S.SLOTS] // TPC_SMS != sm // TPC_SMS)


@jit
def send_among(m, sm, nbytes, sector, t):
    """Take the way of an SM to others for bytes, ``sector`` ticks for those of a sector; returns when it begins.

    The tag stage waits while more is on its way than the pipe holds.
    """
    own = m.sms[sm]
    begin = max(t, own[S.AMONG_FREE])
    own[S.AMONG_FREE] = begin + ((nbytes + SECTOR_BYTES - 1) // SECTOR_BYTES) * sector
    own[S.TAGS] = max(own[S.TAGS], own[S.AMONG_FREE] - m.rates[S.QUEUE])
    return begin


@jit
def note_from_afar(m, slot, place, nbytes):
    """Checked runs: another block has written bytes of shared memory."""
    if m.shape[S.CHECKED]:
        for half in range(place >> 1, (place + nbytes + 1) >> 1):
            if m.touched[slot, half, 0] == 0:
                m.touched[slot, half, 0] = OF_EARLIER


@jit
def was_written(m, slot, place, nbytes, index, lane, w, own):
    """Checked runs: whether anything has written bytes that another block reads."""
    if m.shape[S.CHECKED]:
        for half in range(place >> 1, (place + nbytes + 1) >> 1):
            if m.touched[slot, half, 0] == 0:
                return fail(m, E.UNWRITTEN_SHARED, index, lane, own, place, w)
    return True
