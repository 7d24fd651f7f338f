"""Predictions against measurements, metric by metric, beside how far the hardware is from itself."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gpusim.errors import GpusimError
from gpusim.measurement import BEYOND_EMPTY, MeasuredLaunch, spread
from gpusim.nsight import Launched

FLOOR = {
    "dram__bytes_write.sum": 4e6,
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum": 2e4,
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum": 2e4,
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 2e4,
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": 2e4,
}
"""Where less than this was measured, an error is relative to this: what is next to nothing repeats badly."""

STALLS, A_WARP = "smsp__average_warps_issue_stalled_", 1.0
"""A reason for which less than one warp waits is judged by the difference."""

DURATION = "gpu__time_duration.sum"
PERCENT, ROUNDED = "pct", 0.00501
"""Nsight Compute prints per cent with two decimals."""

Values = Mapping[str, float]


class CompareError(GpusimError):
    """Predictions and measurements that have nothing to do with one another."""


class Row(NamedTuple):
    """One metric of one launch.

    Attributes
    ----------
    launch, metric : str
    predicted, measured : float
        The measured one is the median of the runs.
    error : float
        By how much the prediction is above the measurement, relative to it; infinite where nothing was measured.
    spread : float
        Largest less smallest of the hardware's own runs, relative to their median.
    """

    launch: str
    metric: str
    predicted: float
    measured: float
    error: float
    spread: float


class Summary(NamedTuple):
    """One metric over many launches; errors are absolute values of :attr:`Row.error`."""

    metric: str
    launches: int
    identical: int
    median: float
    mean: float
    p90: float
    max: float
    worst: str
    spread: float
    """Median of the hardware's own spreads."""


def relative(metric: str, predicted: float, measured: float) -> float:
    """By how much a prediction is above a measurement, relative to it or to the metric's floor.

    Examples
    --------
    >>> relative("gpc__cycles_elapsed.max", 1100, 1000)
    0.1
    >>> relative("dram__bytes_write.sum", 2e6, 0)
    0.5
    >>> relative("smsp__inst_executed.sum", 1, 0)
    inf
    """
    if predicted == measured or (PERCENT in metric and abs(predicted - measured) <= ROUNDED):
        return 0.0
    least = max(abs(measured), A_WARP if metric.startswith(STALLS) else FLOOR.get(metric, 0.0))
    return (predicted - measured) / least if least else math.copysign(math.inf, predicted)


class Empty(NamedTuple):
    """Seconds of a launch that does nothing.

    Attributes
    ----------
    predicted : float
        Its duration.
    measured : float
        Its time between events.
    """

    predicted: float
    measured: float


def rows(predicted: Values, measured: MeasuredLaunch, empty: Empty | None = None) -> list[Row]:
    """Compare what was predicted of a launch with what was measured, worst first.

    Parameters
    ----------
    predicted : mapping of str to float
        By metric.
    measured : MeasuredLaunch
    empty : Empty, optional
        What an empty launch takes: where it is known, times between events are compared too, less this.

    Returns
    -------
    list of Row
    """
    found = [
        Row(measured.id, name, predicted[name], value, relative(name, predicted[name], value), measured.spread(name))
        for name in measured.metrics
        if name in predicted
        for value in [measured.value(name)]
    ]
    if empty is not None and measured.seconds and DURATION in predicted:
        found.append(_beyond(predicted[DURATION] - empty.predicted, measured, empty))
    return sorted(found, key=lambda row: -abs(row.error))


def _beyond(predicted: float, measured: MeasuredLaunch, empty: Empty) -> Row:
    """By how much a launch takes longer than an empty one."""
    runs = [seconds - empty.measured for seconds in measured.seconds]
    value = statistics.median(runs)
    return Row(measured.id, BEYOND_EMPTY, predicted, value, relative(BEYOND_EMPTY, predicted, value), spread(runs))


def summarise(found: Iterable[Row]) -> list[Summary]:
    """Sum rows up by metric, the metric with the largest median error first.

    Parameters
    ----------
    found : iterable of Row

    Returns
    -------
    list of Summary
    """
    by_metric: dict[str, list[Row]] = {}
    for row in found:
        by_metric.setdefault(row.metric, []).append(row)
    summaries = [_summary(metric, of_metric) for metric, of_metric in by_metric.items()]
    return sorted(summaries, key=lambda s: (-s.median, -s.p90, -s.max, s.metric))


def _summary(metric: str, found: Sequence[Row]) -> Summary:
    ordered = sorted(found, key=lambda row: abs(row.error))
    errors = [abs(row.error) for row in ordered]
    return Summary(
        metric, len(errors), sum(error == 0 for error in errors), statistics.median(errors), statistics.fmean(errors),
        errors[min(len(errors) - 1, int(0.9 * len(errors)))], errors[-1], ordered[-1].launch,
        statistics.median(row.spread for row in found),
    )  # fmt: skip


# ---------------------------------------------------------------- files of predictions, profiles of Nsight Compute


class Predicted(NamedTuple):
    """What was predicted of a launch, from a file.

    Attributes
    ----------
    name : str
        Id of the launch, or name of the kernel.
    grid, block : tuple of int or None
        None where the file does not say.
    metrics : mapping of str to float
    """

    name: str
    grid: tuple[int, ...] | None
    block: tuple[int, ...] | None
    metrics: Values


def read_predictions(path: Path) -> list[Predicted]:
    """Read what ``gpusim predict --json`` or ``gpusim profile --json`` wrote.

    Raises
    ------
    CompareError
        Unreadable, or another kind of file.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return [_predicted(entry) for entry in _entries(raw)]
    except OSError as error:
        raise CompareError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
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
    grid, block = (tuple(entry[key]) if key in entry else None for key in ("grid", "block"))
    return Predicted(entry.get("id") or entry["kernel"], grid, block, known)


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
    return MeasuredLaunch(prediction.name, {}, runs[0].kernel, runs[0].grid, runs[0].block, metrics=metrics)
