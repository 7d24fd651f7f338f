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
from gpusim.simulate.block_queue import BlockQueue
from gpusim.simulate.clock import Timing, timing, waits
from gpusim.simulate.counted import CacheState, Counts
from gpusim.simulate.driving import Place, drive
from gpusim.simulate.l2_state import held_by_l2, left, take_over
from gpusim.simulate.part_of_gpu import part_of, shares, sms_of_gpcs
from gpusim.simulate.placement import first_wave
from gpusim.simulate.quick_counts import WRITTEN, Seen, whole_launch
from gpusim.simulate.rounds import Round, begins_before, dealt, rounds
from gpusim.simulate.scaling import attribute, by_instruction
from gpusim.simulate.scattered import classes_of
from gpusim.simulate.utilisation import booked, dram_taken
from gpusim.simulate.window import Lengths, Since, measure, now, unevenness

if TYPE_CHECKING:
    from gpusim.isa.encode import Image
    from gpusim.progress import Progress
    from gpusim.simulate.sample import Plan

UNEQUAL = 0.1
"""By how much of their mean the instructions of a class's blocks may differ; beyond that little tells too little."""
TAKEN = 0.75
"""A stretch may be bound by device memory if that is taken for this share of the time."""
ALONE = 1.25
"""How many times as much such a stretch may read from there as it would with what other GPCs bring into L2."""
UNFAIR = 0.25
"""By how much the share of L2 and device memory that an SM has, and a block, may change in a GPC alone."""
COMMON = 0.02
"""Share of its reads up to which a block has nothing in common with those a wave before and after it."""
RUN_WHOLE = 6e6  # warp instructions of a launch that is run whole all the same
COUNTED = 5e5  # steps of the engine that go through the caches of the whole GPU
GPCS = 1  # on which stretches are timed
STRETCH = Lengths(most=2e6, settled=0.3, batch=0.1, error=0.003)
"""Of each round of blocks."""


def applies(place: Place, chosen: Plan, probed: np.ndarray) -> bool:
    """Whether a little tells enough of a launch: it is long, a GPC stands for all, and blocks of a class do alike.

    Parameters
    ----------
    place, chosen, probed
        As for :func:`quickly`.
    """
    if chosen.instructions(probed) <= RUN_WHOLE or not _stands_for_all(place):
        return False
    each, means = probed[:, C.INST], chosen.means(probed)[:, C.INST]
    return bool((np.abs(each - means[chosen.probe_class]) <= UNEQUAL * means[chosen.probe_class]).all())


