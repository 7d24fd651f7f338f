"""A call of a tool: how long it may take, and what it does where that is too short."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from gpusim import children
from gpusim.launches.profiling import TimeLimitError

if TYPE_CHECKING:
    from gpusim.progress import Progress

IN_FULL = 0.65
"""Share of the time of a call after which a launch is not simulated in full any more, but quickly."""

QUICK = (
    "Quick: to simulate it as usual takes longer than this call may. Times and HBM reads are less sure, a few "
    "per cent off a full prediction."
)
TOO_LONG = (
    "not done within {seconds:g} s ({why}): ask for smaller sizes or fewer {parts}, or have the server allow more time "
    "(gpusim mcp --seconds N)"
)

T = TypeVar("T")


class Answer(NamedTuple):
    """What a tool answers.

    Attributes
    ----------
    text : str
        For a reader: the verdict first.
    document : dict or None
        The same as plain numbers: results follow the schema of :mod:`gpusim.results.documents`.
    """

    text: str
    document: dict[str, Any] | None = None


class Call:
    """A call under way.

    Parameters
    ----------
    seconds : float
        How long it may take.
    tell : callable
        Called with what is being done.
    clock : callable
        Gives seconds.
    """

    def __init__(
        self, seconds: float, tell: Callable[[str], None] = lambda text: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.seconds, self._tell, self._clock = seconds, tell, clock
        self._end = clock() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self._end - self._clock()

    def until(self, share: float = 1.0, parts: str = "blocks") -> Progress:
        """Give what is told of progress, and ends the work when a share of the call's time is over.

        Parameters
        ----------
        share : float
            0 to 1.
        parts : str
            What is counted.
        """

        def progress(done: int, total: int, text: str) -> None:
            if self.left < (1 - share) * self.seconds:
                raise TimeLimitError(f"{done} of {total} {parts} done, {text}")
            self._tell(f"{text} ({done} of {total})")

        return progress

    def in_time(self, work: Callable[..., T], *, may_be_quick: bool = True, parts: str = "blocks") -> tuple[T, str]:
        """Do work within the time: as usual, else quickly.

        Parameters
        ----------
        work : callable
            Called with ``progress`` and ``sample``, as :func:`gpusim.predict` takes them.
        may_be_quick : bool
        parts : str
            What its progress counts.

        Returns
        -------
        object
            What the work gives.
        str
            What a reader must know of it; empty where it was done as usual.

        Raises
        ------
        TimeLimitError
            There is no time for it; it says what to do.
        """
        try:
            with children.limited(max(self.left, 1.0)):
                try:
                    return work(progress=self.until(IN_FULL if may_be_quick else 1.0, parts), sample=None), ""
                except TimeLimitError:
                    if not may_be_quick:
                        raise
                return work(progress=self.until(1.0, parts), sample="quick"), QUICK
        except TimeLimitError as error:
            raise TimeLimitError(TOO_LONG.format(seconds=self.seconds, why=error, parts=parts)) from None
