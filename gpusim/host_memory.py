"""Whether this host has memory for what arrays hold, and how they are drawn without more than that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpusim.errors import NotEnoughMemoryError

AT_ONCE = 1 << 20  # elements of an array that are drawn at once


@contextmanager
def enough_memory(nbytes: int) -> Iterator[None]:
    """Do what takes so many bytes for the contents of arrays.

    Raises
    ------
    NotEnoughMemoryError
        The host has not so much free; before anything is done where it says so (Linux).
    """
    free = _free_memory()
    known = "" if free is None else f" ({free})"
    error = NotEnoughMemoryError(
        f"arrays whose contents matter have {nbytes} bytes, more than this host has free{known}"
    )
    if free is not None and nbytes > free:
        raise error
    try:
        yield
    except MemoryError:
        raise error from None


def in_parts(count: int) -> Iterator[slice]:
    """Parts of an array of so many elements, each of few: what is drawn has 8 bytes an element until it has its type.

    Examples
    --------
    >>> [part.stop - part.start for part in in_parts(2_500_000)]
    [1048576, 1048576, 402848]
    """
    return (slice(first, min(first + AT_ONCE, count)) for first in range(0, count, AT_ONCE))


def _free_memory() -> int | None:
    """Bytes of memory that the host has free for programs, where it tells."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    told = (line.split() for line in lines if line.startswith("MemAvailable:"))
    return next((int(words[1]) << 10 for words in told), None)
