"""How far apart the blocks of an SM are in the middle of a launch of which only a part is run.

All start together.  Where something that they want is full the older ones go first, and they come apart, over as many
waves as it takes until as much time lies between any two (on an H200 two blocks that read their matrices by rows and
columns, 32 warps each, are 6, 11, 14 and 17 % of a block's time apart after one to four waves, and half of it after
twenty); where nothing is, they stay together.  What they share in L1 and L2 depends on it.  A part of a launch has few
waves, so what they come apart by in these is carried on to the launch's middle, and places are left empty for as long
as that needs.  Meanwhile the other blocks of an SM get on faster, by between nothing and as much as those that are not
there would have had; the mean of these is taken.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpusim.engine import state as S
from gpusim.simulate.sample import Plan


def bring_apart(m: S.Machine, go_on: Callable[[int], bool], chosen: Plan, wave: int) -> None:
    """Run a machine to the last wave before the first span that is measured, and have places left empty after that one.

    Parameters
    ----------
    m : Machine
        That has not run yet.
    go_on : callable
        Runs it until so many blocks are handed out; returns whether that was the end.
    chosen : Plan
        The part of the launch that is run.
    wave : int
        Blocks that the GPU holds at once.
    """
    slots, early, late = int(m.shape[S.SLOTS]), 2 * wave, chosen.middle(wave)[0] - wave
    if slots < 2 or 2 * (late - early) < wave or go_on(early):
        return
    began = m.blocks[:, S.STARTED].copy()
    if go_on(late):
        return
    waves = (late - early) / wave
    lasts = float((m.blocks[:, S.STARTED] - began).mean()) / waves
    now, before = (_phases(x.reshape(-1, slots) / lasts) for x in (m.blocks[:, S.STARTED], began))
    gap = _gap(now)
    growth = gap / (late / wave - 1) if gap > _gap(before) else 0.0
    gap = min(gap + growth * (chosen.blocks / 2 - late) / wave, 1 / slots)
    order = np.argsort(now, axis=1)
    later = gap * np.argsort(order, axis=1) - now
    others_last = lasts * (1 + 1 / slots) / 2
    m.blocks[:, S.EMPTY_FOR] = (np.maximum(later, 0.0) * others_last).ravel()


def _phases(began: np.ndarray) -> np.ndarray:
    """How much later than the first of its SM each block began, shaped (SMs, blocks), in the time that a block lasts.

    A whole number of these is no difference; the first is the one before which none begins for longest.
    """
    phases = began % 1.0
    ordered = np.sort(phases, axis=1)
    pauses = ordered - np.roll(ordered, 1, axis=1) + (np.arange(ordered.shape[1]) == 0)
    first = np.take_along_axis(ordered, pauses.argmax(axis=1)[:, None], axis=1)
    return np.asarray((phases - first) % 1.0)


def _gap(phases: np.ndarray) -> float:
    """From a block of an SM to the next, in the time that a block lasts: the mean over SMs."""
    return float(np.mean(phases.max(axis=1)) / (phases.shape[1] - 1))
