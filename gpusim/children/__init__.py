"""Programs that gpusim starts: bounded in time and memory, and never left behind.

Whatever ends gpusim, a signal that cannot be caught included, ends what it started, and what that has started: a
:mod:`~gpusim.children.guard` stands between the two.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from gpusim.children.guard import CANNOT_RUN
from gpusim.errors import GpusimError, NotEnoughMemoryError

_GUARD = (sys.executable, "-I", "-S", str(Path(__file__).with_name("guard.py")))
_GUARDED = os.name == "posix"
_PATIENCE = 10.0  # seconds that a guard is given to end what it guards
_NO_MEMORY = re.compile(r"cannot allocate memory|failed to map segment|MemoryError", re.IGNORECASE)
_SECONDS: ContextVar[float | None] = ContextVar("seconds", default=None)


class ChildError(GpusimError):
    """A program that crashed, took too long, or could not be started; the message says which, after its name."""


class Ended(NamedTuple):
    """What a program left: its exit status and what it wrote."""

    status: int
    output: bytes
    errors: bytes


class Child:
    """A program under way; a context manager that ends it, and all that it started, when it is left.

    Parameters
    ----------
    command : sequence of str
    memory : int
        Bytes it may address; 0: as many as it likes.
    **how
        As for :class:`subprocess.Popen`.
    """

    def __init__(self, command: Sequence[str], *, memory: int = 0, **how: Any) -> None:
        self._lifeline = -1
        how = {"stdin": subprocess.DEVNULL, "start_new_session": True, **how}
        if not _GUARDED:
            self.process: subprocess.Popen[Any] = subprocess.Popen(command, **how)
            return
        theirs, self._lifeline = os.pipe()
        try:
            handed = (theirs, *how.pop("pass_fds", ()))
            self.process = subprocess.Popen([*_GUARD, str(theirs), str(memory), *command], pass_fds=handed, **how)
        except BaseException:
            self._let_go()
            raise
        finally:
            os.close(theirs)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def _let_go(self) -> None:
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    def end(self) -> None:
        """End the program and what it has started, if it still runs."""
        self._let_go()
        if not _GUARDED and self.process.poll() is None:
            self.process.kill()
        try:
            self.process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(OSError):  # what was still to be written has no reader
                    stream.close()


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Give every program started meanwhile no more than so many seconds; None: each its own limit."""
    token = _SECONDS.set(seconds)
    try:
        yield
    finally:
        _SECONDS.reset(token)


def run(command: Sequence[str], *, seconds: float, memory: int = 0) -> Ended:
    """Run a program to its end.

    Parameters
    ----------
    command : sequence of str
    seconds : float
        Time it may take; less where :func:`limited` says so.
    memory : int
        Bytes it may address; 0: as many as it likes.

    Returns
    -------
    Ended

    Raises
    ------
    ChildError
        It took too long, was ended by a signal, or cannot be started.
    NotEnoughMemoryError
        There is too little memory to start it.
    """
    limit = min(seconds, _SECONDS.get() or seconds)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        with Child(command, memory=memory, **pipes) as child:
            output, errors = child.process.communicate(timeout=limit)
            status = child.process.returncode
    except subprocess.TimeoutExpired:
        raise ChildError(f"does not end within {limit:g} s") from None
    except OSError as error:
        raise _not_started(command, str(error.strerror or error)) from None
    if died := ended_by(status):
        raise ChildError(f"crashes ({died})")
    if status == CANNOT_RUN:
        raise _not_started(command, errors.decode(errors="replace").strip())
    return Ended(status, output, errors)


def _not_started(command: Sequence[str], reason: str) -> GpusimError:
    """The error for a program that cannot be started."""
    if _NO_MEMORY.search(reason):
        return NotEnoughMemoryError(f"{Path(command[0]).name} cannot be started for lack of memory: {reason}")
    return ChildError(f"cannot be started: {reason}")


def ended_by(status: int) -> str | None:
    """Name of the signal that ended a program, such as ``"SIGSEGV"``; None where it ended of itself.

    Examples
    --------
    >>> ended_by(-11), ended_by(2)
    ('SIGSEGV', None)
    """
    if status >= 0:
        return None
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
