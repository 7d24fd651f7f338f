"""Run a launch: whole, or as many blocks of it as its size allows."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpusim.engine.hierarchy.l2_sets import ARRIVES, BITS, PARTIAL_AT, TAG
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state.arrays import Machine
from gpusim.errors import EndlessError, GpusimError, whole
from gpusim.isa.encode import F, Image, bind_constants, closed, encode
from gpusim.isa.slice import counting_image, needs_data, timed_image
from gpusim.simulate.block_phases import spread_phases
from gpusim.simulate.build import blocks_at_once, machine
from gpusim.simulate.clock import Timing, timing
from gpusim.simulate.dependence import draws_tickets, may_read_what_it_wrote, reads_what_it_wrote
from gpusim.simulate.endless import Watch
from gpusim.simulate.faults import explain, unending
from gpusim.simulate.launch import Launch, Layout, banks_of, fill_memory, lay_out, read_back
from gpusim.simulate.record import check, recorded, timeline
from gpusim.simulate.sample import (
    ARRAYS,
    SITES,
    Held,
    Plan,
    attribute,
    every_block,
    left_dirty,
    plan,
    scale,
    unplanned,
)  # fmt: skip
from gpusim.simulate.units import add_units
from gpusim.simulate.window import LENGTH, Since, measure, unevenness, window

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.program import Program
    from gpusim.timeline import Recording, Timeline

Progress = Callable[[int, int, str], None]
STEPS_A_CALL = 20_000  # warp turns between two reports of progress
NO_LIMIT = 1 << 60  # warp instructions
MOST_TIMED = 400e6  # warp instructions of a launch that is timed (minutes)
MOST_MARKED = 1 << 32  # bytes of an output of which each word is watched until something writes it


class SimulationError(GpusimError):
    """The program did something wrong while it ran; the message names the line."""


class CacheState(NamedTuple):
    """What L2 holds when a launch ends: its lines, and the time by which their age is told."""

    lines: np.ndarray
    stamp: int


@dataclass(frozen=True)
class Counts:
    """What a run counted.

    Attributes
    ----------
    total : float64 array, shape (N_COUNTS,)
        Columns of :mod:`gpusim.engine.state.counts`, for the whole launch.
    arrays : float64 array, shape (arrays, N_ARRAY_COUNTS)
        For each array of the program, for the whole launch.
    sites : float64 array, shape (instructions, N_SITE_COUNTS)
        For each instruction of the program, for the whole launch.
    sampled : bool
        Whether blocks were left out and the rest scaled up.
    blocks_run : int
        Blocks that went through the caches.
    left_dirty : float
        Sectors written that L2 still holds when the launch ends.
    timing : Timing
    warp_instructions : int
        Warp instructions that the blocks run stand for.
    outputs : dict of str to ndarray
        Every buffer after the launch, where values were asked for.
    timeline : Timeline or None
        Of one SM, where it was asked for.
    l2 : CacheState or None
        For a launch that follows, where it was asked for.
    """

    total: np.ndarray
    arrays: np.ndarray
    sites: np.ndarray
    sampled: bool
    blocks_run: int
    left_dirty: float
    timing: Timing
    warp_instructions: int
    outputs: dict[str, np.ndarray] = field(default_factory=dict)
    l2: CacheState | None = None
    timeline: Timeline | None = None


@dataclass(frozen=True)
class _Place:
    """A launch where it runs, and what global memory holds (one word suffices where values do not matter)."""

    launch: Launch
    gpu: Gpu
    held: Occupancy
    layout: Layout
    data: np.ndarray

    def apart(self) -> _Place:
        """The same launch with memory of its own, which holds what this one does now."""
        return replace(self, data=self.data.copy())

    def machine(self, image: Image, kinds: int, **how: Any) -> Machine:
        """A machine ready to run: see :func:`gpusim.simulate.build.machine`."""
        _make_ready(image.code)
        return machine(self.gpu, self.launch, self.held, image, self.layout, self.data, kinds, **how)


def drive(m: Machine, launch: Launch, image: Image, queue: np.ndarray, kinds: np.ndarray, progress: Progress | None,
          text: str, limit: int | None = None, until: float = math.inf, handed: float = math.inf) -> bool:  # fmt: skip
    """Run a machine to the end, or until it has taken so many steps or started so many blocks, reporting progress.

    Returns
    -------
    bool
        Whether it came to the end.

    Raises
    ------
    SimulationError
        If the program does something wrong.
    EndlessError
        If it never ends, as far as that can be told (see :mod:`gpusim.simulate.endless`), or ran more than ``limit``
        warp instructions.
    """
    from gpusim.engine.core.machine import driver

    m.shape[S.LIMIT] = NO_LIMIT if limit is None else whole("limit", limit, 1, NO_LIMIT)
    step, done, watch = driver(m, queue, kinds), False, Watch(m)
    while not done and m.misc[S.STEPS] < until and m.misc[S.HANDED] < handed:
        done = step(STEPS_A_CALL)
        if progress is not None:
            progress(int(m.misc[S.FINISHED_BLOCKS]), len(queue), text)
        if not done and watch.stands_still():
            raise EndlessError(explain(launch, image, unending(m)))
    if m.misc[S.E_CODE] == E.TOO_LONG:
        raise EndlessError(
            f"{explain(launch, image, m.misc)}: {m.shape[S.LIMIT]} warp instructions; a larger limit allows more"
        )
    if m.misc[S.E_CODE]:
        raise SimulationError(explain(launch, image, m.misc))
    return done


def load_engine(program: Program | None = None) -> None:
    """Compile what runs a program, or load it; where that takes more than two seconds, it is shown.

    Parameters
    ----------
    program : Program, optional
        Unless given, everything.
    """
    from gpusim.engine.core.ready import every_instruction

    if program is not None:
        _make_ready(encode(program).code)
        return
    everything = every_instruction()
    _make_ready(everything)
    _make_ready(everything[:0])  # and what runs where no instruction is out of line


def _make_ready(code: np.ndarray) -> None:
    from gpusim.engine.core.ready import make_ready
    from gpusim.report.progress import compiling

    make_ready(code, compiling)


def _bound(launch: Launch, layout: Layout, image: Image) -> Image:
    return bind_constants(closed(image), banks_of(launch, layout))


def execute(
    launch: Launch, gpu: Gpu, held: Occupancy, *, checked: bool = True, progress: Progress | None = None,
    blocks: np.ndarray | None = None, limit: int | None = None,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Run a launch for its values alone.

    Parameters
    ----------
    launch : Launch
        With every buffer as an array.
    gpu, held
        Where it runs; only what a block may hold matters.
    checked : bool
        Look for races and for reads of what was never written.
    progress : callable, optional
        Called with (blocks done, blocks, text).
    blocks : int64 array, optional
        Only these blocks.
    limit : int, optional
        Warp instructions beyond which the run is taken not to end; unless given, however many it takes.

    Returns
    -------
    dict of str to ndarray
        Every buffer after the launch.

    Raises
    ------
    SimulationError
        Out of bounds, race, unwritten read, divergent barrier, ...
    EndlessError
        It never ends, or has more than ``limit`` warp instructions.
    """
    layout = lay_out(launch)
    image = _bound(launch, layout, encode(launch.program))
    memory = fill_memory(launch, layout)
    m = _Place(launch, gpu, held, layout, memory).machine(image, 1, checked=checked, timeless=True, n_sm=1)
    _mark_outputs(m, launch, layout)
    queue = every_block(launch.blocks) if blocks is None else blocks
    drive(m, launch, image, queue, np.zeros(len(queue), np.int64), progress, "executing", limit)
    return read_back(launch, layout, memory)


