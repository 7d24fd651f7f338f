"""Which blocks of a large launch to run, and how to scale what they count.

What a block executes is found from a few *probes*: blocks fall into classes by
whether they lie at the last index of each axis (ragged edges), and one member of
each class, and two more of the inner one, are executed.  What caches make of a
launch depends on which blocks run side by side, so there whole waves are run: the
first one, and then pairs of waves (one to warm up, one to measure) spread evenly
over the grid; the measured ones stand for all but the first.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine import counts as C
from gpusim.simulate.build import blocks_at_once

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.simulate.launch import Launch

BUDGET = 40e6
"""Work run in full, in steps of the engine's (about 15 s); beyond it a launch is sampled."""

LINE_WORK = 10.0  # steps that one line asked of the memory hierarchy weighs
FIRST, WARM, MEASURED = 0, 1, 2
EXECUTED = [
    C.INST, C.THREAD_INST, C.THREAD_ON, C.LD_REQ, C.LD_SECTORS, C.ST_REQ, C.ST_SECTORS, C.LD_TAGS, C.LD_WAVES,
    C.ST_WAVES, C.SH_LD_WAVES, C.SH_ST_WAVES, C.SH_OTHER_WAVES, C.SH_LD_IDEAL, C.SH_ST_IDEAL, C.INST_LDG, C.INST_STG,
    C.INST_LDS, C.INST_STS, C.BRANCHES, C.LINES, C.BLOCKS, C.WARPS, C.INST_ATOM, C.DIVERGED, C.ATOM_REQ,
    C.ATOM_SECTORS, C.RED_REQ, C.RED_SECTORS, C.INST_LDL, C.INST_STL, C.LOCAL_LD_REQ, C.LOCAL_LD_SECTORS,
    C.LOCAL_ST_REQ, C.LOCAL_ST_SECTORS, C.LOCAL_WAVES, C.INST_LDGSTS, C.SH_ASYNC_WAVES, C.INST_LDSM, C.INST_ATOMS,
]  # fmt: skip
"""Columns that follow from execution alone, whatever the caches do."""


@dataclass(frozen=True)
class Plan:
    """Blocks to run.

    Attributes
    ----------
    queue, kinds : int64 arrays
        Block numbers in launch order, and the row of counts of each (FIRST, WARM, MEASURED).
    n_kinds : int
    probes : int64 array
        One or more blocks of each class.
    probe_class : int64 array
    population : int64 array
        Blocks of the grid in each class.
    blocks : int
        Blocks of the grid.
    sampled : bool
    """

    queue: np.ndarray
    kinds: np.ndarray
    n_kinds: int
    probes: np.ndarray
    probe_class: np.ndarray
    population: np.ndarray
    blocks: int
    sampled: bool

    def whole(self) -> Plan:
        """The same launch, every block run."""
        queue = np.arange(self.blocks, dtype=np.int64)
        return replace(self, queue=queue, kinds=np.zeros(self.blocks, np.int64), n_kinds=1, sampled=False)

    def estimate(self, counts: np.ndarray, steps: float) -> float:
        """Work of the whole launch, from what the probes counted."""
        lines = float(counts[:, C.LINES].sum())
        return (steps + LINE_WORK * lines) / len(self.probes) * self.blocks


def _axis_classes(n: int) -> list[tuple[int, int]]:
    """(index of a member, population) of the inner and the last index of an axis."""
    return [(0, n)] if n == 1 else [(0, n - 1), (n - 1, 1)]


def _probes(grid: tuple[int, int, int]) -> tuple[list[int], list[int], list[int]]:
    """Probe blocks, the class of each, and the population of each class."""
    probes, of, population = [], [], []
    for k, axes in enumerate(itertools.product(*(_axis_classes(n) for n in grid))):
        x, y, z = (a[0] for a in axes)
        probes.append(x + grid[0] * (y + grid[1] * z))
        of.append(k)
        population.append(math.prod(a[1] for a in axes))
    inner = [(n - 1) // 2 for n in grid]
    for x, y, z in (inner, [(n - 1) // 3 for n in grid]):
        probes.append(x + grid[0] * (y + grid[1] * z))
        of.append(0)
    return probes, of, population


def probe_blocks(grid: tuple[int, int, int]) -> np.ndarray:
    """Blocks that together stand for every class of block of a grid.

    Returns
    -------
    int64 array
    """
    return np.unique(np.array(_probes(grid)[0], np.int64))


def _windows(blocks: int, wave: int, pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """The first wave, then `pairs` times a warming and a measured one, spread over the rest."""
    queue, kinds = [np.arange(wave)], [np.full(wave, FIRST)]
    room = blocks - wave - 2 * wave * pairs
    for k in range(pairs):
        begin = wave + 2 * wave * k + room * (k + 1) // (pairs + 1)
        queue.append(np.arange(begin, begin + 2 * wave))
        kinds.append(np.repeat([WARM, MEASURED], wave))
    return np.concatenate(queue).astype(np.int64), np.concatenate(kinds).astype(np.int64)


def plan(launch: Launch, gpu: Gpu, held: Occupancy, work: float | None) -> Plan:
    """Decide what to run.

    Parameters
    ----------
    launch, gpu, held
    work : float or None
        Estimated work of the whole launch; None or within ``BUDGET``: run it whole.
    """
    probes, of, population = _probes(launch.grid)
    base = Plan(
        np.zeros(0, np.int64), np.zeros(0, np.int64), 3, np.array(probes, np.int64), np.array(of, np.int64),
        np.array(population, np.int64), launch.blocks, True,
    )  # fmt: skip
    wave = blocks_at_once(gpu, held)
    if work is None or work <= BUDGET or launch.blocks < 5 * wave:
        return base.whole()
    affordable = BUDGET / (work / launch.blocks) / wave
    pairs = max(1, min(int((affordable - 1) // 2), (launch.blocks // wave - 1) // 2, 4))
    queue, kinds = _windows(launch.blocks, wave, pairs)
    return replace(base, queue=queue, kinds=kinds)


def scale(chosen: Plan, counts: np.ndarray, probed: np.ndarray) -> np.ndarray:
    """Counts of the whole launch.

    Parameters
    ----------
    chosen : Plan
    counts : int64 array, shape (n_kinds, N_COUNTS)
        What the blocks run counted.
    probed : float64 array, shape (probes, N_COUNTS)
        What each probe counted.

    Returns
    -------
    float64 array, shape (N_COUNTS,)
    """
    if not chosen.sampled:
        return np.asarray(counts.sum(axis=0), np.float64)
    rest = chosen.blocks - np.count_nonzero(chosen.kinds == FIRST)
    measured = np.count_nonzero(chosen.kinds == MEASURED)
    total = counts[FIRST] + counts[MEASURED] * (rest / measured)
    each = np.array([probed[chosen.probe_class == k].mean(axis=0) for k in range(len(chosen.population))])
    total[EXECUTED] = (each * chosen.population[:, None]).sum(axis=0)[EXECUTED]
    return np.asarray(total, np.float64)
