"""Text folded to a width, with every number in one piece."""

from __future__ import annotations

import re
import textwrap

_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}(?: \d{3})+(?!\d)")
_UNIT = re.compile(r"(?<=[\d∞?]) (?=(?:%|[kMGTPE]?(?:B|Hz|FLOP)|[kMGTPE]|[num]?s|°C)(?![\w]))")
_PARTS = re.compile(r"[\[(]?[^\[(_.,/:=-]*[_.,/:=-]+|[\[(]?[^\[(_.,/:=-]+|.")
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
    lines = (wrapper.fill(_parted(joined(line), width)) if len(line) > width else line for line in text.split("\n"))
    return "\n".join(lines).replace(_JOINT, " ")


def _parted(text: str, width: int) -> str:
    """The text with spaces where words longer than a line may be broken."""
    return " ".join(" ".join(name_lines(word, width)) for word in text.split(" "))


def name_lines(name: str, width: int) -> list[str]:
    """Break a name that is longer than a line between its parts.

    Parameters
    ----------
    name : str
    width : int
        Columns; a part that is longer stays whole.

    Examples
    --------
    >>> name_lines("lts__t_sectors_srcunit_tex_op_read.sum", 16)
    ['lts__t_sectors_', 'srcunit_tex_op_', 'read.sum']
    """
    lines = [""]
    for part in _PARTS.findall(name):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return lines


def joined(text: str) -> str:
    """Put no-break spaces within numbers, and between them and their units; a text of the same length."""
    return _UNIT.sub(_JOINT, _THOUSANDS.sub(lambda number: number[0].replace(" ", _JOINT), text))
