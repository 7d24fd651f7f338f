"""Online softmax, step by step: the largest score and the sum of exponentials, pile after pile of scores.

A pile has its own largest score m' and the sum l' of exp(x - m') over it.  With m and l of
the scores before, both together have

    top = max(m, m'),   l <- l exp(m - top) + l' exp(m' - top),   m <- top.

exp(m - top) is the correction factor: 1 unless the pile has a larger score.  Nothing before
the pile is read again.  FlashAttention rescales its O by the same factor.

Sources: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax", arXiv
1805.02867, algorithm 3 (piles of one) and equation 4 (any two parts); Dao et al. 2022,
"FlashAttention", arXiv 2205.14135, section 3.1 (piles of Bc).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gpusim.errors import ParameterError
from gpusim.model.inputs import at_least


class Step(NamedTuple):
    """What is known after a pile.

    Attributes
    ----------
    scores : tuple of float
        Of the pile.
    largest : float
        Of the pile, m'.
    pile_sum : float
        Of exp(x - m') over the pile, l'.
    correction : float
        exp(m - top), that the sum before is multiplied by; 0 before there is one.
    m : float
        The largest score so far.
    l : float
        The sum of exp(x - m) over all scores so far.
    """

    scores: tuple[float, ...]
    largest: float
    pile_sum: float
    correction: float
    m: float
    l: float  # noqa: E741


def steps(scores: Sequence[float], pile: int) -> list[Step]:
    """Take scores pile by pile.

    Parameters
    ----------
    scores : sequence of float
        Finite, one at least.
    pile : int
        Scores of a pile; the last one may have fewer.

    Returns
    -------
    list of Step

    Raises
    ------
    ParameterError
        If there is no score, one is not finite, or a pile is empty.

    Examples
    --------
    >>> for step in steps([1, 3, 2, 5], 2):
    ...     print(step.m, round(step.correction, 4), round(step.l, 4))
    3 0.0 1.1353
    5 0.1353 1.2034
    """
    at_least(1, pile=pile)
    if not scores or not all(map(math.isfinite, scores)):
        raise ParameterError("scores must be finite numbers, one at least")
    found: list[Step] = []
    m, total = -math.inf, 0.0
    for start in range(0, len(scores), pile):
        part = tuple(scores[start : start + pile])
        largest = max(part)
        pile_sum = sum(math.exp(x - largest) for x in part)
        top = max(m, largest)
        correction = math.exp(m - top)
        m, total = top, total * correction + pile_sum * math.exp(largest - top)
        found.append(Step(part, largest, pile_sum, correction, m, total))
    return found
