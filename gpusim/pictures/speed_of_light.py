"""Speed-of-light bars: how busy each unit is, as a share of the most it can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpusim.errors import ParameterError
from gpusim.pictures.canvas import BLUE, FAINT, ORANGE, PURPLE, axes_of, styled
from gpusim.report.busy import shown
from gpusim.report.time import BUSY
from gpusim.report.units import format_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.report.busy import Busy
    from gpusim.results.figures import Figures

COLOURS = {"compute": ORANGE, "memory": BLUE, "launch": PURPLE}
"""Of a unit, by what it binds a launch by."""

BAR, MARGIN = 0.3, 0.9
"""Height of a bar and of what stands above and below, inches."""


@styled()
def speed_of_light(profile: Figures, ax: Axes | None = None) -> Axes:
    """Draw how busy units are, the busiest first.

    Parameters
    ----------
    profile : Profile
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        Nobody knows: the profile has no time.
    """
    units = shown(profile)
    if not units:
        raise ParameterError("how busy units are is known of launches with a time; this one has none")
    axes = axes_of(ax, (8.0, MARGIN + BAR * len(units)))
    places = range(len(units))
    axes.barh(places, [100 * busy.share for busy in units], color=[COLOURS[busy.unit.kind] for busy in units])
    for place, busy in zip(places, units, strict=True):
        axes.annotate(
            f"{format_share(busy.share)} {busy.error}".rstrip(), (100 * min(busy.share, 1), place), (4, 0),
            textcoords="offset points", va="center", fontsize="small",
        )  # fmt: skip
    axes.set_yticks(places, [busy.name for busy in units])
    axes.invert_yaxis()
    axes.tick_params("y", length=0)
    axes.set_xlim(0, 118)
    axes.set_xticks(range(0, 101, 20))
    axes.axvline(100 * BUSY, color=FAINT, linestyle=":", linewidth=1)
    axes.set_xlabel(f"busy, % of its peak; dotted: {format_share(BUSY)}, from which it binds")
    _explain(axes, units)
    return axes


def _explain(axes: Axes, units: Sequence[Busy]) -> None:
    """Say what the colours mean, where there are several."""
    from matplotlib.patches import Patch

    kinds = [kind for kind in COLOURS if any(busy.unit.kind == kind for busy in units)]
    if len(kinds) > 1:
        axes.legend(handles=[Patch(color=COLOURS[kind], label=kind) for kind in kinds], loc="lower right")
