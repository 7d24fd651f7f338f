"""Values on disk, each under a digest of what decided it; the least recently used give way to new ones."""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gpusim.folders import cache_folder, keep, load
from gpusim.kept.alone import check_wanted
from gpusim.kept.fingerprint import NoFingerprintError, fingerprint
from gpusim.kept.package import package_digest

FORGET = "GPUSIM_FORGET"
"""Environment variable: what was worked out before is not used, and nothing new is kept."""

SUFFIX = ".kept"

WRITTEN_WITHIN_NS = 3600 * 10**9
"""A file under another name than :data:`SUFFIX` is being written, unless it is older: then who wrote it was killed."""

LOOKS = 32
"""So often a process looks for room while it keeps as much as a folder may hold, besides at first."""

_KEPT_SINCE_ROOM: dict[Path, int] = {}
"""Bytes that this process has kept in each folder since it looked for room there."""

T = TypeVar("T")


@dataclass(frozen=True)
class Store:
    """A folder of the cache folder.

    It is read only where nobody but its user can have written it, and a damaged file is as good as none
    (:mod:`gpusim.folders`), so values are pickled.  Several processes may use it at once.

    Parameters
    ----------
    name : str
        Of the folder.
    most_bytes : int
        Of all its files together.

    Examples
    --------
    >>> gpus = Store("gpus", 1_000_000)
    >>> gpus.remembered("h200", lambda: load_slowly("h200"))  # doctest: +SKIP
    """

    name: str
    most_bytes: int

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return cache_folder() / self.name

    def key(self, decided_by: object) -> str | None:
        """Name of what follows from a value, worked out by this gpusim.

        Parameters
        ----------
        decided_by : object
            All that decides it, but for gpusim itself.

        Returns
        -------
        str or None
            None where nothing is to be kept, something cannot be told from others, or it is not known which gpusim
            this is.
        """
        if os.environ.get(FORGET) or (digest := package_digest()) is None:
            return None
        try:
            return fingerprint((digest, decided_by))
        except NoFingerprintError:
            return None

    def remembered(self, decided_by: object, make: Callable[[], T]) -> T:
        """What was made before of the same, or is made now and kept.

        Parameters
        ----------
        decided_by : object
            As for :meth:`key`.
        make : callable
        """
        key = self.key(decided_by)
        found: T | None = self.load(key)
        if found is None:
            check_wanted()
            found = make()
            self.keep(key, found)
        return found

    def load(self, key: str | None) -> Any:
        """What is kept under a name, from now on the most recently used; None where there is nothing.

        Parameters
        ----------
        key : str or None
            None stands for nothing.
        """
        if key is None or (body := load(self._path(key))) is None:
            return None
        with contextlib.suppress(OSError):
            os.utime(self._path(key))
        try:
            return pickle.loads(body)
        except Exception:  # whatever a file says that another release of a library wrote
            return None

    def keep(self, key: str | None, value: object) -> None:
        """Keep something, and give up what was not used for longest where there is too much.

        Parameters
        ----------
        key : str or None
            Where it is None nothing is kept.
        value : object
        """
        if key is None:
            return
        body = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        keep(self._path(key), body)
        if _KEPT_SINCE_ROOM.get(self.folder, math.inf) + len(body) <= self.most_bytes / LOOKS:
            _KEPT_SINCE_ROOM[self.folder] += len(body)
        else:
            self._make_room()
            _KEPT_SINCE_ROOM[self.folder] = 0

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{SUFFIX}"

    def _make_room(self) -> None:
        total, left_behind = 0, time.time_ns() - WRITTEN_WITHIN_NS
        for file in sorted(_files(self.folder), reverse=True):
            total += file.nbytes
            whole = file.path.suffix == SUFFIX
            if (whole and total > self.most_bytes) or (not whole and file.used_ns < left_behind):
                with contextlib.suppress(OSError):
                    file.path.unlink(missing_ok=True)


class _File(NamedTuple):
    used_ns: int
    nbytes: int
    path: Path


def _files(folder: Path) -> Iterator[_File]:
    """Files of a folder; others may take some away meanwhile."""
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            with contextlib.suppress(OSError):
                stat = entry.stat(follow_symlinks=False)
                yield _File(stat.st_mtime_ns, stat.st_size, Path(entry.path))


MIB = 1 << 20

HARDWARE = Store("hardware", 4 * MIB)
"""Built-in GPUs and architectures as they were read: what takes the time is building what checks their files."""

PROGRAMS = Store("programs", 128 * MIB)
"""Programs of the instruction set, lowered or translated."""

RESULTS = Store("results", 64 * MIB)
"""Profiles of launches that were predicted together."""
