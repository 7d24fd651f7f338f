"""A launch where it runs, and driving the machine that runs it, until it ends or surely never will."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state.arrays import Machine
from gpusim.errors import EndlessError, GpusimError, whole
from gpusim.isa.encode import Image, encode
from gpusim.isa.image_memory import stores_values
from gpusim.simulate.block_queue import BlockQueue
from gpusim.simulate.build import machine
from gpusim.simulate.endless import Watch
from gpusim.simulate.faults import explain, past_the_end, unending
from gpusim.simulate.launch import Launch, Layout, arrays_of, copied
from gpusim.simulate.machines import Machines
from gpusim.simulate.workers import ALONE, Workers

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.program import Program
    from gpusim.progress import Progress

STEPS_A_CALL = 1 << 18  # warp instructions of a thread between two reports of progress
NO_LIMIT = 1 << 60  # warp instructions


class SimulationError(GpusimError):
    """The program did something wrong while it ran; the message names the line.

    Parameters
    ----------
    message : str
    code : int
        What it was, as :mod:`gpusim.engine.state.error_codes` has it.
    array : str
        Array past whose end it went; ``*`` where it may be any; empty where it is something else.
    past : int
        So many bytes.
    """

    def __init__(self, message: str, code: int, array: str = "", past: int = 0) -> None:
        super().__init__(message)
        self.code, self.array, self.past = code, array, past

    @property
    def is_of_shared(self) -> bool:
        """Whether it went out of the bounds of the block's shared memory."""
        return self.code == E.SHARED_BOUNDS


@dataclass(frozen=True)
class Place:
    """A launch where it runs, and what global memory holds (one word suffices where values do not matter).

    ``workers``: who runs it, as many of them as its SMs are work for.  ``machines``: those that ran before.
    """

    launch: Launch
    gpu: Gpu
    held: Occupancy
    layout: Layout
    data: np.ndarray
    workers: Workers = ALONE
    machines: Machines | None = None

    def apart(self, image: Image) -> Place:
        """The same launch for a run beside, of an image that reads no more: with memory of its own if that changes it.

        What arrays hold that the image reads is what they hold now.
        """
        if not stores_values(image):
            return self
        return replace(self, data=copied(self.launch, self.layout, self.data, image.reads))

    def machine(self, image: Image, kinds: int, **how: Any) -> Machine:
        """A machine ready to run: see :func:`gpusim.simulate.build.machine`."""
        _make_ready(image.code)
        threads = self.workers.most(how.get("n_sm") or self.gpu.sm_count, self.launch.blocks)
        place = self.gpu, self.launch, self.held, image, self.layout, self.data
        return machine(*place, kinds, threads=threads, **how)

    def machine_again(self, image: Image, kinds: int, **how: Any) -> Machine:
        """As :meth:`machine`, but one that ran before where there is one, which then is the only one of them in use."""
        if self.machines is None:
            return self.machine(image, kinds, **how)
        launch = self.launch
        what = (
            id(image.code), id(self.gpu), self.held, self.workers.processors, kinds, *sorted(how.items()),
            launch.grid, launch.block, launch.cluster, launch.dynamic_shared, launch.registers_per_thread,
            len(arrays_of(launch)), self.layout.total,
        )  # fmt: skip
        return self.machines.machine(
            what, launch, self.layout, image, self.data, lambda: self.machine(image, kinds, **how)
        )


def drive(
    m: Machine, launch: Launch, image: Image, queue: BlockQueue, progress: Progress | None, text: str,
    limit: int | None = None, until: float = math.inf, handed: float = math.inf, workers: Workers = ALONE,
) -> bool:  # fmt: skip
    """Run a machine to the end, or until it has taken so many steps or started so many blocks, reporting progress.

    ``workers`` share it with what else runs.

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
    until = until if math.isinf(until) else math.ceil(until)  # the engine counts whole steps: a part would never come
    step, done, watch, blocks = driver(m, queue.rows()), False, Watch(m), len(queue)
    with workers.running():
        while not done and m.misc[S.STEPS] < until and m.misc[S.HANDED] < handed:
            done = step(min(until, int(m.misc[S.STEPS]) + STEPS_A_CALL * workers.each), handed, workers.each)
            if progress is not None:
                progress(int(m.misc[S.FINISHED_BLOCKS]), blocks, text)
            if not done and watch.stands_still():
                raise EndlessError(explain(launch, image, unending(m)))
    if m.misc[S.E_CODE] == E.TOO_LONG:
        raise EndlessError(
            f"{explain(launch, image, m.misc)}: {m.shape[S.LIMIT]} warp instructions; a larger limit allows more"
        )
    if m.misc[S.E_CODE]:
        raise SimulationError(explain(launch, image, m.misc), int(m.misc[S.E_CODE]), *past_the_end(launch, m.misc))
    return done


def load_engine(program: Program | None = None) -> None:
    """Compile what runs a program, or load it; where that takes more than two seconds, it is shown.

    Parameters
    ----------
    program : Program, optional
        Unless given, everything.
    """
    from gpusim.engine.core.ready import every_kind

    if program is not None:
        _make_ready(encode(program).code)
        return
    for code in every_kind():
        _make_ready(code)


def _make_ready(code: np.ndarray) -> None:
    from gpusim.engine.core.ready import make_ready
    from gpusim.progress import compiling

    make_ready(code, compiling)
