"""Errors that a user can cause, each worded as one line.

The command line prints the message of any :class:`GpusimError` and exits with
status 2; every other exception is a bug and keeps its traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GpusimError(ValueError):
    """Base of all errors that a user's input causes; as a ``ValueError`` it is caught as one, too."""


class UnknownNameError(GpusimError):
    """A name that gpusim does not know; the message offers the nearest ones.

    Parameters
    ----------
    kind : str
        What the name should have named, such as ``"parameter of matmul-tiled"``.
    name : str
        What was given.
    known : iterable of str
        Every name that would have been accepted.

    Examples
    --------
    >>> print(UnknownNameError("kernel", "matmul-tilde", ["copy", "matmul-tiled"]))
    unknown kernel 'matmul-tilde': did you mean matmul-tiled?
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(unknown_name(kind, name, self.known))


class ParameterError(GpusimError):
    """A parameter whose value cannot be used: a size below 1, a tile that does not fit, ..."""


class EndlessError(GpusimError):
    """A program that did not end within the instructions it was allowed."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> str:
    """Word the message for a name that is not among `known`.

    Parameters
    ----------
    kind : str
        What the name should have named.
    name : str
        What was given.
    known : iterable of str
        Every name that would have been accepted.

    Returns
    -------
    str
        One line: the nearest names, or all of them where none is near.

    Examples
    --------
    >>> unknown_name("GPU", "h20", ["a100", "h200"])
    "unknown GPU 'h20': did you mean h200?"
    >>> unknown_name("GPU", "xyz", ["a100", "h200"])
    "unknown GPU 'xyz': there are a100, h200"
    """
    return f"unknown {kind} {name!r}: {suggest(name, known)}"


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
    near = nearest(name, names)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"there are {', '.join(names) if names else 'none'}"


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Give the names most like `name`, best first; letter case does not matter.

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
    """
    by_lower = {candidate.lower(): candidate for candidate in known}
    return [by_lower[hit] for hit in difflib.get_close_matches(name.lower(), by_lower, n=count)]
