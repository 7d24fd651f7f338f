"""What a warp touches: lanes against sectors of global memory, and lanes against banks of shared memory."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.errors import ParameterError, UnknownNameError
from gpusim.pictures.canvas import FAINT, HEAT, INK, RED, axes_of, cut, divided, styled
from gpusim.report.units import format_share
from gpusim.results.touches import BANKS, SECTOR, WORD

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.results.touches import Touch

SIZE = (10.0, 4.2)
LANES, IN_SECTOR = 32, SECTOR // WORD
STRIP = 0.1
"""Share of the height that sums over the lanes take, above them."""

MOST_LABELS = 8
"""Sectors that have their place written below them."""


def chosen(touches: Sequence[Touch], line: str | None = None) -> list[Touch]:
    """Choose what is worth drawing: of global and of shared memory what costs most beyond what its words need.

    Parameters
    ----------
    touches : sequence of Touch
    line : str, optional
        Only of this line, ``"file.cu:41"`` or ``"41"``.

    Returns
    -------
    list of Touch
        One or two.

    Raises
    ------
    UnknownNameError
        Nothing is touched by that line.
    """
    if line is not None:
        lines = list(dict.fromkeys(touch.line for touch in touches if touch.line))
        of_line = [touch for touch in touches if touch.line == line or touch.line.rpartition(":")[2] == line]
        if not of_line:
            raise UnknownNameError("line that touches memory", line, lines)
        touches = of_line
    found = []
    for space, cost in (("global", _excess), ("shared", _conflicts)):
        of_space = [touch for touch in touches if touch.space == space and touch.lanes]
        if of_space:
            found.append(max(of_space, key=cost))
    if not found:
        raise ParameterError("the warp touches neither global nor shared memory there")
    return found


def _excess(touch: Touch) -> tuple[int, int]:
    return len(touch.sectors) - touch.ideal_sectors, touch.times


def _conflicts(touch: Touch) -> tuple[int, int]:
    return touch.conflicts, touch.times


@styled()
def warp(touches: Sequence[Touch], ax: Axes | None = None) -> Axes:
    """Draw accesses of a warp side by side, such as those before and after a swizzle.

    Parameters
    ----------
    touches : sequence of Touch
        Of global or shared memory.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        It holds the others.
    """
    axes = axes_of(ax, SIZE)
    width, gap = 1 / len(touches), 0.09
    boxes = [(k * width + (gap / 2 if k else 0), 0.0, width - gap / 2, 0.88) for k in range(len(touches))]
    for part, touch in zip(divided(axes, boxes), touches, strict=True):
        (_banks if touch.space == "shared" else _sectors)(part, touch)
    return axes


def _titled(axes: Axes, touch: Touch, cost: str) -> tuple[Axes, Axes]:
    """Write what is drawn above it; gives the axes of the lanes, and those of the strip above."""
    where = f"{touch.line}  {touch.text}" if touch.line else touch.instruction
    axes.set_title(f"{cut(where, 56)}\n{cost}", fontsize="small")
    lanes, strip = divided(axes, [(0.0, 0.0, 1.0, 1 - 2 * STRIP), (0.0, 1 - 1.6 * STRIP, 1.0, STRIP)])
    lanes.set_ylabel("lane")
    lanes.set_yticks([0, 8, 16, 24, 31])
    strip.set_yticks([])
    strip.set_xticks([])
    return lanes, strip


def _heat(axes: Axes, cells: np.ndarray, most: float) -> None:
    """A heat map, of which nothing is seen where there is nothing; what is little is told apart better than much."""
    from matplotlib.colors import PowerNorm

    shown = np.ma.masked_equal(cells, 0)
    norm = PowerNorm(gamma=0.5, vmin=0, vmax=most)
    axes.imshow(shown, aspect="auto", cmap=HEAT, norm=norm, interpolation="nearest")
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_color(FAINT)


def _sectors(axes: Axes, touch: Touch) -> None:
    """Lanes against the words of the sectors that they touch; how much of each sector is used, above."""
    sectors = touch.sectors
    place = {sector: k for k, sector in enumerate(sectors)}
    cells, used = np.zeros((LANES, IN_SECTOR * len(sectors))), np.zeros(len(sectors))
    seen = set[int]()
    for lane in touch.lanes:
        for word in touch.words(lane):
            first = word - (word + touch.first_byte) % SECTOR
            cells[lane, IN_SECTOR * place[first] + (word - first) // WORD] = lane + 1
            used[place[first]] += word not in seen
            seen.add(word)
    name = f" of {touch.array}" if touch.array else ""
    few = f"{touch.ideal_sectors} would do" if len(sectors) > touch.ideal_sectors else "no fewer would do"
    count = f"{len(sectors)} sector{'s' if len(sectors) > 1 else ''}"
    lanes, strip = _titled(axes, touch, f"{touch.does}{name}: {count}; {few}")
    _heat(lanes, cells, LANES)
    _heat(strip, used[None, :], IN_SECTOR)
    strip.set_ylabel("used", rotation=0, ha="right", va="center", fontsize="small")
    share = used.sum() / (IN_SECTOR * len(sectors))
    strip.set_title(f"{format_share(share)} of them", fontsize="x-small", loc="right", pad=1)
    _mark_sectors(lanes, sectors)


def _mark_sectors(axes: Axes, sectors: Sequence[int]) -> None:
    """Lines between sectors, darker where the next one does not follow in memory; where they begin, below."""
    for k in range(1, len(sectors)):
        apart = sectors[k] != sectors[k - 1] + SECTOR
        axes.axvline(IN_SECTOR * k - 0.5, color=INK if apart else FAINT, linewidth=0.8 if apart else 0.4)
    every = max(-(-len(sectors) // MOST_LABELS), 1)
    marked = range(0, len(sectors), every)
    axes.set_xticks([IN_SECTOR * k - 0.5 for k in marked], [f"{sectors[k]}" for k in marked], fontsize="small")
    far = any(b != a + SECTOR for a, b in itertools.pairwise(sectors))
    axes.set_xlabel(f"bytes from the array's start, a sector each{'; dark lines: a gap' if far else ''}")


def _banks(axes: Axes, touch: Touch) -> None:
    """Lanes against banks: how many words of a bank the warp asks for; the same above, summed up over lanes."""
    words: dict[int, set[int]] = defaultdict(set)
    for lane in touch.lanes:
        for word in touch.words(lane):
            words[word // WORD % BANKS].add(word)
    cells = np.zeros((LANES, BANKS))
    for lane in touch.lanes:
        for word in touch.words(lane):
            bank = word // WORD % BANKS
            cells[lane, bank] = len(words[bank])
    sums = np.array([[len(words[bank]) for bank in range(BANKS)]])
    cost = f"{touch.wavefronts} wavefront{'s' if touch.wavefronts > 1 else ''}"
    few = f"{touch.ideal_wavefronts} without conflicts" if touch.conflicts else "no conflict"
    lanes, strip = _titled(axes, touch, f"shared {touch.does}: {cost}; {few}")
    _heat(lanes, cells, LANES)
    _heat(strip, sums, LANES)
    _write_sums(strip, sums[0])
    lanes.set_xticks([0, 8, 16, 24, 31])
    lanes.set_xlabel("bank; colour and numbers: words of it that the warp asks for")
    strip.set_ylabel("words", rotation=0, ha="right", va="center", fontsize="small")


def _write_sums(strip: Axes, sums: Any) -> None:
    """The most frequent numbers above the banks, where they fit."""
    worst = max(sums)
    if Counter(sums)[worst] > BANKS // 2:
        strip.set_title(f"{worst} each", fontsize="x-small", loc="right", pad=1, color=INK)
        return
    for bank, number in enumerate(sums):
        if number == worst:
            strip.annotate(f"{number}", (bank, -0.5), (0, 1), textcoords="offset points", ha="center",
                           fontsize="x-small", color=RED)  # fmt: skip
