"""What a row of the tables in :mod:`gpusim.engine.state.counts` says."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Stage(Enum):
    """What a counter is wavefronts of."""

    SHARED = "L1's data stage, for shared memory"
    DATA = "L1's data stage, for all else"
    TAG = "L1's tag stage"


class MetricName(NamedTuple):
    """How a counter is called where it is shown.

    Attributes
    ----------
    name : str
        Nsight Compute's, or one that begins with ``gpusim__`` where it has none.
    unit : str
        ``"inst"``, ``"request"``, ``"sector"``, ...; of sectors shown as bytes ``"byte"``.
    exact : bool
        Whether hardware repeats the value identically.
    """

    name: str
    unit: str
    exact: bool = False


class Counter(NamedTuple):
    """A row of the table of counters.

    Attributes
    ----------
    meaning : str
    executed : bool
        Whether the value follows from execution alone, whatever the caches do.  Of a launch of which only part is run,
        such a value is taken from probes, and any other is scaled.
    stages : tuple of Stage
    """

    meaning: str
    executed: bool
    stages: tuple[Stage, ...]


class Sum(NamedTuple):
    """The counters that a metric adds up, and those that it takes away, by their columns."""

    plus: tuple[int, ...]
    minus: tuple[int, ...]
    unit: str
    exact: bool


class Counters:
    """The table of counters, row by row; the number of a row is its column in ``counts``."""

    def __init__(self) -> None:
        self.rows: list[Counter] = []
        self._metrics: list[tuple[str, Sum]] = []

    def executed(self, meaning: str, metric: MetricName | None = None, stages: tuple[Stage, ...] = ()) -> int:
        """Add what follows from execution alone; returns its column."""
        return self._add(Counter(meaning, True, stages), metric)

    def of_caches(self, meaning: str, metric: MetricName | None = None, stages: tuple[Stage, ...] = ()) -> int:
        """Add what caches have a say in; returns its column."""
        return self._add(Counter(meaning, False, stages), metric)

    def _add(self, row: Counter, metric: MetricName | None) -> int:
        self.rows.append(row)
        column = len(self.rows) - 1
        if metric:
            self.total(metric, column)
        return column

    def total(self, metric: MetricName, *plus: int, minus: tuple[int, ...] = (), before: str = "") -> None:
        """Add a metric of several counters.

        Parameters
        ----------
        metric : MetricName
        *plus : int
            Columns that it adds up.
        minus : tuple of int
            Columns that it takes away.
        before : str
            Name of the metric that it is listed before; without one it comes last so far.

        Raises
        ------
        ValueError
            If there is a metric of this name.
        """
        names = [name for name, _ in self._metrics]
        if metric.name in names:
            raise ValueError(f"{metric.name} is listed twice")
        place = names.index(before) if before else len(names)
        self._metrics.insert(place, (metric.name, Sum(plus, minus, metric.unit, metric.exact)))

    def metrics(self) -> dict[str, Sum]:
        """Every metric, in the order in which they are listed."""
        return dict(self._metrics)

    def of(self, stage: Stage) -> tuple[int, ...]:
        """Columns that are wavefronts of a stage."""
        return tuple(column for column, row in enumerate(self.rows) if stage in row.stages)


class Share(NamedTuple):
    """A row of the tables of what an array, or an instruction, has a share in.

    Attributes
    ----------
    meaning : str
    adds_up_to : tuple of int
        Columns of ``counts`` of which each row has its share, where caches decide.  Of a launch of which only part is
        run, the whole launch's counts are shared out; other values grow with the number of blocks.
    """

    meaning: str
    adds_up_to: tuple[int, ...]


class Shares:
    """A table of shares, row by row; the number of a row is its column."""

    def __init__(self) -> None:
        self.rows: list[Share] = []

    def add(self, meaning: str, adds_up_to: tuple[int, ...] = ()) -> int:
        """Add a row; returns its column."""
        self.rows.append(Share(meaning, adds_up_to))
        return len(self.rows) - 1
