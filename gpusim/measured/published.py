"""Times of a GPU that others published: data sets with source, card and clock, and what gpusim predicted of them."""

from __future__ import annotations

import datetime
import json
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from gpusim import reading
from gpusim.errors import GpusimError
from gpusim.measured.comparison import p90
from gpusim.results.metric import DURATION

FORMAT, VERSION = "gpusim published times", 1
FOLDER = Path(__file__).parents[1] / "data" / "published"
TRIED = 16
"""Launches of a tuning space that a user who tunes by predictions would try on the GPU."""


class PublishedError(GpusimError):
    """A file that holds no published times, or those of another version."""


@dataclass(frozen=True)
class PublishedLaunch:
    """One launch and its published time.

    Attributes
    ----------
    id : str
    launch : mapping
        What a launch file has of it beside the set's :attr:`DataSet.common`.
    seconds : float
        As published.
    predicted : float or None
        Seconds; None before anything was predicted.
    unsteady : bool
        Whether its clock may have been another than the set's.
    error : str or None
        Why it cannot be predicted.
    """

    id: str
    launch: Mapping[str, Any]
    seconds: float
    predicted: float | None = None
    unsteady: bool = False
    error: str | None = None


@dataclass(frozen=True)
class DataSet:
    """Launches that one source has times of.

    Attributes
    ----------
    name : str
    what : str
        What was computed, and by which kernel here.
    source : str
        Who published it.
    card : str
        The GPU as the source names it.
    clock : str
        What is known of its clock.
    timed : str
        How it was timed, and which launches were taken.
    gpu : str
        As gpusim names it, with the clock.
    way : str
        ``"description"`` or ``"machine_code"``.
    kind : str
        Family of the kernels, as errors name it.
    sample : str or None
        How much was simulated: ``"quick"``, or None as :func:`gpusim.profile` decides.
    predicted_on : str
        Day of the predictions: ``"2026-11-30"``.
    common : mapping
        What a launch file has of every launch.
    space : bool
        Whether the launches compute the same: one would choose the fastest.
    launches : list of PublishedLaunch
    """

    name: str
    what: str
    source: str
    card: str
    clock: str
    timed: str
    gpu: str
    way: str
    kind: str
    sample: str | None = None
    predicted_on: str = ""
    common: Mapping[str, Any] = field(default_factory=dict)
    space: bool = False
    launches: list[PublishedLaunch] = field(default_factory=list)

    @property
    def compared(self) -> list[PublishedLaunch]:
        """Those launches that were predicted."""
        return [launch for launch in self.launches if launch.predicted is not None]

    def entry(self, launch: PublishedLaunch) -> dict[str, Any]:
        """Give a launch as a launch file has it."""
        return {"id": launch.id, **self.common, **launch.launch}


class Spread(NamedTuple):
    """How far predictions are from published times.

    Attributes
    ----------
    launches : int
    median, mean, p90 : float
        Of the errors' sizes.
    middle : float
        Median of the errors with their signs.
    order : float
        Spearman's rank correlation; NaN of fewer than three.
    best : float
        By how much the fastest of the :data:`TRIED` that are predicted fastest is slower than the fastest of all.
    """

    launches: int
    median: float
    mean: float
    p90: float
    middle: float
    order: float
    best: float


