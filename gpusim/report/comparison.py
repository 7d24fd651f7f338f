"""What was measured, and predictions beside it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_bytes, format_count, format_seconds

if TYPE_CHECKING:
    from gpusim.compare import Row, Summary
    from gpusim.measurement import MeasuredLaunch, Measurement

DURATION = "gpu__time_duration.sum"
WORST = 10
"""Single figures that the table of many launches is followed by."""

EXPLAINED = (
    "error: predicted over measured; spread: largest less smallest of the hardware's own runs. What is next to nothing "
    "(4 MB of HBM writes, 20 k hits or conflicts, one stalled warp) is judged by its difference, over that."
)


def measured(measurement: Measurement) -> list[RenderableType]:
    """List what was measured, a row a launch.

    Parameters
    ----------
    measurement : Measurement

    Returns
    -------
    list of rich renderables
    """
    failed = [launch for launch in measurement.launches if launch.error]
    heading = ["launch", "between events", "spread", "duration", "cycles", "HBM read", "outputs"]
    rows = [_measured(launch) for launch in measurement.launches if not launch.error]
    shown: list[RenderableType] = [Text(device_line(measurement)), Text("")]
    shown += [*table_of([heading, *rows], right=range(1, 6)), Text("")] if rows else []
    shown += [Text(f"{launch.id}: {launch.error}") for launch in failed]
    if measurement.overhead_seconds is not None:
        empty = format_seconds(measurement.overhead_seconds)
        shown.append(Text(f"Between events an empty launch takes {empty}. Times are medians of so many launches."))
    return shown


def device_line(measurement: Measurement) -> str:
    """Say what was measured with: device, driver, caches, clock, day."""
    device = measurement.device
    clocks = sorted({launch.sm_hz for launch in measurement.launches if launch.sm_hz})
    warmth = [launch.celsius for launch in measurement.launches if launch.celsius is not None]
    known = [
        device.name, f"driver {device.driver}", f"CUDA {device.cuda}", measurement.profiler, measurement.compiler,
        f"caches {measurement.cache}", f"SM clock {_span([hz / 1e6 for hz in clocks])} MHz" if clocks else "",
        f"{_span(warmth)} °C" if warmth else "", measurement.date,
    ]  # fmt: skip
    return ", ".join(filter(None, known))


def _span(values: Sequence[float]) -> str:
    low, high = f"{min(values):.0f}", f"{max(values):.0f}"
    return low if low == high else f"{low} to {high}"


def _measured(launch: MeasuredLaunch) -> list[str]:
    def value(metric: str) -> float:
        return launch.value(metric) if metric in launch.metrics else math.nan

    seconds = statistics.median(launch.seconds)
    spread = (max(launch.seconds) - min(launch.seconds)) / seconds
    return [
        launch.id, format_seconds(seconds), *_shares(spread),
        _value(DURATION, value(DURATION)), _number(value("gpc__cycles_elapsed.max")),
        format_bytes(value("dram__bytes_read.sum")), launch.values or NOTHING,
    ]  # fmt: skip


def compared(name: str, rows: Sequence[Row]) -> list[RenderableType]:
    """Show one launch: every metric that was both predicted and measured, worst first.

    Parameters
    ----------
    name : str
        The launch's.
    rows : sequence of Row

    Returns
    -------
    list of rich renderables
    """
    cells = [
        [row.metric, *_both(row), _per_cent(row.error), *_shares(row.spread)] for row in rows if row.error or row.spread
    ]
    same = [row for row in rows if not (row.error or row.spread)]
    shown: list[RenderableType] = [Text(name, style="bold")]
    heading = ["metric", "predicted", "measured", "error", "spread"]
    shown += table_of([heading, *cells], right=range(1, 5)) if cells else []
    if same:
        worth = [f"{row.metric} {_value(row.metric, row.measured)}" for row in same if row.measured]
        nothing = len(same) - len(worth)
        zeros = f"; {nothing} more are 0 both ways" if nothing else ""
        shown.append(Text(f"Identical, {len(same)} of {len(rows)}: {', '.join(worth)}{zeros}."))
    return [*shown, Text("")]


def summarised(summaries: Sequence[Summary], rows: Sequence[Row]) -> list[RenderableType]:
    """Show many launches: a row a metric, worst first, and the worst single figures.

    Parameters
    ----------
    summaries : sequence of Summary
    rows : sequence of Row

    Returns
    -------
    list of rich renderables
    """
    heading = ["metric", "identical", "median", "mean", "90 %", "worst", "spread"]
    cells = [
        [s.metric, f"{s.identical} of {s.launches}", *_shares(s.median, s.mean, s.p90, s.max, s.spread)]
        for s in summaries
        if s.max
    ]
    same = [s for s in summaries if not s.max]
    worst = sorted((row for row in rows if row.error), key=lambda row: -abs(row.error))[:WORST]
    singles = [[row.launch, row.metric, *_both(row), _per_cent(row.error)] for row in worst]
    shown: list[RenderableType] = [*table_of([heading, *cells], right=range(1, 7)), Text("")] if cells else []
    if same:
        names = ", ".join(s.metric for s in same)
        shown += [Text(f"Identical in all {same[0].launches} launches, {len(same)} metrics: {names}."), Text("")]
    if singles:
        shown += table_of([["worst", "metric", "predicted", "measured", "error"], *singles], right=range(2, 5))
    return [*shown, Text("")]


def explained() -> Iterator[RenderableType]:
    """Say what the columns mean."""
    yield Text(EXPLAINED)


def _value(metric: str, value: float) -> str:
    if metric in (DURATION, "time_beyond_empty_launch"):
        return NOTHING if math.isnan(value) else format_seconds(value)
    return format_bytes(value) if "bytes" in metric else _number(value)


def _both(row: Row) -> tuple[str, str]:
    return _value(row.metric, row.predicted), _value(row.metric, row.measured)


def _shares(*shares: float) -> list[str]:
    return [_per_cent(share, signed=False) for share in shares]


def _number(value: float) -> str:
    if math.isnan(value):
        return NOTHING
    return format_count(value) if float(value).is_integer() else f"{value:.4g}"


def _per_cent(share: float, *, signed: bool = True) -> str:
    """A share; of one beyond all bounds only that."""
    if math.isinf(share):
        return "∞"
    sign = "+" if signed and share else ""
    digits = 1 if abs(share) >= 0.0995 or not share else 2
    return f"{100 * share:{sign}.{digits}f} %"
