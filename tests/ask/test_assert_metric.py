"""Does an assertion on a quantity hold when it should, and say why where it does not?"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim.assertions import amounts
from gpusim.assertions.quantities import FIGURES, named
from gpusim.errors import UnknownNameError
from gpusim.profiles.profile import DERIVED
from gpusim.results.metric import DURATION, Claim, Interval, Metric


@pytest.fixture(scope="module")
def slow():
    return gpusim.predict("transpose-shared", "h200", n=128)


def failure(profile, *words, **how):
    with pytest.raises(AssertionError) as caught:
        profile.assert_metric(*words, **how)
    return str(caught.value)


def test_a_failure_says_what_it_is_how_sure_and_where(slow):
    assert failure(slow, "shared conflicts", "==", 0).splitlines() == [
        "transpose-shared M=128 N=128 T=32 R=8 on h200, cold caches: shared conflicts == 0 does not hold",
        "  it is 15 872 wavefronts (modelled)",
        "  100 % on transpose.py:81: y[row, col] = tile[gl.tid.x, gl.tid.y + j]",
    ]
    gpusim.predict("transpose-padded", "h200", n=128).assert_metric("shared conflicts", "==", 0)


@pytest.mark.parametrize("name", ["bank_conflicts", "bank conflicts", "Shared Conflicts", "shared-bank-conflicts"])
def test_a_figure_goes_by_several_names(slow, name):
    slow.assert_metric(name, "==", slow.bank_conflicts)


def test_a_counter_goes_by_nsight_computes_name(slow):
    for name, metric in slow.metrics.items():
        if not math.isnan(metric.value):
            slow.assert_metric(name, "==", metric.value)


def test_every_figure_of_a_profile_can_be_named(slow):
    known = {figure.name: figure for figure in FIGURES}
    assert set(DERIVED) <= known.keys()
    for figure in FIGURES:
        assert named(slow, figure.name).unit == figure.unit
        assert set(figure.of) <= slow.metrics.keys(), figure.name
        assert not figure.line or all(hasattr(line, figure.line) for line in slow.lines)
    words = [word for figure in FIGURES for word in (figure.name.replace("_", " "), *figure.words)]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("shard conflicts", "==", 0), "unknown metric 'shard conflicts': did you mean shared conflicts"),
        (("dram_bytes_rea", "==", 0), "unknown metric 'dram_bytes_rea': did you mean dram_bytes_read"),
        (("dram__byte_read.sum", "==", 0), "did you mean dram__bytes_read.sum"),
        (("bank conflicts", "=<", 0), "unknown operator '=<': did you mean <"),
        (
            ("bank conflicts", "==", "34 MB"),
            "'34 MB' is no amount of what is counted in wavefronts: units are wavefront",
        ),
        (("HBM reads", "<", "3 us"), "'3 us' is no amount of what is counted in bytes: units are B"),
        (("HBM reads", "<", "many"), "'many' is no amount"),
        *(
            (("HBM reads", op, wrong), "an amount is a number, or one with its unit as in '34 MB', not ")
            for op in ("==", "!=", "<", ">=", "≈")
            for wrong in (math.nan, math.inf, -math.inf, np.float32("nan"), True, [1])
        ),
        (("HBM reads", "<", "1__0 B"), "'1__0 B' is no amount"),
        (("HBM reads", "<", "_ B"), "'_ B' is no amount"),
        (("HBM reads", "<", "1e999 B"), "'1e999 B' is no amount"),
        ((5, "==", 0), "a metric is a text, such as 'HBM reads', not 5"),
        ((["time"], "==", 0), "a metric is a text"),
        (("time", 5, 0), "an operator is a text, such as '<=', not 5"),
        (("time", ["=="], 0), "an operator is a text"),
        (("HBM reads", "<", None), "an amount is a number, or one with its unit as in '34 MB', not None"),
    ],
)
def test_what_is_not_known_is_refused_in_a_line(slow, words, says):
    with pytest.raises(gpusim.GpusimError) as caught:
        slow.assert_metric(*words)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("how", [{"rel": "5%"}, {"rel": math.nan}, {"rel": [1]}, {"rel": True}, {"interval": "no"}])
def test_tolerances_and_flags_are_of_their_kind(slow, how):
    with pytest.raises(gpusim.GpusimError):
        slow.assert_metric("HBM reads", "≈", slow.dram_bytes_read, **how)


@pytest.mark.parametrize("other", [5, None, {}, "copy"])
def test_only_profiles_keep_to_assertions(other):
    from gpusim.assertions import assert_metric

    with pytest.raises(gpusim.GpusimError, match="assert_metric is of a profile"):
        assert_metric(other, "time", "<", 1)


def test_amounts_of_numpy_are_numbers(slow):
    for kind in (np.int64, np.float32, np.float64):
        slow.assert_metric("registers", "<=", kind(255))


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
def test_operators_are_pythons(value, wanted, op):
    profile = gpusim.Profile(
        "k", {}, "h200", (1, 1, 1), (32, 1, 1), {"dram__bytes_read.sum": Metric(value, "byte", Claim.EXACT)}
    )
    holds = eval(f"{value} {op} {wanted}")
    if holds:
        profile.assert_metric("HBM reads", op, wanted)
    else:
        assert f"HBM reads {op} {wanted} does not hold" in failure(profile, "HBM reads", op, wanted)


def test_about_has_a_tolerance(slow):
    reads = slow.dram_bytes_read
    slow.assert_metric("HBM reads", "≈", 1.04 * reads)
    slow.assert_metric("HBM reads", "~=", 1.5 * reads, rel=0.5)
    assert "≈ 1 (within 5 %) does not hold" in failure(slow, "HBM reads", "≈", 1)
    with pytest.raises(gpusim.GpusimError, match=r"rel=0\.1 is of ≈ alone"):
        slow.assert_metric("HBM reads", "==", 1, rel=0.1)
    with pytest.raises(UnknownNameError):
        slow.assert_metric("HBM reads", "~", 1)


def timed(slow, low, value, high):
    metric = Metric(value, "s", Claim.CALIBRATED, interval=Interval(low, high, "many launches"))
    return replace(slow, metrics={**slow.metrics, DURATION: metric})


def test_of_a_time_the_end_of_the_interval_decides(slow):
    profile = timed(slow, 8e-6, 9e-6, 12e-6)
    profile.assert_metric("time", "<=", "12 us")
    profile.assert_metric("time", ">", "7.9 us")
    profile.assert_metric("time", "<=", "9 us", interval=False)
    profile.assert_metric("time", "==", "9 us")
    assert failure(profile, "time", "<=", "11 us").splitlines()[:3] == [
        "transpose-shared M=128 N=128 T=32 R=8 on h200, cold caches: time <= 11 us does not hold",
        "  it is 9.00 us (calibrated, 80 %: 8.00 us to 12.0 us)",
        "  the upper end of its interval decides, 12.0 us; interval=False compares the prediction alone",
    ]
    assert "  the lower end of its interval decides, 8.00 us" in failure(profile, "time", ">=", "8.5 us")
    assert "interval=False" not in failure(profile, "time", ">=", "9.5 us", interval=False)


def test_nothing_holds_of_what_is_not_known(slow):
    for op in ("==", "!=", "<", ">=", "≈"):
        assert "it is not known" in failure(slow, "texture_hit_rate", op, 1)


@given(st.floats(0, 1e15))
def test_an_amount_with_a_unit_is_that_many(number):
    assert amounts.read(f"{number!r} kB", "byte") == number * 1e3
    assert amounts.read(f"{number!r}", "sector") == number
    assert amounts.read(f"{number!r} sectors", "sector") == number
