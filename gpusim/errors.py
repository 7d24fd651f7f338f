"""Errors that a user can cause, each worded as one line.

The command line prints the message of any :class:`GpusimError` and exits with
status 2, of a :class:`LackingError` with 1; every other exception is a bug and keeps its traceback.
"""

from __future__ import annotations

import numbers
import operator
import reprlib
from collections.abc import Iterable, Mapping
from typing import Any

from gpusim.names import suggest

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80  # characters; of lists and the like 6 elements


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
    listing : str
        The command that lists them.

    Examples
    --------
    >>> print(UnknownNameError("kernel", "matmul-tilde", ["copy", "matmul-tiled"]))
    unknown kernel 'matmul-tilde': did you mean matmul-tiled?
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], listing: str = "") -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"unknown {kind} {shown(name)}: {suggest(str(name), self.known, listing)}")


class ParameterError(GpusimError):
    """A parameter whose value cannot be used: a size below 1, a tile that does not fit, ..."""


class ResourcesError(ParameterError):
    """A launch that fits no SM: more threads, registers or shared memory of a block than there are."""


class EndlessError(GpusimError):
    """A program that did not end within the instructions it was allowed."""


class LackingError(GpusimError):
    """What the machine lacks rather than what was given; the command line exits with status 1."""


class NotEnoughMemoryError(LackingError, MemoryError):
    """What was asked for needs more memory than the host grants; as a ``MemoryError`` it is caught as one, too."""


def shown(value: object) -> str:
    """A value as an error quotes it: in one line, shortened where it is long.

    Examples
    --------
    >>> shown("hot"), shown([1.0] * 1000)
    ("'hot'", '[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, ...]')
    """
    try:
        return " ".join(_SHORT.repr(value).split())
    except Exception:  # whatever its own code raises; an integer of thousands of digits, too
        return f"<{type(value).__name__}>"


def listed(given: Any, wanted: str, refuse: type[GpusimError], *kinds: type) -> list[Any]:
    """The elements of a list or the like, each of one of these kinds if any are told; anything else is refused.

    Parameters
    ----------
    given : object
    wanted : str
        How the message begins: what would be right.
    refuse : type of GpusimError
        What is raised.
    *kinds : type

    Examples
    --------
    >>> listed((1, 2), "sizes are a list", ParameterError, int)
    [1, 2]
    >>> listed("12", "sizes are a list", ParameterError, int)
    Traceback (most recent call last):
    gpusim.errors.ParameterError: sizes are a list, not '12'
    """
    try:
        found = None if isinstance(given, str | bytes | Mapping) else list(given)
    except TypeError:
        found = None
    if found is None:
        raise refuse(f"{wanted}, not {shown(given)}")
    if wrong := [one for one in found if kinds and not isinstance(one, kinds)]:
        raise refuse(f"{wanted}: {shown(wrong[0])} is none")
    return found


def whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number within bounds, both included.

    Parameters
    ----------
    name : str
        What messages call it.
    value : object
    least, most : int

    Raises
    ------
    ParameterError
        No whole number, or one out of bounds.

    Examples
    --------
    >>> whole("limit", 1000, 1, 2**60)
    1000
    """
    number = as_integer(value)
    if number is None:
        raise ParameterError(f"{name} must be a whole number, not {shown(value)}")
    if not least <= number <= most:
        raise ParameterError(f"{name} = {shown(number)}: it must be {least} to {most}")
    return number


def check_flags(**flags: Any) -> None:
    """Refuse what is neither True nor False, nor None where nothing was chosen.

    Raises
    ------
    ParameterError
    """
    for name, value in flags.items():
        if type(value).__name__ not in ("NoneType", "bool", "bool_"):  # Python's, and NumPy's by either of its names
            raise ParameterError(f"{name} must be True or False, not {shown(value)}")


def is_number(value: Any) -> bool:
    """Whether a value is a real number, Python's or NumPy's; NaN is one, True is none."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def as_integer(value: Any) -> int | None:
    """A whole number as a Python int; None for what is none, such as an array of several."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None
