"""The launches that a program predicts: so that a scenario can be run for real."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gpusim.catalogue.algorithm import BareKernel
from gpusim.frontends.described import Described
from gpusim.launches.spec import DescribedLaunch
from gpusim.simulate.prediction import listening
from gpusim.simulate.work import Work


@contextmanager
def predictions() -> Iterator[dict[str, DescribedLaunch]]:
    """Hear which described kernels are predicted meanwhile.

    Yields
    ------
    dict of str to DescribedLaunch
        By id; of a chain every step.
    """
    heard: dict[str, DescribedLaunch] = {}

    def note(work: Work) -> None:
        source = work.source
        if isinstance(source, Described) and not isinstance(source.algorithm, BareKernel):  # found again by no name
            launch = DescribedLaunch.of(source.algorithm, source.bound.params, tuple(source.folders or ()))
            heard[launch.id] = launch

    with listening(note):
        yield heard
