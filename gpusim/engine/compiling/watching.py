"""One thread compiles at a time, and whoever waits is told how far it is."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, wraps
from threading import RLock
from typing import Any

from gpusim.engine.compiling.compilation import Compilation, Function

_COMPILING = RLock()
_watched: list[Compilation] = []
"""What is told how far the compiler has come."""


def kept(compiles: Callable[..., Any]) -> Callable[..., Any]:
    """``functools.cache`` for what compiles: whatever thread asks, all have the same code, which is never let go."""
    found: Callable[..., Any] = cache(compiles)

    @wraps(compiles)
    def one_by_one(*args: Any) -> Any:
        with _COMPILING:
            return found(*args)

    return one_by_one


@contextmanager
def watched(
    wholes: Sequence[Function],
    text: str,
    show: Callable[[Compilation], AbstractContextManager[Any]],
    is_kept: Callable[[Function], bool],
) -> Iterator[None]:
    """While these are compiled, show how far that is; nobody else compiles meanwhile.

    Parameters
    ----------
    wholes : sequence of callable
    text : str
        What this is, in a few words.
    show : callable
        Takes a :class:`Compilation`, and gives a context in which it is shown; not called if all were compiled before.
    is_kept : callable
        Whether a function was compiled before.
    """
    with _COMPILING:
        if all(is_kept(whole) for whole in wholes):
            yield
            return
        now = Compilation(text, wholes, is_kept)
        with show(now):
            _watched.append(now)
            try:
                yield
            finally:
                _watched.remove(now)


def tell(what: Callable[[Compilation, Function], None], function: Function) -> None:
    """Tell whoever watches what has become of a function."""
    for compilation in _watched:
        what(compilation, function)


@contextmanager
def without_collection() -> Iterator[None]:
    """Little of what a compiler makes is garbage, and to look for it takes a tenth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
