"""Which blocks of a large launch to run.

What a block executes is found from a few *probes*: blocks fall into classes by
whether they lie at the first, at the last or at another index of each axis (halos,
ragged edges), and up to three indices of each are tried.  What blocks of one class do
not agree on (how rows of odd length lie on lines, say) is taken from the blocks that
go through the caches, as is what follows.

What caches make of a launch depends on which blocks run side by side, so there whole
*spans* are run: about as many blocks as the GPU holds at once, in whole rows of the
grid, for blocks of a row share what they read, and a span that cuts a row would count
too much or too little of it.  The first span meets cold caches, the last one ends in a machine
that empties; between them pairs of spans (one to warm up, one to measure) are spread
evenly over the grid, and the measured ones stand for all but the first and the last.
More spans go before the first measured one: blocks begin together and come apart where the
older ones of an SM go first, the later the more of them an SM holds.
No span is counted as inner whose blocks were not followed by others: in an emptying
machine fewer blocks compete for L2.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpusim.engine.state import counts as C
from gpusim.simulate.block_queue import BlockQueue, Stretch
from gpusim.simulate.clusters import held_at_once
from gpusim.simulate.scattered import scattered

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.simulate.launch import Launch

BUDGET = 200e6
"""Work run in full, in steps of the engine's (about 20 s); beyond it a launch is sampled."""

MOST_PAIRS = 4  # spans measured; more tell little that is new

TO_COME_APART = 2, 4
"""Spans that warm up before the first one is measured, at least and at most; between them half as many as an SM holds
blocks.  Of 4096 x 4096, two blocks of 32 x 32 tiles read the same from HBM from the third wave on; eight of 16 x 16
read 30 % too little in the fourth, 6 % in the sixth."""

LITTLE = 0.02
"""Share of a launch of which the last blocks are taken to be like those in the middle.

Half a wave of what comes after a measured span runs all the same: with nothing beside them the last blocks measured
would find more in L2 (of 4096 x 4096 in tiles of 32, 9 % less is read from HBM)."""

LINE_WORK = 10.0  # steps that one line asked of the memory hierarchy weighs
FIRST, WARM, MEASURED, LAST = range(4)


@dataclass(frozen=True)
class Plan:
    """Blocks to run.

    Attributes
    ----------
    queue : BlockQueue
        Blocks in launch order; the row of counts of each is FIRST, WARM, MEASURED or LAST.
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

    queue: BlockQueue
    n_kinds: int
    probes: np.ndarray
    probe_class: np.ndarray
    population: np.ndarray
    blocks: int
    sampled: bool

    def whole(self) -> Plan:
        """The same launch, every block run."""
        return replace(self, queue=BlockQueue.whole(self.blocks), n_kinds=1, sampled=False)

    def middle(self, wave: int, cluster: int = 1) -> tuple[int, Stretch]:
        """Where a stretch of the launch may be timed: after how many of the blocks run, and which blocks it may run.

        It begins with a measured span, or lies around the middle of a launch run whole: a few waves of so many blocks.
        ``cluster``: blocks that belong together.
        """
        at = first = max(self.blocks // 2 - 2 * wave, 0) // cluster * cluster
        if self.sampled:
            measured = [(before, one.first) for before, one in self.queue.begins() if one.kind == MEASURED]
            at, first = measured[(len(measured) - 1) // 2]
        return at, Stretch(first, min(4 * wave, self.blocks - first))

    def estimate(self, counts: np.ndarray, steps: float) -> float:
        """Work of the whole launch, from what the probes counted."""
        each = steps / max(counts[:, C.INST].sum(), 1) * counts[:, C.INST] + LINE_WORK * counts[:, C.LINES]
        return float(self.means(each[:, None])[:, 0] @ self.population)

    def instructions(self, counts: np.ndarray) -> float:
        """Warp instructions of the whole launch, from what the probes counted; 0 where there were none."""
        return float(self.means(counts)[:, C.INST] @ self.population) if len(counts) else 0.0

    def means(self, probed: np.ndarray) -> np.ndarray:
        """Mean over the probes of each class."""
        return np.stack([probed[self.probe_class == k].mean(axis=0) for k in range(len(self.population))])

    def agreed(self, probed: np.ndarray) -> np.ndarray:
        """Whether the probes of every class agree, for each column."""
        first = np.searchsorted(self.probe_class, self.probe_class)
        return np.asarray(np.all(probed == probed[first], axis=0))


def _axis_classes(n: int) -> list[tuple[tuple[int, ...], int]]:
    """(some members, population) of the inner, the first and the last index of an axis.

    Neighbours are among the inner ones, for what alternates from row to row.
    """
    inner = [(tuple(sorted({1, min(2, n - 2), n // 2})), n - 2)] if n > 2 else []
    return [*inner, *(((k,), 1) for k in sorted({0, n - 1}))]


def _probes(grid: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probe blocks, the class of each (in order), and the population of each class."""
    probes, of, population = [], [], []
    for k, axes in enumerate(itertools.product(*map(_axis_classes, grid))):
        for x, y, z in itertools.product(*(members for members, _ in axes)):
            probes.append(x + grid[0] * (y + grid[1] * z))
            of.append(k)
        population.append(math.prod(n for _, n in axes))
    return np.array(probes, np.int64), np.array(of, np.int64), np.array(population, np.int64)


