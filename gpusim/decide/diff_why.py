"""Why a time changed: what each cause costs one launch, and what it costs the other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.results.causes import Cause

if TYPE_CHECKING:
    from gpusim.decide.diff_sides import Side
    from gpusim.progress import Progress
    from gpusim.results.figures import Figures

WORTH = 0.02
"""Change of what a cause costs, as a share of the longer time, from which it is named."""

MOST = 4
"""Causes that are named at most."""

Costs = Mapping[str, float]
"""SM cycles that each cause costs."""


class Reason(NamedTuple):
    """A cause, and the SM cycles that it costs each side."""

    cause: str
    a: float
    b: float

    @property
    def change(self) -> float:
        """Cycles by which B takes longer for it."""
        return self.b - self.a


@dataclass(frozen=True)
class Why:
    """Why the time changed.

    Attributes
    ----------
    reasons : tuple of Reason
        Causes whose cost changed, most first.
    a, b : float
        SM cycles of both sides.
    apart : bool
        Whether each cause was taken away alone: then two may count the same cycles.  Else they were taken away one
        after another, in this order, and what each costs adds up.
    """

    reasons: tuple[Reason, ...]
    a: float
    b: float
    apart: bool

    @property
    def other(self) -> Reason:
        """What is left: cycles of both sides that none of the causes costs."""
        told_a, told_b = sum(of.a for of in self.reasons), sum(of.b for of in self.reasons)
        return Reason("other", self.a - told_a, self.b - told_b)

    @property
    def change(self) -> float:
        """SM cycles by which B takes longer."""
        return self.b - self.a

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain dicts, lists and numbers, ready for JSON; ``other`` comes last."""
        rows = [{"cause": of.cause, "a": of.a, "b": of.b, "change": of.change} for of in (*self.reasons, self.other)]
        return {"cycles": {"a": self.a, "b": self.b, "change": self.change}, "causes": rows, "each_alone": self.apart}


def unknown(a: Side, b: Side) -> str:
    """Say why nobody can tell what costs the time of both; empty where it can be asked.

    Parameters
    ----------
    a, b : Side
    """
    sides = (("A", a), ("B", b))
    if measured := [label for label, side in sides if side.measured is not None]:
        return f"{measured[0]} was measured, and a GPU cannot be without a cause: compare two predictions"
    for label, side in sides:
        if side.costs is None and not side.runs_again:
            return (
                f"{label} was read from a file, and cannot be run again: name the kernels themselves, or write files "
                "with --advise"
            )
        if any(math.isnan(step.cycles) for step in side.steps):
            return f"{label} has no time"
    return ""


def why(a: Side, b: Side, progress: Progress | None = None) -> Why:
    """Find what costs time in one side and not in the other.

    Each launch is simulated again without each cause that its counters show, as by
    :func:`gpusim.advice.advise.advise`.  Those whose costs differ are then taken away one after another from both, the
    one that differs most first: so what two of them hide together is counted once.

    Parameters
    ----------
    a, b : Side
        Of which :func:`unknown` says nothing.
    progress : callable, optional
        Called with (blocks done, blocks, text).

    Returns
    -------
    Why
    """
    cycles_a, cycles_b = (float(sum(step.cycles for step in side.steps)) for side in (a, b))
    alone_a, alone_b = _alone(a, progress), _alone(b, progress)
    named = _worth(alone_a, alone_b, max(cycles_a, cycles_b))
    if a.costs is not None or b.costs is not None or len(a.steps) + len(b.steps) > 2 or len(named) < 2:
        reasons = [Reason(cause, alone_a.get(cause, 0.0), alone_b.get(cause, 0.0)) for cause in named]
        return Why(tuple(reasons), cycles_a, cycles_b, apart=len(named) > 1)
    causes = [Cause(cause) for cause in named]
    each_a, each_b = (_one_after_another(side.whole, causes, progress) for side in (a, b))
    found = (Reason(cause, *costs) for cause, *costs in zip(named, each_a, each_b, strict=True))
    reasons = [of for of in found if abs(of.change) >= WORTH * max(cycles_a, cycles_b)]
    return Why(tuple(reasons), cycles_a, cycles_b, apart=False)


def _worth(a: Costs, b: Costs, cycles: float) -> list[str]:
    """Causes whose cost differs, most first."""
    changes = {cause: abs(b.get(cause, 0.0) - a.get(cause, 0.0)) for cause in dict.fromkeys([*a, *b])}
    ranked = sorted(changes, key=lambda cause: -changes[cause])
    return [cause for cause in ranked if changes[cause] >= WORTH * cycles][:MOST]


def _alone(side: Side, progress: Progress | None) -> dict[str, float]:
    """What each cause costs that is there, taken away alone."""
    from gpusim.advice import advise, advise_chain

    if side.costs is not None:
        return dict(side.costs)
    if side.chain is None:
        return costs_of(advise(side.whole, progress).to_dict())
    return costs_of(advise_chain(side.chain, progress).to_dict())


def costs_of(advice: Mapping[str, Any]) -> dict[str, float]:
    """Give the cycles that each cause costs.

    Parameters
    ----------
    advice : mapping
        As ``Advice.to_dict`` or ``ChainAdvice.to_dict`` gives it: of a chain its launches' costs are added up.
    """
    found: dict[str, float] = {}
    for finding in _findings(advice):
        if finding.get("at_most"):  # what it could gain is no part of what time was lost to
            continue
        found[finding["cause"]] = found.get(finding["cause"], 0.0) + finding["cycles"] - finding["without"]
    return found


def _findings(advice: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from advice["findings"]
    for step in advice.get("steps", ()):
        yield from step["findings"]


def _one_after_another(profile: Figures, causes: Sequence[Cause], progress: Progress | None) -> list[float]:
    """What each cause costs once those before it are gone; never less than nothing."""
    from gpusim.advice.advise import cycles_without

    left = [float(profile.cycles)]
    for count in range(1, len(causes) + 1):
        left.append(min(cycles_without(profile, causes[:count], progress), left[-1]))
    return [before - after for before, after in itertools.pairwise(left)]
