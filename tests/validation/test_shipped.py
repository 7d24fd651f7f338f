"""Do the launches that come with gpusim come out as the validation page says?

A fast part of ``calibration.refresh``.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from calibration import shipped
from calibration.exact_counters import ASKED, EXECUTED, LIMITS, differing
from gpusim.launches import file
from gpusim.launches.profiling import record
from gpusim.measured.measurement import is_held_out
from tests.marks import most_by_hand

FEW = 400_000  # warp instructions: launches of a second
GROWN = 0.002
"""By which an error may grow before a test fails: the same model gives the same number."""

KEPT: dict[str, dict[str, dict[str, float]]] = json.loads(shipped.TABLE.read_text())
MEASURED = {launch.id: launch for launch in shipped.measured().launches}
SPECS = {spec.id: spec for spec in file.read(shipped.PLAN)}
FAST = [name for name, launch in MEASURED.items() if launch.value(EXECUTED[0]) <= FEW]


def counted(name: str) -> dict[str, float]:
    """What was measured of a launch, each metric's median."""
    return {metric: MEASURED[name].value(metric) for metric in MEASURED[name].metrics}


@pytest.mark.slow
@pytest.mark.usefixtures("measured_compiler")
@pytest.mark.parametrize("name", most_by_hand(FAST, FAST[::2]))
def test_a_launch_is_predicted_no_worse_than_the_page_says(name: str) -> None:
    found: dict[str, Any] = record(SPECS[name], "h200")
    assert found["error"] is None
    measured = MEASURED[name]
    assert differing(found["metrics"], counted(name), ASKED + EXECUTED + LIMITS) == {}
    for metric, before in KEPT["machine_code"][name].items():
        was, now = (abs(value / measured.value(metric) - 1) for value in (before, found["metrics"][metric]))
        assert now <= was + GROWN, metric


@pytest.mark.slow
@pytest.mark.parametrize("name", FAST)
def test_the_description_asks_for_what_silicon_counted(name: str) -> None:
    found: dict[str, Any] = record(SPECS[name], "h200", described=True)
    assert differing(found["metrics"], counted(name), ASKED) == {}


@pytest.mark.usefixtures("measured_compiler")
def test_the_machine_code_is_the_one_that_ran() -> None:
    made = {name: sha256(SPECS[name].compile("h200").kernel().code.code).hexdigest() for name in FAST}
    assert {name: MEASURED[name].machine_code for name in FAST} == made


def test_the_fast_part_is_of_both_parts_and_of_many_kernels() -> None:
    assert len(FAST) >= 50
    assert 0.2 < sum(map(is_held_out, FAST)) / len(FAST) < 0.6
    assert len({SPECS[name].kernel for name in FAST}) >= 40


def test_the_page_is_of_these_launches() -> None:
    assert set(KEPT) == set(shipped.WAYS)
    for of in KEPT.values():
        assert set(of) == set(MEASURED) == set(SPECS)
        assert all(set(metrics) == set(shipped.KEPT) for metrics in of.values())
