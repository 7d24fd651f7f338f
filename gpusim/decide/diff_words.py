"""What a comparison says in sentences: the verdict, how sure it is, and what is to be known of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpusim.decide.changes import same_launch
from gpusim.decide.diff_found import NOT_ASKED, SAME_TIME
from gpusim.decide.diff_trust import RUNS
from gpusim.report.busy import ranked
from gpusim.report.units import format_count, format_seconds, format_share
from gpusim.results.metric import DURATION

if TYPE_CHECKING:
    from gpusim.decide.diff_found import Found
    from gpusim.decide.diff_sides import Side
    from gpusim.decide.diff_trust import Duration
    from gpusim.report.busy import Busy
    from gpusim.results.metric import Interval

SAME = 0.005
"""Relative difference of two times below which they are called about the same."""

SMALL = 0.1
"""Ratio below which two digits are shown that are no zeros."""


def verdict(diff: Found) -> str:
    """Say what the times do, in one sentence.

    Parameters
    ----------
    diff : Found
    """
    if diff.is_unchanged:
        return f"Nothing changed{_both(diff.time)}."
    time = diff.time
    if time is None:
        return "Their times cannot be compared: one has none."
    if same_launch(diff.a, diff.b):
        return _held_against(diff, time)
    if time.told_apart is False:
        return f"The times of A and B are not told apart: {_takes(time)}."
    return f"{_takes(time)}."


def _both(time: Duration | None) -> str:
    return "" if time is None else f": both take {_shown(time.a, time)}"


def _takes(time: Duration) -> str:
    """``B takes 0.62 of A's time: 12.4 us instead of 20.0 us (1.61x as fast; 80 %: 1.50x to 1.73x)``."""
    a, b = _shown(time.a, time), _shown(time.b, time)
    if abs(time.ratio - 1) < SAME:
        same = f"A's time: {b}" if a == b else f"about A's time: {b} instead of {a}"
        return f"B takes {same}{_sure(time, ' (', ')')}"
    less = f"{time.ratio:.2g}" if time.ratio < SMALL else f"{time.ratio:.2f}"
    times = f"{less} of" if time.ratio < 1 else f"{_factor(time.ratio)} times"
    return f"B takes {times} A's time: {b} instead of {a} ({_speed(time)}{_sure(time, '; ', '')})"


def _speed(time: Duration) -> str:
    faster = time.ratio < 1
    return f"{_factor(1 / time.ratio if faster else time.ratio)}x as {'fast' if faster else 'long'}"


def _sure(time: Duration, before: str, after: str) -> str:
    """Between what the speed-up lies, or the slow-down; nothing where nobody knows."""
    if time.interval is None:
        return ""
    ends = (time.interval.low, time.interval.high)
    low, high = sorted(1 / end for end in ends) if time.ratio < 1 else ends
    return f"{before}{_share(time.interval)}: {_factor(low)}x to {_factor(high)}x{after}"


def _share(interval: Interval) -> str:
    return "all runs" if interval.share == RUNS else f"{100 * interval.share:.0f} %"


