"""A tournament tree of minima: who of many is next, without looking at all."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline
from gpusim.engine.state.columns import NEVER


def empty_tree(n: int) -> np.ndarray:
    """Tournament tree over ``n`` leaves, all NEVER."""
    size = 1 << max(n - 1, 1).bit_length()
    return np.full(2 * size, NEVER, np.int64)


@inline
def tree_set(tree, size, leaf, value):
    """Put ``value`` at a leaf of a tournament tree of minima and mend the way to the root."""
    k = size + leaf
    tree[k] = value
    k >>= 1
    while k:
        tree[k] = min(tree[2 * k], tree[2 * k + 1])
        k >>= 1


@inline
def tree_first(tree, size):
    """Leaf with the least value; the lowest number where several share it."""
    k = 1
    while k < size:
        k = 2 * k if tree[2 * k] <= tree[2 * k + 1] else 2 * k + 1
    return k - size
