"""Advice beside hardware: kernels and their mended forms, and kernels of which nothing is left to be mended."""

from __future__ import annotations

import statistics

import pytest

from calibration import advice, pairs
from gpusim.launches import file
from gpusim.launches.profiling import profile

LITTLE = 0.05
"""Share of time from which something is advice."""


def test_the_first_finding_is_the_one_that_was_mended() -> None:
    found = advice.judged()
    assert len(found) >= 20
    assert sum(one.is_right for one in found) >= 0.9 * len(found)


def test_gains_are_those_of_hardware() -> None:
    errors = [abs(one.error) for one in advice.judged() if one.brings]
    assert statistics.median(errors) <= 0.15


def test_kernels_that_are_as_good_as_they_get_are_left_alone() -> None:
    good = advice.kept()["good"]
    assert len(good) >= 10
    assert {name: found for name, found in good.items() if advice.largest(found)[1] > LITTLE} == {}


@pytest.mark.usefixtures("measured_compiler")
def test_advice_that_is_kept_is_todays() -> None:
    specs = {spec.id: spec for spec in file.read(pairs.FOLDER / "launches.json")}
    name = "transpose<32> 32x32x32x8 1024"
    found = profile(specs[name], advice.GPU).advice()
    assert advice.in_short(found) == advice.kept()["pairs"][name]
