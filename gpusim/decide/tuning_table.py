"""A search's result as people read it: the best points, and what to measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpusim.decide.objective import WORDS, Objective
from gpusim.decide.ranking import MOST_SHOWN, Candidate, Ranking
from gpusim.decide.sweep import failures
from gpusim.report.grid import Grid
from gpusim.report.time import bound_by, interval
from gpusim.report.units import NOTHING, format_bytes, format_factor, format_number, format_seconds
from gpusim.results.figures import Figures

if TYPE_CHECKING:
    from rich.console import RenderableType

TWICE = 2.0
"""A ratio from which on a factor says more than per cent."""

TWO = 2


def table(ranking: Ranking) -> list[RenderableType]:
    """Lay a search out.

    Parameters
    ----------
    ranking : Ranking
    """
    from rich.text import Text

    first = ranking.best.row
    same = "".join(f" {name}={first.point[name]}" for name in ranking.names if name not in varied(ranking))
    heading = f"{first.kernel}{same} on {first.gpu}: {_points(len(ranking.candidates))} predicted, the best first"
    return [Text(heading, style="bold"), "", _grid(ranking), "", verdict(ranking), *failures(ranking.failed)]


def _points(count: int) -> str:
    return f"{count} point{'' if count == 1 else 's'}"


def _shown(ranking: Ranking) -> list[tuple[int, Candidate]]:
    """Candidates of the table with their ranks: the first, then others of the Pareto front."""
    kept = set(map(id, ranking.pareto)) if len(ranking.objectives) > 1 else set()
    ranked = list(enumerate(ranking.candidates, 1))
    most = max(MOST_SHOWN, len(ranking.measure))
    return [(rank, one) for rank, one in ranked if rank <= most or id(one) in kept]


def varied(ranking: Ranking) -> list[str]:
    """Names with several values."""
    points = [one.point for one in ranking.candidates]
    return [name for name in ranking.names if len({str(point.get(name)) for point in points}) > 1]


def _grid(ranking: Ranking) -> Grid:
    grid = Grid()
    grid.add_column("", key=True)
    for name in varied(ranking):
        grid.add_column(name, key=True)
    for objective in ranking.objectives:
        grid.add_column(objective.text)
        if objective.is_time:
            grid.add_column("80 %", spared=1)
    grid.add_column("bound by", "name", spared=0)
    grid.add_column("predicted", "name", spared=2)
    grid.add_column("note", "name")
    few, front = set(map(id, ranking.measure)), set(map(id, ranking.pareto))
    for rank, one in _shown(ranking):
        marks = [*(["measure"] if id(one) in few else []), *(["Pareto"] if _has_front(ranking, one, front) else [])]
        grid.add_row(str(rank), *_cells(ranking, one), ", ".join(marks))
    return grid


def _has_front(ranking: Ranking, one: Candidate, front: set[int]) -> bool:
    return len(ranking.objectives) > 1 and id(one) in front


def _cells(ranking: Ranking, one: Candidate) -> Iterator[str]:
    """The point, its values, and how they came about."""
    yield from (str(one.point.get(name, NOTHING)) for name in varied(ranking))
    figures = one.profile if isinstance(one.profile, Figures) else None
    for objective, value in zip(ranking.objectives, one.values, strict=True):
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


def verdict(ranking: Ranking) -> str:
    """Say what to do, and how sure it is.

    Parameters
    ----------
    ranking : Ranking
    """
    best, alike = ranking.best, len(ranking.alike)
    named = " ".join(f"{name}={best.point[name]}" for name in varied(ranking)) or best.row.kernel
    if ranking.objectives[0].is_time:
        return _of_time(ranking, named, alike)
    return f"{named} has the least {ranking.objectives[0].text}."


def _of_time(ranking: Ranking, named: str, alike: int) -> str:
    """Whether the best one is told apart from the others, and from which ratio on it would be."""
    apart = ranking.apart
    share = f"{100 * (apart.factor - 1):.0f} %"
    known = f"learnt from {apart.among}" + ("" if apart.is_known else "; this kind was never measured")
    if len(ranking.candidates) == 1:
        return f"{named} is the only point: there is nothing to compare it with."
    if alike == 1:
        ratio = ranking.candidates[1].values[0] / ranking.best.values[0]
        ahead = f"{100 * (ratio - 1):.0f} %" if ratio < TWICE else f"a factor of {format_factor(ratio)}"
        return f"{named} is the fastest, by {ahead}. Differences of less than {share} do not count ({known})."
    few = len(ranking.measure)
    which = f"measure {'them' if few == alike else f'the first {few} of them'}"
    near = "another point lies" if alike == TWO else f"{alike - 1} other points lie"
    return (
        f"{named} is predicted to be the fastest, but {near} within {share} of it, which predictions do not tell apart "
        f"({known}): {which}."
    )
