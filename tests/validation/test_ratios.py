"""Ratios of predicted times beside hardware: pairs of kernels that were measured, slow and mended."""

from __future__ import annotations

import json

import pytest

import gpusim
from calibration import advice, pairs, ratios
from gpusim.launches import file
from gpusim.launches.profiling import profile


def test_half_of_the_ratios_are_off_by_5_percent_at_most_and_nine_in_ten_by_15() -> None:
    assert len(ratios.ratios()) >= 30
    errors = ratios.errors()
    assert errors.median <= 0.05
    assert errors.ninety <= 0.15


def test_every_prediction_says_which_of_a_pair_is_quicker() -> None:
    assert [of.slow for of in ratios.ratios() if not of.is_right] == []


def test_about_eight_in_ten_pairs_lie_in_the_interval_of_the_others() -> None:
    assert 0.7 <= ratios.inside() / len(ratios.ratios()) <= 0.9


def test_the_cause_that_was_mended_is_named_first_in_nine_of_ten() -> None:
    found = ratios.causes()
    assert len(found) >= 20
    assert sum(of.names_it for of in found) >= 0.9 * len(found)


def test_the_package_has_what_follows_from_the_pairs() -> None:
    shipped = json.loads((advice.ROOT / "gpusim" / "data" / f"ratios-{ratios.GPU}.json").read_text())
    assert shipped == ratios.trust()


def test_predictions_that_are_kept_agree_with_the_advice_that_is() -> None:
    kept = ratios.kept()["cycles"]
    assert {name: kept[name] for name in advice.kept()["pairs"]} == {
        name: found["cycles"] for name, found in advice.kept()["pairs"].items()
    }


@pytest.mark.long
@pytest.mark.usefixtures("measured_compiler")
def test_a_prediction_that_is_kept_is_todays() -> None:
    specs = {spec.id: spec for spec in file.read(pairs.FOLDER / "launches.json")}
    pair = next(of for of in ratios.ratios() if of.slow == "transpose<32> 32x32x32x8 1024")
    a, b = (profile(specs[name], ratios.GPU) for name in (pair.slow, pair.mended))
    kept = ratios.kept()["cycles"]
    assert (round(a.cycles), round(b.cycles)) == (kept[pair.slow], kept[pair.mended])
    found = gpusim.diff(a, b).why
    assert found is not None
    assert [(of.cause, round(of.a), round(of.b)) for of in found.reasons] == list(pair.reasons)
