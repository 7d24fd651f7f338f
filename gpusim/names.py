"""Names that are not known, and the ones that may have been meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

MOST = 5
"""Names that a message gives at most."""

LEAST_PART = 3
"""Letters from which on a name counts as part of another."""


def nearest(name: str, known: Iterable[str], count: int = MOST) -> list[str]:
    """Give the names most like `name`, best first; letter case does not matter.

    Names that begin with what was given come first, then those that resemble it, then those with it inside.

    Parameters
    ----------
    name : str
        What was given.
    known : iterable of str
        Names to choose from.
    count : int
        How many to give at most.

    Returns
    -------
    list of str

    Examples
    --------
    >>> nearest("TILE", ["n", "tile", "title"])
    ['tile', 'title']
    >>> nearest("causal", ["softmax", "flash-attention-2-causal"])
    ['flash-attention-2-causal']
    """
    by_lower = {candidate.lower(): candidate for candidate in known}
    asked = name.lower()
    part = len(asked) >= LEAST_PART
    begin = [candidate for candidate in by_lower if part and candidate.startswith(asked)]
    alike = difflib.get_close_matches(asked, by_lower, n=count)
    inside = [candidate for candidate in by_lower if part and asked in candidate]
    return [by_lower[hit] for hit in dict.fromkeys([*begin, *alike, *inside])][:count]


def suggest(name: str, known: Iterable[str], listing: str = "") -> str:
    """Word which known names an unknown one may have meant.

    Parameters
    ----------
    name : str
        What was given.
    known : iterable of str
        Every name that would have been accepted.
    listing : str
        The command that lists them.

    Returns
    -------
    str
        The nearest names, :data:`MOST` at most; where none is near, some of all.

    Examples
    --------
    >>> suggest("h20", ["a100-40gb", "h200"])
    'did you mean h200?'
    >>> suggest("xyz", ["a100-40gb", "h200"])
    'there are a100-40gb, h200'
    >>> suggest("xyz", "abcdefgh", "gpusim kernels")
    'there are 8, such as a, b, c, d, e: gpusim kernels lists them'
    """
    names = list(known)
    near = nearest(name, names)
    if near:
        return f"did you mean {either(near)}?"
    if len(names) <= MOST:
        return f"there are {', '.join(names) or 'none'}"
    more = f": {listing} lists them" if listing else ""
    return f"there are {len(names)}, such as {', '.join(names[:MOST])}{more}"


def some(texts: Sequence[str], separator: str = ", ") -> str:
    """Enumerate texts, :data:`MOST` of them at most, and say how many more there are.

    Parameters
    ----------
    texts : sequence of str
    separator : str

    Examples
    --------
    >>> some("abcdefgh")
    'a, b, c, d, e and 3 more'
    """
    more = len(texts) - MOST
    return separator.join(texts[:MOST]) + (f" and {more} more" if more > 0 else "")


def either(names: list[str]) -> str:
    """Enumerate names of which one is meant.

    Parameters
    ----------
    names : list of str

    Examples
    --------
    >>> either(["a", "b", "c"])
    'a, b or c'
    """
    return " or ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


class Suggesting:
    """What offers the nearest of its attributes where one that it has not is asked for."""

    if not TYPE_CHECKING:  # a type checker knows the attributes

        def __getattr__(self, name: str) -> Any:
            kind = type(self)
            if hasattr(kind, name):  # it is there, and failed: say how
                return object.__getattribute__(self, name)
            message = f"{kind.__name__!r} object has no attribute {name!r}"
            near = [] if name.startswith("_") else nearest(name, (a for a in dir(kind) if not a.startswith("_")))
            raise AttributeError(f"{message}: did you mean {either(near)}?" if near else message, name=name, obj=self)
