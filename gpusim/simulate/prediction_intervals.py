"""Between what eight in ten launches like a predicted one took: intervals of time, from how far off predictions were.

The package has a file for each GPU that was measured: of each launch what it is like, and the logarithm of its measured
time over the predicted one.  ``python -m calibration.strangers`` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache as remembered
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.results.metric import CYCLES, DURATION, STALL_REASON, Interval, Metric

if TYPE_CHECKING:
    from gpusim.simulate.known_errors import Way

ISSUED, ACTIVE = "smsp__inst_executed.sum", "sm__cycles_active.avg"
OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"
L2_READS, L2_WRITES = (f"lts__t_sectors_srcunit_tex_op_{op}.sum" for op in ("read", "write"))
L2_HITS, L2_MISSES = (f"lts__t_sectors_srcunit_tex_lookup_{what}.sum" for what in ("hit", "miss"))

FEATURES = (
    "cycles",
    "waits for arithmetic",
    "achieved occupancy",
    "instructions a cycle",
    "L2 sectors a cycle",
    "L2 hits",
)
"""What :func:`features` tells of a launch, in its order."""


def features(values: Mapping[str, float]) -> tuple[float, ...]:
    """Tell what a launch is like: its size, and what keeps it busy.

    Parameters
    ----------
    values : mapping of str to float
        Metrics as they were predicted, by name.

    Returns
    -------
    tuple of float
        A number for each of :data:`FEATURES`.  Only their order among launches matters, not their units.
    """
    before, after = STALL_REASON.split("{}")
    waits = {name: warps for name, warps in values.items() if name.startswith(before) and name.endswith(after)}
    hits, misses = values.get(L2_HITS, 0), values.get(L2_MISSES, 0)
    return (
        values[CYCLES],
        waits.get(STALL_REASON.format("wait"), 0) / (1 + sum(waits.values())),
        values.get(OCCUPANCY, 0),
        _ratio(values.get(ISSUED, 0), values.get(ACTIVE, 0)),
        _ratio(values.get(L2_READS, 0) + values.get(L2_WRITES, 0), values[CYCLES]),
        _ratio(hits, hits + misses),
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


@dataclass(frozen=True, eq=False)
class Residuals:
    """How far off predictions of measured launches were, and what these launches are like.

    Parameters
    ----------
    like : array of float
        A row a launch, a column a feature.
    log_ratios : array of float
        Of each launch the natural logarithm of measured over predicted time.
    reach : float
        How near another launch must be to count in full, where the whole width of a feature is 1.
    least : float
        What a launch counts that is nothing like it (of 1).  So all launches decide where none is near.
    """

    like: np.ndarray
    log_ratios: np.ndarray
    reach: float
    least: float

    @cached_property
    def _ordered(self) -> np.ndarray:
        """Each feature by itself, the smallest first."""
        return np.sort(self.like, axis=0)

    @cached_property
    def _places(self) -> np.ndarray:
        return self.places(self.like)

    def places(self, like: np.ndarray) -> np.ndarray:
        """Give the shares of the launches (0 to 1) that have less of each feature; half of those that have as much.

        Parameters
        ----------
        like : array of float
            A row a launch, a column a feature.
        """
        columns = zip(self._ordered.T, np.asarray(like, float).T, strict=True)
        found = [np.searchsorted(known, of) + np.searchsorted(known, of, "right") for known, of in columns]
        return np.stack(found, axis=-1) / (2 * len(self.like))

    def weights(self, like: Sequence[float]) -> np.ndarray:
        """Give what each launch counts: one that is alike most, none less than :attr:`least`."""
        apart = ((self._places - self.places(np.array([like]))) ** 2).mean(axis=1)
        weights: np.ndarray = np.exp(-apart / (2 * self.reach**2)) + self.least
        return weights

    def quantiles(self, like: Sequence[float], shares: Sequence[float]) -> np.ndarray:
        """Give logarithms of measured over predicted time that shares of the launches keep below.

        Parameters
        ----------
        like : sequence of float
            What the predicted launch is like, as :func:`features` tells it.
        shares : sequence of float
            From 0 to 1.
        """
        order = np.argsort(self.log_ratios, kind="stable")
        weights = self.weights(like)[order]
        below = (np.cumsum(weights) - weights / 2) / weights.sum()
        found: np.ndarray = np.interp(shares, below, self.log_ratios[order])
        return found


@dataclass(frozen=True, eq=False)
class Known:
    """Residuals of a way on a GPU, and how an interval is made of them.

    Parameters
    ----------
    residuals : Residuals
    ends : (float, float)
        Shares of the launches below the interval's ends.
    among : str
        Which launches they are.
    """

    residuals: Residuals
    ends: tuple[float, float]
    among: str

    def factors(self, values: Mapping[str, float]) -> tuple[float, float]:
        """Give what the predicted time is multiplied by for both ends.

        Parameters
        ----------
        values : mapping of str to float
            Metrics as they were predicted, by name.
        """
        low, high = np.exp(self.residuals.quantiles(features(values), self.ends))
        return float(low), float(high)


@remembered
def known(gpu: str, way: Way) -> Known | None:
    """Residuals of a way on a GPU; None where none were measured.

    Parameters
    ----------
    gpu : str
        Name of the GPU, as in ``gpusim gpus``.
    way : str
    """
    source = resources.files("gpusim") / "data" / f"intervals-{gpu}.json"
    table: dict[str, Any] = json.loads(source.read_text()) if source.is_file() else {}
    if way not in table.get("ways", {}):
        return None
    of = table["ways"][way]
    like, ratios = np.array(of["features"], float), np.array(of["log_ratios"], float)
    residuals = Residuals(like, ratios, table["reach"], table["least"])
    return Known(residuals, (of["ends"][0], of["ends"][1]), of["among"])


def with_intervals(metrics: Mapping[str, Metric], of: Known | None) -> dict[str, Metric]:
    """Give metrics of which those of time have an interval, where one is known.

    Parameters
    ----------
    metrics : mapping of str to Metric
        All that were predicted of a launch.
    of : Known or None
        Residuals of launches of its way.
    """
    if of is None or CYCLES not in metrics:
        return dict(metrics)
    low, high = of.factors({name: metric.value for name, metric in metrics.items()})
    intervals = {
        name: Interval(metrics[name].value * low, metrics[name].value * high, of.among)
        for name in (CYCLES, DURATION)
        if name in metrics
    }
    return {**metrics, **{name: replace(metrics[name], interval=found) for name, found in intervals.items()}}
