"""A finding: what costs a launch time, where, how much, and what to do."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.pictures.notebook import Pictured

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType

    from gpusim.results.causes import Cause


WORTH = 0.05
"""Share of a launch's time that a finding must cost to be advice."""


class Place(NamedTuple):
    """A line of the source that has a part in a cause.

    Attributes
    ----------
    name : str
        ``"file.cu:41"``.
    text : str
        The line itself, where it is known.
    share : float
        Its part (0 to 1).
    """

    name: str
    text: str
    share: float


class Factors(NamedTuple):
    """Between what a factor lies, four times in five."""

    low: float
    high: float


@dataclass(frozen=True)
class Finding:
    """What costs a launch time.

    Attributes
    ----------
    cause : Cause
    cycles : float
        SM cycles of the launch.
    without : float
        Those that it takes without the cause.
    what : str
        The cause in this launch, with its counters.
    edit : str
        What takes it away.
    places : tuple of Place
        Lines that have most of it, where it is one of lines.
    simulated : bool
        Whether the launch was simulated without it; else its gain is an estimate.
    interval : Factors or None
        Between what the speed-up lies that its mending brings; None where nothing like it was measured.
    at_most : bool
        Whether the gain is an upper limit: no edit takes away all that the run goes without.
    """

    cause: Cause
    cycles: float
    without: float
    what: str
    edit: str
    places: tuple[Place, ...] = ()
    simulated: bool = True
    interval: Factors | None = None
    at_most: bool = False

    @property
    def speedup(self) -> float:
        """How many times as fast the launch is without it."""
        return self.cycles / self.without

    @property
    def gain(self) -> float:
        """Share of the launch's time that it costs (0 to 1)."""
        return 1 - self.without / self.cycles

    @property
    def rank(self) -> tuple[int, float]:
        """Where it stands among others: what is sure and worth it comes first, upper limits after that."""
        return (int(self.at_most) if self.gain >= WORTH else 2), self.without

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain dicts, lists, strings and numbers, ready for JSON.

        Returns
        -------
        dict
            The attributes, ``speedup`` and ``gain``.
        """
        plain = asdict(self) | {"cause": self.cause.value, "speedup": self.speedup, "gain": self.gain}
        plain["places"] = [place._asdict() for place in self.places]
        return plain | {"interval": None if self.interval is None else self.interval._asdict()}


class Findings(Pictured):
    """What costs time, as it is shown; of a launch, or of several."""

    findings: tuple[Finding, ...]

    @property
    def worth(self) -> tuple[Finding, ...]:
        """Those that cost at least 5 % of the time."""
        return tuple(finding for finding in self.findings if finding.gain >= WORTH)

    def table(self) -> list[RenderableType]:
        """Lay it out: what costs time, by how much, where, and what to do.

        Returns
        -------
        list of rich renderables
            Print them with :func:`gpusim.report.show`.
        """
        raise NotImplementedError

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how many times as fast the launch is without each cause, and between what its mending gets it.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a figure of its own unless given.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ParameterError
            Nothing was found.
        """
        from gpusim.pictures.bars import Bar, bars

        rows = [Bar(str(of.cause), of.speedup, f"{of.speedup:.3g}×", of.interval) for of in self.findings]
        return bars(rows, "times as fast without it (1: no gain)", ax)

    def __repr__(self) -> str:
        from gpusim.report import text

        return text(self.table())
