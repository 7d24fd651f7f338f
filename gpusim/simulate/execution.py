"""Run a launch for its values alone, looking for races and for reads of what was never written."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.load_store.unwritten import BLANK_BITS
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as F
from gpusim.engine.state.arrays import Machine
from gpusim.engine.state.geometry import WORD
from gpusim.isa.encode import encode
from gpusim.isa.opcodes import HEAP_CALLS, Op
from gpusim.simulate import clusters
from gpusim.simulate.block_queue import BlockQueue, Stretch
from gpusim.simulate.dependence import may_race
from gpusim.simulate.driving import Place, bound, drive
from gpusim.simulate.launch import Launch, Layout, fill_memory, lay_out, read_back
from gpusim.simulate.printed import NOTHING, Printed, printed

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.encode import Image
    from gpusim.progress import Progress

FEWEST_BLOCKS = 32  # of a part of a grid that another processor runs
MOST_MARKED = 1 << 40  # bytes of an output that are watched until something writes them


def execute(
    launch: Launch, gpu: Gpu, held: Occupancy, *, checked: bool = True, progress: Progress | None = None,
    limit: int | None = None,
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
    place = _placed(launch, gpu, held)
    _run(place, BlockQueue.whole(launch.blocks), checked, progress, limit)
    return read_back(launch, place.layout, place.data)


def compute(
    launch: Launch, gpu: Gpu, held: Occupancy, *, together: bool = False, progress: Progress | None = None,
    limit: int | None = None, workers: int = 1, image: Image | None = None,
) -> Printed:  # fmt: skip
    """Run a launch for its values, which go into the memory that was there before.

    Parameters
    ----------
    launch, gpu, held, progress, limit
        As for :func:`execute`.
    together : bool
        Whether blocks may wait for one another: all are there at once that the GPU holds.
    workers : int
        Processors to work with; what is computed does not depend on it.
    image : Image, optional
        What :func:`gpusim.isa.encode.encode` gives of the program, where that was done before.

    Returns
    -------
    Printed

    Raises
    ------
    SimulationError, EndlessError
        As for :func:`execute`.
    """
    assert launch.memory is not None
    place = Place(launch, gpu, held, launch.memory.layout, launch.memory.words)
    image = bound(launch, place.layout, encode(launch.program) if image is None else image)
    n_sm = gpu.sm_count if together else launch.cluster_blocks

    interrupted = Event()

    def tell(done: int, total: int, text: str) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        if progress is not None:
            progress(done, total, text)

    def run(some: BlockQueue) -> Machine:
        m = place.machine(image, 1, timeless=True, n_sm=n_sm)
        drive(m, launch, image, some, tell, "executing", limit)
        return m

    calls = calls_the_system(image)
    parts = _parts(launch.blocks, 1 if together or launch.cluster or calls else workers)
    if len(parts) == 1 or may_race(image):
        m = run(BlockQueue.whole(launch.blocks))
        if calls and launch.memory.heap is not None:
            launch.memory.heap[: len(m.heap)] = m.heap
        return printed(launch.program, m.printed)
    with ThreadPoolExecutor(len(parts)) as beside:
        try:
            for done in [beside.submit(run, part) for part in parts]:
                done.result()
        except BaseException:  # Ctrl-C reaches this thread alone, and what one part finds ends the others
            interrupted.set()
            raise
    return NOTHING


def calls_the_system(image: Image) -> bool:
    """Whether a program prints, or takes from the heap or gives back."""
    return bool(np.isin(image.code[:, F.OP], (Op.VPRINTF, *HEAP_CALLS)).any())


def _parts(blocks: int, workers: int) -> list[BlockQueue]:
    """The blocks of a grid for so many workers; for one where they are few."""
    n = min(workers, blocks // FEWEST_BLOCKS) or 1
    ends = [blocks * k // n for k in range(n + 1)]
    return [BlockQueue([Stretch(first, end - first)]) for first, end in itertools.pairwise(ends)]


def watch(
    launch: Launch, gpu: Gpu, held: Occupancy, blocks: Iterable[int], *, progress: Progress | None = None,
    limit: int | None = None,
) -> None:  # fmt: skip
    """Run some blocks of a launch for what may be wrong with them.

    Parameters
    ----------
    launch, gpu, held, progress, limit
        As for :func:`execute`; buffers of which only the size is known are zero.
    blocks : iterable of int

    Raises
    ------
    SimulationError, EndlessError
        As for :func:`execute`.
    """
    _run(_placed(launch, gpu, held), clusters.some(launch, blocks), True, progress, limit)


def _placed(launch: Launch, gpu: Gpu, held: Occupancy) -> Place:
    layout = lay_out(launch)
    return Place(launch, gpu, held, layout, fill_memory(launch, layout))


def _run(place: Place, queue: BlockQueue, checked: bool, progress: Progress | None, limit: int | None) -> None:
    launch = place.launch
    image = bound(launch, place.layout, encode(launch.program))
    m = place.machine(image, 1, checked=checked, timeless=True, n_sm=launch.cluster_blocks)
    _mark_outputs(m, launch, place.layout)
    drive(m, launch, image, queue, progress, "executing", limit)


def _mark_outputs(m: Machine, launch: Launch, layout: Layout) -> None:
    """Outputs hold nothing yet, all other buffers what the host wrote; outputs too large to be marked go unwatched."""
    if not m.shape[S.CHECKED]:
        return
    for name in set(launch.outputs) & set(layout.address):
        if layout.nbytes[name] <= MOST_MARKED:
            first = (layout.address[name] - int(S.GLOBAL_BASE)) // WORD
            _mark(m, first, first + -(-layout.nbytes[name] // WORD))


def _mark(m: Machine, first: int, end: int) -> None:
    """Mark words that nothing has written: whole stretches as such, those at the ends one by one."""
    stretches, inner = 1 << BLANK_BITS, (-(-first >> BLANK_BITS), end >> BLANK_BITS)
    if inner[0] >= inner[1]:
        m.unwritten[first:end] = 1
        return
    m.blank[inner[0] : inner[1]] = 1
    m.unwritten[first : inner[0] * stretches] = 1
    m.unwritten[inner[1] * stretches : end] = 1
