"""Progress on standard error, for work that turns out to take longer than two seconds."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

Progress = Callable[[int, int, str], None]
"""What is told of progress: what is done, what there is to do, and what is being done in a few words."""

PATIENCE = 2.0
"""Seconds that pass before anything is shown."""
BETWEEN_LINES = 10.0
"""Seconds from one line about compilation to the next, where there is no terminal."""
SHORTEST = 0.25
"""Seconds that a piece of work takes at least that is shown."""
APART = 1.0
"""Seconds of other work after which pieces are waited for anew."""
REFRESH = 0.25
"""Seconds between two looks at how far compilation is."""
BESIDE_TEXT = 28
"""Columns of spinner, a short bar, per cent, seconds and the spaces between."""
LEAST_TEXT = 26
"""Columns that are left to what is being done, though the bar all but vanishes."""
QUIET = "GPUSIM_QUIET"
"""Environment variable: show no progress."""


class Compilation(Protocol):
    """Compiling as it is shown: see :class:`gpusim.engine.compiling.compilation.Compilation`."""

    text: str

    @property
    def share(self) -> float:
        """Of all the work, what is done; 0 to 1."""

    @property
    def seconds_left(self) -> float:
        """How long the rest takes."""


class ProgressLine:
    """Show how far a computation has come, once it has run for two seconds.

    On a terminal a bar that vanishes at the end; elsewhere one line for each
    new stage, and one every ten seconds while the engine is compiled.  Use it as
    a context manager and hand it to whatever works, which calls it with what is
    done, what there is to do, and what it is doing.  With ``GPUSIM_QUIET`` set
    nothing is shown.

    Parameters
    ----------
    console : rich.console.Console, optional
        Standard error unless given.
    patience : float
        Seconds to wait before showing anything.
    between : float
        Seconds from one line about compilation to the next.
    """

    current: ProgressLine | None = None
    """What shows the progress of this process, if anything does."""

    def __init__(
        self, console: Console | None = None, patience: float = PATIENCE, between: float = BETWEEN_LINES
    ) -> None:
        self._console = console or Console(stderr=True, highlight=False, markup=False)
        self._patience, self._between = patience, between
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._state: tuple[float, float | None, str] = (0, None, "working")
        self._compilation: Compilation | None = None
        self._shown = False
        self._said, self._said_at = "", -float("inf")
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if not os.environ.get(QUIET):
            self._thread.start()
        ProgressLine.current = self
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        ProgressLine.current = None
        self._over.set()
        with self._lock:
            if self._bar is not None:
                self._bar.stop()

    def __call__(self, done: float, total: float | None, text: str) -> None:
        """Take note of the progress made.

        Parameters
        ----------
        done : float
            Work done, in units of the caller's choice.
        total : float or None
            Work there is, in the same units; None where that is not known.
        text : str
            What is being done, in a few words.
        """
        with self._lock:
            self._state = (done, total, text)
            self._update()

    @contextmanager
    def compiling(self, compilation: Compilation) -> Iterator[None]:
        """While the engine is compiled, show how far that is instead of anything else."""
        with self._lock:
            self._compilation = compilation
        try:
            yield
        finally:
            with self._lock:
                self._compilation = None
                if self._bar is not None:
                    self._update()

    def _watch(self) -> None:
        """Begin once it has taken long enough; look after compilation, which does not report by itself."""
        if self._over.wait(self._patience):
            return
        with self._lock:
            self._begin()
        while not self._over.wait(REFRESH):
            with self._lock:
                if self._compilation is not None:
                    self._update()

    def _begin(self) -> None:
        if self._over.is_set():
            return
        self._shown = True
        if self._console.is_terminal:
            self._bar = _bar(self._console)
            self._task = self._bar.add_task("working", total=None, left="")
            self._bar.start()
        self._update()

    def _update(self) -> None:
        if not self._shown or self._over.is_set():
            return
        (done, total, text), left = self._state, ""
        if self._compilation is not None:
            done, total, text = self._compilation.share, 1.0, self._compilation.text
            left = about(self._compilation.seconds_left)
        if self._bar is not None and self._task is not None:
            left = left and f"{left} left"
            text = shortened(text, max(self._console.width - BESIDE_TEXT - len(left), LEAST_TEXT))
            self._bar.update(self._task, description=text, completed=done, total=total, left=left)
        else:
            self._say(text, left and (f": {100 * done:.0f} % done, {left} left" if done >= 0.01 else f": {left}"))

    def _say(self, text: str, more: str) -> None:
        """A line, if it is a new stage, or if it says more and the last one is a while ago."""
        now = time.monotonic()
        if text != self._said or (more and now - self._said_at >= self._between):
            self._said, self._said_at = text, now
            self._console.print(f"gpusim: {text}{more} ...", soft_wrap=True)


class Pieces:
    """Show how far work has come that comes in pieces, each of them maybe short, with somebody else's work between.

    A piece shows as a :class:`ProgressLine` does, sooner where those before it took two seconds together. Of pieces too
    short for that a line tells every ten seconds.

    Parameters
    ----------
    what : str
        What they are called.
    console : rich.console.Console, optional
        Standard error unless given.
    clock : callable
        Gives seconds.

    Examples
    --------
    >>> pieces = Pieces("launches")
    >>> with pieces() as progress:
    ...     progress(1, 2, "executing")
    """

    def __init__(self, what: str, console: Console | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._console, self._clock = what, console or Console(stderr=True, highlight=False), clock
        self._since = self._told = self._ended = -float("inf")

    @contextmanager
    def __call__(self, text: str = "working") -> Iterator[ProgressLine]:
        """A piece."""
        now = self._clock()
        if now - self._ended > APART:
            self._since = self._told = now
        with ProgressLine(self._console, max(PATIENCE - (now - self._since), SHORTEST)) as line:
            line(0, None, text)
            yield line
        self._ended = self._clock()
        if self._ended - self._told >= BETWEEN_LINES and not os.environ.get(QUIET):
            self._told = self._ended
            self._console.print(f"gpusim: {self._ended - self._since:.0f} s of {self._what} ...", soft_wrap=True)


@contextmanager
def compiling(compilation: Compilation) -> Iterator[None]:
    """Show how far the compilation of the engine is, where progress is shown already or on a line of its own.

    Parameters
    ----------
    compilation : Compilation
    """
    line = ProgressLine.current
    with nullcontext(line) if line else ProgressLine() as shown, shown.compiling(compilation):
        yield


def shortened(text: str, width: int) -> str:
    """End a text that is too long in "…".

    Examples
    --------
    >>> shortened("counting", 8), shortened("counting blocks", 8)
    ('counting', 'countin…')
    """
    return text if len(text) <= width else f"{text[: width - 1]}…"


def about(seconds: float) -> str:
    """Say roughly how long something takes.

    Examples
    --------
    >>> about(3), about(38), about(61), about(290)
    ('about 5 s', 'about 40 s', 'about a minute', 'about 5 minutes')
    """
    if seconds < 45:
        return f"about {max(5, 5 * round(seconds / 5))} s"
    minutes = round(seconds / 60)
    return "about a minute" if minutes <= 1 else f"about {minutes} minutes"


def _bar(console: Console) -> Bar:
    from rich.progress import BarColumn, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
        BarColumn(bar_width=None, table_column=Column(min_width=1, ratio=1)),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", markup=False, table_column=Column(no_wrap=True)),
    )
    return Bar(*columns, console=console, transient=True, expand=True)
