"""A launch from a few million of its warp instructions, for sweeps: in about a second.

What blocks execute comes from probes, as of any launch of which only part is run.  Time comes from stretches that are
timed on one GPC, one of each round of blocks.  In so few instructions a GPC of eight comes eight times as far as the
whole GPU would; what a block does at its end is seen only where blocks are short.  What L1 and the coalescer make of
accesses comes from these stretches, too; what L2 makes of them from the beginning of the launch on the whole GPU,
because the GPCs share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state.arrays import Machine
from gpusim.results.figures import SECTOR_BYTES
from gpusim.simulate.block_queue import BlockQueue
from gpusim.simulate.clock import Timing, timing, waits
from gpusim.simulate.counted import CacheState, Counts
from gpusim.simulate.driving import Place, drive
from gpusim.simulate.l2_state import left, take_over
from gpusim.simulate.launch import arrays_of
from gpusim.simulate.part_of_gpu import part_of, sms_of_gpcs
from gpusim.simulate.rounds import Round, begins_before, dealt, rounds
from gpusim.simulate.scaling import attribute, by_instruction
from gpusim.simulate.utilisation import booked
from gpusim.simulate.window import Lengths, Since, measure, now, unevenness

if TYPE_CHECKING:
    from gpusim.isa.encode import Image
    from gpusim.progress import Progress
    from gpusim.simulate.sample import Plan

UNEQUAL = 0.1
"""By how much of their mean the instructions of a class's blocks may differ; beyond that little tells too little."""
RUN_WHOLE = 6e6  # warp instructions of a launch that is run whole all the same
COUNTED = 5e5  # steps of the engine that go through the caches of the whole GPU
GPCS = 1  # on which stretches are timed
STRETCH = Lengths(most=2e6, settled=0.3, batch=0.1, error=0.003)
"""Of each round of blocks."""

OF_GPCS = {
    (C.LD_SECTORS, C.LOCAL_LD_SECTORS, C.ATOM_SECTORS): (
        C.LD_HIT, C.LOCAL_LD_HIT, C.LD_WAVES, C.PENDING, C.MERGED, C.L2_READ_REQ, C.L2_READ,
    ),
    (C.ST_SECTORS, C.LOCAL_ST_SECTORS): (C.L2_WRITE_REQ, C.L2_WRITE),
    (C.ATOM_SECTORS, C.RED_SECTORS): (C.L2_ATOM_REQ, C.L2_ATOM),
}  # fmt: skip
"""What L1 and the coalescer of a GPC make of accesses, by what it is in proportion to."""
OF_L2 = C.L2_MISS, C.L2_READ_HIT, C.L2_READ_MISS, C.FABRIC, C.DRAM_READ
"""What L2 makes of what all GPCs ask, in proportion to sectors read."""


def applies(chosen: Plan, probed: np.ndarray) -> bool:
    """Whether a little tells enough of a launch: it is long, and blocks of a class do alike.

    Parameters
    ----------
    chosen, probed
        As for :func:`quickly`.
    """
    if chosen.instructions(probed) <= RUN_WHOLE:
        return False
    each, means = probed[:, C.INST], chosen.means(probed)[:, C.INST]
    return bool((np.abs(each - means[chosen.probe_class]) <= UNEQUAL * means[chosen.probe_class]).all())


def quickly(
    place: Place, image: Image, in_time: Image, chosen: Plan, probed: np.ndarray, progress: Progress | None,
    limit: int | None = None,
) -> Counts:  # fmt: skip
    """Count what a launch does, and its time, from a little of it.

    Parameters
    ----------
    place : Place
        The launch.
    image, in_time : Image
        What is counted, and what is timed.
    chosen : Plan
        Says what the probes are.
    probed : float64 array
        What each of them counted.
    progress : callable, optional
        Called with (instructions done, instructions, text).
    limit : int, optional
        As for :func:`gpusim.simulate.count`.
    """
    launch, run = place.launch, partial(drive, progress=None, text="counting", limit=limit, workers=place.workers)
    executed = chosen.population @ chosen.means(probed)
    found = _stretches(place, in_time, executed[C.INST] / launch.blocks, progress)
    begun, block = _beginning(place, image, run), _inner_block(place, image, run)
    total = _total(place, executed, found, begun.counts.sum(axis=0), block)
    total[C.DRAM_WRITE], kept = _written_back(place, total, block)
    sites = by_instruction(block, image, len(launch.program)) * 1.0
    simulated = sum(int(timed.m.misc[S.STEPS]) for _, timed in found) + int(begun.counts[:, C.INST].sum())
    return Counts(
        total=total,
        arrays=attribute(block.arrays * 1.0, C.ARRAYS, total, launch.blocks),
        sites=attribute(sites, C.SITES, total, launch.blocks),
        sampled=True,
        blocks_run=int(begun.misc[S.HANDED]),
        left_dirty=kept,
        timing=_timing(place, found, total[C.INST]),
        warp_instructions=simulated,
        quick=True,
    )


