"""What is looked at before and beside a launch: that a block of it fits an SM, and what a few blocks do under watch."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.errors import ParameterError, ResourcesError
from gpusim.hardware.errors import OccupancyError
from gpusim.hardware.occupancy import Occupancy, occupancy
from gpusim.isa.program import GRID_WORKSPACE
from gpusim.simulate import clusters
from gpusim.simulate.driving import load_engine
from gpusim.simulate.execution import watch
from gpusim.simulate.sample import probe_blocks

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu
    from gpusim.progress import Progress
    from gpusim.simulate.launch import Launch


def fitting(launch: Launch, gpu: Gpu, name: str) -> Occupancy:
    """Occupancy of a launch.

    Parameters
    ----------
    launch : Launch
    gpu : Gpu
    name : str
        What it is called where no block of it fits.

    Raises
    ------
    ResourcesError
        No SM holds a block of it, or the block is larger than its code was compiled for.
    ParameterError
        Its clusters fit nowhere, or its blocks wait for one another and are not all on the GPU at once.
    """
    clusters.check(launch, gpu, name)
    promised = launch.program.max_threads
    if promised is not None and promised < launch.threads <= gpu.sm.max_threads_per_block:
        raise ResourcesError(
            f"{name}: a block of {launch.threads} threads, but __launch_bounds__ promised at most {promised}"
        )
    try:
        held = occupancy(gpu, launch.threads, launch.registers_per_thread, launch.shared_bytes)
    except OccupancyError as error:
        raise ResourcesError(f"{name}: {error}") from None
    _check_cooperative(launch, gpu, held, name)
    return held


def _check_cooperative(launch: Launch, gpu: Gpu, held: Occupancy, name: str) -> None:
    """Refuse a grid whose blocks wait for one another, and are not all on the GPU at once."""
    most = clusters.held_at_once(gpu, launch, held)
    if launch.program.variable(GRID_WORKSPACE) is not None and launch.blocks > most:
        raise ParameterError(
            f"{name}: a grid of {launch.blocks} blocks, but its blocks wait for one another (this_grid().sync()): "
            f"{gpu.name} holds {most} at once, and a cooperative launch has no more"
        )


@contextmanager
def watched(
    launch: Launch, gpu: Gpu, held: Occupancy, limit: int | None, progress: Progress | None, *, one: bool = False
) -> Iterator[Progress]:
    """Execute a few blocks under watch, beside what is done meanwhile: bounds, races, reads of what nothing wrote.

    Buffers of unknown contents are zero.

    Parameters
    ----------
    launch, gpu, held
    limit : int, optional
        Warp instructions beyond which they are taken not to end.
    progress : callable, optional
        What is told of progress.
    one : bool
        Execute one block in the middle of the grid, not one of each class.

    Yields
    ------
    callable
        To be told of progress instead: it raises at once what is found.

    Raises
    ------
    SimulationError, EndlessError
        As :func:`gpusim.simulate.execute`.
    """
    interrupted = Event()

    def stop_if_interrupted(done: int, total: int, text: str) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt

    blocks = np.array([launch.blocks // 2]) if one else probe_blocks(launch.grid)
    load_engine(launch.program)  # all of it, and here: Ctrl-C reaches this thread alone
    with ThreadPoolExecutor(1) as beside:
        checked = beside.submit(watch, launch, gpu, held, blocks, limit=limit, progress=stop_if_interrupted)
        try:
            yield _heeding(checked, progress)
        except KeyboardInterrupt:
            interrupted.set()
            raise
        finally:
            checked.result()


def _heeding(checked: Future[Any], progress: Progress | None) -> Progress:
    """Report progress, or raise what a check beside it has found."""

    def report(done: int, total: int, text: str) -> None:
        if checked.done():
            checked.result()
        if progress is not None:
            progress(done, total, text)

    return report
