"""Count what a launch does at every level: whole, or as many blocks of it as its size allows."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state.arrays import Machine
from gpusim.errors import EndlessError
from gpusim.isa.encode import Image
from gpusim.isa.image_memory import makes_copies, needs_data, stores_values
from gpusim.simulate import clusters, quick, spared
from gpusim.simulate.block_phases import spread_phases
from gpusim.simulate.block_queue import BlockQueue
from gpusim.simulate.clock import Timing, timing
from gpusim.simulate.counted import CacheState, Counts
from gpusim.simulate.dependence import draws_tickets, may_read_what_it_wrote, reads_what_it_wrote
from gpusim.simulate.driving import Place, SimulationError, drive
from gpusim.simulate.l2_state import left, take_over
from gpusim.simulate.launch import Launch, Layout, copied, fill_memory, lay_out, pointers, read_back
from gpusim.simulate.prepared import bound, images, whole, whole_in_time
from gpusim.simulate.printed import printed
from gpusim.simulate.record import check, recorded, timeline
from gpusim.simulate.sample import Plan, plan, unplanned
from gpusim.simulate.scaling import Held, attribute, by_instruction, left_dirty, scale
from gpusim.simulate.window import WINDOW, Since, measure, unevenness, window
from gpusim.simulate.without import whole_waves
from gpusim.simulate.workers import ALONE, Workers

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.progress import Progress
    from gpusim.results.timeline import Recording
    from gpusim.simulate.machines import Machines
    from gpusim.simulate.work import Sample

MOST_TIMED = 400e6  # warp instructions of a launch that is timed (minutes)


def count(
    launch: Launch, gpu: Gpu, held: Occupancy, *, sample: Sample = None, l2: CacheState | None = None,
    keep_l2: bool = False, values: bool = False, progress: Progress | None = None, limit: int | None = None,
    recording: Recording | None = None, workers: Workers = ALONE, machines: Machines | None = None,
) -> Counts:  # fmt: skip
    """Count what a launch does at every level of the memory hierarchy.

    Parameters
    ----------
    launch : Launch
        Buffers as arrays where addresses depend on their contents, else sizes do.
    gpu, held
        Where it runs.
    sample : bool or "quick", optional
        Run only part of a large launch, or little of it; None decides by its size.
    l2 : CacheState, optional
        L2 as a launch before left it; empty unless given.
    keep_l2 : bool
        Give what L2 holds at the end, for a launch that follows.
    values : bool
        Compute what the launch computes, not only what addresses and branches depend on; all blocks are run.
    progress : callable, optional
        Called with (blocks done, blocks, text).
    limit : int, optional
        Warp instructions beyond which the run is taken not to end; unless given, however many it takes.
    recording : Recording, optional
        Record a timeline of what is timed: the launch, or the stretch of it that stands for the whole.
    workers : Workers
        Who does it, one unless given; no result depends on how many there are.
    machines : Machines, optional
        Those that ran launches before.

    Raises
    ------
    SimulationError
        If an access is out of bounds, or the program cannot be run.
    EndlessError
        It never ends, or has more than ``limit`` warp instructions.
    ParameterError
        A timeline of an SM that the GPU does not have, or that does nothing.
    """
    check(recording, gpu)
    layout = lay_out(launch)
    image, in_time = _images(launch, gpu, layout, values=values)
    data = _memory(launch, layout, image, values=values)
    place = Place(launch, gpu, held, layout, data, workers, machines)
    if sample == "quick" and not values and (found := _quickly(place, image, in_time, progress, limit)):
        return found
    chosen, classes = _choose(place, image, False if values else sample, progress, limit)
    if not chosen.sampled:
        wave = clusters.held_at_once(gpu, launch, held)
        chosen = replace(chosen, queue=BlockQueue.whole(whole_waves(launch, wave)))
    timed = not chosen.sampled and chosen.instructions(classes) <= MOST_TIMED
    image = in_time if timed else image
    m = (place.machine_again if timed else place.machine)(image, chosen.n_kinds, timed=timed)
    before = None if l2 is None else take_over(m, l2)
    m = recorded(m, recording if timed else None)
    ran, note, since = m, "", None
    if timed:
        drive(m, launch, image, chosen.queue, progress, "counting", limit, workers=workers)
    else:
        each = chosen.instructions(classes) / launch.blocks
        ran, note, since = _count_and_time(m, place, image, in_time, chosen, each, recording, progress, limit)

    def time(spent: float) -> Timing:
        """Of a launch of so many warp instructions."""
        uneven = unevenness(launch.blocks, gpu.sm_count)
        return timing(m, gpu.launch) if since is None else window(ran, since, spent, uneven, gpu.launch)

    found = _summed_up(m, place, image, chosen, classes, before, time)
    return replace(
        found,
        outputs=read_back(launch, layout, data) if values else {},
        l2=found.l2 if keep_l2 else None,
        timeline=timeline(ran, in_time, launch.program, gpu, note),
    )


def _summed_up(
    m: Machine, place: Place, image: Image, chosen: Plan, classes: np.ndarray, before: Held | None,
    time: Callable[[float], Timing],
) -> Counts:  # fmt: skip
    """What the whole launch counts, from what a machine has that ran the blocks chosen."""
    launch, l2 = place.launch, left(m)
    before = before or Held(0, 0, l2.held.room)
    total = scale(chosen, m.counts, classes, before, l2.held)
    by_array, sites = m.arrays * 1.0, by_instruction(m, image, len(launch.program)) * 1.0
    if chosen.sampled:
        share = launch.blocks / max(len(chosen.queue), 1)
        by_array, sites = attribute(by_array, C.ARRAYS, total, share), attribute(sites, C.SITES, total, share)
    return Counts(
        total=total,
        arrays=by_array,
        sites=sites,
        sampled=chosen.sampled,
        blocks_run=len(chosen.queue),
        left_dirty=left_dirty(total, m.counts.sum(axis=0), before, l2.held),
        timing=time(float(total[C.INST])),
        warp_instructions=int(m.counts[:, C.INST].sum()),
        l2=l2,
        printed=printed(launch.program, m.printed),
    )


def _images(launch: Launch, gpu: Gpu, layout: Layout, *, values: bool) -> tuple[Image, Image]:
    """The image that counts, and the one that takes its time."""
    if values:
        made = whole(launch.program), whole_in_time(launch.program, gpu)
    else:
        made = images(launch.program, gpu, tuple(pointers(launch, layout)))
    in_time = spared.without(made[1], launch.program, gpu, launch.without)
    return bound(launch, layout, made[0]), bound(launch, layout, in_time)


def _memory(launch: Launch, layout: Layout, image: Image, *, values: bool) -> np.ndarray:
    """Global memory for a run: one word where its values do not matter, a copy where that must not be changed."""
    if not values and not needs_data(image):
        return np.zeros(1, np.uint32)
    if launch.memory is None:
        return fill_memory(launch, layout, image.reads)
    if values or not stores_values(image):
        return launch.memory.words
    return copied(launch, layout, launch.memory.words, image.reads)


def _count_and_time(
    m: Machine, place: Place, image: Image, in_time: Image, chosen: Plan, each: float, recording: Recording | None,
    progress: Progress | None, limit: int | None,
) -> tuple[Machine, str, Since]:  # fmt: skip
    """Run a machine that counts; beside it, from the middle of the launch on, one that times a stretch.

    ``each``: warp instructions of a block.

    Returns
    -------
    ran : Machine
        That has run the stretch.
    note : str
        Which part of the launch that is.
    since : Since
    """
    launch, workers = place.launch, place.workers
    wave = clusters.held_at_once(place.gpu, launch, place.held)
    at, middle = chosen.middle(wave, launch.cluster_blocks)

    def go_on(handed: float = math.inf) -> bool:
        return drive(m, launch, image, chosen.queue, progress, "counting", limit, handed=handed, workers=workers)

    if chosen.sampled and launch.cluster is None:
        spread_phases(m, go_on, chosen, wave)
    go_on(at)
    ran = place.apart(in_time).machine(in_time, 1, timed=True)
    take_over(ran, left(m))
    ran = recorded(ran, recording)

    def advance(until: float) -> bool:
        return drive(ran, launch, in_time, BlockQueue([middle]), None, "timing", until=until, workers=workers)

    with ThreadPoolExecutor(1) as beside:
        stretch = beside.submit(measure, ran, advance, WINDOW.of_blocks(middle.blocks, wave, each))
        go_on()
        _show(ran, stretch, progress)
        note = f"a stretch from the middle of the launch, which begins with block {middle.first}"
        return ran, note, stretch.result()


def _show(m: Machine, stretch: Future[Since], progress: Progress | None) -> None:
    """Report how far a stretch has come until it is done."""
    while not stretch.done() and progress is not None:
        progress(int(m.misc[S.STEPS]), int(WINDOW.most), "timing")
        wait_for([stretch], 0.1)


def _quickly(place: Place, image: Image, in_time: Image, progress: Progress | None, limit: int | None) -> Counts | None:
    """Count a launch and its time from a little of it; None where that tells too little.

    What goes beside the warps is in no count of theirs, from which the rest would follow; clusters need a whole GPU.
    """
    if makes_copies(image) or place.launch.cluster:
        return None
    chosen = unplanned(place.launch, few=True)
    m = _probed(place, image, chosen, None, progress, limit)
    if m is None or not quick.applies(place, chosen, probed := m.counts.astype(np.float64)):
        return None
    return quick.quickly(place, image, in_time, chosen, probed, progress, limit)


def _choose(
    place: Place, image: Image, asked: Sample, progress: Progress | None, limit: int | None
) -> tuple[Plan, np.ndarray]:
    """Which blocks to run; and what one block of each class of blocks counts, found by running a few."""
    launch, sample = place.launch, None if asked == "quick" else asked
    chosen = unplanned(launch)
    m = _probed(place, image, chosen, sample, progress, limit)
    if m is None:
        return chosen.whole(), np.zeros((0, C.N_COUNTS))
    work = chosen.estimate(m.counts, float(m.misc[S.STEPS]))
    return plan(launch, place.gpu, place.held, work, sample=sample), m.counts.astype(np.float64)


def _probed(
    place: Place, image: Image, chosen: Plan, sample: bool | None, progress: Progress | None, limit: int | None
) -> Machine | None:
    """A machine that has run the probes; None where all blocks are to be run.

    All are run, and nothing is known of a class, where blocks depend on one another, unless a sample is asked for.
    """
    launch = place.launch
    if sample is False or launch.blocks <= len(chosen.probes) or (sample is None and draws_tickets(image)):
        return None
    tied = sample is None and may_read_what_it_wrote(image)
    probes = clusters.some(launch, chosen.probes, kinds=True)
    m = place.apart(image).machine_again(image, len(chosen.probes) + 1, timeless=True, n_sm=launch.cluster_blocks)
    try:
        drive(m, launch, image, probes, progress, "probing", limit)
    except (SimulationError, EndlessError):
        if tied:  # maybe for want of what other blocks do
            return None
        raise
    if sample is None and m.printed[0, 0]:  # what it prints is a result: of all blocks
        return None
    return None if tied and reads_what_it_wrote(m.arrays) else _of_probes(m, len(chosen.probes))


def _of_probes(m: Machine, probes: int) -> Machine:
    """A machine that tells of so many probes alone, not of the blocks that came along in their clusters."""
    misc, counts = m.misc.copy(), m.counts[:probes]
    of_probes, of_all = (int(rows[:, C.INST].sum()) for rows in (counts, m.counts))
    misc[S.STEPS] = int(misc[S.STEPS]) * of_probes // max(of_all, 1)  # the product may have more than 64 bits
    return m._replace(misc=misc, counts=counts)
