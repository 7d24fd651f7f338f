"""Dropout without a stored mask: random bits are a function of an element's number and a seed.

Everything takes traced values and NumPy's unsigned numbers alike: a kernel and its reference draw the same mask.
"""

from __future__ import annotations

from typing import Any

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