def _mark_outputs(m: Machine, launch: Launch, layout: Layout) -> None:
    """Outputs hold nothing yet, all other buffers what the host wrote; outputs too large to be marked go unwatched."""
    if not m.shape[S.CHECKED]:
        return
    for name in set(launch.outputs) & set(layout.address):
        if layout.nbytes[name] <= MOST_MARKED:
            first = (layout.address[name] - int(S.GLOBAL_BASE)) // 4
            m.unwritten[first : first + -(-layout.nbytes[name] // 4)] = 1


def reads_data(program: Program) -> bool:
    """Whether what a program touches depends on the contents of its arrays."""
    return needs_data(counting_image(program))


def count(
    launch: Launch, gpu: Gpu, held: Occupancy, *, sample: bool | None = None, l2: CacheState | None = None,
    keep_l2: bool = False, values: bool = False, progress: Progress | None = None, limit: int | None = None,
    recording: Recording | None = None,
) -> Counts:  # fmt: skip
    """Count what a launch does at every level of the memory hierarchy.

    Parameters
    ----------
    launch : Launch
        Buffers as arrays where addresses depend on their contents, else sizes do.
    gpu, held
        Where it runs.
    sample : bool, optional
        Run only part of a large launch; None decides by its size.
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
    image = _bound(launch, layout, encode(launch.program) if values else counting_image(launch.program))
    data = fill_memory(launch, layout) if values or needs_data(image) else np.zeros(1, np.uint32)
    place = _Place(launch, gpu, held, layout, data)
    chosen, classes = _choose(place, image, False if values else sample, progress, limit)
    timed = not chosen.sampled and chosen.instructions(classes) <= MOST_TIMED
    in_time = add_units(image if values else _bound(launch, layout, timed_image(launch.program)), launch.program, gpu)
    image = in_time if timed else image
    m = place.machine(image, chosen.n_kinds, timed=timed)
    if l2 is not None:
        _take_over(m, l2)
    m = recorded(m, recording if timed else None)
    before, ran, note, since = _held_by_l2(m), m, "", None
    if timed:
        drive(m, launch, image, chosen.queue, chosen.kinds, progress, "counting", limit)
    else:
        ran, note, since = _count_and_time(m, place, image, in_time, chosen, recording, progress, limit)
    after = _held_by_l2(m)
    total = scale(chosen, m.counts, classes, before, after)
    arrays, sites = m.arrays * 1.0, _by_instruction(m, image, len(launch.program)) * 1.0
    if chosen.sampled:
        share = launch.blocks / max(len(chosen.queue), 1)
        arrays, sites = attribute(arrays, ARRAYS, total, share), attribute(sites, SITES, total, share)
    uneven = unevenness(launch.blocks, gpu.sm_count)
    return Counts(
        total=total,
        arrays=arrays,
        sites=sites,
        sampled=chosen.sampled,
        blocks_run=len(chosen.queue),
        left_dirty=left_dirty(total, m.counts.sum(axis=0), before, after),
        timing=timing(m) if since is None else window(ran, since, float(total[C.INST]), uneven),
        warp_instructions=int(m.counts[:, C.INST].sum()),
        outputs=read_back(launch, layout, data) if values else {},
        l2=_left(m) if keep_l2 else None,
        timeline=timeline(ran, in_time, launch.program, gpu, note),
    )


def left_by(launch: Launch, gpu: Gpu, held: Occupancy, **how: Any) -> CacheState:
    """What L2 holds after a launch that found it empty.

    Parameters
    ----------
    launch, gpu, held
        As for :func:`count`, whose `sample`, `progress` and `limit` may follow.
    """
    left = count(launch, gpu, held, keep_l2=True, **how).l2
    assert left is not None
    return left


def _count_and_time(
    m: Machine, place: _Place, image: Image, in_time: Image, chosen: Plan, recording: Recording | None,
    progress: Progress | None, limit: int | None,
) -> tuple[Machine, str, Since]:  # fmt: skip
    """Run a machine that counts; beside it, from the middle of the launch on, one that times a stretch.

    Returns
    -------
    ran : Machine
        That has run the stretch.
    note : str
        Which part of the launch that is.
    since : Since
    """
    launch = place.launch
    wave = blocks_at_once(place.gpu, place.held)
    at, queue = chosen.middle(wave)

    def go_on(handed: float = math.inf) -> bool:
        return drive(m, launch, image, chosen.queue, chosen.kinds, progress, "counting", limit, handed=handed)

    if chosen.sampled:
        spread_phases(m, go_on, chosen, wave)
    go_on(at)
    ran = place.apart().machine(in_time, 1, timed=True)
    _take_over(ran, _left(m))
    ran = recorded(ran, recording)

    def advance(until: float) -> bool:
        return drive(ran, launch, in_time, queue, np.zeros(len(queue), np.int64), None, "timing", until=until)

    with ThreadPoolExecutor(1) as beside:
        stretch = beside.submit(measure, ran, advance)
        go_on()
        _show(ran, stretch, progress)
        note = f"a stretch from the middle of the launch, which begins with block {queue[0]}"
        return ran, note, stretch.result()


def _show(m: Machine, stretch: Future[Since], progress: Progress | None) -> None:
    """Report how far a stretch has come until it is done."""
    while not stretch.done() and progress is not None:
        progress(int(m.misc[S.STEPS]), int(LENGTH), "timing")
        wait_for([stretch], 0.1)


def _by_instruction(m: Machine, image: Image, n: int) -> np.ndarray:
    """What each instruction of the program counted; an image may have several rows of one, or none."""
    found = np.zeros((n, C.N_SITE_COUNTS), np.int64)
    np.add.at(found, image.code[:, F.INDEX], m.sites)
    return found


def _left(m: Machine) -> CacheState:
    """What a machine's L2 holds, nothing of which is under way any more."""
    ways = int(m.shape[S.L2_WAYS])
    lines = m.l2.copy()
    lines[:, ARRIVES * ways : BITS * ways] = 0
    lines[:, BITS * ways :] &= (1 << PARTIAL_AT) - 1
    return CacheState(lines, int(m.misc[S.STAMP]))


def _take_over(m: Machine, l2: CacheState) -> None:
    """Put into a machine's L2 what one before it held."""
    m.l2[:], m.misc[S.STAMP] = l2


def _held_by_l2(m: Machine) -> Held:
    ways = int(m.shape[S.L2_WAYS])
    lines = m.l2[:, TAG * ways : (TAG + 1) * ways] >= 0
    dirty = m.l2[:, BITS * ways : (BITS + 1) * ways] >> 4
    return Held(int(np.bitwise_count(dirty[lines]).sum()), int(lines.sum()), lines.size)


def _choose(
    place: _Place, image: Image, sample: bool | None, progress: Progress | None, limit: int | None
) -> tuple[Plan, np.ndarray]:
    """Which blocks to run; and what one block of each class of blocks counts, found by running a few.

    All are run, and nothing is known of a class, where blocks depend on one another, unless a sample is asked for.
    """
    launch = place.launch
    chosen = unplanned(launch)
    nothing = np.zeros((0, C.N_COUNTS))
    if sample is False or launch.blocks <= len(chosen.probes) or (sample is None and draws_tickets(image)):
        return chosen.whole(), nothing
    tied = sample is None and may_read_what_it_wrote(image)
    m = place.apart().machine(image, len(chosen.probes), timeless=True, n_sm=1)
    try:
        drive(m, launch, image, chosen.probes, np.arange(len(chosen.probes)), progress, "probing", limit)
    except (SimulationError, EndlessError):
        if tied:  # maybe for want of what other blocks do
            return chosen.whole(), nothing
        raise
    if tied and reads_what_it_wrote(m.arrays):
        return chosen.whole(), nothing
    work = chosen.estimate(m.counts, float(m.misc[S.STEPS]))
    return plan(launch, place.gpu, place.held, work, sample=sample), m.counts.astype(np.float64)
