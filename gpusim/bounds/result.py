"""Bounds as they are shown, and as plain dicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.bounds.causes import gaps
from gpusim.bounds.rungs import LevelBound, Rungs
from gpusim.pictures.notebook import Pictured

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType


@dataclass(frozen=True, repr=False)
class Bound(Rungs, Pictured):
    """The least traffic of a launch, or of a computation, at every level of a memory hierarchy.

    ``bound["L2"]`` is one level: its ``bound`` in bytes, and ``rungs``, what there is of bound, best tile, formula,
    counted and measured.  Printed, it is a table with the cause of each gap.

    Attributes
    ----------
    name, params, gpu, computation, formula, levels, notes
        As of :class:`~gpusim.bounds.rungs.Rungs`.
    """

    def to_dict(self) -> dict[str, Any]:
        """Give all of it as a plain dict; bytes."""
        return {
            "kernel": self.name,
            "params": dict(self.params),
            "gpu": self.gpu,
            "computation": self.computation,
            "formula": self.formula,
            "levels": [level_dict(one) for one in self.levels],
            **({"notes": list(self.notes)} if self.notes else {}),
        }

    def table(self) -> Iterator[RenderableType]:
        """Lay it out for :func:`gpusim.report.show`."""
        from gpusim.bounds.table import table

        return table(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what moves at each level beside what no schedule can do without.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a figure of its own unless given.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from gpusim.bounds.table import RUNGS, heading
        from gpusim.pictures.bars import Bar, bars
        from gpusim.pictures.canvas import BLUE, FAINT, styled
        from gpusim.report.units import format_bytes

        rows = [
            Bar(
                f"{one.level.name}: {RUNGS[rung]}", value, format_bytes(value), None, FAINT if rung == "bound" else BLUE
            )
            for one in self.levels
            for rung, value in one.rungs.items()
        ]
        with styled():
            axes = bars(rows, "bytes", ax, logarithmic=True)
            axes.set_title(heading(self), fontsize="small")
        return axes

    def __repr__(self) -> str:
        from gpusim import report

        return report.text(list(self.table()))


def level_dict(found: LevelBound) -> dict[str, Any]:
    """Give a level as a plain dict; bytes.

    Parameters
    ----------
    found : LevelBound
    """
    tiles = {"best_tiles": found.best, "tiles": found.derived}
    return {
        "level": found.level.name,
        "metrics": list(found.level.metrics),
        "memory_bytes": found.level.memory,
        "memories": found.level.memories,
        "reason": found.least.reason,
        "given_bytes": found.least.given,
        "stored_bytes": found.least.stored,
        **{f"{name}_bytes": value for name, value in found.rungs.items()},
        **({"counted_error": found.error} if found.error is not None else {}),
        **{name: dict(tiled.tiles) for name, tiled in tiles.items() if tiled is not None},
        "gaps": [gap._asdict() for gap in gaps(found)],
    }
