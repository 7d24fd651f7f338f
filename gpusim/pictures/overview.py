"""The picture of a launch at one glance: what binds it, how busy units are, and the memory chart."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from gpusim.pictures.canvas import axes_of, divided, styled
from gpusim.pictures.memory_chart import memory_chart
from gpusim.pictures.speed_of_light import speed_of_light
from gpusim.report.busy import shown
from gpusim.report.tables import heading
from gpusim.report.time import duration, why

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.results.figures import Figures

SIZE, COLUMNS = (10.0, 7.2), 118
"""Inches of the figure, and letters that a line below its title holds."""

BARS, CHART = (0.24, 0.68, 0.74, 0.30), (0.0, 0.0, 1.0, 0.58)
"""Where the bars and the chart stand."""


@styled()
def overview(profile: Figures, ax: Axes | None = None, *, measured: Figures | None = None) -> Axes:
    """Draw a launch: the verdict as the title, speed-of-light bars, and the memory chart.

    Parameters
    ----------
    profile : Profile
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    measured : Figures, optional
        The same launch as hardware counted it.

    Returns
    -------
    matplotlib.axes.Axes
        It holds the others.
    """
    timed = bool(shown(profile))
    axes = axes_of(ax, SIZE)
    axes.set_title(verdict(profile), fontsize="medium")
    bars, chart = divided(axes, [BARS, CHART if timed else (0.0, 0.0, 1.0, 1.0)])
    if timed:
        speed_of_light(profile, bars)
    else:
        bars.remove()
    memory_chart(profile, chart, measured=measured)
    return axes


def verdict(profile: Figures) -> str:
    """Say what was run, how long it takes and what binds it, a line or two each.

    Parameters
    ----------
    profile : Profile
    """
    lines = (heading(profile), duration(profile), why(profile))
    return "\n".join(textwrap.fill(line, COLUMNS) for line in lines if line)
