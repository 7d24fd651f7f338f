"""The best points of a search as bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpusim.decide.tuning_table import format_value, varied

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.decide.ranking import Ranking
    from gpusim.pictures.bars import Bar

MOST = 20
"""Points that are drawn: the best ones."""


def plot(ranking: Ranking, ax: Axes | None = None) -> Axes:
    """Draw the best points by the first objective.

    Parameters
    ----------
    ranking : Ranking
    ax : matplotlib.axes.Axes, optional
        Where to draw; a figure of its own unless given.

    Returns
    -------
    matplotlib.axes.Axes
    """
    from gpusim.pictures.bars import bars
    from gpusim.pictures.canvas import styled
    from gpusim.pictures.times import unit_of

    objective = ranking.objectives[0]
    most = max(one.values[0] for one in ranking.candidates[:MOST])
    size, unit = unit_of(most) if objective.is_time else (1.0, "")
    with styled():
        axes = bars(list(_bars(ranking, size)), f"{objective.text}{f' ({unit})' if unit else ''}", ax)
        axes.set_title("The best points; orange: to be measured, for predictions do not tell them apart")
    return axes


def _bars(ranking: Ranking, size: float) -> Iterator[Bar]:
    from gpusim.pictures.bars import Bar
    from gpusim.pictures.canvas import BLUE, ORANGE

    objective, few = ranking.objectives[0], set(map(id, ranking.measure))
    for one in ranking.candidates[:MOST]:
        ends = one.interval() if objective.is_time else None
        yield Bar(
            " ".join(f"{name}={one.point.get(name)}" for name in varied(ranking)), one.values[0] / size,
            format_value(objective, one.values[0]), None if ends is None else (ends[0] / size, ends[1] / size),
            ORANGE if id(one) in few else BLUE,
        )  # fmt: skip
