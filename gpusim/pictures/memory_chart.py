"""The memory chart: a box for each level of the memory hierarchy, bytes on the arrows between them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from gpusim.pictures.canvas import BLUE, GREEN, INK, ORANGE, RED, SKY, axes_of, styled
from gpusim.pictures.flows import DEVICE, KERNEL, L1, L2, SHARED, Flow, flowing, inside, levels, title
from gpusim.report.units import format_bytes, format_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.results.figures import Figures

Direction = Literal["across", "down"]

SIZES: dict[Direction, tuple[float, float]] = {"across": (10.0, 4.6), "down": (5.0, 7.2)}
"""Width and height of a figure, inches."""

THIN, THICK, LEAST, MOST = 1.0, 8.0, 3.0, 12.0
"""Widths of arrows, points, of 10^LEAST bytes and less, and of 10^MOST and more."""

COLOURS = {KERNEL: ORANGE, L1: SKY, SHARED: GREEN, L2: SKY, DEVICE: SKY}
READ, WRITE = BLUE, RED


class Span(NamedTuple):
    """A stretch of one axis, 0 to 1."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Half way."""
        return (self.low + self.high) / 2


class Box(NamedTuple):
    """Where a level stands: from the kernel to device memory, and across that way."""

    along: Span
    across: Span


class Lane(NamedTuple):
    """Where an arrow runs: between which boxes, how far across, as which of how many side by side."""

    along: Span
    across: float
    number: int
    among: int


ROOMY = 3
"""Arrows side by side that have room for three lines of text each."""

WHOLE = Span(0.0, 1.0)
PLACES: dict[Direction, dict[str, Span]] = {
    "across": {KERNEL: Span(0.0, 0.13), L1: Span(0.33, 0.48), L2: Span(0.61, 0.76), DEVICE: Span(0.88, 1.0)},
    "down": {KERNEL: Span(0.0, 0.1), L1: Span(0.29, 0.42), L2: Span(0.59, 0.76), DEVICE: Span(0.91, 1.0)},
}
"""How far each level is from the kernel; shared memory stands beside L1."""

SPLIT, GAP = 0.5, 0.06
"""How much of the width L1 takes beside shared memory, and what is between them."""


@styled()
def memory_chart(
    profile: Figures, ax: Axes | None = None, *, measured: Figures | None = None, direction: Direction = "across"
) -> Axes:
    """Draw the levels of the memory hierarchy and the bytes that a launch moves between them.

    Parameters
    ----------
    profile : Profile
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    measured : Figures, optional
        The same launch as hardware counted it, whose bytes and hit rates stand below those predicted.
    direction : str
        ``"across"``: the kernel at the left, device memory at the right; ``"down"``: from above to below, for narrow
        pages.

    Returns
    -------
    matplotlib.axes.Axes
    """
    axes = axes_of(ax, SIZES[direction])
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    chart = _Chart(axes, profile, measured, direction)
    for level in levels(profile):
        chart.box(level)
    chart.arrows()
    return axes


