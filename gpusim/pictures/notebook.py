"""Results as notebooks show them: a picture, and the table below it."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Pictured:
    """A result that notebooks show as its picture, and its table below it."""

    plot: Callable[..., Axes]

    def _repr_html_(self) -> str:
        return shown(self.plot, repr(self))


def shown(draw: Callable[[], Axes], table: str) -> str:
    """Give a result as HTML.

    Parameters
    ----------
    draw : callable
        Draws the picture; where there is nothing to draw the table stands alone.
    table : str
        As text of fixed width.

    Returns
    -------
    str
    """
    from gpusim.pictures.canvas import inline

    below = f"<pre>{escape(table)}</pre>"
    try:
        axes = draw()
    except GpusimError:
        return below
    return f"<div>{inline(axes, table.partition(chr(10))[0])}</div>{below}"
