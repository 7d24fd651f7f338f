"""Intervals of time, 80 % wide: what they follow from, and whether launches that are held out fall inside.

They follow from launches that are not held out.  Ends are set so that 80 % of these fall inside, each judged by the
launches of other repositories alone: a user's kernel is of none of them.  ``python -m calibration.strangers`` writes
``gpusim/data/intervals-h200.json``, and a part of ``docs/strangers.md``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration import bench, shipped, unchanged
from gpusim.measured.measurement import MeasuredLaunch
from gpusim.results.metric import CYCLES
from gpusim.results.metric import INTERVAL_SHARE as SHARE
from gpusim.simulate.known_errors import Way
from gpusim.simulate.prediction_intervals import FEATURES, Residuals, features

FILE = Path(__file__).parents[1] / "gpusim" / "data" / f"intervals-{bench.GPU}.json"
REACH, LEAST = 0.06, 0.02
"""How near a launch must be to count, and what one counts that is far (docs/log/2026-11-30-intervals.md)."""
ENDS = np.arange(0.05, 0.1501, 0.005)
"""Shares below an interval that are tried; as many are above it."""
DIGITS = 5


class Judged(NamedTuple):
    """A launch that was predicted and measured.

    Attributes
    ----------
    group : str
        Its repository, kind or kernel.
    held_out : bool
    like : tuple of float
        What it is like, as it was predicted.
    log_ratio : float
        Natural logarithm of measured over predicted cycles.
    """

    group: str
    held_out: bool
    like: tuple[float, ...]
    log_ratio: float


class Coverage(NamedTuple):
    """What share of launches fall inside their intervals, and how wide these are.

    Attributes
    ----------
    launches : int
    inside : float
        Share of them (0 to 1).
    width : float
        Mean of the intervals, relative to the prediction.
    median : float
        Median of the same.
    score : float
        Mean of the width and, for a launch outside, of ten times its distance: the interval score of Gneiting and
        Raftery (2007).  Less is better.
    """

    launches: int
    inside: float
    width: float
    median: float
    score: float


def judged(group: str, launch: MeasuredLaunch, predicted: Mapping[str, float]) -> Judged:
    """A launch as intervals see it."""
    like = tuple(float(f"{x:.{DIGITS}g}") for x in features(predicted))
    return Judged(group, launch.held_out, like, round(math.log(launch.value(CYCLES) / predicted[CYCLES]), DIGITS))


def of_descriptions() -> list[Judged]:
    """The launches that come with gpusim, by description."""
    predicted = unchanged.of("description")
    return [judged(one.id.partition(" ")[0], one, predicted[one.id]) for one in shipped.measured().launches]


def residuals(found: Sequence[Judged]) -> Residuals:
    """What intervals follow from."""
    return Residuals(np.array([x.like for x in found]), np.array([x.log_ratio for x in found]), REACH, LEAST)


def seen(found: Sequence[Judged]) -> list[Judged]:
    """Those that are not held out."""
    return [one for one in found if not one.held_out]


def of_others(found: Sequence[Judged], ends: Sequence[float]) -> np.ndarray:
    """What each launch's quantiles are by the launches of other groups, a row a launch."""
    rows = np.zeros((len(found), len(ends)))
    for group in {one.group for one in found}:
        others = residuals([one for one in found if one.group != group])
        for k, one in enumerate(found):
            if one.group == group:
                rows[k] = others.quantiles(one.like, ends)
    return rows


def ends(found: Sequence[Judged]) -> tuple[float, float]:
    """Shares below the ends of the narrowest intervals in which SHARE of launches of other groups fall."""
    both = of_others(found, [*ENDS, *(1 - ENDS)])
    ratios = np.array([[one.log_ratio] for one in found])
    inside = ((both[:, : len(ENDS)] <= ratios) & (ratios <= both[:, len(ENDS) :])).mean(axis=0)
    low = float(ENDS[inside >= SHARE].max(initial=ENDS[0]))
    return round(low, DIGITS), round(1 - low, DIGITS)


