"""Waves: how full the GPU is while the blocks of a launch go through it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpusim.errors import ParameterError
from gpusim.pictures.canvas import BLUE, FAINT, ORANGE, axes_of, styled
from gpusim.report.units import format_count, format_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.results.figures import Figures

SIZE = (8.0, 3.0)
MOST = 12
"""Waves that are drawn one by one."""


@styled()
def waves(profile: Figures, ax: Axes | None = None) -> Axes:
    """Draw the share of the GPU's places for blocks that each wave takes; the last one may leave most of them empty.

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
        Nobody knows how many blocks the GPU holds.
    """
    count = float(profile.waves)
    if math.isnan(count):
        raise ParameterError("how many waves a launch has is not known of this profile")
    axes = axes_of(ax, SIZE)
    whole = math.floor(count)
    last = count - whole
    shares = [1.0] * whole + ([last] if last > 1e-9 else [])
    drawn = shares if len(shares) <= MOST else [*shares[: MOST // 2], *shares[-(MOST // 2) :]]
    first_left_out = MOST // 2 if len(shares) > MOST else len(shares)
    numbers = [k + 1 if k < first_left_out else len(shares) - len(drawn) + k + 1 for k in range(len(drawn))]
    for place, share in enumerate(drawn):
        axes.bar(place, 100, width=1, facecolor="none", edgecolor=FAINT, linestyle=":")
        axes.bar(place, 100 * share, width=1, color=BLUE if share == 1 else ORANGE, edgecolor="white", linewidth=0.5)
    axes.set_xticks(range(len(drawn)), [str(number) for number in numbers])
    if first_left_out < len(shares):
        axes.annotate("…", (first_left_out - 0.5, 50), ha="center", va="center", fontsize="xx-large", color="white")
    axes.set_xlabel("wave" if len(shares) > 1 else "wave: all blocks at once")
    axes.set_ylabel("places for blocks\nthat are taken, %")
    axes.set_ylim(0, 105)
    axes.set_title(_said(profile, count, len(shares)))
    return axes


def _said(profile: Figures, count: float, rounds: int) -> str:
    held = round(profile.blocks / count) if count else 0
    text = f"{format_count(profile.blocks)} blocks, {format_count(held)} at once: {count:.4g} waves"
    return f"{text}\n{format_share(1 - count / rounds)} of the places stay empty" if rounds else text
