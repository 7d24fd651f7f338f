"""Make a simulated GPU the one that Triton launches on."""

from __future__ import annotations

import atexit
import dataclasses
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpusim import hardware
from gpusim.errors import LackingError, ParameterError
from gpusim.patches import Patches
from gpusim.results.program import Program, ProgramLaunch, Size
from gpusim.simulate.work import Sample
from gpusim.triton import session as sessions
from gpusim.triton.arrays import taken
from gpusim.triton.benchmarks import BENCHMARKS, instead
from gpusim.triton.driver import Driver
from gpusim.triton.inductor import launch_by_triton, time_by_prediction
from gpusim.triton.session import Session

if TYPE_CHECKING:
    from gpusim.profiles.profile import Profile


OLDEST = (3, 5)
"""Release of Triton from which on drivers are as ours is."""


class Activation:
    """A simulated GPU that is active until it is closed; ``with`` closes it.

    Parameters
    ----------
    session : Session
    summary : bool
        Print a table of all launches when it is closed, or the program ends.

    Attributes
    ----------
    session : Session
    """

    def __init__(self, session: Session, *, summary: bool) -> None:
        self.session, self._summary = session, summary
        self._patches = Patches()
        self._device: Any = None
        try:
            self._begin()
        except BaseException:
            self._patches.undo()
            raise
        if summary:
            atexit.register(self.close)

    @property
    def launches(self) -> list[Profile]:
        """Launches so far, in order."""
        return self.session.launches

    def show(self) -> None:
        """Print a table of the launches so far."""
        from gpusim.report import show
        from gpusim.report.program import program

        sys.stdout.flush()
        show(program(self._ran(), _remarks(self.session)))

    def _ran(self) -> Program:
        """The script, as a program that launches."""
        launches = (
            ProgramLaunch(n, one.kernel, _size(one.grid), _size(one.block), one, n)
            for n, one in enumerate(self.launches)
        )
        return Program(Path(sys.argv[0]).name or "python", self.session.gpu.name, tuple(launches), 0)

    def close(self) -> None:
        """Have Triton and PyTorch as they were before."""
        atexit.unregister(self.close)
        if self._summary:
            self.show()
        if self._device is not None:
            self._device.__exit__(None, None, None)
            self._device = None
        self._patches.undo()
        sessions.end(self.session)

    def __enter__(self) -> Activation:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _begin(self) -> None:
        _demand_known(sessions.needs("triton", "triton").__version__)
        testing, jit = sessions.needs("triton.testing", "triton"), sessions.needs("triton.runtime.jit", "triton")
        session, patches = self.session, self._patches
        own = _driver_of(session, patches)
        patches.set(jit.driver, "_active", own())
        backends = sessions.needs("triton.backends", "triton").backends
        patches.set_item(backends, "nvidia", dataclasses.replace(backends["nvidia"], driver=own))
        patches.set(jit.JITFunction, "run", _running(session, jit.JITFunction.run))
        for function in map(vars(testing).get, BENCHMARKS):
            if function is not None:
                patches.set_body(function, instead)
        if importlib.util.find_spec("torch") is not None:
            from gpusim.triton.torch_cuda import stand_in

            launch_by_triton(patches)
            self._device = stand_in(session, patches)
            self._device.__enter__()
        sessions.begin(session)


def _demand_known(version: str) -> None:
    """Refuse a Triton whose drivers are others.

    Raises
    ------
    LackingError
        It is older than :data:`OLDEST`.
    """
    numbers = tuple(int(n) for n in version.split(".")[:2])
    if numbers < OLDEST:
        raise LackingError(f"Triton {version} is too old: {'.'.join(map(str, OLDEST))} or newer is needed")


def _driver_of(session: Session, patches: Patches) -> Callable[[], Driver]:
    """The session's driver as a class that takes nothing, as Triton has one for each kind of GPU."""

    class Own(Driver):
        def __init__(self) -> None:
            super().__init__(session, lambda: time_by_prediction(session, patches))

    return Own


def _running(session: Session, run: Callable[..., Any]) -> Callable[..., Any]:
    """``JITFunction.run`` for arrays that Triton does not know, too."""

    def run_on(function: Any, *args: Any, **kwargs: Any) -> Any:
        own = [taken(position, value, session.memory) for position, value in enumerate(args, 1)]
        names = function.arg_names
        named = {
            name: taken(names.index(name) + 1, value, session.memory) if name in names else value
            for name, value in kwargs.items()
        }
        before, session.specialising = session.specialising, True
        try:
            return run(function, *own, **named)
        finally:
            session.specialising = before

    return run_on


def _size(given: Sequence[int]) -> Size:
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


def _remarks(session: Session) -> list[str]:
    """What a reader of the table must know."""
    found = ["Time is that of the kernels: what PyTorch computes itself, and what the host does, takes none."]
    if session.untimed:
        found.append(f"{session.untimed} benchmarks launched no kernel of Triton's, and have NaN for a time.")
    return found


def activate(
    gpu: str | hardware.Gpu = "h200", *, cache: str = "cold", sample: Sample = None, jobs: int | None = None,
    summary: bool = True,
) -> Activation:  # fmt: skip
    """Have all that Triton launches from now on run on a simulated GPU.

    Arrays may be PyTorch's tensors, on ``cuda`` or not, NumPy's, or what gives itself as such.  Every launch computes
    what it computes, and is timed; benchmarks and the autotuner get predicted times.

    Parameters
    ----------
    gpu : str or Gpu
        As for :func:`gpusim.profile`.
    cache : {"cold", "warm", "flushed"}
        What a launch finds: empty caches, what itself left, or an L2 full of other data.
    sample : bool, optional
        As for :func:`gpusim.profile`; values are of whole launches in any case.
    jobs : int, optional
        Processors of this host to work with; by default all of them.
    summary : bool
        Print a table of all launches when it is closed, or the program ends.

    Returns
    -------
    Activation
        Which has the launches, and can be closed.

    Raises
    ------
    GpusimError
        Triton is not installed, there is no such GPU, or one is active.
    """
    if (before := sessions.active()) is not None:
        raise ParameterError(f"{before.gpu.name} is active: close() what activate() gave")
    return Activation(Session(gpu, cache=cache, sample=sample, jobs=jobs), summary=summary)


def profile(
    kernel: Any, grid: Sequence[int] | int | Callable[[dict[str, Any]], Sequence[int]], *args: Any,
    gpu: str | hardware.Gpu = "h200", **meta: Any,
) -> Profile:  # fmt: skip
    """Launch a kernel of Triton's on a simulated GPU.

    Parameters
    ----------
    kernel : JITFunction or Autotuner
        What ``triton.jit`` or ``triton.autotune`` makes.
    grid : int, sequence of int or callable
        Programs in x, y, z, or what gives them for the constants.
    *args
        Arguments; arrays hold the results afterwards.
    gpu : str or Gpu
        Where none is active.
    **meta
        Arguments by name, constants, ``num_warps`` and the like.

    Returns
    -------
    Profile
        Of an autotuned kernel that of the best configuration.

    Raises
    ------
    GpusimError
        As :func:`gpusim.profile`.
    """
    own = None if sessions.active() is not None else activate(gpu, summary=False)
    session = sessions.active()
    assert session is not None
    before = len(session.launches)
    try:
        kernel[(grid,) if isinstance(grid, int) else grid](*args, **meta)
    finally:
        if own is not None:
            own.close()
    if len(session.launches) == before:
        raise ParameterError("the grid has no programs: nothing was launched")
    return session.launches[-1]
