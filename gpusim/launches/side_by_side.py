"""Calls that take long, in several processes or on a cluster: launches of a file, the rows of a sweep."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gpusim.errors import GpusimError, LackingError
from gpusim.processors import JOBS
from gpusim.progress import QUIET


def elsewhere() -> bool:
    """Whether :func:`joblib.parallel_config` says where calls are made: on a cluster, say."""
    return type(_backend()).__name__ != "LokyBackend"


def _backend() -> Any:
    """What joblib has calls made by."""
    from joblib.parallel import get_active_backend

    return get_active_backend()[0]


def side_by_side(
    function: Callable[..., Any], calls: Sequence[Mapping[str, Any]], jobs: int
) -> Iterator[tuple[int, Any]]:
    """What calls give, as they end.

    They are made in processes of this host, or wherever :func:`joblib.parallel_config` says.  Where a process is killed
    from outside, the calls that are left go on.

    Parameters
    ----------
    function : callable
        Of a module, so that another process finds it.
    calls : sequence of mapping
        Arguments by name.
    jobs : int
        Processors of this host to work with: a process for each call, as far as they go, and threads of it where some
        are left.

    Yields
    ------
    int
        Which call it was.
    object
        What it gave.

    Raises
    ------
    LackingError
        A cluster is gone.
    """
    numbered = dict(enumerate(calls))
    if not elsewhere():
        yield from _on_host(function, numbered, jobs)
    elif (client := getattr(_backend(), "client", None)) is not None:
        yield from _on_dask(client, function, numbered)
    else:
        yield from _spread(function, numbered, 1)


def _on_host(
    function: Callable[..., Any], calls: Mapping[int, Mapping[str, Any]], jobs: int
) -> Iterator[tuple[int, Any]]:
    """What calls give in processes of this host: in half as many where one was killed."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    left, processes = dict(calls), min(jobs, len(calls))
    while left:
        try:
            for number, found in _in_processes(function, dict(left), jobs, processes):
                del left[number]
                yield number, found
        except TerminatedWorkerError:
            processes = max(min(processes, len(left)) // 2, 1)
            said = f"a process was killed, maybe for want of memory: {len(left)} are left, and go on in {processes}"
            print(f"gpusim: {said}", file=sys.stderr)


def _in_processes(
    function: Callable[..., Any], calls: Mapping[int, Mapping[str, Any]], jobs: int, processes: int
) -> Iterator[tuple[int, Any]]:
    """What calls give, in so many processes, each with its share of processors."""
    if processes == 1:
        yield from ((number, function(**call)) for number, call in calls.items())
        return
    yield from _spread(function, calls, max(jobs // processes, 1), n_jobs=processes)


def _on_dask(
    client: Any, function: Callable[..., Any], calls: Mapping[int, Mapping[str, Any]]
) -> Iterator[tuple[int, Any]]:
    """What calls give on a cluster of Dask, each on one processor.

    joblib's own way there waits for ever for a call that ended its workers, one after the other.
    """
    import distributed

    as_completed: Any = distributed.as_completed
    here = Path.cwd()
    futures = {
        client.submit(_elsewhere, here, 1, function, number, call, pure=False): number for number, call in calls.items()
    }
    for done, future in enumerate(as_completed(futures, loop=client.loop)):
        if future.cancelled() or client.status != "running":
            raise LackingError(
                f"the Dask scheduler is gone: {done} of {len(calls)} are done. Workers keep what they predicted, so "
                "the same command goes on from there"
            )
        if future.status == "error" and type(future.exception()).__name__ == "KilledWorker":
            yield futures[future], GpusimError("every worker that worked on it was killed, maybe for want of memory")
        else:
            yield future.result()


def _spread(
    function: Callable[..., Any], calls: Mapping[int, Mapping[str, Any]], threads: int, **how: Any
) -> Iterator[tuple[int, Any]]:
    """What calls give, each with so many threads."""
    import joblib

    here = Path.cwd()
    tasks = [joblib.delayed(_elsewhere)(here, threads, function, number, call) for number, call in calls.items()]
    yield from joblib.Parallel(return_as="generator_unordered", **how)(tasks)


_ONE_AT_A_TIME = threading.Lock()


def _elsewhere(
    folder: Path, jobs: int, function: Callable[..., Any], number: int, call: Mapping[str, Any]
) -> tuple[int, Any]:
    """A call made by another process with so many processors, where names of files mean what they do here.

    A worker with several threads makes one call at a time.
    """
    with _ONE_AT_A_TIME:
        if folder.is_dir():  # another machine need not have it
            os.chdir(folder)
        os.environ |= {QUIET: "1", JOBS: str(jobs)}  # the process that waits for it shows how far all are
        return number, function(**call)
