"""Profiles to compare, made up rather than simulated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gpusim
from gpusim.results.metric import CYCLES, DURATION, Claim, Interval, Metric
from gpusim.results.traffic import Traffic
from gpusim.simulate.known_errors import Way
from gpusim.simulate.prediction_intervals import known
from tests.report.profiles import tiled_matmul

CLOCK = 2e9  # Hz


def learnt_from(way: Way) -> str:
    """What intervals of predictions follow from that were made in a way."""
    of = known("h200", way)
    assert of is not None
    return of.among


def timed(
    cycles: float = 20000, *, lines: tuple[Traffic, ...] = (), way: Way = "machine_code", **changed: Any
) -> gpusim.Profile:
    """A tiled matmul that takes so many cycles; ``changed``: fields of the profile, or metrics by name."""
    profile = tiled_matmul(n=512)
    metrics = {name: replace(metric, claim=Claim.MODELLED) for name, metric in profile.metrics.items()}
    among = Interval(0.9 * cycles, 1.2 * cycles, learnt_from(way))
    metrics[CYCLES] = Metric(cycles, "cycle", Claim.CALIBRATED, interval=among)
    seconds = among._replace(low=among.low / CLOCK, high=among.high / CLOCK)
    metrics[DURATION] = Metric(cycles / CLOCK, "s", Claim.CALIBRATED, interval=seconds)
    counts = {name: changed.pop(name) for name in [*changed] if "__" in name}
    metrics |= {name: Metric(value, "unit", Claim.EXACT) for name, value in counts.items()}
    return replace(profile, metrics=metrics, lines=lines, **changed)
