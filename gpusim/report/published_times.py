"""Published times and predictions beside them, a row a data set."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from gpusim.measured import published
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_seconds, format_share

if TYPE_CHECKING:
    from gpusim.measured.published import DataSet, PublishedLaunch, Spread

HEADING = ("published", "launches", "median", "mean", "90 %", "in the middle", "order", f"best of {published.TRIED}")
EACH = ("launch", "predicted", "published", "error")
EXPLAINED = (
    "median, mean, 90 %: sizes of the errors, predicted over published. In the middle: their median, with sign. Order: "
    f"Spearman's correlation of ranks. Best of {published.TRIED}: of the {published.TRIED} that are predicted "
    "fastest, how much slower the best one is than the best of all."
)
STEADY = "  at a known clock"


def compared(sets: Sequence[DataSet], *, each: bool = False) -> list[RenderableType]:
    """Show data sets: a row each, where they are from, and every launch if asked for.

    Parameters
    ----------
    sets : sequence of DataSet
    each : bool

    Returns
    -------
    list of rich renderables
    """
    known = [one for one in sets if one.compared]
    shown: list[RenderableType] = [*table_of(table(known), right=range(1, len(HEADING))), Text("")]
    for one in sets:
        shown += [Text(one.name, style="bold"), *(Text(line) for line in about(one)), Text("")]
        shown += (
            [*table_of([EACH, *map(_launch, one.compared)], right=(1, 2, 3)), Text("")] if each and one.compared else []
        )
    return [*shown, Text(EXPLAINED)]


def table(sets: Sequence[DataSet]) -> list[tuple[str, ...]]:
    """Rows of text: the heading, then each data set, and of it the launches whose clock is known.

    Parameters
    ----------
    sets : sequence of DataSet
        Of each something was predicted.
    """
    return [HEADING, *(row for one in sets for row in _rows(one))]


def about(one: DataSet) -> list[str]:
    """What a data set is, and where it is from, in lines.

    Parameters
    ----------
    one : DataSet
    """
    how = "quick" if one.sample == "quick" else "not quick"
    days = f"Predicted for {one.gpu} on {one.predicted_on}, {how}." if one.predicted_on else "Not predicted yet."
    refused = [f"Not predicted: {launch.id}: {launch.error}." for launch in one.launches if launch.error]
    found = [one.what, f"Source: {one.source}.", f"Card: {one.card}. Clock: {one.clock}", f"Times: {one.timed} {days}"]
    return [*found, *refused]


def _rows(one: DataSet) -> Iterator[tuple[str, ...]]:
    yield _row(one.name, published.spread(one.compared), space=one.space)
    steady = [launch for launch in one.compared if not launch.unsteady]
    if steady and len(steady) < len(one.compared):
        yield _row(STEADY, published.spread(steady), space=one.space)


def _row(name: str, found: Spread, *, space: bool) -> tuple[str, ...]:
    shares = (format_share(share) for share in (found.median, found.mean, found.p90))
    order = NOTHING if math.isnan(found.order) else f"{found.order:.2f}"
    best = format_share(found.best) if space and found.launches > published.TRIED else NOTHING
    return (name, str(found.launches), *shares, f"{100 * found.middle:+.1f} %", order, best)


def _launch(launch: PublishedLaunch) -> tuple[str, ...]:
    predicted = launch.predicted or 0.0
    error = f"{100 * (predicted / launch.seconds - 1):+.1f} %"
    return launch.id, format_seconds(predicted), format_seconds(launch.seconds), error