def _factor(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def _shown(value: float, time: Duration) -> str:
    return format_seconds(value) if time.in_seconds else f"{format_count(value)} cycles"


def _held_against(diff: Found, time: Duration) -> str:
    """A prediction beside the measurement of the same launch."""
    label, here, there = ("A", time.a, time.b) if diff.b.measured else ("B", time.b, time.a)
    off = here / there - 1
    way = f"{100 * abs(off):.1f} % {'more' if off > 0 else 'less'} than was measured" if off else "as measured"
    inside = {None: "", True: ", outside its interval", False: ", within its interval"}[time.told_apart]
    return f"{label} is predicted to take {_shown(here, time)}, {way} ({_shown(there, time)}){inside}."


def times(diff: Found) -> Iterator[str]:
    """Say how long each takes, and how sure that is, where it is not said yet."""
    from gpusim.report.time import why

    for label, side in (("A", diff.a), ("B", diff.b)):
        if side.measured is not None:
            said = _measured_time(side)
        elif len(side.steps) > 1:
            said = f"{_plainly(side)}, {len(side.steps)} launches one after the other"
        else:
            said = "; ".join(filter(None, (_lasts(side), why(side.whole))))
        if said:
            yield f"{label}: {said}"


def _lasts(side: Side) -> str:
    """How long a launch takes; in cycles alone where no seconds are known, as of a file of advice."""
    from gpusim.report.time import duration

    known = math.isfinite(side.whole.seconds) and side.tells_trust
    return duration(side.whole) if known else _plainly(side)


def _plainly(side: Side) -> str:
    seconds, cycles = side.whole.seconds, side.whole.cycles
    found = [format_seconds(seconds)] if math.isfinite(seconds) else []
    return ", ".join([*found, *([f"{format_count(cycles)} cycles"] if math.isfinite(cycles) else [])])


def _measured_time(side: Side) -> str:
    assert side.measured is not None
    counted = side.measured.metrics.get(DURATION)
    runs = f"the median of {len(counted or side.measured.seconds)} runs"
    how = "measured" if counted else "measured between events, which includes launching"
    found = _plainly(side)
    return f"{found} ({how}; {runs})" if found else ""


def how_sure(diff: Found) -> str:
    """Say how sure the ratio of the times is, or why nobody knows; empty where nothing changed."""
    time = diff.time
    if time is None or diff.is_unchanged or same_launch(diff.a, diff.b):
        return ""
    if time.interval is None:
        return f"How sure the ratio of the times is, is not known: {time.unknown}."
    if (errors := time.errors) is not None:
        return (
            f"{_share(time.interval)}: so many ratios fall within. Of {time.interval.among} half are off by "
            f"{format_share(errors.median)} at most, nine in ten by {format_share(errors.ninety)}."
        )
    return f"{_share(time.interval)}: {time.interval.among}."


def no_why(diff: Found) -> str:
    """Say why causes are not told; empty where they are, or nobody asked."""
    known = diff.why is not None or diff.no_why in (NOT_ASKED, SAME_TIME)
    return "" if known else f"Why is not known: {diff.no_why}."


MOST_OF_IT = 0.5
"""Share of the change that no cause explains from which on it is said what else changed."""


def other(diff: Found) -> str:
    """Say how much work the busiest unit has, where most of the change is none of the causes'; else nothing."""
    of = diff.why
    if of is None or len(diff.a.steps) + len(diff.b.steps) > 2 or abs(of.change) < SAME * of.a:
        return ""
    if abs(of.other.change) < MOST_OF_IT * abs(of.change):
        return ""
    units = {unit.name: unit for unit in ranked(diff.b.whole)}
    found = next((unit for unit in ranked(diff.a.whole) if unit.name in units), None)
    if found is None:
        return ""
    before, after = worked(diff.a, found), worked(diff.b, units[found.name])
    return (
        f"Other is the work itself, and what was not looked at. The busiest unit of A ({found.name}) has work for "
        f"{format_count(before)} cycles there, and for {format_count(after)} in B."
    )


def worked(side: Side, unit: Busy) -> float:
    """Give the cycles for which a unit works.

    Parameters
    ----------
    side : Side
    unit : Busy
    """
    time = side.whole.value("sm__cycles_active.avg") if unit.unit.of_active else side.whole.cycles
    return float(unit.share * time)


def wrong(diff: Found) -> str:
    """Name counts that are predicted as exact and were measured otherwise; empty where there are none."""
    if not diff.wrong:
        return ""
    from gpusim.names import some

    named = [f"{of.key} (A {format_count(of.a)}, B {format_count(of.b)})" for of in diff.wrong]
    return f"Predicted as exact, and measured otherwise: {some(named)}."
