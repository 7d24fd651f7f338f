"""Processes that work on the GPU, watched: one that dies or hangs costs the launch it was at, and a new one goes on."""

from __future__ import annotations

import json
import os
import pickle
import queue
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any, Protocol

from gpusim.children import Child
from gpusim.measure.measurement_errors import MeasureError
from gpusim.measure.worker import Job

Line = dict[str, Any]

WORKER = (sys.executable, "-m", "gpusim.measure")


class Lost(Exception):
    """A process that ended, or had to be ended, before its job was done; the message says why."""


class Start(Protocol):
    """Starts the work and gives its lines; raises :class:`Lost`."""

    def __call__(self, job: Job) -> Iterator[Line]:
        """Lines as the worker says them."""


def start(job: Job, *, before: Sequence[str] = (), limit: float = 60.0) -> Iterator[Line]:
    """Have a job done by a process of its own.

    Parameters
    ----------
    job : Job
    before : sequence of str
        A command that runs the process, such as ``("ncu", ...)``.
    limit : float
        Seconds that a launch may have the GPU.

    Yields
    ------
    dict
        What the worker says.

    Raises
    ------
    Lost
        Over the limit, or the process ended with an exit status other than 0.
    """
    with tempfile.TemporaryDirectory() as folder:
        file, complaints = Path(folder, "job"), Path(folder, "stderr")
        file.write_bytes(pickle.dumps(job))
        environment = {**os.environ, "PYTHONPATH": _search_path()}
        with (
            complaints.open("w") as stderr,
            Child([*before, *WORKER, str(file)], stdout=PIPE, stderr=stderr, env=environment) as child,
        ):
            yield from _watched(child.process, limit)
            if child.process.wait():
                raise Lost(_why(child.process.returncode, complaints))


def _search_path() -> str:
    """Where this process finds its modules, for one started from anywhere."""
    return os.pathsep.join(path for path in sys.path if path)


def _watched(process: Popen[bytes], limit: float) -> Iterator[Line]:
    """Lines as they come; a launch that has had the GPU for too long ends it."""
    lines: queue.Queue[str | None] = queue.Queue()
    assert process.stdout is not None
    arguments = (os.dup(process.stdout.fileno()), lines)
    threading.Thread(target=_pass_on, name=f"lines of {process.pid}", args=arguments, daemon=True).start()
    wait: float | None = None
    while True:
        try:
            text = lines.get(timeout=wait)
        except queue.Empty:
            raise Lost(f"given up after {limit:g} s on the device: it hangs, or needs a larger time limit") from None
        if text is None:
            return
        if text.startswith("{"):
            line: Line = json.loads(text)
            wait = limit if "begins" in line else None if "left" in line or "done" in line else wait
            yield line


def _pass_on(descriptor: int, lines: queue.Queue[str | None]) -> None:
    """Lines of a descriptor, which is this function's own: whoever stops listening closes theirs at any moment."""
    with open(descriptor, errors="replace") as stream:
        for text in stream:
            lines.put(text)
    lines.put(None)


def _why(status: int, complaints: Path) -> str:
    """Why a process ended: the signal that ended it, or the last line that it wrote to standard error."""
    if status in (-signal.SIGKILL, 128 + signal.SIGKILL):
        return "the process was killed: is there too little memory on the host for its arrays?"
    said = [line.strip() for line in complaints.read_text(errors="replace").splitlines() if line.strip()]
    return said[-1] if said else f"the process ended with status {status}"


def each(
    job: Job, begin: Start, hear: Callable[[Line], None] = lambda line: None,
    finished: Callable[[int, Line], None] = lambda number, line: None,
) -> dict[int, Line]:  # fmt: skip
    """Have every launch of a job done, by as many processes as that takes.

    Parameters
    ----------
    job : Job
    begin : callable
        Starts a process: :func:`start`, or a stand-in.
    hear : callable
        Called with every line that is about no single launch, or says at which one the work is; launches are numbered
        as in the whole job.
    finished : callable
        Called with the number of every launch as soon as nothing more is to come of it, and with what is returned of
        it.

    Returns
    -------
    dict of int to dict
        By the launch's number what the worker said when it was done, or ``{"error": ...}``.

    Raises
    ------
    MeasureError
        Nothing can be measured here.
    """
    found: dict[int, Line] = {}
    while len(found) < len(job.specs):
        first, at = len(found), len(found)
        try:
            for line in begin(replace(job, specs=job.specs[first:])):
                if "impossible" in line:
                    raise MeasureError(line["impossible"])
                if "at" in line:
                    at = first + line["at"]
                    hear({"at": at})
                elif "done" in line:
                    found[first + line["done"]] = line
                    finished(first + line["done"], line)
                else:
                    hear(line)
        except Lost as lost:
            if at not in found:
                found[at] = {"error": str(lost)}
                finished(at, found[at])
        else:
            if len(found) == first:
                raise MeasureError("the process on the device ended without a word")
    return found
