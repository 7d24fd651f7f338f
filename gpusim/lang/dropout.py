"""Dropout without a stored mask: random bits are a function of an element's number and a seed.

Everything takes traced values and NumPy's unsigned numbers alike: a kernel and its reference draw the same mask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

PARTS = 256
"""Of so many elements a given number is dropped."""
GOLDEN = 0x9E3779B9  # 2^32 over the golden ratio: sets the streams of neighbouring seeds apart
FIRST, SECOND = 0x7FEB352D, 0x846CA68B  # multipliers of "lowbias32", C. Wellons, hash-prospector, 2018


def random_bits(counter: Any) -> Any:
    """Turn an unsigned counter into 32 random bits."""
    h = counter ^ (counter >> 16)
    h = h * FIRST
    h = h ^ (h >> 15)
    h = h * SECOND
    return h ^ (h >> 16)


def kept(counter: Any, dropped: Any) -> Any:
    """Say whether the element of this unsigned number stays where ``dropped`` of :data:`PARTS` do not."""
    return (random_bits(counter) >> 24) >= dropped


def factors(rows: int, columns: int, dropped: int, seed: int) -> np.ndarray:
    """Give what dropout multiplies a matrix with: 0, or the inverse of the share that stays.

    The counters of a row begin at a place that its number and the seed are hashed to, so that matrices of more than
    2^32 elements have masks that do not repeat; then they follow the columns.

    Parameters
    ----------
    rows, columns : int
    dropped : int
        Of :data:`PARTS` elements.
    seed : int

    Returns
    -------
    ndarray of float64, (rows, columns)
    """
    import numpy as np

    first = np.uint32(seed * GOLDEN % 2**32)
    starts = random_bits(first + np.arange(rows, dtype=np.uint32))
    stays = kept(starts[:, None] + np.arange(columns, dtype=np.uint32), dropped)
    return np.where(stays, PARTS / (PARTS - dropped), 0.0)
