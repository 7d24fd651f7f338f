"""A program's launches of Triton's kernels, simulated one after another."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from gpusim import hardware
from gpusim.frontends.addresses import Memory
from gpusim.frontends.cuda import work
from gpusim.isa.array_use import reads_data
from gpusim.simulate.execution import execute
from gpusim.simulate.guard import fitting
from gpusim.simulate.prediction import predict
from gpusim.simulate.work import How, Sample, Work
from gpusim.triton.arguments import Passed, places
from gpusim.triton.deferred import Output, put_off

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.profiles.profile import Profile

_NUMBERS = itertools.count()

NS = 1e9


class Values(Enum):
    """When launches compute their values."""

    NOW = auto()
    LATER = auto()
    NEVER = auto()


NOW, LATER, NEVER = Values


@dataclass(frozen=True)
class Asked:
    """A launch.

    Attributes
    ----------
    kernel : Kernel
    grid : tuple of int
        Blocks in x, y, z.
    block : int
        Threads of a block.
    parameters : sequence of Passed or Output
    shared : int
        Bytes of dynamic shared memory.
    cluster : tuple of int or None
    """

    kernel: Kernel
    grid: tuple[int, int, int]
    block: int
    parameters: Sequence[Passed | Output]
    shared: int
    cluster: tuple[int, int, int] | None

    @property
    def owners(self) -> set[tuple[str, int]]:
        """Keys of the allocations that it has to do with."""
        keys = (p.allocation.owner.key if isinstance(p, Output) else p.owner for p in self.parameters)
        return {key for key in keys if key is not None}

    def work(self, session: Session) -> Work:
        """The same as simulations take it."""
        given = [p for p in self.parameters if isinstance(p, Passed)]
        named = [replace(p, name=one.name) for p, one in zip(self.kernel.parameters, given, strict=True)]
        kernel, where = replace(self.kernel, parameters=tuple(named)), places(given, session.memory)
        values = [one.value for one in given]
        return work(kernel, session.gpu, self.grid, self.block, values, self.shared, self.cluster, where)


class Session:
    """A simulated GPU, from when a program activates it until it ends.

    Parameters
    ----------
    gpu : str or Gpu
    cache : {"cold", "warm", "flushed"}
        What a launch finds: empty caches, what itself left, or an L2 full of other data.
    sample : bool, optional
        As for :func:`gpusim.profile`; of time alone: values are of whole launches.
    jobs : int, optional
        Processors of this host to work with; by default all of them.

    Attributes
    ----------
    gpu : Gpu
    number : int
        Another one for every session.
    memory : Memory
        Where arrays lie.
    launches : list of Profile
        So far, in order; those that were only timed among them.
    time : float
        Seconds that launches took so far, as predicted.
    """

    def __init__(
        self, gpu: str | hardware.Gpu, *, cache: str = "cold", sample: Sample = None, jobs: int | None = None
    ) -> None:
        self.gpu = hardware.given(gpu)
        self.number = next(_NUMBERS)
        self.memory = Memory()
        self.launches: list[Profile] = []
        self.time = 0.0
        self.untimed = 0
        self.specialising = False
        self._how = How(cache, sample, jobs=jobs)
        self._values = NOW
        self._put_off: list[Asked] = []
        self._timings: list[list[float]] = []

    @contextmanager
    def benchmarking(self, *, computes: bool) -> Iterator[list[float]]:
        """Launches meanwhile are those of a benchmark.

        Parameters
        ----------
        computes : bool
            Whether they compute values, in the end.

        Yields
        ------
        list of float
            Seconds of each, that grows; those of a benchmark within it, such as the autotuner's, are not among them.
        """
        before, self._values = self._values, LATER if computes and self._values is not NEVER else NEVER
        self._timings.append([])
        try:
            yield self._timings[-1]
        except BaseException:
            self._put_off.clear()
            raise
        finally:
            self._values = before
            self._timings.pop()
        if before is NOW:
            self._drop_unseen()
            self.settle()

    def settle(self) -> None:
        """Compute what was put off."""
        waiting, self._put_off = self._put_off, []
        for one in waiting:
            self._compute(
                replace(one, parameters=[p.passed(self.memory) if isinstance(p, Output) else p for p in one.parameters])
            )

    def uses(self, keys: Iterable[tuple[str, int]]) -> None:
        """Compute what was put off if it has to do with some allocations, which are about to be used.

        Parameters
        ----------
        keys : iterable of tuple
            Of their owners.
        """
        if self._put_off and not set().union(*(one.owners for one in self._put_off)).isdisjoint(keys):
            self.settle()

    def launch(self, asked: Asked) -> Profile:
        """Predict a launch, and compute what it computes.

        Parameters
        ----------
        asked : Asked
        """
        launch = asked.work(self)
        program = launch.launch.program
        if self._put_off and reads_data(program):
            self.settle()
        found = predict([launch], self.gpu, self._how)[0]
        profile = replace(found, rerun=None)  # which holds its arrays, and the script goes on
        self.launches.append(profile)
        self.time += float(profile.seconds)
        if self._timings:
            self._timings[-1].append(float(profile.seconds))
        given = [one for one in asked.parameters if isinstance(one, Passed)]
        later = put_off(given, program, self.memory) if self._values is LATER else None
        if later is not None:
            self._put_off.append(replace(asked, parameters=later))
        elif self._values is not NEVER:
            self.settle()
            self._compute(asked)
        return profile

    def _compute(self, asked: Asked) -> None:
        """Compute what a launch does, into its arrays."""
        work = asked.work(self)
        held = fitting(work.launch, self.gpu, work.name)
        outputs = execute(work.launch, self.gpu, held, checked=False)
        if work.take is not None:
            work.take(outputs)

    def _drop_unseen(self) -> None:
        """Forget what was put off and nobody can see; what is computed before for it alone, too."""
        kept: list[Asked] = []
        while self._put_off:
            one = self._put_off.pop()
            if not all(p.is_gone for p in one.parameters if isinstance(p, Output)):
                kept.append(one)
        self._put_off = kept[::-1]


_active: list[Session] = []


def active() -> Session | None:
    """The session that is active, if one is."""
    return _active[-1] if _active else None


def begin(session: Session) -> None:
    """Make a session the active one."""
    _active.append(session)


def end(session: Session) -> None:
    """Make the session active that was before."""
    _active.remove(session)


def needs(module: str, package: str) -> Any:
    """Import a package that gpusim does not need itself.

    Raises
    ------
    GpusimError
        It is not installed.
    """
    import importlib

    from gpusim.errors import LackingError

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise LackingError(f"{package} is needed: pip install {package} ({error})") from None
