"""What a whole launch counts, from what the blocks that were run do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpusim.engine.state import counts as C
from gpusim.isa.encode import F, Image
from gpusim.simulate.sample import FIRST, LAST, MEASURED

if TYPE_CHECKING:
    from gpusim.engine.state.arrays import Machine
    from gpusim.engine.state.counter_table import Share
    from gpusim.simulate.sample import Plan


class Held(NamedTuple):
    """What L2 holds: dirty sectors, lines, and how many lines it has room for."""

    dirty: int
    lines: int
    room: int


def scale(chosen: Plan, counts: np.ndarray, probed: np.ndarray, before: Held, after: Held) -> np.ndarray:
    """Counts of the whole launch.

    Parameters
    ----------
    chosen : Plan
    counts : int64 array, shape (n_kinds, N_COUNTS)
        What the blocks run counted.
    probed : float64 array, shape (probes, N_COUNTS)
        What each probe counted.
    before, after : Held
        L2 at the beginning and at the end of the run.

    Returns
    -------
    float64 array, shape (N_COUNTS,)
    """
    if not chosen.sampled:
        return np.asarray(counts.sum(axis=0), np.float64)
    first, measured, last = (chosen.queue.of_kind(kind) for kind in (FIRST, MEASURED, LAST))
    inner = (chosen.blocks - first - last) / measured
    total = np.asarray(counts[FIRST] + counts[LAST] + counts[MEASURED] * inner, np.float64)
    exact = np.intersect1d(C.EXECUTED, np.flatnonzero(chosen.agreed(probed)))
    total[exact] = (chosen.population @ chosen.means(probed))[exact]
    total[C.DRAM_WRITE] = _written_back(total, counts.sum(axis=0), before, after)
    return total


def left_dirty(total: np.ndarray, run: np.ndarray, before: Held, after: Held) -> float:
    """Sectors written that L2 still holds when the whole launch has ended.

    Parameters
    ----------
    total, run : arrays, shape (N_COUNTS,)
        Counts of the whole launch, and of the blocks run.
    before, after : Held
        As for :func:`scale`.
    """
    return before.dirty + _dirtied_and_kept(total, run, before, after)[1]


def _written_back(total: np.ndarray, run: np.ndarray, before: Held, after: Held) -> float:
    """Sectors that the whole launch writes to HBM: those it makes dirty, less those still in L2 at its end."""
    dirtied, kept = _dirtied_and_kept(total, run, before, after)
    return max(dirtied - kept, 0.0)


def _dirtied_and_kept(total: np.ndarray, run: np.ndarray, before: Held, after: Held) -> tuple[float, float]:
    """Sectors that the whole launch makes dirty, and those of them that L2 keeps.

    Evictions cannot be scaled, for the blocks run may be too few to fill L2 where the launch fills it.
    """
    kept = after.dirty - before.dirty
    dirtied = run[C.DRAM_WRITE] + kept
    all_dirtied = dirtied * _written(total) / max(_written(run), 1)
    growth = (total[C.DRAM_READ] + all_dirtied) / max(run[C.DRAM_READ] + dirtied, 1)
    return float(all_dirtied), float(kept * min(growth, after.room / max(after.lines, 1)))


def _written(counts: np.ndarray) -> float:
    """Sectors that stores and atomics leave dirty in L2."""
    return float(counts[C.L2_WRITE] + counts[C.L2_ATOM])


def by_instruction(m: Machine, image: Image, n: int) -> np.ndarray:
    """What each instruction of the program counted; an image may have several rows of one, or none."""
    found = np.zeros((n, C.N_SITE_COUNTS), np.int64)
    np.add.at(found, image.code[:, F.INDEX], m.sites)
    return found


def attribute(table: np.ndarray, columns: Sequence[Share], total: np.ndarray, share: float) -> np.ndarray:
    """What a launch of which part was run counts by instruction or array.

    Parameters
    ----------
    table : float64 array
        What the blocks run counted, a row each.
    columns : sequence of Share
        What its columns are: ``SITES`` or ``ARRAYS``.
    total : float64 array, shape (N_COUNTS,)
        Of the whole launch.
    share : float
        Blocks of the launch over blocks run.

    Returns
    -------
    float64 array
        Where caches decide, the whole launch's counts are shared out as those of the part were.
    """
    scaled = np.asarray(table * share, np.float64)
    for k, column in enumerate(columns):
        if column.adds_up_to:
            seen = table[:, k].sum()
            scaled[:, k] = table[:, k] * (total[list(column.adds_up_to)].sum() / seen if seen else 0.0)
    return scaled