# ------------------------------------------------------------------ counts


def _beginning(place: Place, image: Image, run: Callable[..., bool]) -> Machine:
    """A machine that has run the beginning of the launch."""
    m = place.apart(image).machine(image, 1)
    run(m, place.launch, image, BlockQueue.whole(place.launch.blocks), until=COUNTED)
    return m


def _inner_block(place: Place, image: Image, run: Callable[..., bool]) -> Machine:
    """A machine that has run one block from the middle of the grid, with empty caches."""
    m = place.apart(image).machine(image, 1, n_sm=1)
    run(m, place.launch, image, BlockQueue.single([place.launch.blocks // 2]))
    return m


def _total(place: Place, executed: np.ndarray, found: _Found, begun: np.ndarray, block: Machine) -> np.ndarray:
    """Counts of the whole launch, but for what is written back to device memory."""
    total = executed.copy()
    rounds, one = _of_all_rounds(found), block.counts.sum(axis=0)
    for asked, columns in OF_GPCS.items():
        _grow(total, rounds if rounds[list(asked)].sum() else one, asked, columns)
    _grow(total, begun if begun[C.L2_READ] else rounds, (C.L2_READ,), OF_L2)
    if (most := _fits(place, block.arrays[:, C.A_LD_REQ])) is not None:
        total[C.DRAM_READ] = min(total[C.DRAM_READ], most)
    return total


def _of_all_rounds(found: _Found) -> np.ndarray:
    """What an average block counts, in stretches that stand for as many blocks as their rounds have."""
    parts = [one.blocks / timed.issued.sum() * timed.m.counts.sum(axis=0) for one, timed in found]
    return np.asarray(np.sum(parts, axis=0))


def _grow(total: np.ndarray, seen: np.ndarray, asked: Sequence[int], columns: Sequence[int]) -> None:
    """Put columns into a total, in proportion to what was asked."""
    total[list(columns)] = seen[list(columns)] * (total[list(asked)].sum() / (seen[list(asked)].sum() or 1))


def _fits(place: Place, asked: np.ndarray) -> float | None:
    """Sectors of the arrays that are asked for, if L2 holds all of them: so often one is moved at most."""
    names = [array.name for array, requests in zip(arrays_of(place.launch), asked, strict=False) if requests]
    nbytes = sum(place.layout.nbytes.get(name, 0) for name in names)
    return nbytes / SECTOR_BYTES if nbytes <= place.gpu.l2.size_bytes else None


def _written_back(place: Place, total: np.ndarray, block: Machine) -> tuple[float, float]:
    """Sectors written to device memory, and those that L2 still holds dirty at the end."""
    dirtied = float(total[C.L2_WRITE] + total[C.L2_ATOM])
    if (most := _fits(place, block.arrays[:, C.A_ST_REQ])) is not None:
        dirtied = min(dirtied, most)
    came = total[C.DRAM_READ] + dirtied
    kept = dirtied * min(place.gpu.l2.size_bytes / SECTOR_BYTES / max(came, 1), 1)
    return dirtied - kept, kept


# ------------------------------------------------------------------ time


class _Timed(NamedTuple):
    """A stretch of a round, timed on one GPC.

    Attributes
    ----------
    m : Machine
    since : Since
        Where it stood when measuring began.
    held : int64 array
        Blocks that each SM began with.
    whole : bool
        Whether the GPC has run all that it runs of the launch from there on.
    """

    m: Machine
    since: Since
    held: np.ndarray
    whole: bool

    @property
    def issued(self) -> np.ndarray:
        """Warp instructions measured, of each SM."""
        issued = self.m.schedulers[:, S.ISSUED] - self.since.schedulers[:, S.ISSUED]
        return np.asarray(np.maximum(issued.reshape(len(self.held), -1).sum(axis=1), 1))

    @property
    def measured(self) -> float:
        """Cycles for which it was measured."""
        return (now(self.m) - self.since.tick) / S.TICKS

    def lasts(self, instructions: float) -> float:
        """Cycles in which the SMs with most blocks run those that they began with, each of so many instructions."""
        busiest = self.held == self.held.max()
        return self.measured * instructions * float(self.held.max() / self.issued[busiest].mean())

    def starts_late(self) -> float:
        """Cycles by which what was not measured took longer than as many instructions did later."""
        usual = self.measured * self.since.issued / float(self.issued.sum())
        return max(self.since.tick / S.TICKS - usual, 0.0)


def _stretches(place: Place, image: Image, each: float, progress: Progress | None) -> _Found:
    """Time a stretch of each round of blocks of so many instructions; one does where a GPC soon has run all its own."""
    launch, l2, found = place.launch, None, []
    for one in rounds(launch.blocks, place.gpu.sm_count, place.held.blocks_per_sm):
        timed = _stretch(place, image, one, 2 * STRETCH.most / each, l2, progress)
        found.append((one, timed))
        if timed.whole and not one.first:
            break
        l2 = l2 or left(timed.m)
    return found


_Found = list[tuple[Round, _Timed]]
"""Rounds, and a stretch of each."""


def _stretch(
    place: Place, image: Image, one: Round, enough: float, l2: CacheState | None, progress: Progress | None
) -> _Timed:
    """Time the beginning of a round on one GPC, with L2 as the round before has left it."""
    sms = sms_of_gpcs(place.gpu, GPCS)
    blocks = dealt(one, place.launch.blocks, place.gpu, sms, enough)
    m = replace(place, gpu=part_of(place.gpu, sms)).apart(image).machine(image, 1, timed=True)
    m = m._replace(order=np.array(blocks.order, np.int64))
    if l2 is not None:
        take_over(m, l2)
    advance = partial(_advance, m, place, image, blocks.queue, progress)
    since = measure(m, advance, STRETCH)
    done = int(m.misc[S.FINISHED_BLOCKS]) == len(blocks.queue)
    return _Timed(m, since, np.bincount(blocks.order, minlength=len(sms)), done and blocks.whole)


def _advance(
    m: Machine, place: Place, image: Image, queue: BlockQueue, progress: Progress | None, until: float
) -> bool:
    """Let a machine run until it has issued so many instructions; returns whether that was the end."""
    if progress is not None:
        progress(int(m.misc[S.STEPS]), int(STRETCH.most), "timing")
    return drive(m, place.launch, image, queue, None, "timing", until=until, workers=place.workers)


def _timing(place: Place, found: _Found, instructions: float) -> Timing:
    """Time of the whole launch, of so many instructions."""
    launch, gpu, first = place.launch, place.gpu, found[0][1]
    busiest = sum(one.blocks for one, _ in found)
    parts = [(one.blocks / busiest, timed) for one, timed in found]
    taken = _added((_taken(t), share * instructions / t.issued.sum()) for share, t in parts)
    lasts = [timed.lasts(instructions / launch.blocks) for _, timed in found]
    longest = first.starts_late() + sum(one.blocks / one.held * t for (one, _), t in zip(found, lasts, strict=True))
    if first.whole:
        longest = timing(first.m, gpu.launch).longest
    elif len(found) > 1:
        longest -= lasts[-2] * begins_before([one for one, _ in found], launch.blocks, gpu.sm_count)
    longest = max(longest, taken["launcher"])  # there is one for all GPCs
    return Timing(
        cycles=longest + gpu.launch.overhead_cycles + gpu.launch.stores_done_cycles,
        active=longest / unevenness(launch.blocks, gpu.sm_count),
        longest=longest,
        warps=None,
        stalls=_added((waits(t.m.schedulers - t.since.schedulers), share) for share, t in parts),
        booked=taken,
    )


def _taken(timed: _Timed) -> dict[str, float]:
    """How long units were taken while measuring."""
    return {name: taken - timed.since.booked[name] for name, taken in booked(timed.m).items()}


def _added(weighted: Iterable[tuple[dict[str, float], float]]) -> dict[str, float]:
    """Sums of values by name, each in its weight."""
    total: dict[str, float] = {}
    for values, weight in weighted:
        for name, value in values.items():
            total[name] = total.get(name, 0.0) + weight * value
    return total
