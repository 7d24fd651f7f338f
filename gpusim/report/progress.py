"""Progress on standard error, for work that turns out to take longer than two seconds."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 2.0
"""Seconds that pass before anything is shown."""


class ProgressLine:
    """Show how far a computation has come, once it has run for two seconds.

    On a terminal a bar that vanishes at the end; elsewhere one line for each
    new stage.  Use it as a context manager and hand it to whatever works, which
    calls it with what is done, what there is to do, and what it is doing.

    Parameters
    ----------
    console : rich.console.Console, optional
        Standard error unless given.
    patience : float
        Seconds to wait before showing anything.
    """

    def __init__(self, console: Console | None = None, patience: float = PATIENCE) -> None:
        self._console = console or Console(stderr=True, highlight=False, markup=False)
        self._timer = threading.Timer(patience, self._show)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._state: tuple[float, float | None, str] = (0, None, "working")
        self._shown = False
        self._over = False
        self._said = ""
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
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

    def _show(self) -> None:
        """Two seconds have passed."""
        with self._lock:
            if self._over:
                return
            self._shown = True
            if self._console.is_terminal:
                self._bar = _bar(self._console)
                self._task = self._bar.add_task("working", total=None)
                self._bar.start()
            self._update()

    def _update(self) -> None:
        done, total, text = self._state
        if not self._shown:
            return
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=text, completed=done, total=total)
        elif text != self._said:
            self._said = text
            self._console.print(f"gpusim: {text} ...", soft_wrap=True)


def _bar(console: Console) -> Progress:
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=console, transient=True)
