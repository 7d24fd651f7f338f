"""The launches that a program predicts, overheard: so that a scenario can be run for real."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any

import gpusim
from gpusim import catalog
from gpusim.algorithm import Algorithm
from gpusim.chain import Chain
from gpusim.launches.spec import DescribedLaunch

PREDICTING = ("predict", "predict_chain")


@contextmanager
def predictions() -> Iterator[dict[str, DescribedLaunch]]:
    """Hear what ``gpusim.predict`` and ``gpusim.predict_chain`` are asked, while they answer as ever.

    Yields
    ------
    dict of str to DescribedLaunch
        By id; of a chain every step.
    """
    heard: dict[str, DescribedLaunch] = {}
    before = {name: getattr(gpusim, name) for name in PREDICTING}
    for name, function in before.items():
        setattr(gpusim, name, _heard(function, heard))
    try:
        yield heard
    finally:
        for name, function in before.items():
            setattr(gpusim, name, function)


def _heard(function: Callable[..., Any], heard: dict[str, DescribedLaunch]) -> Callable[..., Any]:
    own = signature(function).parameters

    @wraps(function)
    def note(kernel: Any, *args: Any, **given: Any) -> Any:
        folders = tuple(given.get("kernels") or ())
        algorithm = catalog.find(kernel, folders) if isinstance(kernel, str) else kernel
        if isinstance(algorithm, Algorithm | Chain):  # a bare description cannot be found again by its name
            params = {name: value for name, value in given.items() if name not in own}
            heard.update((launch.id, launch) for launch in DescribedLaunch.each(algorithm, params, folders))
        return function(kernel, *args, **given)

    return note
