"""What a profile says binds it, from made-up metrics."""

import pytest

from gpusim.profiles.profile import Profile
from gpusim.report.busy import BAR, UNITS, busy_table, shown
from gpusim.report.time import REASONS, duration, interval, verdict, why
from gpusim.results.metric import CYCLES, DURATION, STALL_REASON, Claim, Interval, Metric

FMA, ISSUE, DATA, DRAM = (
    next(unit.metric for unit in UNITS if unit.name == name)
    for name in ("FMA pipe", "instruction issue", "L1 and shared memory's data stage", "{memory} bandwidth")
)
LAUNCHER = UNITS[-1].metric


def profile(busy=(), waits=(), *, elapsed=100_000, longest=97_000, active=96_000):
    """A launch whose units are busy 10 % of the time and whose warps wait a little for everything, unless told."""
    values = {unit.metric: 10 for unit in UNITS} | dict(busy)
    values |= {STALL_REASON.format(name): 0.1 for name in REASONS}
    values |= {STALL_REASON.format(name): warps for name, warps in dict(waits).items()}
    values |= {"gpc__cycles_elapsed.max": elapsed, "sm__cycles_active.max": longest, "sm__cycles_active.avg": active}
    metrics = {name: Metric(value, "%", Claim.CALIBRATED) for name, value in values.items()}
    return Profile("mine", {}, "h200", (1, 1, 1), (256, 1, 1), metrics)


@pytest.mark.parametrize(
    ("found", "kind", "says"),
    [
        (profile({FMA: 93, ISSUE: 96}), "compute", "compute (FMA pipe, 93 % busy)"),
        (profile({FMA: 40, ISSUE: 80}), "compute", "compute (instruction issue, 80 % busy)"),
        (profile({DRAM: 89, DATA: 70}), "memory", "memory (HBM bandwidth, 89 % busy)"),
        (profile({DATA: 70}), "memory", "memory (L1 and shared memory's data stage, 70 % busy)"),
        (profile({DATA: 59}, {"long_scoreboard": 5}), "latency", "no unit is over 59 % busy (L1 and shared"),
        (profile((), {"barrier": 5}), "barrier", "warps wait 72 % of their time for barriers (barrier)"),
        (profile((), {"lg_throttle": 5}), "memory", "the queue of global loads and stores (lg_throttle)"),
        (profile((), {"wait": 5, "not_selected": 9}), "latency", "fixed latency of arithmetic (wait)"),
        (profile({FMA: 90}, active=50_000), "tail", "while they have any, no unit is over 90 % busy (FMA pipe)"),
        (profile({DRAM: 90}, active=50_000), "memory", "memory (HBM bandwidth, 90 % busy)"),
        (profile({LAUNCHER: 90}), "launch", "the launch (handing out blocks, 90 % busy)"),
        (profile({FMA: 99}, longest=40_000, active=39_000), "launch", "60 % of the time no SM has work"),
    ],
)  # fmt: skip
def test_what_binds(found, kind, says):
    assert found.bound == kind
    assert why(found).startswith("bound by ")
    assert says in why(found)


def test_of_what_was_not_timed_nothing_is_said():
    nothing = Profile("mine", {}, "h200", (1, 1, 1), (256, 1, 1), {})
    assert verdict(nothing) is None
    assert nothing.bound == ""
    assert busy_table(nothing) is None


def test_the_table_has_the_busiest_units_first_and_no_idle_ones():
    few = shown(profile({unit.metric: 0 for unit in UNITS} | {FMA: 50, DRAM: 70}))
    assert [busy.name for busy in few] == ["HBM bandwidth", "FMA pipe"]
    assert len(shown(profile())) <= 6


def test_bars_are_as_long_as_units_are_busy():
    lines = repr(profile({FMA: 100, DRAM: 50})).split("\n")
    bars = {line[:13].strip(): line.count("█") for line in lines if "█" in line}
    assert bars["FMA pipe"] == BAR
    assert bars["HBM bandwidth"] == BAR // 2


def timed(low=None, high=None):
    """A launch of 4674 cycles in 2.36 us, with or without an interval of its time."""
    of = None if low is None else Interval(low, high, "9 launches of mine")
    seconds = None if low is None else Interval(low * 5.05e-10, high * 5.05e-10, "9 launches of mine")
    found = {
        CYCLES: Metric(4674, "cycle", Claim.CALIBRATED, 0.046, p90=0.13, interval=of),
        DURATION: Metric(2.36e-6, "s", Claim.CALIBRATED, 0.051, p90=0.14, interval=seconds),
    }
    return Profile("mine", {}, "h200", (1, 1, 1), (256, 1, 1), found)


def test_a_time_stands_with_its_interval_and_without_other_errors():
    assert duration(timed(4350, 5210)) == "2.36 us, 4 674 cycles (80 %: 4 350 to 5 210)"
    assert duration(timed()) == "2.36 us, 4 674 cycles (calibrated ±4.6/13 %)"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(4350, 5210, "2.20 to 2.63 us"), (1900, 2100, "960 ns to 1.06 us"), (None, None, "–")],
)
def test_an_interval_in_seconds_names_its_unit_once(low, high, text):
    assert interval(timed(low, high)) == text


def test_an_interval_is_said_in_one_way_only():
    text = " ".join(repr(timed(4350, 5210)).split())
    assert "80 %: so many launches like it fall within; learnt from 9 launches of mine." in text
    assert "±" not in text
    assert "±4.6/13 %" in repr(timed())
