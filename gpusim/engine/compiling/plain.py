"""How everything in the engine is compiled by any numba: with what numba documents, and nothing else.

Numbers are the same as those of :mod:`gpusim.engine.compiling.parts`, to the digit.  numba optimises a function once
more in each that calls it, so the first run takes several times as long.  What Python calls is kept, by numba itself,
in gpusim's folder; a process that is stopped leaves nothing of what it was at.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from numba import cfunc, config, njit
from numba.core import event

from gpusim.engine.compiling import store
from gpusim.engine.compiling.compilation import Compilation, Function
from gpusim.engine.compiling.watching import kept, tell, without_collection
from gpusim.folders import keep, load, usable


@cache
def options() -> dict[str, Any]:
    """Options of all functions: no reference counting, where this release knows that; it is not documented."""
    known: dict[str, Any] = {"error_model": "numpy"}
    fewer: dict[str, Any] = {**known, "_nrt": False}
    try:
        njit("int64(int64)", **fewer)(lambda x: x)
    except Exception:  # whatever a release makes of an option that it does not know
        return known
    return fewer


def jit(function: Function) -> Any:
    """Compile; LLVM chooses whether it becomes part of its callers' code or is called."""
    return njit(**options())(function)


def inline(function: Function) -> Any:
    """Compile into its callers: for what is small, or called from one place with many arrays."""
    return njit(forceinline=True, **options())(function)


def spliced(function: Function) -> Any:
    """Part of its one caller already as numba sees it: for what is large."""
    return njit(inline="always", **options())(function)


cold = jit
"""For what is rarely run; numba has no word for it."""


def compile_for_calls(function: Function, signature: Any) -> Any:
    """Compile now, to be called by address: numba's ``CFunc``, whose ``address`` holds while it lives."""
    with _told(function), _kept_by_numba() as keeps:
        return cfunc(signature, cache=keeps, **options())(function)


def whole(function: Any) -> Any:
    """What :func:`jit` made, as Python calls it."""
    return _whole(function.py_func)


@kept
def _whole(function: Function) -> Any:
    """Machines run side by side, so it lets go of the interpreter's lock."""
    with _kept_by_numba() as keeps:
        return njit(nogil=True, cache=keeps, **options())(function)


def compile_whole(function: Any, signature: tuple[Any, ...]) -> None:
    """Compile what Python calls, for arguments of these types, or load it."""
    with _told(function.py_func):
        whole(function).compile(signature)


def is_kept(function: Function) -> bool:
    """Whether compiled code of a function is there, for some types of its arguments."""
    return load(_mark(function)) is not None


def _mark(function: Function) -> Path:
    """The file that says that numba has kept a function."""
    return store.FOLDER / f"{store.name_of(function)}.plain"


class _Listener(event.Listener):
    """Says which function numba has compiled."""

    def on_start(self, event: Any) -> None:
        """Nothing is done yet."""

    def on_end(self, event: Any) -> None:
        """It is part of what calls it, or will be."""
        tell(Compilation.lowered, event.data["dispatcher"].py_func)


@contextmanager
def _told(function: Function) -> Iterator[None]:
    """Says how far a function is, with all that it calls, and that it is compiled."""
    with without_collection(), event.install_listener("numba:compile", _Listener()):
        yield
    tell(Compilation.lowered, function)
    tell(Compilation.finished, function)
    if not is_kept(function):
        keep(_mark(function), b"")


@contextmanager
def _kept_by_numba() -> Iterator[bool]:
    """Whether numba may keep what is decorated meanwhile; if so, it does so in gpusim's folder.

    numba looks for a change only in a function's own file.  That folder's name changes with all files.
    """
    settings: Any = config
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(store.FOLDER)
    try:
        yield usable(store.FOLDER)
    finally:
        settings.CACHE_DIR = before
