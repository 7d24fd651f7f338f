"""How sure the ratio of two times is: of predictions from pairs that were measured, of measurements from their runs.

The package has a file for each GPU that such pairs were measured on; ``python -m calibration.ratios`` writes it.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from gpusim.decide.changes import factor
from gpusim.results.metric import CYCLES, DURATION, INTERVAL_SHARE, Interval

if TYPE_CHECKING:
    from gpusim.decide.diff_sides import Side

TENTHS, EIGHTH = 10, 7
"""Of ten parts that the errors of pairs are cut into, where the cut is below which eight tenths lie."""

RUNS = 1.0
"""Share of runs between the ends that they give."""

BY_RUNS = "between the quickest and the slowest of each"
BY_INTERVAL = "so many launches like it fall within the interval of the prediction"


class Errors(NamedTuple):
    """By how much predicted ratios of two times are off: by what factor, less one.

    Attributes
    ----------
    median, eighty, ninety : float
        Half, eight tenths and nine tenths of the pairs are off by less.
    pairs : int
    family : str
        Of their kernels; empty: any.
    kernels : sequence of str
        Names of kernels of that family.
    """

    median: float
    eighty: float
    ninety: float
    pairs: int
    family: str = ""
    kernels: Sequence[str] = ()


class Duration(NamedTuple):
    """How long both take.

    Attributes
    ----------
    a, b : float
        Seconds, or SM cycles where one of them has no seconds.
    in_seconds : bool
    interval : Interval or None
        Between what B over A lies; None where nobody knows.
    unknown : str
        Why nobody knows.
    errors : Errors or None
        Of the pairs that it follows from, if both are predictions.
    """

    a: float
    b: float
    in_seconds: bool
    interval: Interval | None
    unknown: str
    errors: Errors | None = None

    @property
    def ratio(self) -> float:
        """B over A."""
        return factor(self.a, self.b)

    @property
    def told_apart(self) -> bool | None:
        """Whether one surely takes longer; None where it is not known how sure that is."""
        of = self.interval
        return of and not of.low <= 1 <= of.high


def duration(a: Side, b: Side) -> Duration | None:
    """Compare the times of both; None where one has none.

    Parameters
    ----------
    a, b : Side
    """
    for name in (DURATION, CYCLES):
        time_a, time_b = (side.whole.value(name) for side in (a, b))
        if not (math.isnan(time_a) or math.isnan(time_b)):
            return Duration(float(time_a), float(time_b), name == DURATION, *_interval(a, b, name))
    return None


def _interval(a: Side, b: Side, metric: str) -> tuple[Interval | None, str, Errors | None]:
    """Between what B over A lies, or why nobody knows, and what it follows from."""
    if a.measured is None and b.measured is None:
        return _of_predictions(a, b, metric)
    ends_a, ends_b = _ends(a, metric), _ends(b, metric)
    if ends_a is None or ends_b is None:
        without = "A" if ends_a is None else "B"
        return None, f"no interval is known of the time of {without}", None
    both = a.measured is not None and b.measured is not None
    share, among = (RUNS, BY_RUNS) if both else (INTERVAL_SHARE, BY_INTERVAL)
    return Interval(ends_b[0] / ends_a[1], ends_b[1] / ends_a[0], among, share), "", None


def _ends(side: Side, metric: str) -> tuple[float, float] | None:
    """Between what a time lies: that of all runs, or the prediction's own interval."""
    if side.measured is not None:
        runs = side.measured.metrics.get(metric) or (side.measured.seconds if metric == DURATION else [])
        return (min(runs), max(runs)) if len(runs) > 1 else None
    of = side.whole.metrics[metric].interval
    return (of.low, of.high) if of else None


def _of_predictions(a: Side, b: Side, metric: str) -> tuple[Interval | None, str, Errors | None]:
    """Between what the ratio of two predicted times lies, as pairs were off that were measured."""
    errors = _unlike_pairs(a, b) or _errors(a, b)
    if isinstance(errors, str):
        return None, errors, None
    ratio, off = factor(a.whole.value(metric), b.whole.value(metric)), 1 + errors.eighty
    among = f"{errors.pairs} pairs of {errors.family or 'any'} kernels that were measured on {a.whole.gpu}"
    return Interval(ratio / off, ratio * off, among), "", errors


def _unlike_pairs(a: Side, b: Side) -> str:
    """Why what was measured of pairs says nothing of these two; empty where it may."""
    gpus, caches = {a.whole.gpu, b.whole.gpu}, {a.whole.cache, b.whole.cache}
    if len(gpus) > 1:
        return "pairs were measured on one GPU, not across two"
    if not _table(a.whole.gpu):
        return f"no pairs were measured on {a.whole.gpu}"
    if caches != {"cold"}:
        return "pairs were measured with cold caches alone"
    if not (a.tells_trust and b.tells_trust):
        return "a file of launches or of advice does not say how they were simulated"
    if not (a.is_whole and b.is_whole):
        return "part of a launch was simulated and the rest scaled; pairs were simulated whole"
    if len(a.steps) + len(b.steps) > 2:
        return "pairs were single launches, not chains of them"
    return ""


def _errors(a: Side, b: Side) -> Errors | str:
    """Errors of pairs predicted as these two were, of their family if there are enough; or why there are none."""
    table = _table(a.whole.gpu)
    ways = {_learnt_from(side) for side in (a, b)}
    if not ways <= table.keys():
        return "pairs were predicted in another way"
    if len(ways) > 1:
        return "one was predicted from its description, and the other from machine code"
    found = table[ways.pop()]
    both = {a.whole.kernel, b.whole.kernel}
    of_family = (errors for errors in found if errors.family and both <= set(errors.kernels))
    return next(of_family, found[0])


def _learnt_from(side: Side) -> str:
    """What the interval of its time follows from: that tells how it was predicted."""
    metric = side.whole.metrics.get(CYCLES)
    return metric.interval.among if metric is not None and metric.interval is not None else ""


@cache
def _table(gpu: str) -> dict[str, list[Errors]]:
    """Errors of pairs measured on a GPU, by what intervals of such predictions follow from; of any kernels first."""
    file = resources.files("gpusim") / "data" / f"ratios-{gpu}.json"
    if not gpu or not file.is_file():
        return {}
    ways = json.loads(file.read_text())["ways"]
    return {way["learnt_from"]: [Errors(**errors) for errors in way["errors"]] for way in ways}


def errors_of(pairs: Sequence[tuple[float, float]], family: str = "", kernels: Sequence[str] = ()) -> Errors:
    """Give by how much ratios are off that were predicted and measured.

    Parameters
    ----------
    pairs : sequence of (float, float)
        A ratio as predicted, and as measured.
    family : str
        Of their kernels; empty: any.
    kernels : sequence of str
        Names of kernels of that family.

    Examples
    --------
    >>> round(errors_of([(2.0, 2.0), (2.0, 2.2), (2.2, 2.0)]).median, 3)
    0.1
    """
    off = [math.exp(abs(math.log(predicted / measured))) - 1 for predicted, measured in pairs]
    tenths = statistics.quantiles(off, n=TENTHS, method="inclusive")
    return Errors(statistics.median(off), tenths[EIGHTH], tenths[-1], len(off), family, tuple(kernels))
