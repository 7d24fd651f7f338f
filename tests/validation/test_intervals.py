"""Do intervals of time hold for launches that are held out, and does the package carry what follows from the rest?"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from calibration import intervals, strangers
from calibration.intervals import Coverage, Judged, Pool
from gpusim.results.metric import INTERVAL_SHARE
from gpusim.simulate.prediction_intervals import FEATURES, known

CUDA, DESCRIPTIONS = strangers.pools()
PARTS = {of: strangers.judged(of) for of in strangers.SETS} | {"both": CUDA.found}


def held_out(found: Sequence[Judged]) -> list[Judged]:
    return [one for one in found if one.held_out]


def test_the_file_is_of_the_predictions_that_are_kept() -> None:
    assert intervals.FILE.read_text() == intervals.as_text(strangers.pools())


def coverage(pool: Pool, found: Sequence[Judged]) -> Coverage:
    """Of what is held out, by the launches of its way that are not."""
    out = held_out(found)
    return intervals.covered(out, intervals.bounds(intervals.seen(pool.found), out))


def test_eight_in_ten_of_those_held_out_fall_inside() -> None:
    found = {part: coverage(CUDA, of) for part, of in PARTS.items()}
    found["descriptions"] = coverage(DESCRIPTIONS, DESCRIPTIONS.found)
    assert all(of.launches > 100 for of in found.values())
    assert 0.75 <= found["both"].inside <= 0.85
    assert {part: of.inside for part, of in found.items() if not 0.7 <= of.inside <= 0.9} == {}  # a hundred: ±4 %


def test_the_package_gives_these_intervals() -> None:
    for pool in (CUDA, DESCRIPTIONS):
        of, found = known("h200", pool.way), held_out(pool.found)
        assert of is not None
        shipped = [of.residuals.quantiles(one.like, of.ends) for one in found]
        assert np.allclose(shipped, intervals.bounds(intervals.seen(pool.found), found))


def test_they_say_more_than_one_interval_for_all() -> None:
    for pool in (CUDA, DESCRIPTIONS):
        out = held_out(pool.found)
        like, one = coverage(pool, out), intervals.covered(out, intervals.one_for_all(intervals.seen(pool.found), out))
        assert like.score < 0.9 * one.score
        assert like.median < one.median


def test_nothing_that_is_held_out_is_in_the_file() -> None:
    table = json.loads(intervals.FILE.read_text())
    for pool in strangers.pools():
        kept = table["ways"][pool.way]
        assert len(kept["log_ratios"]) == len(kept["features"]) == len(intervals.seen(pool.found)) < len(pool.found)
        assert {len(like) for like in kept["features"]} == {len(FEATURES)}


def test_ends_are_those_at_which_kernels_of_others_fall_inside() -> None:
    rng = np.random.default_rng(1)
    made = [Judged(str(k % 20), False, (float(x),) * len(FEATURES), float(y)) for k, (x, y) in
            enumerate(zip(rng.random(200), rng.normal(0, 0.1, 200), strict=True))]  # fmt: skip
    low, high = intervals.ends(made)
    rows = intervals.of_others(made, [low, high])
    assert low + high == pytest.approx(1)
    assert np.mean([a <= one.log_ratio <= b for one, (a, b) in zip(made, rows, strict=True)]) >= INTERVAL_SHARE


def test_a_launch_of_its_own_group_is_not_asked() -> None:
    alone = [Judged("a", False, (0.0,) * len(FEATURES), 0.5), Judged("b", False, (0.0,) * len(FEATURES), -0.5)]
    assert intervals.of_others(alone, [0.5]).tolist() == [[-0.5], [0.5]]


def test_coverage_counts_what_is_outside_ten_times() -> None:
    found = [Judged("a", True, (), 0.0), Judged("a", True, (), float(np.log(1.3)))]
    of = intervals.covered(found, np.log([[0.9, 1.1], [0.9, 1.1]]))
    assert of == pytest.approx((2, 0.5, 0.2, 0.2, (0.2 + 0.2 + 10 * 0.2) / 2))
