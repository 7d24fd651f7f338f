"""Errors of the hardware room, each worded as one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SpecError(ValueError):
    """A GPU specification that cannot be used; the message names file, key and what is allowed."""


class OccupancyError(ValueError):
    """A block that no SM of the GPU can hold; the message says what is asked and the largest that fits."""


def suggest(name: str, known: Iterable[str]) -> str:
    """Word which known names an unknown one may have meant.

    Parameters
    ----------
    name : str
        What was given; letter case does not matter.
    known : iterable of str
        Every name that would have been accepted.

    Returns
    -------
    str
        The nearest names, or all of them where none is near.

    Examples
    --------
    >>> suggest("h20", ["a100-40gb", "h200"])
    'did you mean h200?'
    >>> suggest("xyz", ["a100-40gb", "h200"])
    'there are a100-40gb, h200'
    """
    names = list(known)
    lower = {candidate.lower(): candidate for candidate in names}
    near = [lower[hit] for hit in difflib.get_close_matches(name.lower(), lower)]
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"there are {', '.join(names)}"
