"""Run a launch for its values alone, looking for races and for reads of what was never written."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.load_store.unwritten import BLANK_BITS
from gpusim.engine.state import columns as S
from gpusim.engine.state.arrays import Machine
from gpusim.engine.state.geometry import WORD
from gpusim.isa.by_identity import by_identity
from gpusim.isa.opcodes import HEAP_CALLS, Op
from gpusim.simulate import clusters
from gpusim.simulate.block_queue import BlockQueue, Stretch
from gpusim.simulate.dependence import may_race
from gpusim.simulate.driving import Place, drive
from gpusim.simulate.launch import Launch, Layout, fill_memory, lay_out, read_back
from gpusim.simulate.prepared import bound, whole
from gpusim.simulate.printed import NOTHING, Printed, printed

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.program import Program
    from gpusim.progress import Progress
    from gpusim.simulate.machines import Machines

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
    _Execution(place, checked, progress, limit).run(BlockQueue.whole(launch.blocks))
    return read_back(launch, place.layout, place.data)


def compute(
    launch: Launch, gpu: Gpu, held: Occupancy, *, together: bool = False, progress: Progress | None = None,
    limit: int | None = None, workers: int = 1, machines: Machines | None = None,
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
    machines : Machines, optional
        Those that ran launches before.

    Returns
    -------
    Printed

    Raises
    ------
    SimulationError, EndlessError
        As for :func:`execute`.
    """
    assert launch.memory is not None
    place = Place(launch, gpu, held, launch.memory.layout, launch.memory.words, machines=machines)
    execution = _Execution(place, False, progress, limit, gpu.sm_count if together else launch.cluster_blocks)
    calls = calls_the_system(launch.program)
    parts = _parts(launch.blocks, 1 if together or launch.cluster or calls else workers)
    if len(parts) > 1 and not may_race(execution.image):
        execution.run_beside(parts)
        return NOTHING
    m = execution.run(BlockQueue.whole(launch.blocks))
    if calls and launch.memory.heap is not None:
        launch.memory.heap[: len(m.heap)] = m.heap
    return printed(launch.program, m.printed)


class _Execution:
    """A launch that is run for its values, by one machine or by several, each with a part of the grid."""

    def __init__(
        self, place: Place, checked: bool, progress: Progress | None, limit: int | None, n_sm: int | None = None
    ) -> None:
        launch = place.launch
        self.image = bound(launch, place.layout, whole(launch.program))
        self._place, self._limit, self._progress = place, limit, progress
        self._how = {"checked": checked, "timeless": True, "n_sm": n_sm or launch.cluster_blocks}
        self._interrupted = Event()

    def run(self, some: BlockQueue) -> Machine:
        """Run some blocks, on a machine that may have run others before."""
        return self._drive(self._place.machine_again(self.image, 1, **self._how), some, self._progress)

    def run_beside(self, parts: Sequence[BlockQueue]) -> None:
        """Run parts of a grid side by side."""
        with ThreadPoolExecutor(len(parts)) as beside:
            try:
                for done in [beside.submit(self._run_part, part) for part in parts]:
                    done.result()
            except BaseException:  # Ctrl-C reaches this thread alone, and what one part finds ends the others
                self._interrupted.set()
                raise

    def _run_part(self, some: BlockQueue) -> None:
        self._drive(self._place.machine(self.image, 1, **self._how), some, self._tell)

    def _tell(self, done: int, total: int, text: str) -> None:
        if self._interrupted.is_set():
            raise KeyboardInterrupt
        if self._progress is not None:
            self._progress(done, total, text)

    def _drive(self, m: Machine, some: BlockQueue, progress: Progress | None) -> Machine:
        _mark_outputs(m, self._place.launch, self._place.layout)
        drive(m, self._place.launch, self.image, some, progress, "executing", self._limit)
        return m


@by_identity(1)
def calls_the_system(program: Program) -> bool:
    """Whether a program prints, or takes from the heap or gives back."""
    return program.has(Op.VPRINTF, *HEAP_CALLS)


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
    _Execution(_placed(launch, gpu, held), True, progress, limit).run(clusters.some(launch, blocks))


def _placed(launch: Launch, gpu: Gpu, held: Occupancy) -> Place:
    layout = lay_out(launch)
    return Place(launch, gpu, held, layout, fill_memory(launch, layout))


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
