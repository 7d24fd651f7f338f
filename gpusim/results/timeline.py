"""A timeline: what one SM does, cycle by cycle, as Perfetto and chrome://tracing show it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from gpusim.errors import whole

MOST_EVENTS = 200_000
"""Events recorded unless told otherwise: about 35 MB of JSON, which a browser shows without effort."""

FIRST_THREAD = 1000
"""Number of the first track's thread: above that of any process."""

LAST_CYCLE = 2**53
"""Cycle beyond which no launch is followed (a month)."""

BLOCKS = "block"
"""Category of the events that are a block's stay on the SM."""


@dataclass(frozen=True)
class Recording:
    """What to record a timeline of.

    Parameters
    ----------
    sm : int, optional
        Number of the SM; None: the one that gets the launch's first block.
    start : int
        Cycle from which events are recorded; 0 is when the first block is handed out.
    events : int
        How many issues and uses of units, at most: the first ones.

    Raises
    ------
    ParameterError
        If one of them is below what makes sense.

    Examples
    --------
    >>> import gpusim
    >>> timeline = gpusim.predict("copy", N=256, timeline=gpusim.Recording(events=100)).timeline
    >>> timeline.sm, timeline.tracks[-1], timeline.left_out > 0
    (124, 'wire to L2', True)
    """

    sm: int | None = None
    start: int = 0
    events: int = MOST_EVENTS

    def __post_init__(self) -> None:
        bounds = {"sm": (0, 2**31 - 1), "start": (0, LAST_CYCLE), "events": (1, 2**31 - 1)}
        for name, (least, most) in bounds.items():
            if getattr(self, name) is not None:
                whole(f"a timeline's {name}", getattr(self, name), least, most)


class Event(NamedTuple):
    """Something that takes time on one track.

    Attributes
    ----------
    track : str
        ``"scheduler 0"``, ``"load/store pipe"``, ...
    kind : str
        ``"issue"``, ``"unit"`` or ``"block"``.
    name : str
        The instruction's mnemonic, or the block's number.
    begin, cycles : float
        When, in cycles of the SM, and for how long.
    block, warp : int
        Whose: the block's number in the grid, the warp's in its block (-1: all of the block's).
    pc : int
        Number of the instruction in the program, -1 for a block.
    line : str
        Of the source, where it is known.
    waited_for : str
        What the warp had waited for longest since its last issue, as Nsight Compute names it; empty: nothing.
    waited : float
        Cycles of that.
    """

    track: str
    kind: str
    name: str
    begin: float
    cycles: float
    block: int
    warp: int = -1
    pc: int = -1
    line: str = ""
    waited_for: str = ""
    waited: float = 0.0


@dataclass(frozen=True, repr=False)
class Timeline:
    """What one SM did.

    Attributes
    ----------
    kernel, gpu : str
    sm : int
    clock_hz : float
        Cycles a second.
    tracks : tuple of str
        In the order in which they are shown.
    events : tuple of Event
        In the order in which they were recorded.
    left_out : int
        Events after the last one recorded.
    note : str
        What part of the launch this is, where it is not the whole.
    """

    kernel: str
    gpu: str
    sm: int
    clock_hz: float
    tracks: tuple[str, ...]
    events: tuple[Event, ...]
    left_out: int
    note: str = ""

    def __repr__(self) -> str:
        return f"<Timeline: {self.summary}>"

    def of(self, kernel: str) -> Timeline:
        """The same, with the kernel's name."""
        return replace(self, kernel=kernel)

    @property
    def span(self) -> tuple[float, float]:
        """First and last cycle in which anything issues; (0, 0) where nothing does."""
        issued = [event.begin for event in self.events if event.kind == "issue"]
        return (issued[0], issued[-1]) if issued else (0.0, 0.0)

    @property
    def summary(self) -> str:
        """One line: which SM, which cycles, how many events, what was left out."""
        first, last = self.span
        said = f"SM {self.sm}, cycles {first:.0f} to {last:.0f}, {len(self.events)} events"
        more = f"; {self.left_out} later ones left out" if self.left_out else ""
        return said + more + (f"; {self.note}" if self.note else "")

    def to_dict(self) -> dict[str, Any]:
        """Give the timeline in Chrome's trace event format, ready for JSON.

        One process, the SM; a thread for each track.  A microsecond of the file is a cycle of the SM: at real time
        viewers, which round to nanoseconds, would show events of one cycle as nothing.  Process and thread have
        numbers that differ from each other and from 0, to which Perfetto gives meanings of its own.

        Returns
        -------
        dict
            ``traceEvents``, and under ``otherData`` what the times mean and what was left out.
        """
        threads = {track: number for number, track in enumerate(self.tracks, FIRST_THREAD)}
        return {
            "traceEvents": [*self._names(threads), *(self._complete(event, threads) for event in self.events)],
            "displayTimeUnit": "ns",
            "otherData": {
                "kernel": self.kernel,
                "gpu": self.gpu,
                "time": "1 us is 1 cycle of the SM; 0 is when the first block is handed out",
                "clock_hz": self.clock_hz,
                "shown": self.summary,
                "left_out": self.left_out,
                "note": self.note,
            },
        }

    def _names(self, threads: dict[str, int]) -> list[dict[str, Any]]:
        """Names of the process and of its threads, and their order."""
        about: dict[str, Any] = {"ph": "M", "pid": self.sm + 1, "tid": FIRST_THREAD}
        names = [{**about, "name": "process_name", "args": {"name": f"SM {self.sm}"}}]
        for track, tid in threads.items():
            about = {**about, "tid": tid}
            names.append({**about, "name": "thread_name", "args": {"name": track}})
            names.append({**about, "name": "thread_sort_index", "args": {"sort_index": tid}})
        return names

    def _complete(self, event: Event, threads: dict[str, int]) -> dict[str, Any]:
        """An event with its beginning and its length; times to a thousandth of a cycle."""
        args: dict[str, Any] = {"cycle": event.begin, "block": event.block}
        if event.kind != BLOCKS:
            args |= {"warp": event.warp, "pc": event.pc} | ({"line": event.line} if event.line else {})
        if event.waited_for:
            args |= {"waited_for": event.waited_for, "waited_cycles": event.waited}
        return {
            "ph": "X", "name": event.name, "cat": event.kind, "pid": self.sm + 1, "tid": threads[event.track],
            "ts": event.begin, "dur": event.cycles, "args": args,
        }  # fmt: skip
