"""Numbers that look random and are not: what spreads lines over sets, slices and channels, and latencies."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline

ORDER_BITS, WINDOW_BITS, ROW_BITS = 20, 24, 16
"""Where in a scrambled number the bits begin that say an order or a latency, a window, a row of a table."""


@inline
def mix(x):
    """Scramble a line number (splitmix64 finalizer; Steele, Lea and Flood 2014)."""
    z = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(1))


@inline
def around(scrambled, width):
    """A value spread evenly over ``width`` around 0, chosen by the bits of a scrambled number."""
    return (((scrambled >> ORDER_BITS) & 63) - 32) * width // 64
