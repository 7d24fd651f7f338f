"""What a machine's L2 holds: how much of it is dirty, and handing it to the machine that runs next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.hierarchy.l2_sets import ARRIVES, BITS, PARTIAL_AT, TAG, USED
from gpusim.engine.state import columns as S
from gpusim.engine.state.geometry import ALL_SECTORS, SECTORS
from gpusim.simulate.counted import CacheState
from gpusim.simulate.scaling import Held

if TYPE_CHECKING:
    from gpusim.engine.state.arrays import Machine


def left(m: Machine) -> CacheState:
    """What a machine's L2 holds, nothing of which is under way any more."""
    ways = int(m.shape[S.L2_WAYS])
    lines = m.l2.copy()
    lines[:, ARRIVES * ways : BITS * ways] = 0
    lines[:, BITS * ways :] &= (1 << PARTIAL_AT) - 1
    used = lines[:, USED * ways : ARRIVES * ways]
    return CacheState(lines, int(used[used < S.NEVER].max(initial=0)))


def take_over(m: Machine, l2: CacheState) -> None:
    """Put into a machine's L2 what one before it held."""
    m.l2[:], m.misc[S.STAMP] = l2


def held_by_l2(m: Machine) -> Held:
    """How much of a machine's L2 is in use, and dirty."""
    ways = int(m.shape[S.L2_WAYS])
    lines = m.l2[:, TAG * ways : (TAG + 1) * ways] >= 0
    dirty = m.l2[:, BITS * ways : (BITS + 1) * ways] >> SECTORS & ALL_SECTORS
    return Held(int(np.bitwise_count(dirty[lines]).sum()), int(lines.sum()), lines.size)
