"""``gpusim predict``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from gpusim.cli.files import check_writable, show_chains, show_profiles
from gpusim.cli.options import (
    Fresh,
    Gpus,
    JsonFile,
    KernelArguments,
    KernelFolders,
    Registers,
    Sample,
    TimelineFile,
    TimelineFrom,
    TimelineSm,
    Warm,
    listed_gpus,
)
from gpusim.cli.parameters import combinations, find, split
from gpusim.cli.timelines import Wanted

if TYPE_CHECKING:
    from gpusim.progress import ProgressLine

A = TypeVar("A")
P = TypeVar("P")


def predict(
    arguments: KernelArguments,
    gpu: Gpus = "h200",
    json: JsonFile = None,
    warm: Warm = False,
    sample: Sample = None,
    kernels: KernelFolders = None,
    registers: Registers = None,
    timeline: TimelineFile = None,
    timeline_sm: TimelineSm = None,
    timeline_from: TimelineFrom = None,
    fresh: Fresh = False,
) -> None:
    """Predict a kernel's time, and its traffic at every level.

    Requests, sectors, bytes and hit rates stand beside the textbook's formula.

    Several values, as in --tile 8,16,32 or --gpu h200,a100-40gb, give one row each.
    """
    import gpusim
    from gpusim.catalogue.chain import Chain
    from gpusim.errors import ParameterError

    kernel, given = split(arguments)
    check_writable(json)
    algorithm = find(kernel, kernels or [])
    cases = list(itertools.product(listed_gpus(gpu), combinations(algorithm, given)))
    wanted = Wanted(timeline, timeline_sm, timeline_from)
    how: dict[str, Any] = {"cache": "warm" if warm else "cold", "sample": sample, "fresh": fresh}
    if isinstance(algorithm, Chain):
        if registers is not None:
            raise ParameterError(f"--registers is of one kernel; {algorithm.name} is a chain of {len(algorithm.steps)}")
        wanted.recording(len(cases) * len(algorithm.steps), json)
        show_chains(_each(algorithm, gpusim.predict_chain, cases, how), json)
        return
    recording = wanted.recording(len(cases), json)
    how |= {"registers": registers} | ({"timeline": recording} if recording else {})
    profiles = _each(algorithm, gpusim.predict, cases, how)
    show_profiles(profiles, json)
    wanted.save(profiles)


def _each(
    algorithm: A, predict: Callable[..., P], cases: Sequence[tuple[str, dict[str, Any]]], how: dict[str, Any]
) -> list[P]:
    """Predict one case after the other, showing progress on standard error."""
    from gpusim.progress import ProgressLine

    with ProgressLine() as progress:
        return [
            predict(algorithm, gpu, progress=_nth(progress, i, len(cases)), **how, **params)
            for i, (gpu, params) in enumerate(cases, 1)
        ]


def _nth(progress: ProgressLine, index: int, count: int) -> Any:
    """Tell which of several predictions the progress belongs to."""
    if count == 1:
        return progress
    return lambda done, total, text: progress(done, total, f"{index} of {count}: {text}")
