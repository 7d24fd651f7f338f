"""Time of a launch too long to be timed whole: a stretch of it, issue by issue, stands for the rest.

The stretch begins with blocks from the middle of the grid and the L2 that counting left behind.  Its first part, in
which SMs fill up and L1 gets warm, is not measured.  At the end of the launch most SMs wait for those that got one
block more.  (Wunderlich et al., "SMARTS: Accelerating
Microarchitecture Simulation via Rigorous Statistical Sampling", ISCA 2003, for the idea.)
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gpusim.engine import state as S
from gpusim.simulate.clock import Timing, waits
from gpusim.simulate.measured import LAUNCH_CYCLES, STORES_DONE_CYCLES
from gpusim.simulate.utilisation import booked

LENGTH, SETTLED = 30e6, 0.4  # warp instructions run, and the share of them that is not measured


def middle(blocks: int, wave: int) -> np.ndarray:
    """Blocks that the stretch may run: a few waves from the middle of the grid."""
    first = max(blocks // 2 - 2 * wave, 0)
    return np.arange(first, min(first + 4 * wave, blocks), dtype=np.int64)


def unevenness(blocks: int, n_sm: int) -> float:
    """Blocks of the SM that gets most of them, over those of an average one."""
    return math.ceil(blocks / n_sm) * n_sm / blocks


def window(m: S.Machine, advance: Callable[[float], bool], instructions: float, uneven: float) -> Timing:
    """Time of ``instructions`` warp instructions, from a stretch of them.

    Parameters
    ----------
    m : Machine
        Timed, ready to run blocks from the middle of the launch.
    advance : callable
        Lets it run until it has issued so many instructions; returns whether it is done.
    instructions : float
        Of the whole launch.
    uneven : float
        How many times as long as the average SM the busiest one has work.
    """
    done = advance(SETTLED * LENGTH)
    begin, issued, before, busy = _now(m), int(m.misc[S.STEPS]), m.parts.copy(), booked(m)
    if not done:
        advance(LENGTH)
    if done or m.misc[S.STEPS] == issued:  # so short a launch has no middle
        begin, issued, before, busy = 0, 0, np.zeros_like(m.parts), dict.fromkeys(busy, 0.0)
    share = instructions / max(int(m.misc[S.STEPS]) - issued, 1)
    active = (_now(m) - begin) / S.TICKS * share
    return Timing(
        cycles=active * uneven + LAUNCH_CYCLES + STORES_DONE_CYCLES,
        active=active,
        longest=active * uneven,
        warps=None,
        stalls=waits(m.parts - before),
        booked={name: (taken - busy[name]) * share for name, taken in booked(m).items()},
    )


def _now(m: S.Machine) -> int:
    """Tick that the SM furthest behind has come to, or the end."""
    return int(min(m.tree[1], max(m.misc[S.END], m.sms[:, S.NOW].max())))
