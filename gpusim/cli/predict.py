"""``gpusim predict``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpusim.cli.files import check_writable, show_profiles
from gpusim.cli.timelines import Wanted
from gpusim.cli.words import (
    Gpus,
    JsonFile,
    KernelArguments,
    KernelFolders,
    Sample,
    TimelineFile,
    TimelineFrom,
    TimelineSm,
    Warm,
    parameter,
    split,
)

if TYPE_CHECKING:
    from gpusim.report.progress import ProgressLine
    from gpusim.result import Profile


def predict(
    arguments: KernelArguments,
    gpu: Gpus = "h200",
    json: JsonFile = None,
    warm: Warm = False,
    sample: Sample = None,
    kernels: KernelFolders = None,
    timeline: TimelineFile = None,
    timeline_sm: TimelineSm = None,
    timeline_from: TimelineFrom = None,
) -> None:
    """Predict requests, sectors, bytes and hit rates at every level, beside the textbook formula.

    Several values, as in --tile 8,16,32 or --gpu h200,a100-40gb, give one row each.
    """
    kernel, given = split(arguments)
    check_writable(json)
    cases = list(_combinations(kernel, given, gpu.split(","), kernels or []))
    wanted = Wanted(timeline, timeline_sm, timeline_from)
    how = {"cache": "warm" if warm else "cold", "sample": sample, "kernels": kernels}
    recording = wanted.recording(len(cases))
    profiles = _predict_all(kernel, cases, how | ({"timeline": recording} if recording else {}))
    show_profiles(profiles, json)
    wanted.save(profiles)


def _combinations(
    kernel: str, given: dict[str, list[Any]], gpus: Sequence[str], folders: Sequence[Path]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every GPU with every combination of the parameters' values."""
    from gpusim import catalog

    algorithm = catalog.get(kernel, folders)
    names = [parameter(algorithm, word) for word in given]
    for gpu in gpus:
        for values in itertools.product(*given.values()):
            yield gpu.strip(), dict(zip(names, values, strict=True))


def _predict_all(kernel: str, cases: Sequence[tuple[str, dict[str, Any]]], how: dict[str, Any]) -> list[Profile]:
    """Predict one case after the other, showing progress on standard error."""
    from gpusim.report.progress import ProgressLine

    with ProgressLine() as progress:
        return [_predict_one(kernel, *case, _nth(progress, i, len(cases)), how) for i, case in enumerate(cases, 1)]


def _predict_one(kernel: str, gpu: str, params: dict[str, Any], progress: Any, how: dict[str, Any]) -> Profile:
    import gpusim

    return gpusim.predict(kernel, gpu, progress=progress, **how, **params)


def _nth(progress: ProgressLine, index: int, count: int) -> Any:
    """Tell which of several predictions the progress belongs to."""
    if count == 1:
        return progress
    return lambda done, total, text: progress(done, total, f"{index} of {count}: {text}")
