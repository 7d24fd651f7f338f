"""Rows of a comparison as pictures: one launch as a memory chart, many as marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gpusim.pictures.agreement import Pair, agreement
from gpusim.pictures.memory_chart import Direction, memory_chart
from gpusim.results.figures import Figures
from gpusim.results.metric import CYCLES, DURATION, Claim, Metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.measured.comparison import Row

WORDS = {
    CYCLES: "cycles",
    DURATION: "seconds",
    "dram__bytes_read.sum": "bytes read from device memory",
    "lts__t_sectors_srcunit_tex_op_read.sum": "sectors read from L2",
}
"""Metrics that are drawn, and what they are called."""


def picture(found: Mapping[str, Sequence[Row]], ax: Axes | None = None) -> Axes:
    """Draw a comparison: a memory chart of one launch, or the times of many.

    Parameters
    ----------
    found : mapping of str to sequence of Row
        By launch.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if len(found) == 1:
        name, rows = next(iter(found.items()))
        return both(name, rows, ax)
    metric = next(name for name in (CYCLES, DURATION, *WORDS) if any_of(found, name))
    return scatter(found, metric, ax)


def any_of(found: Mapping[str, Sequence[Row]], metric: str) -> bool:
    """Whether a metric was measured of any launch."""
    return any(row.metric == metric for rows in found.values() for row in rows)


def scatter(found: Mapping[str, Sequence[Row]], metric: str, ax: Axes | None = None) -> Axes:
    """Draw a metric of many launches, a mark each.

    Parameters
    ----------
    found : mapping of str to sequence of Row
        By launch.
    metric : str
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    rows = [row for of in found.values() for row in of if row.metric == metric]
    pairs = [Pair(row.launch or "", _group(row.launch), row.predicted, row.measured) for row in rows]
    return agreement(pairs, WORDS.get(metric, metric), ax)


def _group(launch: str) -> str:
    """What a launch is drawn with: others of kernels whose names begin alike."""
    return launch.partition(" ")[0].partition("-")[0].partition("/")[0]


def both(name: str, rows: Sequence[Row], ax: Axes | None = None, direction: Direction = "across") -> Axes:
    """Draw the memory chart of one launch, what was measured beside what was predicted.

    Parameters
    ----------
    name : str
    rows : sequence of Row
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    direction : str
        As for :func:`gpusim.pictures.memory_chart.memory_chart`.
    """
    predicted = figures(name, {row.metric: row.predicted for row in rows})
    return memory_chart(predicted, ax, measured=figures(name, {row.metric: row.measured for row in rows}),
                        direction=direction)  # fmt: skip


def figures(name: str, values: Mapping[str, float]) -> Figures:
    """Give counters as figures, from which bytes and hit rates follow.

    Parameters
    ----------
    name : str
        Of the launch.
    values : mapping of str to float
        By metric.
    """
    metrics = {metric: Metric(value, "", Claim.MODELLED) for metric, value in values.items()}
    return Figures(name, {}, "", (1, 1, 1), (1, 1, 1), metrics)
