"""Time of a launch too long to be timed whole: a stretch of it, issue by issue, stands for the rest.

The stretch begins in the middle of the launch, with the L2 that counting has come to there.  Its first part, in
which SMs fill up and L1 gets warm, is not measured; it ends when batches of instructions agree on how long they take.
Blocks of different SMs that begin together often end together, wave after wave (one block an SM, say, all of it alike).
Then a batch less than a wave has the beginnings of all blocks or of none, so a batch is a whole wave where one fits.
At the end of the launch most SMs wait for those that got one block more.  (Wunderlich et al., "SMARTS: Accelerating
Microarchitecture Simulation via Rigorous Statistical Sampling", ISCA 2003, for the idea.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.engine.state.arrays import Machine
from gpusim.simulate.clock import Timing, waits
from gpusim.simulate.utilisation import booked

if TYPE_CHECKING:
    from gpusim.hardware.generation import Launching


class Lengths(NamedTuple):
    """How much of a launch is timed.

    Attributes
    ----------
    most : float
        Warp instructions run at most.
    settled : float
        Share of these that is not measured.
    batch : float
        Share of these in a batch.
    error : float
        Standard error of the batches' mean that suffices.
    """

    most: float
    settled: float
    batch: float
    error: float

    def of_blocks(self, blocks: int, wave: int, instructions: float) -> Lengths:
        """No more of a stretch of blocks than until the last one begins, where there are more than a wave of them.

        From then on SMs run empty; what a launch has of that is in its unevenness.  Batches are at least a wave long if
        what is measured is.

        Parameters
        ----------
        blocks, wave : int
            Blocks of the stretch, and those that the GPU holds at once.
        instructions : float
            Warp instructions of a block.
        """
        begun = blocks - wave if blocks > wave else blocks
        most, of_wave = min(self.most, begun * instructions), wave * instructions
        whole = self.batch * most < of_wave <= (1 - self.settled) * most
        return self._replace(most=most, batch=of_wave / most if whole else self.batch)

    def fits(self, issued: int) -> bool:
        """Whether another batch does, after so many instructions; the last one may be a little short."""
        return issued + LITTLE_SHORT * self.batch * self.most <= self.most


WINDOW = Lengths(most=30e6, settled=0.4, batch=1 / 15, error=0.003)
"""Of a launch that is not timed whole."""
FEWEST = 4  # batches measured
LITTLE_SHORT = 0.99  # of a batch


class Since(NamedTuple):
    """Where a machine stood when measuring began.

    Attributes
    ----------
    tick, issued : int
        What it had come to, and warp instructions issued by then.
    schedulers : int64 array
        A copy of ``Machine.schedulers``.
    booked : dict of str to float
        See :func:`gpusim.simulate.utilisation.booked`.
    """

    tick: int
    issued: int
    schedulers: np.ndarray
    booked: dict[str, float]


def unevenness(blocks: int, n_sm: int) -> float:
    """Blocks of the SM that gets most of them, over those of an average one."""
    return math.ceil(blocks / n_sm) * n_sm / blocks


def measure(m: Machine, advance: Callable[[float], bool], lengths: Lengths) -> Since:
    """Run a stretch of a launch until it is known well enough how long it takes.

    Parameters
    ----------
    m : Machine
        Timed, ready to run blocks from the middle of the launch.
    advance : callable
        Lets it run until it has issued so many instructions; returns whether it is done.
    lengths : Lengths
    """
    done = advance(lengths.settled * lengths.most)
    if done:  # so short a launch has no middle
        return Since(0, 0, np.zeros_like(m.schedulers), dict.fromkeys(booked(m), 0.0))
    since = Since(now(m), int(m.misc[S.STEPS]), m.schedulers.copy(), booked(m))
    paces: list[float] = []
    while not done and lengths.fits(int(m.misc[S.STEPS])) and not _agree(paces, lengths.error):
        begin, issued = now(m), int(m.misc[S.STEPS])
        done = advance(issued + lengths.batch * lengths.most)
        paces.append((now(m) - begin) / max(int(m.misc[S.STEPS]) - issued, 1))
    return since


def _agree(paces: Sequence[float], error: float) -> bool:
    """Whether the mean of so many batches is known well enough."""
    return len(paces) >= FEWEST and np.std(paces, ddof=1) <= error * math.sqrt(len(paces)) * np.mean(paces)


def window(m: Machine, since: Since, instructions: float, uneven: float, launching: Launching) -> Timing:
    """Time of ``instructions`` warp instructions, from a stretch of them.

    Parameters
    ----------
    m : Machine
        That has run the stretch.
    since : Since
        Where it stood when measuring began.
    instructions : float
        Of the whole launch.
    uneven : float
        How many times as long as the average SM the busiest one has work.
    launching : Launching
        Of the GPU: what the launch takes besides.
    """
    share = instructions / max(int(m.misc[S.STEPS]) - since.issued, 1)
    active = (now(m) - since.tick) / S.TICKS * share
    return Timing(
        cycles=active * uneven + launching.overhead_cycles + launching.stores_done_cycles,
        active=active,
        longest=active * uneven,
        warps=None,
        stalls=waits(m.schedulers - since.schedulers),
        booked={name: (taken - since.booked[name]) * share for name, taken in booked(m).items()},
    )


def now(m: Machine) -> int:
    """Tick that the SM furthest behind has come to, or the end."""
    return int(min(m.misc[S.HORIZON], max(m.misc[S.END], m.sms[:, S.NOW].max())))