def quickly(
    place: Place, image: Image, in_time: Image, chosen: Plan, probed: np.ndarray, progress: Progress | None,
    limit: int | None = None,
) -> Counts | None:  # fmt: skip
    """Count what a launch does, and its time, from a little of it; None if blocks do other than the probes say.

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
    means = chosen.means(probed)
    executed = chosen.population @ means
    found = _stretches(place, in_time, executed[C.INST] / launch.blocks, progress)
    begun, block = _beginning(place, image, run), _blocks(place, image, run, [launch.blocks // 2])
    ran = [(begun, BlockQueue.whole(launch.blocks)), *((timed.m, timed.queue) for _, timed in found)]
    if not all(_as_probed(m, queue, launch.grid, means[:, C.INST]) for m, queue in ran):
        return None
    seen = _seen(chosen, probed, found, begun, block, _blocks(place, image, run, _a_wave_apart(place)))
    total, kept = whole_launch(place, executed, seen)
    if _lacks_others(found, total):
        return None
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
        unlike=tuple(column for column in C.EXECUTED if not seen.agreed[column]),
    )


def _as_probed(m: Machine, queue: BlockQueue, grid: tuple[int, int, int], each: np.ndarray) -> bool:
    """Whether the blocks that a machine has run executed what probes of their classes did.

    Those that still run may have executed any part of it.

    Parameters
    ----------
    m : Machine
    queue : BlockQueue
        What it runs.
    grid : tuple of int
    each : float64 array
        Instructions of a block of each class.
    """
    started = queue.first(int(m.misc[S.HANDED]))
    running = m.blocks[m.blocks[:, S.ID] >= 0, S.ID]
    most, unknown = (each[classes_of(blocks, grid)].sum() for blocks in (started, running))
    ran = float(m.counts[:, C.INST].sum())
    return bool((1 - UNEQUAL) * (most - unknown) <= ran <= (1 + UNEQUAL) * most)


def _lacks_others(found: _Found, total: np.ndarray) -> bool:
    """Whether a stretch waits for device memory, because of reads that other GPCs would have made for it."""
    reads = total[C.DRAM_READ] / (total[C.L2_READ] or 1)
    return any(
        timed.dram > TAKEN and counts[C.DRAM_READ] > ALONE * reads * counts[C.L2_READ]
        for timed, counts in ((timed, timed.m.counts.sum(axis=0)) for _, timed in found)
    )


# ------------------------------------------------------------------ counts


def _beginning(place: Place, image: Image, run: Callable[..., bool]) -> Machine:
    """A machine that has run the beginning of the launch."""
    m = place.apart(image).machine(image, 1)
    run(m, place.launch, image, BlockQueue.whole(place.launch.blocks), until=COUNTED)
    return m


def _blocks(place: Place, image: Image, run: Callable[..., bool], blocks: Sequence[int]) -> Machine:
    """A machine that has run some blocks on one SM, with empty caches."""
    m = place.apart(image).machine(image, 1, n_sm=1)
    run(m, place.launch, image, BlockQueue.single(blocks))
    return m


def _a_wave_apart(place: Place) -> list[int]:
    """A block from the middle of the grid, and those that are where it is a wave earlier and a wave later."""
    middle, wave = place.launch.blocks // 2, _wave(place)
    return [block for block in (middle - wave, middle, middle + wave) if 0 <= block < place.launch.blocks]


def _wave(place: Place) -> int:
    """Blocks that the GPU holds at once."""
    return place.gpu.sm_count * place.held.blocks_per_sm


def _seen(
    chosen: Plan, probed: np.ndarray, found: _Found, begun: Machine, block: Machine, apart: Machine
) -> Seen:  # fmt: skip
    """What was run of a launch."""
    alone = block.counts.sum(axis=0)
    together = apart.counts[:, C.DRAM_READ].sum() / max(int(apart.misc[S.HANDED]), 1)
    return Seen(
        probed=probed,
        agreed=chosen.agreed(probed),
        stretches=np.sum([timed.m.counts.sum(axis=0) for _, timed in found], axis=0),
        average=_of_all_rounds(found),
        cold=found[0][1].m.counts.sum(axis=0),
        begun=begun.counts.sum(axis=0),
        alone=alone,
        dirtied=float(min((held_by_l2(block).dirty + alone[C.DRAM_WRITE]) / max(alone[list(WRITTEN)].sum(), 1), 1)),
        shares=bool(together < (1 - COMMON) * alone[C.DRAM_READ]),
        arrays=block.arrays,
    )


def _of_all_rounds(found: _Found) -> np.ndarray:
    """What an average block counts, in stretches that stand for as many blocks as their rounds have."""
    parts = [one.blocks / timed.issued.sum() * timed.m.counts.sum(axis=0) for one, timed in found]
    return np.asarray(np.sum(parts, axis=0))


# ------------------------------------------------------------------ time


class _Timed(NamedTuple):
    """A stretch of a round, timed on one GPC.

    Attributes
    ----------
    m : Machine
    since : Since
        Where it stood when measuring began.
    queue : BlockQueue
        Blocks that it was given.
    held : int64 array
        Blocks that each SM began with.
    dram : float
        Share of the time for which device memory was taken.
    whole : bool
        Whether the GPC has run all that it runs of the launch from there on.
    """

    m: Machine
    since: Since
    queue: BlockQueue
    held: np.ndarray
    dram: float
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
    launch, sms, l2, found = place.launch, _sms(place), None, []
    for one in rounds(launch.blocks, place.gpu.sm_count, place.held.blocks_per_sm):
        timed = _stretch(place, sms, image, one, 2 * STRETCH.most / each, l2, progress)
        found.append((one, timed))
        if timed.whole and not one.first:
            break
        l2 = l2 or left(timed.m)
    return found


_Found = list[tuple[Round, _Timed]]
"""Rounds, and a stretch of each."""


def _sms(place: Place) -> tuple[int, ...]:
    """SMs that stretches are timed on: among them one of those that run most blocks."""
    last, lands = _last_round(place)
    return sms_of_gpcs(place.gpu, GPCS, lands, evenly=last.first == 0)


def _last_round(place: Place) -> tuple[Round, list[int]]:
    """The last round of blocks, and the SM of each of them."""
    gpu, blocks = place.gpu, place.launch.blocks
    last = rounds(blocks, gpu.sm_count, place.held.blocks_per_sm)[-1]
    return last, first_wave(gpu, last.held, blocks - last.first)


def _stands_for_all(place: Place) -> bool:
    """Whether SMs share what is shared in a GPC alone as they do in the GPU, and so do blocks if they run in one round.

    Of a few blocks that spread over many GPCs each has more than its share in one of them.
    """
    gpu, sms = place.gpu, _sms(place)
    last, lands = _last_round(place)
    found = shares(gpu, sms)
    if last.first == 0:
        found.append(sum(sm in sms for sm in lands) / len(sms) * gpu.sm_count / len(lands))
    return max(abs(share - 1) for share in found) <= UNFAIR


def _stretch(
    place: Place, sms: Sequence[int], image: Image, one: Round, enough: float, l2: CacheState | None,
    progress: Progress | None,
) -> _Timed:  # fmt: skip
    """Time the beginning of a round on one GPC, with L2 as the round before has left it."""
    blocks, part = dealt(one, place.launch.blocks, place.gpu, sms, enough), part_of(place.gpu, sms)
    m = replace(place, gpu=part).apart(image).machine(image, 1, timed=True)
    m = m._replace(order=np.array(blocks.order, np.int64))
    if l2 is not None:
        take_over(m, l2)
    advance = partial(_advance, m, place, image, blocks.queue, progress)
    since = measure(m, advance, STRETCH)
    dram = dram_taken(m.counts.sum(axis=0), part) / max(now(m) / S.TICKS, 1)
    whole = blocks.whole and int(m.misc[S.FINISHED_BLOCKS]) == len(blocks.queue)
    return _Timed(m, since, blocks.queue, np.bincount(blocks.order, minlength=len(sms)), dram, whole)


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
