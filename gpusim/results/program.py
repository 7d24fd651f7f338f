"""What a program launched: a record for each launch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpusim.results.figures import Figures

Size = tuple[int, int, int]


@dataclass(frozen=True)
class ProgramLaunch:
    """One launch of a program.

    Attributes
    ----------
    number : int
        From 0 on, in the order of the program.
    kernel : str
        As C++ writes it.
    grid, block : tuple of int
    profile : Figures or None
        What was predicted of it; None where it was only computed.
    as_launch : int
        The launch that was timed: itself, or an earlier one that does the same.
    stream : int
        0 is the default stream.
    printed : str
        By device code.
    """

    number: int
    kernel: str
    grid: Size
    block: Size
    profile: Figures | None
    as_launch: int
    stream: int = 0
    printed: str = ""

    @property
    def seconds(self) -> float | None:
        """Predicted time; None where nobody asked for it."""
        return None if self.profile is None else self.profile.seconds


@dataclass(frozen=True)
class Program:
    """A program that has run.

    Attributes
    ----------
    name : str
    gpu : str
    launches : tuple of ProgramLaunch
    status : int
        How it ended.
    skipped : mapping of str to int
        Calls of libraries that were computed and not timed, and how often.
    """

    name: str
    gpu: str
    launches: tuple[ProgramLaunch, ...]
    status: int
    skipped: Mapping[str, int] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Predicted time of all launches that have one."""
        return sum(launch.seconds or 0.0 for launch in self.launches)

    def alike(self) -> Iterator[Sequence[ProgramLaunch]]:
        """Launches of one kernel with one grid and one block, in the order of the first of each."""
        groups: dict[object, list[ProgramLaunch]] = {}
        for launch in self.launches:
            groups.setdefault((launch.kernel, launch.grid, launch.block), []).append(launch)
        yield from groups.values()
