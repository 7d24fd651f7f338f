"""What a machine's L2 holds: how much of it is dirty, and handing it to the machine that runs next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.hierarchy.copies import WRITTEN, pass_by
from gpusim.engine.hierarchy.l2_sets import ARRIVES, BITS, PARTIAL_AT, TAG, USED
from gpusim.engine.hierarchy.replacement import FIRST_WAYS
from gpusim.engine.state import columns as S
from gpusim.engine.state.geometry import ALL_SECTORS, SECTORS
from gpusim.hardware.fixed import LINE
from gpusim.simulate.counted import CacheState, Moved
from gpusim.simulate.launch import MOST_BYTES
from gpusim.simulate.scaling import Held

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpusim.engine.state.arrays import Machine
    from gpusim.hardware.spec import Gpu

ELSEWHERE = MOST_BYTES * LINE
"""An address beyond all that a launch may have."""


def left(m: Machine) -> CacheState:
    """What a machine's L2 holds, nothing of which is under way any more."""
    ways, sets = int(m.shape[S.L2_WAYS]), _in_use(m)
    lines = m.l2[sets]
    lines[:, ARRIVES * ways : BITS * ways] = 0
    lines[:, BITS * ways :] &= (1 << PARTIAL_AT) - 1
    used = lines[:, USED * ways : ARRIVES * ways]
    return CacheState(sets, lines, int(used[used < S.NEVER].max(initial=0)), _held(m, lines))


def take_over(m: Machine, l2: CacheState) -> Held:
    """Put into a machine's L2, which is empty, what one before it held, and what was copied since then."""
    if len(l2.sets):
        m.l2[l2.sets], m.misc[S.STAMP] = l2.lines, l2.stamp
    if not l2.moved:
        return l2.held
    room = m.l2.shape[0] * int(m.shape[S.L2_WAYS]) * LINE
    for one in l2.moved:
        pass_by(m.l2, m.shape, m.misc, *last_of(one, room))
    return held_by_l2(m)


def last_of(moved: Moved, nbytes: int) -> Moved:
    """The last bytes of what was moved."""
    skipped = max(moved.nbytes - nbytes, 0)
    return Moved(moved.what, moved.first + skipped, moved.nbytes - skipped)


def with_moved(l2: CacheState | None, moved: Sequence[Moved]) -> CacheState | None:
    """What L2 holds, and what has passed it since; None: nothing."""
    if not moved:
        return l2
    if l2 is None:
        l2 = CacheState(np.zeros(0, np.int64), np.zeros((0, 0), np.int64), 0, Held(0, 0, 0))
    return l2._replace(moved=(*l2.moved, *moved))


def flushed(gpu: Gpu) -> CacheState:
    """What an L2 holds after an array has been set that is twice as large, which no launch reads."""
    state = with_moved(None, (Moved(WRITTEN, ELSEWHERE, 2 * gpu.l2.size_bytes),))
    assert state is not None
    return state


def held_by_l2(m: Machine) -> Held:
    """How much of a machine's L2 is in use, and dirty."""
    return _held(m, m.l2[_in_use(m)])


def _in_use(m: Machine) -> np.ndarray:
    """Sets that hold a line: the first one is in one of the first two ways."""
    first = int(TAG * m.shape[S.L2_WAYS])
    return np.flatnonzero(np.maximum.reduce([m.l2[:, first + way] for way in range(FIRST_WAYS)]) >= 0)


def _held(m: Machine, sets: np.ndarray) -> Held:
    """How much of some sets is in use and dirty, of all that there is room for."""
    ways = int(m.shape[S.L2_WAYS])
    lines = sets[:, TAG * ways : (TAG + 1) * ways] >= 0
    dirty = sets[:, BITS * ways : (BITS + 1) * ways] >> SECTORS & ALL_SECTORS
    return Held(int(np.bitwise_count(dirty[lines]).sum()), int(lines.sum()), len(m.l2) * ways)
