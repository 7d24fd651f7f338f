"""Files of predictions, and which launch of a profile each is of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gpusim import reading
from gpusim.errors import GpusimError
from gpusim.measured.comparison import Values
from gpusim.measured.measurement import MeasuredLaunch, impossible
from gpusim.measured.nsight import Launched
from gpusim.results.documents import check_version


class CompareError(GpusimError):
    """Predictions and measurements that have nothing to do with one another."""


class Predicted(NamedTuple):
    """What was predicted of a launch, from a file.

    Attributes
    ----------
    name : str
        Id of the launch, or name of the kernel.
    grid, block : tuple of int or None
        None where the file does not say.
    metrics : mapping of str to float
    gpu, cache : str
        For which GPU, and what it found in the caches; empty where the file does not say.
    """

    name: str
    grid: tuple[int, ...] | None
    block: tuple[int, ...] | None
    metrics: Values
    gpu: str = ""
    cache: str = ""


def read_predictions(path: Path) -> list[Predicted]:
    """Read what ``gpusim predict --json`` or ``gpusim profile --json`` wrote.

    Raises
    ------
    CompareError
        Unreadable, another kind of file, or one of a later schema.
    """
    raw = reading.read_json(path, CompareError)
    check_version(raw, str(path), CompareError)
    try:
        shared = {key: raw[key] for key in ("gpu", "cache") if key in raw}
        return [_predicted({**shared, **entry}) for entry in _entries(raw)]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        raise CompareError(
            f"{path}: not a prediction: gpusim predict --json and gpusim profile --json write one"
        ) from None


def _entries(raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Profiles, launches of a launch file, or the steps of chains; a measurement has a format, and is none of these."""
    if "format" in raw:
        raise KeyError(raw["format"])
    if "chains" in raw:
        return [step for chain in raw["chains"] for step in chain["steps"]]
    found: list[Mapping[str, Any]] = raw["profiles"] if "profiles" in raw else raw["launches"]
    return found


def _predicted(entry: Mapping[str, Any]) -> Predicted:
    numbers = {name: m["value"] if isinstance(m, dict) else m for name, m in entry["metrics"].items()}
    known = {name: float(value) for name, value in numbers.items() if value is not None}
    grid, block = (tuple(map(int, entry[key])) if key in entry else None for key in ("grid", "block"))
    texts = entry.get("id") or entry["kernel"], entry.get("gpu", ""), entry.get("cache", "")
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(texts)
    name, gpu, cache = texts
    return Predicted(name, grid, block, known, gpu, cache)


def pair(predictions: Sequence[Predicted], launches: Sequence[Launched]) -> list[tuple[Predicted, MeasuredLaunch]]:
    """Find for every prediction the launches of a profile that it is of: by grid, block and, if that decides, kernel.

    Parameters
    ----------
    predictions : sequence of Predicted
    launches : sequence of Launched

    Returns
    -------
    list of (Predicted, MeasuredLaunch)
        Launches that are alike are the runs of one measurement.

    Raises
    ------
    CompareError
        A prediction without a launch, or with launches of several kernels.
    """
    return [(prediction, _measured(prediction, _alike(prediction, launches))) for prediction in predictions]


def _alike(prediction: Predicted, launches: Sequence[Launched]) -> list[Launched]:
    sized = [
        launch
        for launch in launches
        if prediction.grid in (None, launch.grid) and prediction.block in (None, launch.block)
    ]
    named = [launch for launch in sized if base_name(launch.kernel) == base_name(prediction.name)]
    found = named or sized
    kernels = {launch.kernel for launch in found}
    if not found:
        there = ", ".join(sorted({f"{launch.kernel} of {launch.grid} x {launch.block}" for launch in launches}))
        wanted = f"{prediction.name} of {prediction.grid} x {prediction.block}"
        raise CompareError(f"nothing profiled is {wanted} (blocks x threads): there is {there}")
    if len(kernels) > 1:
        raise CompareError(
            f"{prediction.name} could be any of {', '.join(sorted(kernels))}: keep one (ncu --kernel-name)"
        )
    return found


def base_name(kernel: str) -> str:
    """A kernel's name without return type, namespace, template arguments and parameters, words joined by underscores.

    Examples
    --------
    >>> base_name("void blas::sgemm<128, 8>(float const*, int)"), base_name("matmul-tiled")
    ('sgemm', 'matmul_tiled')
    """
    bare = kernel.partition("(")[0].partition("<")[0].split()
    return bare[-1].rpartition("::")[2].replace("-", "_") if bare else ""


def _measured(prediction: Predicted, runs: Sequence[Launched]) -> MeasuredLaunch:
    """Launches that are alike, as the runs of one."""
    shared = [name for name in runs[0].metrics if all(name in run.metrics for run in runs)]
    metrics = {name: [run.metrics[name] for run in runs] for name in shared}
    for name, values in metrics.items():
        if name in prediction.metrics and (wrong := impossible(name, values)):
            raise CompareError(f"{runs[0].kernel}, as profiled: {name}: {wrong}")
    return MeasuredLaunch(prediction.name, {}, runs[0].kernel, runs[0].grid, runs[0].block, metrics=metrics)
