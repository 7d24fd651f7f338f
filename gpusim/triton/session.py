"""A program's launches of Triton's kernels, simulated one after another."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpusim import hardware
from gpusim.frontends.addresses import Memory
from gpusim.frontends.cuda import work
from gpusim.simulate.execution import execute
from gpusim.simulate.guard import fitting
from gpusim.simulate.prediction import predict
from gpusim.simulate.work import How, Sample
from gpusim.triton.arguments import Passed, places

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.profiles.profile import Profile

_NUMBERS = itertools.count()

NS = 1e9


class Session:
    """A simulated GPU, from when a program activates it until it ends.

    Parameters
    ----------
    gpu : str or Gpu
    cache : {"cold", "warm"}
        Whether a launch finds caches empty, or as the same launch left them.
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
        self._computes = True

    @contextmanager
    def benchmarking(self, *, computes: bool) -> Iterator[None]:
        """Launches meanwhile are those of a benchmark.

        Parameters
        ----------
        computes : bool
            Whether they compute values.
        """
        before, self._computes = self._computes, computes
        try:
            yield
        finally:
            self._computes = before

    def launch(
        self, kernel: Kernel, grid: tuple[int, int, int], block: int, parameters: Sequence[Passed], shared: int,
        cluster: tuple[int, int, int] | None,
    ) -> Profile:  # fmt: skip
        """Predict a launch, and compute what it computes.

        Parameters
        ----------
        kernel : Kernel
        grid : tuple of int
            Blocks in x, y, z.
        block : int
            Threads of a block.
        parameters : sequence of Passed
        shared : int
            Bytes of dynamic shared memory.
        cluster : tuple of int or None
        """
        named = [replace(p, name=one.name) for p, one in zip(kernel.parameters, parameters, strict=True)]
        kernel = replace(kernel, parameters=tuple(named))
        values, where = [one.value for one in parameters], places(parameters, self.memory)
        asked = work(kernel, self.gpu, grid, block, values, shared, cluster, where)
        profile = predict([asked], self.gpu, self._how)[0]
        self.launches.append(profile)
        self.time += float(profile.seconds)
        if self._computes and asked.take is not None:
            asked.take(execute(asked.launch, self.gpu, fitting(asked.launch, self.gpu, asked.name), checked=False))
        return profile


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
