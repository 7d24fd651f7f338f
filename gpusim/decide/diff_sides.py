"""What is compared: predictions, chains of them and measurements, each as one side with the same figures."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gpusim.errors import GpusimError, shown
from gpusim.measured.measurement import MeasuredLaunch
from gpusim.results.chain import ChainFigures
from gpusim.results.figures import Figures
from gpusim.results.metric import CYCLES, DURATION, Claim, Metric
from gpusim.results.traffic import Traffic

if TYPE_CHECKING:
    from gpusim.results.metric import Value

WEAKEST_LAST = (Claim.EXACT, Claim.MODELLED, Claim.CALIBRATED, Claim.EXTRAPOLATED)
COUNTED = tuple(name for name in Traffic.__dataclass_fields__ if name not in ("name", "text"))
"""Fields of :class:`~gpusim.results.traffic.Traffic` that add up."""

PREDICTED, MEASURED = "predicted", "measured"


class DiffError(GpusimError):
    """Two things that cannot be compared, or not two."""


@dataclass(frozen=True)
class Side:
    """One of the two that are compared.

    Attributes
    ----------
    name : str
        A kernel, a chain, or the id of a launch.
    steps : tuple of Figures
        Its launches, one after the other.
    labels : tuple of str
        A name for each.
    whole : Figures
        All launches together: what adds up of them; of one launch everything.
    measured : MeasuredLaunch or None
        What a GPU did; None: it is a prediction.
    chain : ChainFigures or None
        The chain that it is.
    costs : mapping of str to float, or None
        SM cycles that each cause costs, as a file had it; None where none does.
    tells_trust : bool
        Whether its figures come with claims and errors; a file of launches, or of advice, has numbers alone.
    """

    name: str
    steps: tuple[Figures, ...]
    labels: tuple[str, ...]
    whole: Figures
    measured: MeasuredLaunch | None = None
    chain: ChainFigures | None = None
    costs: Mapping[str, float] | None = field(default=None, compare=False)
    tells_trust: bool = True

    @property
    def kind(self) -> str:
        """``"predicted"`` or ``"measured"``."""
        return PREDICTED if self.measured is None else MEASURED

    @property
    def runs_again(self) -> bool:
        """Whether each of its launches can be predicted again without causes."""
        return self.measured is None and all(step.rerun is not None for step in self.steps)

    @property
    def is_whole(self) -> bool:
        """Whether no figure of its time was scaled from a part of a launch."""
        return all(step[CYCLES].claim is not Claim.EXTRAPOLATED for step in self.steps if CYCLES in step.metrics)


def side_of(given: Figures | ChainFigures | MeasuredLaunch) -> Side:
    """Give what is compared of a result.

    Parameters
    ----------
    given : Profile, ChainProfile or MeasuredLaunch

    Raises
    ------
    DiffError
        Something else.
    """
    if isinstance(given, Figures):
        return Side(given.kernel, (given,), (given.kernel,), given)
    if isinstance(given, ChainFigures):
        return Side(given.chain, given.steps, given.labels, _together(given), chain=given)
    if isinstance(given, MeasuredLaunch):
        return measured_side(given)
    raise DiffError(f"diff takes profiles, measured launches and what their JSON files hold, not {shown(given)}")


def measured_side(launch: MeasuredLaunch, gpu: str = "", cache: str = "") -> Side:
    """Give what is compared of a measured launch: medians of its runs.

    Parameters
    ----------
    launch : MeasuredLaunch
    gpu, cache : str
        Where and how it was measured; empty: not known.

    Raises
    ------
    DiffError
        Nothing was measured of it.
    """
    if launch.error or not (launch.metrics or launch.seconds):
        raise DiffError(f"{launch.id}: nothing was measured: {launch.error or 'no time and no counters'}")
    metrics = {name: Metric(_whole(launch.value(name)), "", Claim.EXACT) for name in launch.metrics}
    if DURATION not in metrics and launch.seconds:
        metrics[DURATION] = Metric(statistics.median(launch.seconds), "second", Claim.EXACT)
    grid, block = extent(launch.grid), extent(launch.block)
    figures = Figures(launch.kernel or launch.id, {}, gpu, grid, block, metrics, cache=cache)
    return Side(launch.id, (figures,), (launch.id,), figures, measured=launch)


def extent(sizes: Sequence[int]) -> tuple[int, int, int]:
    """Give a grid or a block in x, y, z.

    Parameters
    ----------
    sizes : sequence of int
        One to three, of which what is left out is 1; none where it is not known, which is three times 0.
    """
    x, y, z = (*map(int, sizes), 1, 1, 1)[:3] if sizes else (0, 0, 0)
    return x, y, z


def _whole(value: float) -> Value:
    return int(value) if value.is_integer() else value


def _together(chain: ChainFigures) -> Figures:
    """What adds up of the launches of a chain; of the time together nobody knows an interval."""
    steps = chain.steps
    if len(steps) == 1:
        return steps[0]
    shared = [name for name in steps[0].metrics if _adds_up(name) and all(name in step.metrics for step in steps)]
    metrics = {name: _sum([step.metrics[name] for step in steps]) for name in shared}
    lines = tuple(line for step in steps for line in step.lines)
    return replace(
        _bare(chain.steps[0]), kernel=chain.chain, params=chain.params, metrics=metrics, lines=lines,
        arrays=_arrays(chain), notes=tuple(dict.fromkeys(note for step in steps for note in step.notes)),
    )  # fmt: skip


def _bare(step: Figures) -> Figures:
    """A launch's GPU, caches and memory without the rest."""
    return Figures(step.kernel, {}, step.gpu, step.grid, step.block, {}, cache=step.cache, memory=step.memory)


def _adds_up(name: str) -> bool:
    return name == CYCLES or (name.endswith(".sum") and "pct" not in name)


def _sum(metrics: Sequence[Metric]) -> Metric:
    """The sum, which is no further off, relative to itself, than the furthest of them."""
    claim = max((metric.claim for metric in metrics), key=WEAKEST_LAST.index)
    among = "; ".join(dict.fromkeys(metric.among for metric in metrics if metric.among))
    value, unit = sum(metric.value for metric in metrics), metrics[0].unit
    return Metric(value, unit, claim, _most(m.error for m in metrics), p90=_most(m.p90 for m in metrics), among=among)


def _most(errors: Iterable[float | None]) -> float | None:
    found = list(errors)
    return None if None in found else max(error for error in found if error is not None)


def _arrays(chain: ChainFigures) -> tuple[Traffic, ...]:
    """Traffic of every array over all launches, by the chain's names for them."""
    found: dict[str, Traffic] = {}
    for number, step in enumerate(chain.steps):
        own = {theirs: ours for ours, theirs in chain.names[number].items()} if number < len(chain.names) else {}
        for array in step.arrays:
            name = own.get(array.name, array.name)
            found[name] = added(found[name], array) if name in found else replace(array, name=name)
    return tuple(found.values())


def added(one: Traffic, other: Traffic) -> Traffic:
    """Give the traffic of both, under the name of the first.

    Parameters
    ----------
    one, other : Traffic

    Examples
    --------
    >>> added(Traffic("A", sectors=3), Traffic("B", sectors=4)).sectors
    7
    """
    return replace(one, **{name: getattr(one, name) + getattr(other, name) for name in COUNTED})
