"""Who does the work of a simulation: processors of the host, and how machines that run side by side share them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

SMS_EACH = 8  # SMs with blocks that a thread has at least; fewer take less time than threads wait for one another


class Workers:
    """Processors that the machines of a prediction share.

    What a machine computes does not depend on how many of them it has.

    Parameters
    ----------
    processors : int
        At least one.

    Examples
    --------
    >>> workers = Workers(8)
    >>> with workers.running(), workers.running():
    ...     workers.each
    4
    """

    def __init__(self, processors: int) -> None:
        self.processors = processors
        self._lock, self._machines = Lock(), 0

    @property
    def each(self) -> int:
        """Threads of each machine that runs now."""
        return max(self.processors // max(self._machines, 1), 1)

    @contextmanager
    def running(self) -> Iterator[None]:
        """A machine runs meanwhile, beside those that do already."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, more: int) -> None:
        with self._lock:
            self._machines += more

    def most(self, sms: int, blocks: int) -> int:
        """Threads of which a machine of so many SMs makes use, if it runs alone."""
        return min(self.processors, math.ceil(min(sms, blocks) / SMS_EACH))


ALONE = Workers(1)
"""One processor, which all who have no others share."""
