"""Text folded to a width, with every number in one piece."""

from __future__ import annotations

import re
import textwrap

_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}(?: \d{3})+(?!\d)")
_UNIT = re.compile(r"(?<=[\d∞?]) (?=(?:%|[kMGTPE]?(?:B|Hz|FLOP)|[kMGTPE]|[num]?s|°C)(?![\w]))")
_JOINT = "\u00a0"  # textwrap breaks no line here; rich would


def folded(text: str, width: int) -> str:
    """Break lines that are too long, but no number from its thousands or its unit.

    Parameters
    ----------
    text : str
    width : int
        Columns.

    Returns
    -------
    str
        With plain spaces, also within numbers: what is printed can be searched for and copied as it looks.

    Examples
    --------
    >>> print(folded("its 98 451 wavefronts would be 31 250 without", 33))
    its 98 451 wavefronts would be
    31 250 without
    """
    wrapper = textwrap.TextWrapper(width, break_on_hyphens=False, replace_whitespace=False, expand_tabs=False)
    lines = (wrapper.fill(joined(line)) if len(line) > width else line for line in text.split("\n"))
    return "\n".join(lines).replace(_JOINT, " ")


def joined(text: str) -> str:
    """Put no-break spaces within numbers, and between them and their units; a text of the same length."""
    return _UNIT.sub(_JOINT, _THOUSANDS.sub(lambda number: number[0].replace(" ", _JOINT), text))
