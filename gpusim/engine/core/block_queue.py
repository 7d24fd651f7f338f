"""Blocks that are still to be handed out: stretches of the grid, one after another.

A launch of 2147483647 blocks is one stretch, so no list of its blocks is held.
"""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline
from gpusim.engine.state.columns import HANDED, STRETCH, STRETCH_BLOCKS, STRETCH_FIRST, STRETCH_KIND, STRETCH_TAKEN


@inline
def any_left(m, queue):
    """Whether a block is left to be handed out."""
    return m.misc[STRETCH] < len(queue)


@inline
def take_block(m, queue):
    """Take the next block.

    Returns
    -------
    number : int
        Its place in the grid.
    kind : int
        The row of counts that it adds to.
    age : int
        How many were taken before it.
    """
    misc = m.misc
    stretch, taken, age = queue[misc[STRETCH]], misc[STRETCH_TAKEN] + 1, misc[HANDED]
    number, kind = stretch[STRETCH_FIRST] + taken - 1, stretch[STRETCH_KIND]
    if taken == stretch[STRETCH_BLOCKS]:
        misc[STRETCH] += 1
        taken = 0
    misc[STRETCH_TAKEN], misc[HANDED] = taken, age + 1
    return number, kind, age
