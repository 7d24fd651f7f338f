"""What a search found, ranked: the best, the Pareto front, and the few points that a GPU must decide between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.decide.apart import Apart
from gpusim.decide.objective import Objective
from gpusim.decide.space import Point
from gpusim.decide.sweep import Row
from gpusim.results.metric import DURATION

if TYPE_CHECKING:
    import pandas as pd

    from gpusim.profiles.chain import ChainProfile
    from gpusim.profiles.profile import Profile

ALIKE = 1.01
"""Values of an objective within this factor count as equal on the Pareto front: code and launch are read, too."""

MOST_SHOWN = 10
"""Candidates that a table has, besides those of the Pareto front and those to measure."""


@dataclass(frozen=True)
class Candidate:
    """A point that was predicted.

    Attributes
    ----------
    row : Row
    values : sequence of float
        Of each objective.
    is_full : bool
        Whether it is more than a quick prediction.
    """

    row: Row
    values: Sequence[float]
    is_full: bool

    @property
    def point(self) -> Point:
        """Values of what was searched over."""
        return self.row.point

    @property
    def profile(self) -> Profile | ChainProfile:
        """Its prediction."""
        assert self.row.profile is not None
        return self.row.profile

    def interval(self) -> tuple[float, float] | None:
        """Between what its time lies, in seconds; None where that is not known."""
        metric = getattr(self.profile, "metrics", {}).get(DURATION)
        known = metric.interval if metric is not None else None
        return None if known is None else (known.low, known.high)


@dataclass(frozen=True, repr=False)
class Ranking:
    """What a search found.

    Attributes
    ----------
    candidates : sequence of Candidate
        The best first.
    failed : sequence of Row
        Points that could not be predicted.
    objectives : sequence of Objective
    names : sequence of str
        What was searched over.
    apart : Apart
        From which ratio on two times count as different.
    most : int
        How many points are to be measured at most.
    """

    candidates: Sequence[Candidate]
    failed: Sequence[Row]
    objectives: Sequence[Objective]
    names: Sequence[str]
    apart: Apart
    most: int

    @property
    def best(self) -> Candidate:
        """The first of the ranking."""
        return self.candidates[0]

    @property
    def alike(self) -> list[Candidate]:
        """All that the predictions do not tell apart from the best, which is among them."""
        within = self.best.values[0] * (self.apart.factor if self.objectives[0].is_time else 1.0)
        return [one for one in self.candidates if one.values[0] <= within]

    @property
    def measure(self) -> list[Candidate]:
        """The few to measure, for a GPU to decide."""
        return self.alike[: self.most]

    @property
    def pareto(self) -> list[Candidate]:
        """Those that no other is better than in one objective without being worse in another."""
        front: list[Candidate] = []
        for one in sorted(
            self.candidates, key=lambda candidate: tuple(candidate.values)
        ):  # whoever is better is earlier
            if not any(_dominates(other, one) for other in front):
                front.append(one)
        return front

    def to_dataframe(self) -> pd.DataFrame:
        """Give one row a candidate, the best first.

        Returns
        -------
        pandas.DataFrame
            Columns ``rank``, one for each name and each objective, ``low`` and ``high`` (seconds, where a time's
            interval is known), ``full``, ``pareto``, ``measure`` (bool).
        """
        import pandas as pd

        return pd.DataFrame(list(self._records()))

    def _records(self) -> Iterator[dict[str, Any]]:
        front, few = set(map(id, self.pareto)), set(map(id, self.measure))
        for rank, one in enumerate(self.candidates, 1):
            low, high = one.interval() or (None, None)
            values = {objective.text: value for objective, value in zip(self.objectives, one.values, strict=True)}
            told = {
                "low": low,
                "high": high,
                "full": one.is_full,
                "pareto": id(one) in front,
                "measure": id(one) in few,
            }
            yield {"rank": rank, **one.point, **values, **told}

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain dicts, lists, strings and numbers, ready for JSON."""
        return {
            "kernel": self.best.row.kernel,
            "gpu": self.best.row.gpu,
            "objectives": [objective.text for objective in self.objectives],
            "candidates": [self._candidate(record) for record in self._records()],
            "failed": [row.to_dict() for row in self.failed],
            "apart": self.apart._asdict(),
        }

    def _candidate(self, record: dict[str, Any]) -> dict[str, Any]:
        """A record with its point and its values apart."""
        texts = [objective.text for objective in self.objectives]
        point = {name: record.pop(name) for name in self.names}
        values = {text: record.pop(text) for text in texts}
        return {"point": point, "values": values, **record}


def _dominates(one: Candidate, other: Candidate) -> bool:
    """Whether a candidate is nowhere worse than another, and better somewhere or, all in all, as good."""
    pairs = zip(one.values, other.values, strict=True)
    return all(a <= b * ALIKE for a, b in pairs)
