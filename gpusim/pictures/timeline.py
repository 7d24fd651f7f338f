"""What one SM does, cycle by cycle: a row for each of its blocks, schedulers and units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpusim.errors import ParameterError
from gpusim.pictures.canvas import BLUE, FAINT, GREEN, ORANGE, axes_of, cut, styled
from gpusim.results.timeline import BLOCKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.results.timeline import Event, Timeline

ROW, MARGIN, WIDE = 0.26, 1.1, 10.0
"""Height of a track and of what stands above and below, and width of a figure, inches."""

COLOURS = {BLOCKS: FAINT, "issue": ORANGE, "unit": BLUE}
MOST_CYCLES = 2000.0
"""Cycles that are drawn unless told otherwise: single ones are seen."""


@styled()
def timeline(
    found: Timeline, ax: Axes | None = None, *, start: float | None = None, cycles: float = MOST_CYCLES
) -> Axes:
    """Draw a stretch of a timeline.

    Parameters
    ----------
    found : Timeline
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    start : float, optional
        The first cycle; that of the first event unless given.
    cycles : float
        How many.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        Nothing happens in that stretch.
    """
    begin = found.span[0] if start is None else start
    end = begin + cycles
    events = [event for event in found.events if event.begin < end and event.begin + event.cycles > begin]
    if not events:
        raise ParameterError(f"nothing happens from cycle {begin:.0f} to {end:.0f}: {found.summary}")
    tracks = [track for track in found.tracks if any(event.track == track for event in events)]
    axes = axes_of(ax, (WIDE, MARGIN + ROW * len(tracks)))
    end = min(end, max(event.begin + event.cycles for event in events if event.kind != BLOCKS or len(tracks) == 1))
    for place, track in enumerate(tracks):
        _row(axes, place, [event for event in events if event.track == track], (begin, end))
    axes.set_yticks(range(len(tracks)), tracks, fontsize="small")
    axes.invert_yaxis()
    axes.tick_params("y", length=0)
    axes.set_xlim(begin, end)
    axes.set_xlabel("cycle of the SM")
    axes.set_title(f"{cut(found.kernel)} on {found.gpu}, SM {found.sm}")
    return axes


def _row(axes: Axes, place: int, events: Sequence[Event], span: tuple[float, float]) -> None:
    """A track: its events, blocks with their numbers."""
    low, high = span
    stretches = [(max(event.begin, low), min(event.begin + event.cycles, high)) for event in events]
    kind = events[0].kind
    colours = [GREEN if kind == BLOCKS and k % 2 else COLOURS[kind] for k in range(len(events))]
    axes.broken_barh([(a, b - a) for a, b in stretches], (place - 0.4, 0.8), facecolors=colours, alpha=0.9)
    if kind != BLOCKS:
        return
    for event, (a, b) in zip(events, stretches, strict=True):
        if b - a > 0.04 * (high - low):
            axes.annotate(f"block {event.name}" if event.name.isdigit() else event.name, ((a + b) / 2, place),
                          ha="center", va="center", fontsize="x-small")  # fmt: skip
