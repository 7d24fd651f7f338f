"""Launches of a program that are run for what is wrong with them, and what is known of memory before each of them.

The runtime keeps what has been freed apart, and room behind each allocation, where a program is checked
(``runtime/memory.cpp``): an old pointer, or an index too large, then reaches nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gpusim.programs.host_lines import HostLine, host_lines
from gpusim.programs.memory import Allocation, Kind
from gpusim.programs.request import STORES
from gpusim.results.faults import Checked, Tool
from gpusim.simulate import checking
from gpusim.simulate.stretches import Stretches

if TYPE_CHECKING:
    from pathlib import Path

    from gpusim.cuda import Kernel
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.programs.memory import DeviceMemory
    from gpusim.programs.request import Request
    from gpusim.progress import Progress
    from gpusim.simulate.launch import Launch


class CheckedLaunch(NamedTuple):
    """A launch that was checked.

    Attributes
    ----------
    number : int
        Among all launches of the program.
    kernel : str
    source : Kernel
        What the launch is of.
    launch : Launch
    checked : Checked
    freed : tuple of Allocation
        What had been freed before.
    """

    number: int
    kernel: str
    source: Kernel
    launch: Launch
    checked: Checked
    freed: tuple[Allocation, ...]


class FailedCall(NamedTuple):
    """A call of the CUDA runtime that has failed.

    Attributes
    ----------
    call, error : str
        Their names, such as ``"cudaFree"`` and ``"cudaErrorInvalidValue"``.
    code : tuple of int
        Addresses of the program's code that lead to it, innermost first.
    """

    call: str
    error: str
    code: tuple[int, ...]


ASKS = ("cudaGetLastError", "cudaPeekAtLastError")
"""Calls that give the error of another one."""


class Checks:
    """What was found of a program's launches, and of what it left.

    Parameters
    ----------
    gpu : Gpu
    tools : sequence of Tool
        Groups of faults that are looked for.
    limit : int, optional
        Warp instructions beyond which a launch is taken not to end.
    """

    def __init__(self, gpu: Gpu, tools: Sequence[Tool] = tuple(Tool), limit: int | None = None) -> None:
        self.gpu, self.tools = gpu, tuple(tools)
        self.launches: list[CheckedLaunch] = []
        self.left: tuple[Allocation, ...] | None = None
        self.unchecked = 0
        self.failures: list[FailedCall] = []
        self._allocators: dict[int, tuple[int, ...]] = {}
        self._lines: dict[int, HostLine] = {}
        self._limit = limit
        self._unwritten = Stretches()
        self._known: set[int] = set()

    def run(
        self, number: int, kernel: Kernel, launch: Launch, request: Request, held: Occupancy, memory: DeviceMemory,
        progress: Progress | None,
    ) -> str:  # fmt: skip
        """Run a launch in the program's memory, and note what is wrong with it.

        Parameters
        ----------
        number : int
        kernel : Kernel
        launch, request, held
            What runs, and what an SM holds of it.
        memory : DeviceMemory
        progress : callable, optional

        Returns
        -------
        str
            What device code printed.
        """
        self._note(request, memory)
        printed: list[str] = []
        found = checking.check(
            launch, self.gpu, held, tools=self.tools, progress=progress, limit=self._limit,
            fresh=self._unwritten, freed=list(_freed(memory)), together=request.cooperative, hear=printed.append,
        )  # fmt: skip
        self.launches.append(CheckedLaunch(number, kernel.name.full, kernel, launch, found, tuple(memory.freed)))
        if request.cooperative:
            memory.clear_workspace()
        return "".join(printed)

    def pass_over(self, request: Request, memory: DeviceMemory) -> None:
        """Note a launch that is not checked: it may have written anything.

        Parameters
        ----------
        request : Request
        memory : DeviceMemory
        """
        self.unchecked += 1
        self._note(request, memory)
        self._unwritten = Stretches()

    def leave(self, memory: DeviceMemory) -> None:
        """Note what the program has not freed when it ends.

        Parameters
        ----------
        memory : DeviceMemory
        """
        self.left = tuple(one for one in memory.allocations if one.nbytes and not memory.is_variables(one))

    def allocated(self, number: int, code: tuple[int, ...]) -> None:
        """Note who has asked for an allocation.

        Parameters
        ----------
        number : int
            The allocation's.
        code : tuple of int
            Addresses of the program's code that lead to the call, innermost first.
        """
        self._allocators[number] = code

    def failed(self, call: str, error: str, code: tuple[int, ...]) -> None:
        """Note a call of the runtime that has failed; parameters are those of :class:`FailedCall`."""
        name = call.removeprefix("__")  # as headers of CUDA 13 call it
        if name not in ASKS:
            self.failures.append(FailedCall(name, error, code))

    def ended(self, executable: Path) -> None:
        """Find the lines of the program that have made calls that are told of.

        Parameters
        ----------
        executable : Path
        """
        calls = [self._allocators.get(one.number, ()) for one in self.left or ()]
        self._lines = host_lines(executable, [*calls, *(one.code for one in self.failures)])

    def line_of(self, one: Allocation | FailedCall) -> HostLine | None:
        """Line at which memory was allocated, or a call has failed; None where it is not known."""
        code = one.code if isinstance(one, FailedCall) else self._allocators.get(one.number, ())
        return self._lines.get(code[0]) if code else None

    def _note(self, request: Request, memory: DeviceMemory) -> None:
        """Note what the program has allocated, copied and set since the launch before."""
        for one in memory.allocations:
            if one.number not in self._known:
                self._known.add(one.number)
                if one.kind is Kind.DEVICE:
                    self._unwritten.add(one.first, one.first + one.nbytes)
        for passed in request.moved:
            if passed.what in STORES:
                self._unwritten.remove(passed.first, passed.first + passed.nbytes)


def _freed(memory: DeviceMemory) -> Stretches:
    """What has been freed, and is not of another allocation by now."""
    found = Stretches((one.first, one.first + one.nbytes) for one in memory.freed)
    for one in memory.allocations:
        found.remove(one.first, one.first + one.nbytes)
    return found
