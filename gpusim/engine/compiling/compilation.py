"""How far the compiler has come, and how long it still needs.

Its work is told by the bytecode of what it compiles: numba takes about as long for a byte in every function, LLVM a
share of that for what it makes of it.  How long a byte takes on this machine shows as the work goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from numba.extending import is_jitted

LLVM_SHARE = 0.5
"""Time LLVM takes for a whole, in what numba takes for its functions (the machine 0.5, routines 0.2)."""
READING_SHARE = 0.02
"""Time to read a function that was compiled before."""
BYTES_A_SECOND = 5000.0
"""Bytecode that a machine of 2024 compiles in a second, for the first guess."""
GUESSED_SECONDS = 5.0
"""How long the first guess counts against what is measured."""

Function = Callable[..., Any]


class Compilation:
    """Functions that are compiled one after the other.

    Parameters
    ----------
    text : str
        What this is, in a few words.
    wholes : iterable of callable
        Each is optimised with everything it calls.
    kept : callable
        Whether a function was compiled before, and need only be read.
    clock : callable
        Gives seconds.
    """

    def __init__(
        self, text: str, wholes: Iterable[Function], kept: Callable[[Function], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.text = text
        self._clock = clock
        sizes = {whole: work(whole) for whole in wholes}
        missing = [whole for whole in sizes if not kept(whole)]
        backs = {whole: LLVM_SHARE * sum(size.values()) for whole, size in sizes.items()}
        self._back = {whole: backs[whole] for whole in missing}
        self._front = {
            function: size * (READING_SHARE if kept(function) else 1.0)
            for whole in missing
            for function, size in sizes[whole].items()
        }
        everything = {function: size for each in sizes.values() for function, size in each.items()}
        self._to_do = sum(self._front.values()) + sum(self._back.values())
        self._before = sum(everything.values()) + sum(backs.values()) - self._to_do
        self._done, self._began = 0.0, clock()
        self._optimised: Function | None = None
        self._since = self._began

    def lowered(self, function: Function) -> None:
        """A function is LLVM's now, or was read."""
        self._done += self._front.pop(function, 0.0)

    def optimises(self, whole: Function) -> None:
        """LLVM begins with a whole."""
        self.lowered(whole)
        self._optimised, self._since = whole, self._clock()

    def finished(self, whole: Function) -> None:
        """A whole can be called."""
        self._optimised = None
        self._done += self._back.pop(whole, 0.0)

    @property
    def share(self) -> float:
        """Of all the work, what is done, by this process or by one before; 0 to 1."""
        return (self._before + self._done_by_now()) / max(self._before + self._to_do, 1.0)

    @property
    def seconds_left(self) -> float:
        """How long the rest takes, should this machine go on as it has."""
        return max(self._to_do - self._done_by_now(), 0.0) / self._rate()

    def _rate(self) -> float:
        elapsed = self._clock() - self._began
        return (self._done + GUESSED_SECONDS * BYTES_A_SECOND) / (elapsed + GUESSED_SECONDS)

    def _done_by_now(self) -> float:
        """LLVM says nothing before it ends: what it is thought to have done."""
        running = self._back.get(self._optimised, 0.0) if self._optimised else 0.0
        return self._done + min((self._clock() - self._since) * self._rate(), 0.95 * running)


def work(*wholes: Function) -> dict[Function, float]:
    """Bytes of code of functions and of those they call, each once, by the functions that are compiled for them."""
    found: dict[Function, float] = {}
    todo = [*wholes]
    while todo:
        function = todo.pop()
        if function not in found:
            size, called = _own(function)
            found[function] = size
            todo += called
    return found


def _own(function: Function) -> tuple[float, list[Function]]:
    """Bytes of a function with those that numba makes part of it, and the functions these call."""
    code, size, called = function.__code__, 0.0, []
    size += len(code.co_code)
    for name in code.co_names:
        other: Any = function.__globals__.get(name)
        if not is_jitted(other):
            continue
        if other.targetoptions.get("inline") == "always":
            more, further = _own(other.py_func)
            size += more
            called += further
        else:
            called.append(other.py_func)
    return size, called