def covered(found: Sequence[Judged], bounds: np.ndarray) -> Coverage:
    """Hold launches against their intervals, of which the bounds are logarithms."""
    low, high = np.exp(bounds).T
    ratios = np.exp([one.log_ratio for one in found])
    outside = np.maximum(0, np.maximum(low - ratios, ratios - high))
    width, score = high - low, high - low + 2 / (1 - SHARE) * outside
    figures = ((outside == 0).mean(), width.mean(), np.median(width), score.mean())
    return Coverage(len(found), *map(float, figures))


def bounds(known: Sequence[Judged], found: Sequence[Judged]) -> np.ndarray:
    """Intervals of launches, by those that are known."""
    of, shares = residuals(known), ends(known)
    return np.array([of.quantiles(one.like, shares) for one in found])


def one_for_all(known: Sequence[Judged], found: Sequence[Judged]) -> np.ndarray:
    """The interval that would be every launch's, if nothing were asked of what it is like."""
    both = np.quantile([one.log_ratio for one in known], [(1 - SHARE) / 2, (1 + SHARE) / 2])
    return np.tile(both, (len(found), 1))


# ---------------------------------------------------------------- what is written


class Pool(NamedTuple):
    """Launches that came about alike.

    Attributes
    ----------
    way : str
        As in :data:`gpusim.simulate.known_errors.Way`.
    title : str
        In the table.
    among : str
        Which launches they are, with a place for how many.
    found : sequence of Judged
    """

    way: Way
    title: str
    among: str
    found: Sequence[Judged]


Pools = Sequence[Pool]


def table(pools: Pools) -> dict[str, Any]:
    """What the package keeps: of each way which launches they are, and those that are not held out."""
    return {
        "gpu": bench.GPU,
        "reach": REACH,
        "least": LEAST,
        "names": list(FEATURES),
        "ways": {pool.way: _of_pool(pool.among, seen(pool.found)) for pool in pools},
    }


def _of_pool(among: str, found: Sequence[Judged]) -> dict[str, Any]:
    return {
        "among": among.format(len(found)),
        "ends": list(ends(found)),
        "log_ratios": [one.log_ratio for one in found],
        "features": [list(one.like) for one in found],
    }


def as_text(pools: Pools) -> str:
    """The package's file: a launch a line."""
    text = json.dumps(table(pools), indent=1)
    return re.sub(r"\[\s+(-?\d[^\[\]]*?)\s+\]", lambda row: "[" + re.sub(r"\s+", " ", row[1]) + "]", text) + "\n"


# ---------------------------------------------------------------- the page


def section(pools: Pools, parts: Mapping[str, Sequence[Judged]]) -> Iterator[str]:
    """Lines of docs/strangers.md.

    Parameters
    ----------
    pools : sequence of Pool
    parts : mapping of str to sequence of Judged
        Launches of the first pool, by what they are called.
    """
    yield from (bench.NOTES / "intervals.md").read_text().rstrip().splitlines()
    yield from ("", "| launches | held out | inside | mean width | median width | score |", "|---|--:|--:|--:|--:|--:|")
    first, *others = pools
    yield from (_row(title, first.found, part) for title, part in {**parts, "both": first.found}.items())
    yield from (_row(pool.title, pool.found, pool.found) for pool in others)


def _row(title: str, known: Sequence[Judged], found: Sequence[Judged]) -> str:
    """What became of those launches that are held out: by launches alike / with one interval for all."""
    out = [one for one in found if one.held_out]
    both = [covered(out, by(seen(known), out)) for by in (bounds, one_for_all)]
    cells = (" / ".join(f"{of[column]:.1%}" for of in both) for column in range(1, len(Coverage._fields)))
    return f"| {title} | {len(out)} | {' | '.join(cells)} |"
