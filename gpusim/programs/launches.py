"""Launches of a program: each is computed in device memory, and timed unless an earlier one did the same."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from gpusim.engine.state import error_codes as E
from gpusim.isa.image_memory import needs_data
from gpusim.isa.slice import counting_image
from gpusim.programs.memory import any_of_host
from gpusim.programs.values import MOST_COMPARED, Values
from gpusim.results.faults import Fault
from gpusim.results.program import ProgramLaunch
from gpusim.simulate.driving import SimulationError
from gpusim.simulate.guard import fitting
from gpusim.simulate.l2_state import with_moved
from gpusim.simulate.launch import Launch, arrays_of_parameters, pointers
from gpusim.simulate.machines import Machines
from gpusim.simulate.simulation import carry_on, simulate
from gpusim.simulate.work import How, Work

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.profiles.profile import Profile
    from gpusim.programs.checks import Checks
    from gpusim.programs.memory import DeviceMemory
    from gpusim.programs.modules import Loaded
    from gpusim.programs.request import Request
    from gpusim.progress import Progress
    from gpusim.results.figures import Figures
    from gpusim.simulate.counted import CacheState, Moved

_AS = {Fault.OUT_OF_BOUNDS: E.GLOBAL_BOUNDS, Fault.FREED: E.GLOBAL_BOUNDS, Fault.MISALIGNED: E.MISALIGNED}
"""As which error of the engine a program is told of a fault that ends a launch; of others as of one that traps."""

STATES_KEPT = 16
"""Of how many timed launches it is kept what they left in L2 (16 MB each on an H200)."""


@dataclass(frozen=True)
class Wanted:
    """Which launches are timed.

    Attributes
    ----------
    functional : bool
        None.
    every : bool
        Each of those chosen, even if an earlier one did the same.
    kernel : str or None
        Those of kernels whose name fits this pattern, such as ``"*gemm*"``.
    skip : int
        So many of these not, the first ones.
    count : int or None
        No more than so many after these.
    """

    functional: bool = False
    every: bool = False
    kernel: str | None = None
    skip: int = 0
    count: int | None = None

    @property
    def chosen(self) -> bool:
        """Whether the user has chosen some."""
        return self.kernel is not None or self.skip > 0 or self.count is not None

    def fits(self, names: tuple[str, ...]) -> bool:
        """Whether a kernel is one of those chosen."""
        return self.kernel is None or any(fnmatchcase(name, self.kernel) for name in names)


def reaches_host(profile: Figures) -> bool:
    """Whether a launch touches memory of the host, which a GPU does over PCIe.

    Parameters
    ----------
    profile : Figures
    """
    return any_of_host(array.name for array in profile.arrays if array.requests)


def trusted(profile: Profile) -> Profile:
    """Take from a launch that touches memory of the host what is known of others' errors: PCIe is not modelled.

    Parameters
    ----------
    profile : Profile
    """
    if not reaches_host(profile):
        return profile
    return replace(profile, metrics={name: metric.unmeasured() for name, metric in profile.metrics.items()})


class Launches:
    """Launches of a program, one after another.

    Parameters
    ----------
    gpu : Gpu
    memory : DeviceMemory
    wanted : Wanted
    how : How
        How they are timed.
    checks : Checks, optional
        Check the launches that are wanted, and time none.
    """

    def __init__(
        self, gpu: Gpu, memory: DeviceMemory, wanted: Wanted, how: How, checks: Checks | None = None
    ) -> None:  # fmt: skip
        self.checks = checks
        self.done: list[ProgramLaunch] = []
        self._gpu, self._memory, self._wanted, self._how = gpu, memory, wanted, how
        self._fitted = 0
        self._before = b""
        self._timed: dict[tuple[bytes, tuple[Moved, ...], bytes], int] = {}
        self._l2: CacheState | None = None
        self._moved: dict[Moved, None] = {}
        self._states: OrderedDict[int, CacheState] = OrderedDict()
        self._reads: dict[object, frozenset[str] | None] = {}
        self._held: dict[object, Occupancy] = {}
        self._machines = Machines()
        self.values = Values(gpu, memory, how, self._machines)

    def run(self, module: Loaded, request: Request, progress: Progress | None = None) -> ProgramLaunch:
        """Compute a launch, and time it where that is wanted.

        Parameters
        ----------
        module : Loaded
        request : Request
        progress : callable, optional

        Returns
        -------
        ProgramLaunch

        Raises
        ------
        GpusimError
            It does not fit the GPU, or does something wrong, or comes to no end.
        """
        launch, kernel = self._launch(module, request), module.kernels[request.kernel]
        for one in request.moved:
            self._moved.pop(one, None)
            self._moved[one] = None
        held = self._fitting(launch, request, kernel.name.full)
        profile, like = None, len(self.done)
        wanted = self._is_wanted((kernel.name.full, kernel.name.name, kernel.symbol))
        if self.checks is not None:
            printed = self._check(self.checks, kernel, launch, request, held, progress, wanted=wanted)
        else:
            if wanted:
                profile, like = self._time(launch, request, kernel.name.full, progress)
            printed = self.values.run(launch, request, held, progress)
        found = ProgramLaunch(
            len(self.done), kernel.name.full, launch.grid, launch.block, profile, like, request.stream, printed
        )  # fmt: skip
        self.done.append(found)
        return found

    def _check(
        self, checks: Checks, kernel: Kernel, launch: Launch, request: Request, held: Occupancy,
        progress: Progress | None, *, wanted: bool,
    ) -> str:  # fmt: skip
        """Compute a launch, and look for what is wrong with it where it is one of those chosen."""
        if not wanted:
            checks.pass_over(request, self._memory)
            return self.values.run(launch, request, held, progress)
        self.values.forget(progress)
        printed = checks.run(len(self.done), kernel, launch, request, held, self._memory, progress)
        last = checks.launches[-1].checked
        if last.ended:
            raise SimulationError(last.ended, _AS.get(last.faults[-1].fault, E.TRAPPED) if last.faults else E.TRAPPED)
        return printed

    def _launch(self, module: Loaded, request: Request) -> Launch:
        program = module.program(request.kernel, request.stack)
        first = module.kernels[request.kernel]
        passed = {
            info.name: request.params[place.offset : place.offset + place.nbytes]
            for info, place in zip(program.params, first.parameters, strict=True)
        }
        cluster = request.cluster if any(request.cluster) else program.cluster
        nulls = tuple(name for name, value in passed.items() if len(value) == 8 and not any(value))
        return Launch(
            program, request.grid, request.block, passed, request.dynamic_shared, nulls=nulls, cluster=cluster,
            memory=self._memory.now, constants=module.constants(self._memory),
        )  # fmt: skip

    def _fitting(self, launch: Launch, request: Request, name: str) -> Occupancy:
        """Occupancy of a launch."""
        shape = (*request[:2], launch.grid if launch.cluster else None, *request[3:6])
        if shape not in self._held:
            self._held[shape] = fitting(launch, self._gpu, name)
        return self._held[shape]

    def _is_wanted(self, names: tuple[str, ...]) -> bool:
        """Whether a launch is to be timed."""
        if self._wanted.functional or not self._wanted.fits(names):
            return False
        place = self._fitted - self._wanted.skip
        self._fitted += 1
        return place >= 0 and (self._wanted.count is None or place < self._wanted.count)

    def _time(
        self, launch: Launch, request: Request, name: str, progress: Progress | None
    ) -> tuple[Profile | None, int]:  # fmt: skip
        """A profile, and of which launch it is: of this one, or of an earlier one that did the same."""
        number, own = len(self.done), self._identity(launch, request)
        moved, self._moved = tuple(self._moved), {}
        key, self._before = (self._before, moved, own or b""), own or b""
        if own is not None and not self._wanted.every and key in self._timed:
            like = self._timed[key]
            self._l2 = self._states.get(like, self._l2)
            return self.done[like].profile, like  # type: ignore[return-value]
        self.values.catch_up(progress)
        self._timed[key] = number
        return self._predicted(Work(launch, name, {}, "program"), moved, replace(self._how, progress=progress)), number

    def _predicted(self, work: Work, moved: tuple[Moved, ...], how: How) -> Profile:
        """A profile of a launch that finds L2 as launches and copies before it left it; of a quick one, empty."""
        if how.sample == "quick":
            return trusted(simulate([work], self._gpu, how)[0])
        found = with_moved(self._l2, moved)
        how = replace(how, cache="cold" if found is None else "warm")
        profile, self._l2 = carry_on(work, self._gpu, how, found, self._machines)
        self._states[len(self.done)] = self._l2
        if len(self._states) > STATES_KEPT:
            self._states.popitem(last=False)
        return trusted(profile)

    def _identity(self, launch: Launch, request: Request) -> bytes | None:
        """Digest of all that decides what a launch touches; None where that cannot be told."""
        digest = hashlib.blake2b(request.what.encode(), digest_size=16)
        for _, content in sorted(launch.constants.items()):
            digest.update(content)
        names = self._read(launch, request)
        if names is None or names:
            self.values.catch_up()
        layout = self._memory.now.layout
        chosen = layout.address if names is None else names
        if sum(layout.nbytes[name] for name in chosen) > MOST_COMPARED:
            return None
        for name in sorted(chosen):
            digest.update(self._memory.at(layout.address[name], layout.nbytes[name]))  # type: ignore[arg-type]
        return digest.digest()

    def _read(self, launch: Launch, request: Request) -> frozenset[str] | None:
        """Arrays whose contents decide what a launch touches; None: any."""
        groups = tuple(pointers(launch, self._memory.now.layout))
        key = request.module, request.kernel, groups
        if key not in self._reads:
            image = counting_image(launch.program, groups)
            self._reads[key] = image.reads if needs_data(image) else frozenset()
        return arrays_of_parameters(launch, self._reads[key])
