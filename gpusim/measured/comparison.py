"""Predictions against measurements, metric by metric, beside how far the hardware is from itself."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gpusim.measured.measurement import BEYOND_EMPTY, MeasuredLaunch, spread
from gpusim.results.metric import CYCLES, DURATION

FLOOR = {
    "dram__bytes_read.sum": 2e4,
    "dram__bytes_write.sum": 4e6,
    "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum": 2e4,
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum": 2e4,
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum": 2e4,
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 2e4,
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": 2e4,
}
"""Where less than this was measured, an error is relative to this: what is next to nothing repeats badly."""

STALLS, RATIO, A_WARP = "smsp__average_warps_issue_stalled_", "_per_issue_active.ratio", 1.0
"""A reason for which less than one warp waits is judged by the difference."""

SHARES = "smsp__warp_issue_stalled_"
"""Shares of their time that warps wait, in per cent."""

PERCENT, ROUNDED = "pct", 0.00501
"""Nsight Compute prints per cent with two decimals."""

Values = Mapping[str, float]


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
        Largest less smallest of the hardware's own runs, relative to their median; NaN of a single run.
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
    """Median of the hardware's own spreads; NaN where nothing was run twice."""


def relative(metric: str, predicted: float, measured: float) -> float:
    """By how much a prediction is above a measurement, relative to it or to the metric's floor.

    Of shares of time it is the difference.

    Examples
    --------
    >>> relative("gpc__cycles_elapsed.max", 1100, 1000)
    0.1
    >>> relative("dram__bytes_write.sum", 2e6, 0)
    0.5
    >>> relative("smsp__inst_executed.sum", 1, 0)
    inf
    >>> relative("smsp__warp_issue_stalled_wait_per_warp_active.pct", 12, 10)
    0.02
    """
    if predicted == measured or (PERCENT in metric and abs(predicted - measured) <= ROUNDED):
        return 0.0
    if metric.startswith(SHARES):
        return (predicted - measured) / 100
    least = max(abs(measured), A_WARP if metric.startswith(STALLS) else FLOOR.get(metric, 0.0))
    return (predicted - measured) / least if least else math.copysign(math.inf, predicted)


def waiting(found: Iterable[Row]) -> dict[str, tuple[float, float]]:
    """Give the shares of all waiting of a launch's warps, by reason: predicted and measured, the largest first.

    Parameters
    ----------
    found : iterable of Row
        Of one launch; ratios of stall reasons among them.
    """
    ratios = {
        row.metric.removeprefix(STALLS).removesuffix(RATIO): (row.predicted, row.measured)
        for row in found
        if row.metric.startswith(STALLS)
    }
    sums = [sum(values) for values in zip(*ratios.values(), strict=True)]
    if not ratios or not all(sums):
        return {}
    shares = {reason: (p / sums[0], m / sums[1]) for reason, (p, m) in ratios.items()}
    return dict(sorted(shares.items(), key=lambda item: -max(item[1])))


def explained(found: Iterable[Row]) -> float:
    """Give the share of waiting that a prediction puts down to the reason that was measured; NaN where none was.

    Parameters
    ----------
    found : iterable of Row
        Of one launch.

    Examples
    --------
    >>> def waits(reason, predicted, measured):
    ...     return Row("mine", f"{STALLS}{reason}{RATIO}", predicted, measured, 0, 0)
    >>> explained([waits("wait", 3, 2), waits("barrier", 1, 2)])
    0.75
    """
    shares = waiting(found)
    return sum(min(pair) for pair in shares.values()) if shares else math.nan


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


def clocks(predicted: Values, measured: MeasuredLaunch) -> tuple[float, float] | None:
    """Give the clock of the SMs as it was predicted and as it was measured, Hz; None where one of them is not known.

    Parameters
    ----------
    predicted : mapping of str to float
        By metric.
    measured : MeasuredLaunch

    Examples
    --------
    >>> clocks({CYCLES: 300, DURATION: 2e-7}, MeasuredLaunch("a", {}, metrics={CYCLES: [200], DURATION: [2e-7]}))
    (1500000000.0, 1000000000.0)
    """
    here = _clock(predicted)
    there = _clock({name: measured.value(name) for name in (CYCLES, DURATION) if name in measured.metrics})
    there = there or measured.sm_hz
    return (here, there) if here and there else None


def _clock(values: Values) -> float | None:
    """Cycles over seconds: the profiler's are of the same launch."""
    return values[CYCLES] / values[DURATION] if values.get(CYCLES) and values.get(DURATION) else None


def _beyond(predicted: float, measured: MeasuredLaunch, empty: Empty) -> Row:
    """By how much a launch takes longer than an empty one."""
    runs = [seconds - empty.measured for seconds in measured.seconds]
    value = statistics.median(runs)
    return Row(measured.id, BEYOND_EMPTY, predicted, value, relative(BEYOND_EMPTY, predicted, value), spread(runs))


def p90(sizes: Sequence[float]) -> float:
    """What nine in ten of some sizes keep within.

    Parameters
    ----------
    sizes : sequence of float
        In their order, the smallest first.

    Examples
    --------
    >>> p90([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), p90([3])
    (10, 3)
    """
    return sizes[min(len(sizes) - 1, int(0.9 * len(sizes)))]


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
    spreads = [row.spread for row in found if not math.isnan(row.spread)]
    return Summary(
        metric, len(errors), errors.count(0), statistics.median(errors), statistics.fmean(errors), p90(errors),
        errors[-1], ordered[-1].launch,
        statistics.median(spreads) if spreads else math.nan,
    )  # fmt: skip