def names() -> list[str]:
    """GPUs of which published times come with gpusim."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def of(gpu: str) -> list[DataSet]:
    """Published times of a GPU that come with gpusim.

    Parameters
    ----------
    gpu : str
        One of :func:`names`.
    """
    return read(FOLDER / f"{gpu}.json")


def read(path: Path) -> list[DataSet]:
    """Read a file of published times.

    Parameters
    ----------
    path : Path

    Raises
    ------
    PublishedError
        Unreadable, of another format or version, or with a value that cannot be.
    """
    from pydantic import TypeAdapter, ValidationError

    raw = reading.read_json(path, PublishedError)
    if not isinstance(raw, dict) or (raw.get("format"), raw.get("version")) != (FORMAT, VERSION):
        raise PublishedError(f"{path}: holds no published times of version {VERSION}")
    try:
        return TypeAdapter(list[DataSet]).validate_python(raw.get("sets"))
    except ValidationError as error:
        first = error.errors()[0]
        raise PublishedError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def to_text(sets: Sequence[DataSet]) -> str:
    """Give a file's text: a line for each launch."""
    written = []
    for one in sets:
        head = {key: value for key, value in asdict(one).items() if key != "launches"}
        lines = ",\n   ".join(json.dumps(_compact(asdict(launch))) for launch in one.launches)
        text = json.dumps(head, indent=2, ensure_ascii=False)[2:-2]
        written.append(f'{{\n{text},\n  "launches": [\n   {lines}\n  ]}}')
    return f'{{"format": "{FORMAT}", "version": {VERSION}, "sets": [\n{",".join(written)}\n]}}\n'


def with_predictions(one: DataSet, records: Sequence[Mapping[str, Any]]) -> DataSet:
    """Give a set with what was predicted today of some of its launches; one that could not be says why.

    Parameters
    ----------
    one : DataSet
    records : sequence of mapping
        Of those launches, as :func:`gpusim.launches.profiling.record_all` gives them.
    """
    by_id = {record["id"]: record for record in records}
    launches = [_predicted(launch, by_id[launch.id]) if launch.id in by_id else launch for launch in one.launches]
    return replace(one, launches=launches, predicted_on=f"{datetime.date.today():%Y-%m-%d}")


def _predicted(launch: PublishedLaunch, record: Mapping[str, Any]) -> PublishedLaunch:
    if record["error"]:
        return replace(launch, predicted=None, error=record["error"])
    return replace(launch, predicted=in_six_digits(record["metrics"][DURATION]), error=None)


def in_six_digits(seconds: float) -> float:
    """Give a time as the files have it.

    Examples
    --------
    >>> in_six_digits(0.123456789)
    0.123457
    """
    return float(f"{seconds:.6g}")


def _compact(launch: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in launch.items() if value is not None and value is not False}


def spread(launches: Sequence[PublishedLaunch]) -> Spread:
    """Sum up how far predictions are from published times.

    Parameters
    ----------
    launches : sequence of PublishedLaunch
        All of them predicted, and at least one.

    Examples
    --------
    >>> found = spread([PublishedLaunch("a", {}, 1.0, 1.1), PublishedLaunch("b", {}, 2.0, 1.8)])
    >>> [round(value, 3) for value in found[:5]]
    [2, 0.1, 0.1, 0.1, 0.0]
    """
    theirs = [launch.seconds for launch in launches]
    ours = [launch.predicted or 0.0 for launch in launches]
    errors = [here / there - 1 for here, there in zip(ours, theirs, strict=True)]
    sizes = sorted(map(abs, errors))
    tried = sorted(range(len(ours)), key=ours.__getitem__)[:TRIED]
    return Spread(
        launches=len(sizes),
        median=statistics.median(sizes),
        mean=statistics.fmean(sizes),
        p90=p90(sizes),
        middle=statistics.median(errors),
        order=order(ours, theirs),
        best=min(theirs[k] for k in tried) / min(theirs) - 1,
    )


def order(first: Sequence[float], second: Sequence[float]) -> float:
    """Spearman's correlation of ranks; NaN of fewer than three values.

    Parameters
    ----------
    first, second : sequence of float

    Examples
    --------
    >>> order([1, 2, 3], [10, 30, 20]), order([1, 2, 3], [3, 2, 1])
    (0.5, -1.0)
    """
    if len(first) < 3 or len(set(first)) == 1 or len(set(second)) == 1:
        return float("nan")
    return statistics.correlation(_ranks(first), _ranks(second))


def _ranks(values: Sequence[float]) -> list[float]:
    """The place of each; those that are alike share the middle one of theirs."""
    ordered = sorted(values)
    return [(bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 for value in values]
