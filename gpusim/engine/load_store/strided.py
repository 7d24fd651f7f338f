"""All lanes' words at once, where they lie at one distance from lane to lane in memory."""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline
from gpusim.engine.state.columns import LANES


@inline
def load_strided(row, words, first, step):
    """Lane ``k`` of a register takes word ``first + k * step``."""
    if step == 1:
        for lane in range(LANES):
            row[lane] = words[first + lane]
    elif step == 0:
        word = words[first]
        for lane in range(LANES):
            row[lane] = word
    else:
        for lane in range(LANES):
            row[lane] = words[first + lane * step]


@inline
def store_strided(row, words, first, step):
    """Lane ``k`` of a register goes to word ``first + k * step``, the last lane last."""
    if step == 1:
        for lane in range(LANES):
            words[first + lane] = row[lane]
    else:
        for lane in range(LANES):
            words[first + lane * step] = row[lane]