def probe_blocks(grid: tuple[int, int, int]) -> np.ndarray:
    """Blocks of a grid, one of each class.

    Returns
    -------
    int64 array
    """
    probes, of, _ = _probes(grid)
    return np.sort(probes[np.unique(of, return_index=True)[1]])


class Spans(NamedTuple):
    """Lengths in blocks: of a counted span, of a warming one, of what ends the run, and of what each is a multiple of.

    What ends it are the last blocks of the launch, or those that come after the last span measured.  And how many
    warming spans go before the first pair's.
    """

    counted: int
    warming: int
    last: int
    after: int
    unit: int
    apart: int

    @property
    def pair(self) -> int:
        """Blocks of a warming and a measured span."""
        return self.warming + self.counted

    @property
    def ends(self) -> int:
        """Blocks besides the pairs: of the first span, of those to come apart in, of what ends the run."""
        return self.counted + self.apart * self.warming + self.last + self.after


def _spans(blocks: int, row: int, wave: int, blocks_per_sm: int, cluster: int = 1) -> Spans:
    """Spans of whole rows; rows longer than a wave are cut, but no clusters of so many blocks."""
    least, most = TO_COME_APART
    apart = min(max(blocks_per_sm // 2, least), most) - 1
    unit = cluster if row > wave else row
    counted, warming = round(wave / unit) * unit, math.ceil(wave / unit) * unit
    last, after = (counted, 0) if counted > LITTLE * blocks else (0, max(round(wave / 2 / unit), 1) * unit)
    return Spans(counted, warming, last, after, unit, apart)


def _windows(blocks: int, spans: Spans, pairs: int) -> BlockQueue:
    """The first span, `pairs` times a warming and a measured one, spread out, the first ones longer warm, the end."""
    span, apart = spans.counted, spans.apart * spans.warming
    queue = [Stretch(0, span, FIRST)]
    room = (blocks - spans.ends - spans.pair * pairs) // spans.unit
    for k in range(pairs):
        warming = spans.warming + (0 if k else apart)
        begin = span + (apart if k else 0) + spans.pair * k + room * (k + 1) // (pairs + 1) * spans.unit
        after = spans.after if k == pairs - 1 else 0
        queue += [
            Stretch(begin, warming, WARM),
            Stretch(begin + warming, span, MEASURED),
            Stretch(begin + warming + span, after, WARM),
        ]
    return BlockQueue([*queue, Stretch(blocks - spans.last, spans.last, LAST)])


def unplanned(launch: Launch, *, few: bool = False) -> Plan:
    """Which blocks to probe, or a few that are scattered over the grid; none to run so far."""
    probes = scattered(launch.grid) if few else _probes(launch.grid)
    return Plan(BlockQueue(), 4, *probes, launch.blocks, True)


def plan(launch: Launch, gpu: Gpu, held: Occupancy, work: float, *, sample: bool | None = None) -> Plan:
    """Decide what to run.

    Parameters
    ----------
    launch, gpu, held
    work : float
        Estimated work of the whole launch.
    sample : bool, optional
        Whether to leave out blocks, if there are enough of them; None: where work exceeds ``BUDGET``.
    """
    base = unplanned(launch)
    _, tall, deep = launch.cluster or (1, 1, 1)
    row, wave = launch.grid[0] * tall * deep, held_at_once(gpu, launch, held)
    spans = _spans(launch.blocks, row, wave, held.blocks_per_sm, launch.cluster_blocks)
    most = (launch.blocks - spans.ends) // spans.pair
    if not (work > BUDGET if sample is None else sample) or most < 2:
        return base.whole()
    affordable = (BUDGET * launch.blocks / work - spans.ends) / spans.pair
    return replace(base, queue=_windows(launch.blocks, spans, int(min(max(1, affordable), most - 1, MOST_PAIRS))))
