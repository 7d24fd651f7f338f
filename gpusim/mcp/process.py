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

TEMPORARY = ("TMPDIR", "TEMP", "TMP")
"""Variables that name the folder for temporary files: one that is removed here, for the process may be killed."""

OVER = "given up after {seconds:g} s: ask for smaller sizes, or allow more time (gpusim mcp --seconds N)"


class _Running:
    """A process under way, the lines that it writes, and whether it has loaded the engine."""

    def __init__(self, folder: str) -> None:
        work, temporary = (Path(folder, name) for name in ("work", "temporary"))
        for one in (work, temporary):
            one.mkdir(exist_ok=True)
        self.child = Child(COMMAND, stdin=PIPE, stdout=PIPE, cwd=work, env=_environment(temporary), text=True)
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.ready = False
        assert self.child.process.stdout is not None
        threading.Thread(target=_pass_on, args=(self.child.process.stdout, self.lines), daemon=True).start()

    def say(self, request: Line) -> None:
        """Hand a request over."""
        assert self.child.process.stdin is not None
        print(json.dumps(request), file=self.child.process.stdin, flush=True)

    def next(self, end: float) -> Line:
        """The next line; TimeoutError at an end, EOFError where the process is over."""
        try:
            text = self.lines.get(timeout=max(end - time.monotonic(), 0))
        except queue.Empty:
            raise TimeoutError from None
        if text is None:
            raise EOFError
        line: Line = json.loads(text)
        return line


class Process:
    """What answers one request after another, in a process of its own that works in an empty folder."""

    def __init__(self) -> None:
        self._running: _Running | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="gpusim-mcp-")

    def start(self) -> _Running:
        """Start the process, if there is none; it loads the engine while nobody asks."""
        if self._running is None:
            self._running = _Running(self._folder.name)
        return self._running

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
        running = self.start()
        try:
            return _answer(running, {"tool": tool, "arguments": arguments, "seconds": seconds}, tell)
        except TimeoutError:
            self._end(running)
            return {"error": OVER.format(seconds=seconds)}
        except (EOFError, OSError, ValueError):  # ValueError: it was ended meanwhile, and its pipes are closed
            self._end(running)
            return {"error": "the process that simulates ended: is there too little memory? ask for smaller sizes"}

    def _end(self, running: _Running) -> None:
        """End a process, which need not be the present one: a call that was taken back hears late of its end."""
        if self._running is running:
            self._running = None
        running.child.end()

    def end(self) -> None:
        """End the process, whatever it is doing."""
        if self._running is not None:
            self._end(self._running)

    def close(self) -> None:
        """End the process for good."""
        self.end()
        self._folder.cleanup()


def _answer(running: _Running, request: Line, tell: Callable[[str], None]) -> Line:
    """What a process answers, once it is ready to."""
    while not running.ready:
        tell("loading the engine")
        running.ready = "ready" in running.next(time.monotonic() + STARTING)
    running.say(request)
    end = time.monotonic() + request["seconds"] + GRACE
    while "doing" in (line := running.next(end)):
        tell(line["doing"])
    return line


def _pass_on(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    """Lines of a process until it ends."""
    try:
        for text in stream:
            lines.put(text)
    except (OSError, ValueError):  # closed meanwhile
        pass
    lines.put(None)


def _environment(temporary: Path) -> dict[str, str]:
    """That of this process, for one that works in another folder, and has a folder for what is temporary."""
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(str(Path(path).absolute()) for path in sys.path if path)}
    found |= dict.fromkeys(TEMPORARY, str(temporary))
    for name in FOLDERS:
        if value := found.get(name):
            found[name] = os.pathsep.join(str(Path(path).absolute()) for path in value.split(os.pathsep) if path)
    return found