class _Chart:
    """A chart while it is drawn; "along" leads from the kernel to device memory, whichever way the page has it."""

    def __init__(self, axes: Axes, profile: Figures, measured: Figures | None, direction: Direction) -> None:
        self.axes, self.profile, self.measured, self.direction = axes, profile, measured, direction
        self.boxes = {level: self._place(level) for level in levels(profile)}

    def _place(self, level: str) -> Box:
        places = PLACES[self.direction]
        if level == SHARED:
            return Box(places[L1], Span(SPLIT + GAP, 1.0))
        beside = level == L1 and SHARED in levels(self.profile)
        return Box(places[level], Span(0.0, SPLIT) if beside else WHOLE)

    def _point(self, along: float, across: float) -> tuple[float, float]:
        return (along, 1 - across) if self.direction == "across" else (across, 1 - along)

    def box(self, level: str) -> None:
        """Draw a level with its name and what is known of it."""
        from matplotlib.patches import FancyBboxPatch

        along, across = self.boxes[level]
        (x0, y0), (x1, y1) = self._point(along.low, across.low), self._point(along.high, across.high)
        corner, width, height = (min(x0, x1), min(y0, y1)), abs(x1 - x0), abs(y1 - y0)
        style = f"round,pad=0,rounding_size={0.02}"
        colour = COLOURS[level]
        self.axes.add_patch(
            FancyBboxPatch(corner, width, height, boxstyle=style, facecolor=(colour, 0.25), edgecolor=colour)
        )
        middle = self._point(along.middle, across.middle)
        lines = self._lines(level)
        shift = 6.5 * len(lines)
        self._text(middle, title(self.profile, level), (0, shift), weight="bold")
        for number, line in enumerate(lines):
            self._text(middle, line, (0, shift - 13 * (number + 1)), size="small")

    def _lines(self, level: str) -> list[str]:
        """What stands below a level's name; numbers that were measured behind those predicted."""
        said = [part for line in inside(self.profile, level) for part in self._broken(line)]
        rates = {L1: "l1_hit_rate", L2: "l2_hit_rate"}
        if self.measured is not None and level in rates:
            rate = getattr(self.measured, rates[level])
            said[1:1] = [] if math.isnan(rate) else [f"measured {format_share(rate)}"]
        return said

    def _broken(self, line: str) -> list[str]:
        """A line as two where the boxes are narrow."""
        number, unit, words = [*line.split(" ", 2), ""][:3]
        return [f"{number} {unit}", words] if self.direction == "across" and len(line) > 16 else [line]

    def arrows(self) -> None:
        """Draw what flows between any two levels, side by side."""
        between: dict[frozenset[str], list[Flow]] = {}
        for flow in flowing(self.profile):
            between.setdefault(frozenset((flow.source, flow.target)), []).append(flow)
        for ends, flows in between.items():
            if ends == {L1, SHARED}:
                self._beside(flows[0])
                continue
            first, last = sorted((self.boxes[level] for level in ends), key=lambda box: box.along)
            room = first.across if first.across != WHOLE else last.across
            step = (room.high - room.low) / len(flows)
            for number, flow in enumerate(flows):
                at = number + (0.5 if self.direction == "across" else 0.1)
                lane = Lane(Span(first.along.high, last.along.low), room.low + at * step, number, len(flows))
                self._arrow(flow, lane)

    def _arrow(self, flow: Flow, lane: Lane) -> None:
        begin, end = self._point(lane.along.low, lane.across), self._point(lane.along.high, lane.across)
        outward = self.boxes[flow.source].along < self.boxes[flow.target].along
        self._line(flow, *((begin, end) if outward else (end, begin)))
        (self._label_across if self.direction == "across" else self._label_down)(flow, lane)

    def _label_across(self, flow: Flow, lane: Lane) -> None:
        """What flows above an arrow, and below it how much; all above where arrows are many."""
        at = self._point(lane.along.middle, lane.across)
        if lane.among > ROOMY:
            self._text(at, f"{flow.name} {self._bytes(flow)}", (0, 10), size="x-small")
            return
        self._text(at, flow.name, (0, 14), size="small")
        self._text(at, self._bytes(flow), (0, -14), size="small", weight="bold")
        self._measured(flow, at, (0, -26))

    def _label_down(self, flow: Flow, lane: Lane) -> None:
        """What flows beside an arrow; where arrows are many, one stands higher than the next."""
        apart = 0.3 if lane.among > 2 and lane.number % 2 else 0.5 if lane.among <= 2 else 0.7
        at = self._point(lane.along.low + apart * (lane.along.high - lane.along.low), lane.across)
        self._text(at, flow.name, (8, 12), size="small", ha="left")
        self._text(at, self._bytes(flow), (8, 0), size="small", ha="left", weight="bold")
        self._measured(flow, at, (8, -12), ha="left")

    def _beside(self, flow: Flow) -> None:
        """What flows between L1 and shared memory, which stand side by side."""
        along = self.boxes[L1].along.middle
        begin, end = self._point(along, SPLIT), self._point(along, SPLIT + GAP)
        self._line(flow, begin, end)
        at = ((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
        across = self.direction == "across"
        self._text(at, f"{flow.name} {self._bytes(flow)}", (8, 0) if across else (0, 14), size="small",
                   ha="left" if across else "center")  # fmt: skip

    def _line(self, flow: Flow, begin: tuple[float, float], end: tuple[float, float]) -> None:
        """An arrow, the wider the more bytes; dotted where nothing flows."""
        nbytes = flow.nbytes(self.profile)
        reads = flow.name.endswith(("loads", "reads", "textures", "operands", "copies"))
        colour = READ if reads else WRITE
        arrow = {"arrowstyle": "-|>", "color": colour, "shrinkA": 1, "shrinkB": 1, "linewidth": _width(nbytes)}
        arrow |= {"mutation_scale": 9 + _width(nbytes)}
        if not nbytes > 0:
            arrow |= {"linestyle": ":"}
        self.axes.annotate("", end, begin, arrowprops=arrow)

    def _bytes(self, flow: Flow) -> str:
        return format_bytes(flow.nbytes(self.profile))

    def _measured(self, flow: Flow, at: tuple[float, float], offset: tuple[int, int], ha: str = "center") -> None:
        if self.measured is not None and not math.isnan(nbytes := flow.nbytes(self.measured)):
            self._text(at, f"measured {format_bytes(nbytes)}", offset, size="x-small", ha=ha, style="italic")

    def _text(self, at: tuple[float, float], text: str, offset: tuple[float, float], ha: str = "center",
              **how: Any) -> None:  # fmt: skip
        self.axes.annotate(text, at, offset, textcoords="offset points", ha=ha, va="center", color=INK, **how)


def _width(nbytes: float) -> float:
    """Points of an arrow's width: as the logarithm of its bytes."""
    if not nbytes > 0:
        return THIN
    share = (math.log10(nbytes) - LEAST) / (MOST - LEAST)
    return THIN + (THICK - THIN) * min(max(share, 0.0), 1.0)
