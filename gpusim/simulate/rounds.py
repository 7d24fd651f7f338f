"""Rounds of blocks: the first that fill a GPU, those that follow with L2 filled, and the rest of them at the end.

The blocks of a launch take their time a round at a time.  Those of the first round find L2 cold.  Those of the last may
be fewer than an SM holds; then each of them gets on faster, but the SM does less.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gpusim.simulate.block_queue import BlockQueue, Stretch
from gpusim.simulate.placement import first_wave

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu


class Round(NamedTuple):
    """Blocks that run alike.

    Attributes
    ----------
    held : int
        Blocks that the busiest SM runs side by side.
    blocks : int
        Blocks that it runs so, one after another.
    first : int
        The first such block of the grid.
    """

    held: int
    blocks: int
    first: int


def rounds(blocks: int, n_sm: int, slots: int) -> list[Round]:
    """Rounds in which the busiest SM runs its blocks.

    Parameters
    ----------
    blocks : int
        Of the grid.
    n_sm : int
        SMs of the GPU.
    slots : int
        Blocks that an SM holds.

    Examples
    --------
    >>> rounds(1000, 100, 4)
    [Round(held=4, blocks=4, first=0), Round(held=4, blocks=4, first=400), Round(held=2, blocks=2, first=800)]
    >>> rounds(150, 100, 4)
    [Round(held=2, blocks=2, first=0)]
    """
    busiest = math.ceil(blocks / n_sm)
    held = min(slots, busiest)
    times, rest = divmod(busiest, held)
    found = [Round(held, held, 0)]
    if times > 1:
        found.append(Round(held, (times - 1) * held, held * n_sm))
    if rest:
        found.append(Round(rest, rest, times * held * n_sm))
    return found


def begins_before(found: Sequence[Round], blocks: int, n_sm: int) -> float:
    """How long before the mean end of the round before it the last round begins, in the time that a block lasts.

    Blocks of a round come apart, the more of them an SM has run one after another, until they end at any time of that
    which one lasts.  The first of the last round take the places that fall free first.

    Parameters
    ----------
    found : sequence of Round
        As :func:`rounds` gives them.
    blocks, n_sm
        As for :func:`rounds`.

    Examples
    --------
    >>> begins_before(rounds(1000, 100, 4), 1000, 100), begins_before(rounds(850, 100, 4), 850, 100)
    (0.0, 0.1875)
    """
    first, last = found[0], found[-1]
    if last.held == first.held:
        return 0.0
    times = last.first // (first.held * n_sm)
    share = (blocks - last.first) / (first.held * n_sm)
    return max(1 - 2 * share, 0.0) / 2 * (1 - 1 / times)


class Dealt(NamedTuple):
    """Blocks of some SMs.

    Attributes
    ----------
    queue : BlockQueue
        In the order in which they start.
    order : list of int
        Where the first of them start: places among these SMs.
    whole : bool
        Whether these are all blocks that these SMs run from the round's first block on.
    """

    queue: BlockQueue
    order: list[int]
    whole: bool


def dealt(one: Round, blocks: int, gpu: Gpu, sms: Sequence[int], enough: float) -> Dealt:
    """Blocks that some SMs run from the beginning of a round on: as they lie in the first wave, wave after wave.

    Parameters
    ----------
    one : Round
    blocks : int
        Of the grid.
    gpu : Gpu
        The whole of it.
    sms : sequence of int
        Some of its SMs.
    enough : float
        Blocks, no more of which are needed.
    """
    number = {sm: k for k, sm in enumerate(sms)}
    wave = gpu.sm_count * one.held
    order: list[int] = []
    stretches: list[Stretch] = []
    begin = one.first
    while begin < blocks and sum(stretch.blocks for stretch in stretches) < enough:
        lands = first_wave(gpu, one.held, blocks - begin)
        mine = [k for k, sm in enumerate(lands) if sm in number]
        if not order:
            mine = mine or [0]  # so few blocks that none of them lands here: one of them does for all
            order = [number.get(lands[k], 0) for k in mine]
        stretches += [Stretch(begin + first, n) for first, n in _runs(mine)]
        begin += wave
    return Dealt(BlockQueue(stretches), order, begin >= blocks)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Numbers that follow one another: the first, and how many."""
    for _, run in itertools.groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        found = [number for _, number in run]
        yield found[0], len(found)
