"""The command line: ``gpusim COMMAND``, a module each.

Every command imports what it needs when it runs, so that ``gpusim --help``
answers at once.  What a user can get wrong ends in one line on standard error
and exit status 2, what the machine lacks (room on a disk, memory) in one line and
1; what a compiler wrote is shown as it wrote it; an interrupted command ends with
130, one that is told to end (SIGTERM) with 143, one whose output nobody reads any more
quietly with 1.

Nothing is imported before :func:`main` is there to be interrupted.  Ctrl-C while the
interpreter itself starts, some ten milliseconds before it, is Python's to answer.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # by the name that type checkers know
    from collections.abc import Sequence

__all__ = ["main"]

SAME_S = 0.04
"""Seconds within which a second Ctrl-C is taken for the first; less than until a lost one is raised again."""

_raised: list[float] = [0.0]
"""When a signal was last raised, on the monotonic clock."""

_heard: list[int] = []
"""Signals that came while a command ran: of Ctrl-C, or to end."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the program's name; those of the process unless given.

    Returns
    -------
    int
        Exit status: 0, 1 for what the machine lacks (room on a disk, memory, who reads what is printed), 2 for an
        error of the user's, 130 when interrupted, 143 when told to end.
    """
    _heard.clear()
    try:
        _listen(True)
        from gpusim.cli.app import run

        return run(argv)
    except KeyboardInterrupt:
        return _interrupted()
    except ImportError:
        if _heard:  # NumPy says so that it was interrupted while it was imported
            return _interrupted()
        raise
    finally:
        _listen(False)


def _interrupted() -> int:
    """Say so, and give the exit status."""
    from signal import SIGTERM

    from gpusim.cli.complaint import INTERRUPTED, TERMINATED, complain

    return complain("terminated", TERMINATED) if SIGTERM in _heard else complain("interrupted", INTERRUPTED)


def _hear(number: int, frame: object) -> None:
    """Note a signal, and raise it as Python does Ctrl-C: whatever was started meanwhile is ended.

    One that follows at once is the same: it would only interrupt what the first has begun to end.
    """
    from time import monotonic

    now = monotonic()
    is_same = bool(_heard) and now < _raised[0] + SAME_S
    _heard.append(number)
    if not is_same:
        _raised[0] = now
        raise KeyboardInterrupt


def _listen(on: bool) -> None:
    """Have signals noted, or no more; where one is ignored it stays so."""
    import signal

    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        before, after = (usual, _hear) if on else (_hear, usual)
        try:
            if signal.getsignal(number) == before:
                signal.signal(number, after)
        except ValueError:  # not the main thread, which alone is interrupted
            pass
