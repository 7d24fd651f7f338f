"""What launches make of device memory: computed, or known from earlier ones that found memory as it is now.

A program that measures itself launches the same kernels many times.  Once memory has been seen to be as it was before
an earlier launch of the same, what comes of that is known.  It is put off, and need not be computed at all if memory
returns to a state in which it was; before anybody looks at memory, it is.
"""

from __future__ import annotations

import hashlib
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from gpusim.isa.program import GRID_WORKSPACE
from gpusim.processors import processors
from gpusim.simulate.execution import calls_the_system, compute

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.programs.memory import DeviceMemory
    from gpusim.programs.request import Request
    from gpusim.progress import Progress
    from gpusim.simulate.launch import Launch, Memory
    from gpusim.simulate.machines import Machines
    from gpusim.simulate.work import How

MOST_COMPARED = 1 << 30
"""Bytes whose contents are compared to tell whether two launches do the same."""

COMPARED_A_SECOND = 8e8
"""Bytes whose digest is made in a second."""

LOOKING = 0.25
"""Of the time in which launches were computed, or would have been, so much may be spent on looking at memory."""


class Step(NamedTuple):
    """A launch that is put off, and the state of memory that it finds."""

    before: bytes
    launch: Launch
    request: Request
    held: Occupancy


class Led(NamedTuple):
    """What came of a launch: the state of memory that it left, and the seconds that computing it took."""

    after: bytes
    seconds: float


class Values:
    """Device memory as launches change it.

    Parameters
    ----------
    gpu : Gpu
    memory : DeviceMemory
    how : How
    machines : Machines
        Those that ran launches before.
    """

    def __init__(self, gpu: Gpu, memory: DeviceMemory, how: How, machines: Machines) -> None:
        self._gpu, self._memory, self._how, self._machines = gpu, memory, how, machines
        self._computing = self._looking = 0.0  # seconds so far
        self._leads_to: dict[tuple[str, bytes], Led] = {}
        self._put_off: list[Step] = []
        self._state: bytes | None = None
        self._state_of: Memory | None = None

    @property
    def behind(self) -> bool:
        """Whether memory lacks what launches have made of it."""
        return bool(self._put_off)

    def catch_up(self, progress: Progress | None = None) -> None:
        """Compute what was put off.

        Parameters
        ----------
        progress : callable, optional
        """
        for step in self._put_off:
            self._compute(step.launch, step.request, step.held, progress)
        self._put_off.clear()

    def forget(self, progress: Progress | None = None) -> None:
        """Compute what was put off, and know nothing of memory: a launch is about to change it elsewhere.

        Parameters
        ----------
        progress : callable, optional
        """
        self.catch_up(progress)
        self._state = None

    def run(self, launch: Launch, request: Request, held: Occupancy, progress: Progress | None) -> str:
        """Change device memory as a launch does.

        Parameters
        ----------
        launch, request, held
            What runs, and what an SM holds of it.
        progress : callable, optional

        Returns
        -------
        str
            What device code printed.
        """
        self._forget_what_may_have_changed(request)
        before = None if calls_the_system(launch.program) else self._look()
        if before is not None and (led := self._leads_to.get((request.what, before))) and self._may_put_off(led):
            self._put_off.append(Step(before, launch, request, held))
            self._go_to(led.after)
            self._computing += led.seconds
            return ""
        self.catch_up(progress)
        begun = self._computing
        printed = self._compute(launch, request, held, progress)
        self._state = None
        if before is not None and (after := self._look()) is not None:
            self._leads_to[request.what, before] = Led(after, self._computing - begun)
        return printed

    def _may_put_off(self, led: Led) -> bool:
        """Whether nobody can tell: the host sees what it shares with the device at any time."""
        return led.after == self._state or not self._memory.is_hosts_too

    def _compute(self, launch: Launch, request: Request, held: Occupancy, progress: Progress | None) -> str:
        begun = perf_counter()
        printed = compute(
            launch, self._gpu, held, together=request.cooperative, progress=progress, limit=self._how.limit,
            workers=processors(self._how.jobs), machines=self._machines,
        )  # fmt: skip
        self._computing += perf_counter() - begun
        if request.cooperative:
            self._memory.clear_workspace()
        return printed.text

    def _go_to(self, state: bytes) -> None:
        """Memory has come to a state; if it was in it before, what was put off since then changes nothing."""
        self._state = state
        for k, step in enumerate(self._put_off):
            if step.before == state:
                del self._put_off[k:]
                break

    def _forget_what_may_have_changed(self, request: Request) -> None:
        """Know nothing of memory where the host has changed some, or may have, or where other arrays lie in it now."""
        if request.stored or self._memory.is_hosts_too or self._memory.now is not self._state_of:
            self.catch_up()
            self._state = None

    def _look(self) -> bytes | None:
        """Digest of all that lies in device memory; None where that is not known and would take too long."""
        if self._state is not None:
            return self._state
        nbytes = sum(self._memory.now.layout.nbytes.values())
        allowed = LOOKING * self._computing - self._looking
        if nbytes > MOST_COMPARED or nbytes / COMPARED_A_SECOND > allowed:
            return None
        begun = perf_counter()
        self._state, self._state_of = self._contents(), self._memory.now
        self._looking += perf_counter() - begun
        return self._state

    def _contents(self) -> bytes:
        """Digest of all but what the system keeps from launch to launch."""
        layout, digest = self._memory.now.layout, hashlib.blake2b(digest_size=16)
        for name, first in sorted(layout.address.items()):
            if name != GRID_WORKSPACE:
                digest.update(f"{name} {first} {layout.nbytes[name]}\n".encode())
                digest.update(self._memory.at(first, layout.nbytes[name]))  # type: ignore[arg-type]
        return digest.digest()
