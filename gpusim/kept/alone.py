"""What is kept and nothing else: for who wants to know how much of some work is done already."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class NotKeptError(Exception):
    """It would have to be worked out now."""


_alone: ContextVar[bool] = ContextVar("alone", default=False)


@contextmanager
def kept_alone() -> Iterator[None]:
    """Have whatever is asked for meanwhile given only if it is kept; else :class:`NotKeptError` is raised."""
    token = _alone.set(True)
    try:
        yield
    finally:
        _alone.reset(token)


def check_wanted() -> None:
    """Called before something is worked out that was not kept.

    Raises
    ------
    NotKeptError
        Only what is kept is asked for.
    """
    if _alone.get():
        raise NotKeptError
