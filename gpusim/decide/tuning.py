"""What a search found, as it shows itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpusim.decide.ranking import Ranking
from gpusim.decide.tuning_plot import plot
from gpusim.decide.tuning_table import table, verdict
from gpusim.pictures.notebook import Pictured

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType


@dataclass(frozen=True, repr=False)
class Tuning(Ranking, Pictured):
    """What a search found.

    Attributes
    ----------
    candidates : sequence of Candidate
        The best first.
    failed : sequence of Row
        Points that could not be predicted.
    objectives : sequence of Objective
    names : sequence of str
        What was searched over.
    apart : Apart
        From which ratio on two times count as different.
    most : int
        How many points are to be measured at most.
    """

    @property
    def verdict(self) -> str:
        """Which point is the fastest, and whether predictions tell it apart from others."""
        return verdict(self)

    def table(self) -> list[RenderableType]:
        """Lay the best out, those of the Pareto front, and what to do with them."""
        return table(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the best points with the intervals of their times; those to be measured have another colour.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a figure of its own unless given.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return plot(self, ax)

    def __repr__(self) -> str:
        from gpusim.report import text

        return text(self.table())
