"""What CUDA no longer has, which is refused in words rather than by a compiler's.

Source: CUDA 12.0 release notes, "Deprecated Features": texture and surface references are removed.
"""

from __future__ import annotations

import re

WORDS = "{0} references are removed from CUDA 12 on: fetch through {0} objects (cuda{1}Object_t)"

_PLACE = re.compile(r"^([^\n(]+)\((\d+)\): error: (texture|surface) is not a template", re.MULTILINE)


def refusal(log: str) -> str | None:
    """What to tell a user whose source does not compile because of what CUDA no longer has; None where it does not.

    Parameters
    ----------
    log : str
        What the compiler wrote.

    Examples
    --------
    >>> refusal("k.cu(7): error: texture is not a template")[:50]
    'k.cu:7: texture references are removed from CUDA 1'
    """
    found = _PLACE.search(log)
    if found is None:
        return None
    return f"{found[1]}:{found[2]}: {WORDS.format(found[3], found[3].capitalize())}"
