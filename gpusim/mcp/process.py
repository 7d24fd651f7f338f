"""The process that answers, as the server sees it: started when it is needed, ended when its time is up."""

from __future__ import annotations

import json
import os
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE
from typing import IO, Any

from gpusim.children import Child

Line = dict[str, Any]

COMMAND = (sys.executable, "-m", "gpusim.mcp")

STARTING = 900.0
"""Seconds within which the engine must be loaded, which on a new machine is compiled first."""

GRACE = 3.0
"""Seconds beyond its limit in which a call may end by itself."""

FOLDERS = ("GPUSIM_KERNELS", "GPUSIM_CACHE_DIR")
"""Variables of the environment that name folders, maybe relative to the one that the server is in."""


OVER = "given up after {seconds:g} s: ask for smaller sizes, or allow more time (gpusim mcp --seconds N)"


class Process:
    """What answers one request after another, in a process of its own that works in an empty folder."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._ready = False
        self._folder = tempfile.TemporaryDirectory(prefix="gpusim-mcp-")

    def start(self) -> None:
        """Start the process, if there is none; it loads the engine while nobody asks."""
        if self._child is not None:
            return
        child = Child(COMMAND, stdin=PIPE, stdout=PIPE, cwd=self._folder.name, env=_environment(), text=True)
        self._child, self._lines, self._ready = child, queue.Queue(), False
        assert child.process.stdout is not None
        threading.Thread(target=_pass_on, args=(child.process.stdout, self._lines), daemon=True).start()

    def ask(self, tool: str, arguments: dict[str, Any], seconds: float, tell: Callable[[str], None]) -> Line:
        """Have a tool's call answered.

        Parameters
        ----------
        tool : str
        arguments : dict
        seconds : float
            After so many, and a few of grace, the process is ended.
        tell : callable
            Called with what is being done.

        Returns
        -------
        dict
            ``text`` and ``document``, or ``error``.
        """
        self.start()
        child = self._child
        assert child is not None
        assert child.process.stdin is not None
        try:
            while not self._ready:
                tell("loading the engine")
                self._ready = "ready" in self._next(time.monotonic() + STARTING)
            request = {"tool": tool, "arguments": arguments, "seconds": seconds}
            print(json.dumps(request), file=child.process.stdin, flush=True)
            end = time.monotonic() + seconds + GRACE
            while "doing" in (line := self._next(end)):
                tell(line["doing"])
            return line
        except TimeoutError:
            self.end()
            return {"error": OVER.format(seconds=seconds)}
        except (EOFError, OSError):
            self.end()
            return {"error": "the process that simulates ended: is there too little memory? ask for smaller sizes"}

    def _next(self, end: float) -> Line:
        """The next line; TimeoutError at an end, EOFError where the process is over."""
        try:
            text = self._lines.get(timeout=max(end - time.monotonic(), 0))
        except queue.Empty:
            raise TimeoutError from None
        if text is None:
            raise EOFError
        line: Line = json.loads(text)
        return line

    def end(self) -> None:
        """End the process, whatever it is doing."""
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def close(self) -> None:
        """End the process for good."""
        self.end()
        self._folder.cleanup()


def _pass_on(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    """Lines of a process until it ends."""
    try:
        for text in stream:
            lines.put(text)
    except (OSError, ValueError):  # closed meanwhile
        pass
    lines.put(None)


def _environment() -> dict[str, str]:
    """That of this process, for one that works in another folder."""
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(str(Path(path).absolute()) for path in sys.path if path)}
    for name in FOLDERS:
        if value := found.get(name):
            found[name] = os.pathsep.join(str(Path(path).absolute()) for path in value.split(os.pathsep) if path)
    return found
