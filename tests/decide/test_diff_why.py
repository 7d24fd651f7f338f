"""Why a time changed: causes that add up to the change, each counted once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import gpusim
from gpusim.decide.diff_why import Reason, Why, costs_of
from gpusim.results.causes import Cause
from gpusim.results.metric import STALL_REASON
from tests.decide.made import timed

BANKS, SPILLS = Cause.BANK_CONFLICTS, Cause.SPILLS
SIGNS = {
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 10**7,
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum": 10**6,
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum": 10**6,
}
"""Counters that show both causes."""


class Machine:
    """Predicts a launch again as a table says, by the causes that are left out."""

    l2_bytes = 1 << 60

    def lines(self, cause: Cause) -> tuple[()]:
        return ()

    def __init__(self, cycles: Mapping[frozenset[Cause], float]) -> None:
        self.cycles = cycles
        self.asked: list[frozenset[Cause]] = []

    def __call__(self, *causes: Cause, progress: Any = None) -> gpusim.Profile:
        self.asked.append(frozenset(causes))
        return timed(self.cycles[frozenset(causes)], **SIGNS)


def launch(whole: float, banks: float, spills: float, both: float) -> gpusim.Profile:
    """A launch that takes so long as it is, without either cause, and without both."""
    machine = Machine({frozenset({BANKS}): banks, frozenset({SPILLS}): spills, frozenset({BANKS, SPILLS}): both})
    quiet = {STALL_REASON.format(reason): 0.0 for reason in ("barrier", "long_scoreboard")}
    found = timed(whole, **SIGNS, **quiet, **{"smsp__thread_inst_executed.sum": 32 * 512**3 // 8})
    return replace(found, rerun=machine, grid=(2048, 1, 1))


def test_causes_that_hide_behind_each_other_are_counted_once() -> None:
    # Either alone would go for nothing in A, for the other hides it; B has neither.
    a, b = launch(10000, 6000, 9000, 4000), launch(4000, 4000, 4000, 4000)
    found = gpusim.diff(a, b).why
    assert found is not None
    assert [(of.cause, of.a, of.b) for of in found.reasons] == [(BANKS, 4000, 0), (SPILLS, 2000, 0)]
    assert found.other == Reason("other", 4000, 4000)
    assert not found.apart


def test_only_causes_whose_cost_differs_are_taken_away_together() -> None:
    a, b = launch(10000, 6000, 9950, 5950), launch(6000, 6000, 5950, 5950)
    found = gpusim.diff(a, b)
    assert found.why is not None
    assert [of.cause for of in found.why.reasons] == [BANKS]
    assert frozenset({BANKS, SPILLS}) not in a.rerun.asked  # type: ignore[union-attr]


def test_no_launch_runs_again_where_nobody_asks_why() -> None:
    a = launch(10000, 6000, 9000, 4000)
    found = gpusim.diff(a, a, why=False)
    assert found.why is None
    assert a.rerun.asked == []  # type: ignore[union-attr]
    assert "Why is not known" not in repr(found)


def test_no_launch_runs_again_where_nothing_changed() -> None:
    a = launch(10000, 6000, 9000, 4000)
    found = gpusim.diff(a, replace(a))
    assert (found.why, found.no_why) == (None, "nothing changed")
    assert a.rerun.asked == []  # type: ignore[union-attr]


TIMES = st.integers(1000, 10**8)


@given(st.tuples(TIMES, TIMES, TIMES, TIMES), st.tuples(TIMES, TIMES, TIMES, TIMES))
def test_causes_and_the_rest_add_up_to_the_change(of_a: tuple[int, ...], of_b: tuple[int, ...]) -> None:
    a, b = (launch(*sorted(times, reverse=True)) for times in (of_a, of_b))
    for one, other in ((a, b), (b, a)):
        changed = gpusim.diff(one, other)
        found = changed.why
        assert (found is None) == changed.is_unchanged
        if found is None:
            continue
        rows = [*found.reasons, found.other]
        assert sum(row.change for row in rows) == found.change == other.cycles - one.cycles
        assert sum(row.a for row in rows) == one.cycles
        assert all(row.a >= 0 and row.b >= 0 for row in found.reasons)


def test_the_other_way_round_every_change_has_the_other_sign() -> None:
    a, b = launch(10000, 6000, 9000, 4000), launch(7000, 6900, 5000, 4900)
    there, back = gpusim.diff(a, b).why, gpusim.diff(b, a).why
    assert there is not None
    assert back is not None
    assert [(of.cause, of.change) for of in there.reasons] == [(of.cause, -of.change) for of in back.reasons]


def test_as_json_other_comes_last() -> None:
    found = Why((Reason("barriers", 10.0, 0.0),), 100.0, 95.0, apart=False).to_dict()
    assert found["cycles"] == {"a": 100.0, "b": 95.0, "change": -5.0}
    assert found["causes"][-1] == {"cause": "other", "a": 90.0, "b": 95.0, "change": 5.0}


# ---------------------------------------------------------------- simulated


def test_padding_a_tile_takes_bank_conflicts_away() -> None:
    a, b = (gpusim.predict(name, n=512) for name in ("transpose-shared", "transpose-padded"))
    found = gpusim.diff(a, b)
    assert found.why is not None
    first = found.why.reasons[0]
    assert (first.cause, first.b) == ("bank conflicts", 0)
    assert first.change == pytest.approx(found.why.change, rel=0.1)
    line = found.lines[0]
    assert "tile[" in line.text
    assert line.of("a", "wavefronts") == 32 * line.of("b", "wavefronts")
    gone = next(change for change in found.levels if change.what == "bank conflicts")
    assert (gone.a > 0, gone.b) == (True, 0)


@pytest.mark.long
def test_one_kernel_in_place_of_several_saves_what_passes_between_them() -> None:
    chain, fused = gpusim.predict_chain("sin2cos2-unfused", N=1 << 18), gpusim.predict("sin2cos2", N=1 << 18)
    found = gpusim.diff(chain, fused)
    assert found.why is not None
    first = found.why.reasons[0]
    assert (first.cause, first.b) == ("kernels apart", 0)
    assert first.a == pytest.approx(found.why.a - found.why.b, rel=0.2)
    assert "launches 5 -> 1" in repr(found)
    assert found.time is not None
    assert "not chains" in found.time.unknown


def test_what_a_launch_could_gain_at_most_is_no_part_of_its_time() -> None:
    rows = [{"cause": "barriers", "cycles": 10.0, "without": 7.0, "at_most": False}]
    limits = [{"cause": "no tensor cores", "cycles": 10.0, "without": 2.0, "at_most": True}]
    earlier = [{"cause": "latency", "cycles": 10.0, "without": 9.0}]
    assert costs_of({"findings": rows + limits + earlier}) == {"barriers": 3.0, "latency": 1.0}
