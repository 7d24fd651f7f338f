"""A search's result as people read it: the best points, and what to measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpusim.decide.objective import WORDS, Objective
from gpusim.decide.sweep import failures
from gpusim.decide.tuning import MOST_SHOWN, Candidate, Tuning
from gpusim.report.grid import Grid
from gpusim.report.time import bound_by, interval
from gpusim.report.units import NOTHING, format_bytes, format_factor, format_number, format_seconds
from gpusim.results.figures import Figures

if TYPE_CHECKING:
    from rich.console import RenderableType


def table(tuning: Tuning) -> list[RenderableType]:
    """Lay a search out.

    Parameters
    ----------
    tuning : Tuning
    """
    from rich.text import Text

    first = tuning.best.row
    heading = f"{first.kernel} on {first.gpu}: {_points(len(tuning.candidates))} predicted, the best first"
    return [Text(heading, style="bold"), "", _grid(tuning), "", *_said(tuning)]


def _points(count: int) -> str:
    return f"{count} point{'' if count == 1 else 's'}"


def _shown(tuning: Tuning) -> list[tuple[int, Candidate]]:
    """Candidates of the table with their ranks: the first, then others of the Pareto front."""
    kept = set(map(id, tuning.pareto)) if len(tuning.objectives) > 1 else set()
    ranked = list(enumerate(tuning.candidates, 1))
    most = max(MOST_SHOWN, len(tuning.measure))
    return [(rank, one) for rank, one in ranked if rank <= most or id(one) in kept]


def _grid(tuning: Tuning) -> Grid:
    grid = Grid()
    grid.add_column("", key=True)
    for name in tuning.names:
        grid.add_column(name, key=True)
    for objective in tuning.objectives:
        grid.add_column(objective.text)
        if objective.is_time:
            grid.add_column("80 %", spared=1)
    grid.add_column("bound by", "name", spared=0)
    grid.add_column("predicted", "name", spared=2)
    grid.add_column("", "name")
    few, front = set(map(id, tuning.measure)), set(map(id, tuning.pareto))
    for rank, one in _shown(tuning):
        marks = [*(["measure"] if id(one) in few else []), *(["Pareto"] if _has_front(tuning, one, front) else [])]
        grid.add_row(str(rank), *_cells(tuning, one), ", ".join(marks))
    return grid


def _has_front(tuning: Tuning, one: Candidate, front: set[int]) -> bool:
    return len(tuning.objectives) > 1 and id(one) in front


def _cells(tuning: Tuning, one: Candidate) -> Iterator[str]:
    """The point, its values, and how they came about."""
    yield from (str(one.point.get(name, NOTHING)) for name in tuning.names)
    figures = one.profile if isinstance(one.profile, Figures) else None
    for objective, value in zip(tuning.objectives, one.values, strict=True):
        yield format_value(objective, value)
        if objective.is_time:
            yield interval(figures) if figures else NOTHING
    yield bound_by(figures) if figures else NOTHING
    yield "in full" if one.is_full else "quickly"


def format_value(objective: Objective, value: float) -> str:
    """A value in the unit of its objective.

    Parameters
    ----------
    objective : Objective
    value : float

    Examples
    --------
    >>> format_value(Objective("time"), 1.5e-5), format_value(Objective("hbm_bytes"), 2e6)
    ('15.0 us', '2.00 MB')
    """
    if objective.is_time:
        return format_seconds(value)
    own = WORDS.get(objective.text, objective.text)
    return format_bytes(value) if own.isidentifier() and "bytes" in own else format_number(value)


def _said(tuning: Tuning) -> Iterator[RenderableType]:
    """What to do, and how sure it is."""
    best, alike = tuning.best, len(tuning.alike)
    named = " ".join(f"{name}={value}" for name, value in best.point.items())
    if tuning.objectives[0].is_time:
        yield _verdict(tuning, named, alike)
    else:
        yield f"{named} has the least {tuning.objectives[0].text}."
    yield from failures(tuning.failed)


def _verdict(tuning: Tuning, named: str, alike: int) -> str:
    """Whether the best one is told apart from the others, and from which ratio on it would be."""
    apart = tuning.apart
    share = f"{100 * (apart.factor - 1):.0f} %"
    known = f"learnt from {apart.among}" + ("" if apart.is_known else "; this kind was never measured")
    if alike == 1:
        runner_up = tuning.candidates[1:2]
        ahead = f", by a factor of {format_factor(runner_up[0].values[0] / tuning.best.values[0])}" if runner_up else ""
        return f"{named} is the fastest{ahead}. Differences of less than {share} do not count ({known})."
    few = len(tuning.measure)
    which = f"measure {'them' if few == alike else f'the first {few} of them'}"
    return (
        f"{named} is predicted to be the fastest, but {_points(alike - 1)} of {len(tuning.candidates) - 1} others "
        f"lie within {share} of it, which predictions do not tell apart ({known}): {which}."
    )
