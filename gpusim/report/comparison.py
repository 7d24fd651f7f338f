"""What was measured, and predictions beside it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_bytes, format_number, format_seconds, format_share
from gpusim.results.metric import CYCLES, DURATION

if TYPE_CHECKING:
    from gpusim.measured.comparison import Row, Summary
    from gpusim.measured.measurement import MeasuredLaunch, Measurement

TIMES = (DURATION, "time_beyond_empty_launch")
WORST = 10
"""Single figures that the table of many launches is followed by."""

EXPLAINED = (
    "error: predicted over measured; spread: largest less smallest of the hardware's own runs. What is next to nothing "
    "(4 MB of HBM writes, 20 k hits or conflicts) is judged by its difference, over that. Waiting is explained where "
    "it is put down to the reason that was measured: of each reason the smaller share."
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
    return [
        launch.id, format_seconds(seconds), *_shares(launch.seconds_spread),
        _value(DURATION, value(DURATION)), format_number(value(CYCLES)),
        format_bytes(value("dram__bytes_read.sum")), launch.values or NOTHING,
    ]  # fmt: skip


LEADING = ("time", "gpc__cycles", "sm__cycles", "dram__bytes", "lts__t_sectors", "l1tex__t_sectors")
"""Beginnings of the names of metrics that come first: time, cycles, bytes, sectors."""

STALLS = "smsp__average_warps_issue_stalled_"
LEAST_SHARE = 0.01
"""Of all waiting that a reason must have to be listed."""


def _place(metric: str) -> int:
    """Where a metric stands: among the leading ones by what it counts, behind them all others."""
    name = "time" if metric in TIMES else metric
    return next((k for k, first in enumerate(LEADING) if name.startswith(first)), len(LEADING))


def compared(name: str, rows: Sequence[Row], waits: Mapping[str, tuple[float, float]]) -> list[RenderableType]:
    """Show one launch: time, cycles, bytes, sectors, then every other metric, each kind worst first; then waiting.

    Parameters
    ----------
    name : str
        The launch's.
    rows : sequence of Row
    waits : mapping of str to (float, float)
        Shares of all waiting by reason, predicted and measured.

    Returns
    -------
    list of rich renderables
    """
    counted = sorted((row for row in rows if not row.metric.startswith(STALLS)), key=lambda row: _place(row.metric))
    cells = [[row.metric, *_both(row), _per_cent(row.error), *_shares(row.spread)] for row in counted if _differs(row)]
    same = [row for row in counted if not _differs(row)]
    shown: list[RenderableType] = [Text(name, style="bold")]
    heading = ["metric", "predicted", "measured", "error", "spread"]
    shown += table_of([heading, *cells], right=range(1, 5)) if cells else []
    if same:
        worth = [f"{row.metric} {_value(row.metric, row.measured)}" for row in same if row.measured]
        nothing = len(same) - len(worth)
        zeros = [f"{nothing} {'more ' if worth else ''}are 0 both ways"] if nothing else []
        listed = "; ".join([", ".join(worth), *zeros] if worth else zeros)
        shown.append(Text(f"Identical, {len(same)} of {len(counted)}: {listed}."))
    return [*shown, *_waiting(waits), Text("")]


def _differs(row: Row) -> bool:
    """Whether prediction and measurement do, or the hardware's runs; a single one does not."""
    return bool(row.error) or row.spread > 0


def _waiting(waits: Mapping[str, tuple[float, float]]) -> Iterator[RenderableType]:
    """What warps wait for, as shares of all waiting."""
    if not waits:
        return
    rows = [[why, *_rounded(*pair)] for why, pair in waits.items() if max(pair) >= LEAST_SHARE]
    together = sum(min(pair) for pair in waits.values())
    yield Text("")
    yield from table_of([["warps wait for", "predicted", "measured"], *rows], right=(1, 2))
    yield Text(f"Share of waiting that is explained: {format_share(together)}.")


def _rounded(*shares: float) -> list[str]:
    return [format_share(share) for share in shares]


def summarised(
    summaries: Sequence[Summary], rows: Sequence[Row], explained: Mapping[str, float]
) -> list[RenderableType]:
    """Show many launches: a row a metric, time, cycles, bytes and sectors first, and the worst single figures.

    Parameters
    ----------
    summaries : sequence of Summary
    rows : sequence of Row
    explained : mapping of str to float
        Share of waiting that is explained, by launch.

    Returns
    -------
    list of rich renderables
    """
    counted = [s for s in summaries if not s.metric.startswith(STALLS)]
    heading = ["metric", "identical", "median", "mean", "90 %", "worst", "spread"]
    cells = [
        [s.metric, f"{s.identical} of {s.launches}", *_shares(s.median, s.mean, s.p90, s.max, s.spread)]
        for s in sorted(counted, key=lambda s: _place(s.metric))
        if s.max
    ]
    same = [s for s in counted if not s.max]
    wrong = [row for row in rows if row.error and not row.metric.startswith(STALLS)]
    worst = sorted(wrong, key=lambda row: -abs(row.error))[:WORST]
    singles = [[row.launch, row.metric, *_both(row), _per_cent(row.error)] for row in worst]
    shown: list[RenderableType] = []
    if cells:
        spared = ("mean", "identical", "spread")
        shown += [*table_of([heading, *cells], right=range(1, 7), spared=spared), Text("")]
    if same:
        names = ", ".join(s.metric for s in same)
        shown += [Text(f"Identical in all {same[0].launches} launches, {len(same)} metrics: {names}."), Text("")]
    if singles:
        shown += table_of([["worst", "metric", "predicted", "measured", "error"], *singles], right=range(2, 5), keys=2)
    return [*shown, Text(""), *_explained(explained)]


def _explained(shares: Mapping[str, float]) -> Iterator[RenderableType]:
    """How much of what warps wait for is put down to the right reason, over many launches."""
    known = sorted((share, launch) for launch, share in shares.items() if not math.isnan(share))
    if known:
        middle, tenth = (format_share(known[int(part * len(known))][0]) for part in (0.5, 0.1))
        least, launch = known[0]
        yield Text(
            f"Share of waiting that is explained: {middle} in the median, less than {tenth} in one launch of ten, "
            f"{format_share(least)} at worst ({launch})."
        )
        yield Text("")


def explained() -> Iterator[RenderableType]:
    """Say what the columns mean."""
    yield Text(EXPLAINED)


def _value(metric: str, value: float) -> str:
    if metric in TIMES:
        return NOTHING if math.isnan(value) else format_seconds(value)
    return format_bytes(value) if "bytes" in metric else format_number(value)


def _both(row: Row) -> tuple[str, str]:
    return _value(row.metric, row.predicted), _value(row.metric, row.measured)


def _shares(*shares: float) -> list[str]:
    return [_per_cent(share, signed=False) for share in shares]


def _per_cent(share: float, *, signed: bool = True) -> str:
    """A share; of one beyond all bounds only that, of none nothing."""
    if math.isnan(share):
        return NOTHING
    if math.isinf(share):
        return "∞"
    sign = "+" if signed and share else ""
    digits = 1 if abs(share) >= 0.0995 or not share else 2
    return f"{100 * share:{sign}.{digits}f} %"
