"""Run a launch for what is wrong with it: every access and every meeting of its threads is looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.core.device_heap import N_HEAP, PLAIN
from gpusim.engine.state import checks as K
from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.errors import EndlessError
from gpusim.isa.encode import F
from gpusim.isa.program import GRID_WORKSPACE
from gpusim.results.faults import Access, Checked, Fault, Observed, Space, Tool
from gpusim.simulate import clusters
from gpusim.simulate.block_queue import BlockQueue
from gpusim.simulate.driving import Place, SimulationError, drive
from gpusim.simulate.faults import unending
from gpusim.simulate.kept_for_checks import Looks
from gpusim.simulate.launch import arrays_of, fill_memory, lay_out, pointers, read_back
from gpusim.simulate.observed import leaked, observed
from gpusim.simulate.prepared import arrays_touched, bound, looked_at
from gpusim.simulate.printed import printed
from gpusim.simulate.sample import probe_blocks
from gpusim.simulate.stretches import Stretches

if TYPE_CHECKING:
    from gpusim.engine.state.arrays import Machine
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.encode import Image
    from gpusim.progress import Progress
    from gpusim.simulate.launch import Launch, Layout

ALL_TOOLS = frozenset(Tool)

_ENDS = {
    E.GLOBAL_BOUNDS: (Fault.OUT_OF_BOUNDS, Space.GLOBAL),
    E.STRAY: (Fault.OUT_OF_BOUNDS, Space.GLOBAL),
    E.SHARED_BOUNDS: (Fault.OUT_OF_BOUNDS, Space.SHARED),
    E.LOCAL_BOUNDS: (Fault.OUT_OF_BOUNDS, Space.LOCAL),
    E.MISALIGNED: (Fault.MISALIGNED, Space.GLOBAL),
    E.SHARED_MISALIGNED: (Fault.MISALIGNED, Space.SHARED),
    E.LOCAL_MISALIGNED: (Fault.MISALIGNED, Space.LOCAL),
    E.DIVERGENT_BARRIER: (Fault.DIVERGENT_BARRIER, None),
    E.BAD_BARRIER: (Fault.BARRIER_COUNT, None),
    E.BARRIER_DEADLOCK: (Fault.DEADLOCK, None),
    E.DEADLOCK: (Fault.DEADLOCK, None),
    E.NO_PROGRESS: (Fault.DEADLOCK, None),
    E.NO_MBARRIER: (Fault.MBARRIER, Space.SHARED),
    E.MBARRIER_ARRIVALS: (Fault.MBARRIER, Space.SHARED),
    E.MBARRIER_BYTES: (Fault.MBARRIER, Space.SHARED),
    E.MBARRIER_DEADLOCK: (Fault.MBARRIER, Space.SHARED),
    E.ENDED_BLOCK: (Fault.CLUSTER_EXIT, Space.SHARED),
    E.NO_SUCH_BLOCK: (Fault.OUT_OF_BOUNDS, Space.SHARED),
    E.CLUSTER_TWICE: (Fault.BARRIER_COUNT, None),
    E.CLUSTER_NOT_ARRIVED: (Fault.BARRIER_COUNT, None),
    E.CLUSTER_DEADLOCK: (Fault.DEADLOCK, None),
    E.WARPGROUP_DEADLOCK: (Fault.DEADLOCK, None),
    E.NOT_ALLOCATED: (Fault.FREED, None),
    E.FREED_TWICE: (Fault.FREED, None),
}
"""What ends a run, and is a fault of the kernel."""


def check(
    launch: Launch, gpu: Gpu, held: Occupancy, *, tools: Collection[Tool] = ALL_TOOLS,
    progress: Progress | None = None, limit: int | None = None, seed: int | None = None, most_blocks: int | None = None,
    fresh: Stretches | Sequence[tuple[int, int]] = (), freed: Sequence[tuple[int, int]] = (), together: bool = False,
    hear: Callable[[str], None] | None = None,
) -> Checked:  # fmt: skip
    """Run a launch, and note whatever is wrong with it without ending at the first fault.

    Parameters
    ----------
    launch : Launch
        With every buffer as an array, or with its memory (a program's launch, whose values are changed in place).
    gpu, held
        Where it runs; only what a block may hold matters.
    tools : collection of Tool
        Groups of faults that are looked for.
    progress : callable, optional
        Called with (blocks done, blocks, text).
    limit : int, optional
        Warp instructions beyond which the run is taken not to end.
    seed : int, optional
        Of the order in which warps and blocks run; unless given, one after another.
    most_blocks : int, optional
        Blocks beyond which only some of each class are run.
    fresh : Stretches, or sequence of (int, int)
        Addresses between which nobody has written global memory yet, besides outputs; of stretches what the launch
        writes is taken out.
    freed : sequence of (int, int)
        Of global memory, what has been freed: the first byte of each stretch, and one past its last.
    together : bool
        Whether blocks may wait for one another: all are there at once that the GPU holds.
    hear : callable, optional
        Given what device code prints.

    Returns
    -------
    Checked
    """
    checks = _Check(launch, gpu, held, [*fresh, *_outputs(launch)], freed, together)
    found = checks.run(tools, progress, limit, seed, most_blocks)
    if isinstance(fresh, Stretches):
        checks.keep_unwritten(fresh)
    if hear is not None:
        hear(printed(launch.program, checks.machine.printed).text)
    return found


def values_of_order(
    launch: Launch, gpu: Gpu, held: Occupancy, seed: int | None, *, progress: Progress | None = None,
    limit: int | None = None,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Run a launch in another legal order of its warps and blocks, for its values.

    Parameters
    ----------
    launch, gpu, held, progress, limit
        As for :func:`check`; the launch's own arrays stay as they are.
    seed : int or None
        Of the order; None: one after another, as :func:`check` runs it.

    Returns
    -------
    dict of str to ndarray
        Every array after the launch, in the shape given.

    Raises
    ------
    SimulationError, EndlessError
        It comes to no end in that order.
    """
    checks = _Check(launch, gpu, held, (), (), together=False)
    checks.shuffle(seed)
    checks.drive(checks.queue(seed, None), progress, limit)
    return read_back(launch, checks.place.layout, checks.place.data)


def watched(
    launch: Launch, gpu: Gpu, held: Occupancy, block: int, warp: int, progress: Progress | None, limit: int
) -> tuple[np.ndarray, Image, Layout]:
    """Run a block of a launch, and keep where the lanes of one of its warps go.

    Parameters
    ----------
    launch, gpu, held, progress, limit
        As for :func:`check`.
    block, warp : int
        Which.

    Returns
    -------
    touched : int64 array, shape (2 * instructions, N_TOUCHED)
        :attr:`gpusim.engine.state.arrays.Machine.lanes_kept`.
    image : Image
        What ran.
    layout : Layout
        Where arrays lie.

    Raises
    ------
    SimulationError, EndlessError
        The block comes to no end by itself.
    """
    checks = _Check(launch, gpu, held, (), (), together=False, watched=(block, warp))
    checks.drive(clusters.some(launch, [block]), progress, limit)
    return checks.machine.lanes_kept, checks.image, checks.place.layout


def _outputs(launch: Launch) -> list[tuple[int, int]]:
    """Where arrays lie that hold nothing before a launch."""
    if launch.memory is not None:
        return []
    layout = lay_out(launch)
    first = {name: layout.address[name] for name in set(launch.outputs) & set(layout.address)}
    return [(address, address + layout.nbytes[name]) for name, address in first.items()]


class _Check:
    """A launch that is run under watch."""

    def __init__(
        self, launch: Launch, gpu: Gpu, held: Occupancy, fresh: Sequence[tuple[int, int]],
        freed: Sequence[tuple[int, int]], together: bool, watched: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        self._launch = launch
        if launch.memory is None:
            layout = lay_out(launch)
            self.place = Place(launch, gpu, held, layout, fill_memory(launch, layout))
        else:
            self.place = Place(launch, gpu, held, launch.memory.layout, launch.memory.words)
        self.image: Image = _with_arrays(
            launch, self.place.layout, bound(launch, self.place.layout, looked_at(launch.program))
        )
        waits = together or launch.program.variable(GRID_WORKSPACE) is not None
        sms = gpu.sm_count if waits else launch.cluster_blocks
        self.machine: Machine = self.place.machine(
            self.image, 1, timeless=True, n_sm=sms, looks=Looks(tuple(fresh), tuple(freed), watched)
        )

    def run(
        self, tools: Collection[Tool], progress: Progress | None, limit: int | None, seed: int | None,
        most_blocks: int | None,
    ) -> Checked:  # fmt: skip
        """Run it, and give what is wrong."""
        queue, ended, end = self.queue(seed, most_blocks), "", None
        self.shuffle(seed)
        try:
            self.drive(queue, progress, limit)
        except SimulationError as error:
            ended, end = str(error), self._end(self.machine.misc)
        except EndlessError as error:
            too_long = int(self.machine.misc[S.E_CODE]) == E.TOO_LONG
            ended, end = str(error), None if too_long else self._end(unending(self.machine))
        self._give_back_heap()
        found = [*observed(self.machine.found, self.image), *self._leaked(), *([end] if end else [])]
        kept = tuple(one for one in found if one.fault.tool in tools)
        return Checked(kept, int(self.machine.misc[S.FINISHED_BLOCKS]), self._launch.blocks, ended, self._unseen())

    def keep_unwritten(self, fresh: Stretches) -> None:
        """Take out of stretches that nobody had written what the launch has written."""
        if len(fresh):
            unit = 1 << int(self.machine.found[0, K.F_GLOBAL_BITS])
            for column in (K.WROTE_AT, K.CHANGED_AT):  # by plain writes, and by atomics and strong writes
                fresh.remove_marked(self.machine.shadow_global[:, column], int(S.GLOBAL_BASE), unit)

    def queue(self, seed: int | None, most_blocks: int | None) -> BlockQueue:
        """The blocks that are run, in their order or another one."""
        launch = self._launch
        if most_blocks is None or launch.blocks <= most_blocks:
            if seed is None or launch.cluster is not None:
                return BlockQueue.whole(launch.blocks)
            blocks = np.random.default_rng(seed).permutation(launch.blocks)
        else:
            blocks = probe_blocks(launch.grid)
        return clusters.some(launch, blocks)

    def shuffle(self, seed: int | None) -> None:
        """Have warps go in an order that a seed decides."""
        self.machine.found[0, K.F_SEED] = 0 if seed is None else seed + 1

    def drive(self, queue: BlockQueue, progress: Progress | None, limit: int | None) -> None:
        """Run some blocks."""
        drive(self.machine, self._launch, self.image, queue, progress, "checking", limit)

    def _leaked(self) -> list[Observed]:
        """Pieces of the heap that are never freed; those of a program may be so by a launch that comes."""
        units, first = (int(self.machine.shape[column]) for column in (S.HEAP_UNITS, S.HEAP_FIRST))
        if not units or self._launch.memory is not None:
            return []
        return leaked(self.machine.heap, units, first, self.image)

    def _give_back_heap(self) -> None:
        """Leave to later launches what has been handed out: where it was asked for is of no use to them."""
        memory, units = self._launch.memory, int(self.machine.shape[S.HEAP_UNITS])
        if memory is not None and memory.heap is not None and units:
            memory.heap[:] = self.machine.heap
            memory.heap[N_HEAP + (PLAIN + 1) * units :] = 0

    def _unseen(self) -> tuple[str, ...]:
        head, found = self.machine.found[0], []
        if head[K.F_BLIND]:
            found.append("races between threads that meet by atomics or flags: these are at too many places")
        if head[K.F_LOST]:
            found.append(f"{head[K.F_LOST]} more faults: {K.MOST_FOUND} are kept")
        return tuple(found)

    def _end(self, misc: np.ndarray) -> Observed | None:
        """What has ended the run, where it is a fault of the kernel."""
        if int(misc[S.E_CODE]) not in _ENDS:
            return None
        fault, space = _ENDS[int(misc[S.E_CODE])]
        index = int(self.image.code[max(int(misc[S.E_INDEX]), 0), F.INDEX])
        thread = int(misc[S.E_WARP]) * S.LANES + int(misc[S.E_LANE])
        return Observed(fault, Access(index, int(misc[S.E_BLOCK]), thread), None, space, int(misc[S.E_ADDRESS]))


def _with_arrays(launch: Launch, layout: Layout, image: Image) -> Image:
    """An image whose accesses say of which array they are, where it is one whatever happens: it may not leave that."""
    groups, code = tuple(pointers(launch, layout)), image.code.copy()
    number = {array.name: k for k, array in enumerate(arrays_of(launch))}
    for index, names in enumerate(arrays_touched(launch.program, groups)):
        if names and any(names <= group for group in groups) and min(names) in number:
            code[image.place[index], F.ARRAY] = number[min(names)]
    return image._replace(code=code)
