"""Predictions of kernels at every point of a space, on several GPUs: one tidy table."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gpusim.decide.space import Point, Space
from gpusim.decide.subject import Call, DescribedSubject, Subject, subjects
from gpusim.errors import GpusimError
from gpusim.launches.gpus import each_once
from gpusim.launches.rows import predict_rows
from gpusim.names import some
from gpusim.pictures.notebook import Pictured
from gpusim.processors import processors
from gpusim.profiles.chain import ChainProfile
from gpusim.profiles.profile import DERIVED, Profile
from gpusim.progress import Progress
from gpusim.results.metric import CYCLES
from gpusim.simulate.work import How, Sample

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from rich.console import RenderableType

    from gpusim.hardware.spec import Gpu

MOST_SHOWN = 40
"""Rows of a kernel that are shown; more are for a file."""


@dataclass(frozen=True)
class Row:
    """One point of a sweep.

    Attributes
    ----------
    kernel : str
    point : dict
        Values of what is swept over.
    gpu : str
    profile : Profile, ChainProfile or None
        None where it could not be predicted.
    error : str
        Why not; else empty.
    """

    kernel: str
    point: Point
    gpu: str
    profile: Profile | ChainProfile | None
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Where it is and why it was not predicted, for JSON."""
        return {"kernel": self.kernel, "point": self.point, "gpu": self.gpu, "error": self.error}


@dataclass(frozen=True, repr=False)
class Sweep(Pictured):
    """What was predicted at the points of a space.

    Attributes
    ----------
    rows : sequence of Row
        By kernel, GPU and point.
    names : sequence of str
        What was swept over.
    """

    rows: Sequence[Row]
    names: Sequence[str]

    @property
    def profiles(self) -> list[Profile | ChainProfile]:
        """Of the points that were predicted."""
        return [row.profile for row in self.rows if row.profile is not None]

    @property
    def failed(self) -> list[Row]:
        """Points that were not."""
        return [row for row in self.rows if row.profile is None]

    def to_dataframe(self) -> pd.DataFrame:
        """Give one row a point.

        Returns
        -------
        pandas.DataFrame
            Columns ``kernel``, ``gpu``, one for each name that was swept over, ``error`` (text; empty where there is
            none) and ``claim`` (of the time); then metrics under Nsight Compute's names with the ends of a time's
            interval, ``NAME.low`` and ``NAME.high``, in the metric's unit; then derived figures such as
            ``dram_bytes_read``.  Of a chain there are sums of ``seconds``, bytes of device memory and ``flops``.
        """
        import pandas as pd

        rows = [{**self._where(row), "error": row.error, **_numbers(row.profile)} for row in self.rows]
        columns = list(dict.fromkeys(itertools.chain(*rows)))
        return pd.DataFrame(rows, columns=columns)

    def _where(self, row: Row) -> dict[str, Any]:
        return {"kernel": row.kernel, "gpu": row.gpu, **{name: row.point.get(name) for name in self.names}}

    def to_dict(self) -> dict[str, Any]:
        """Give the profiles as ``gpusim predict --json`` does, and what failed."""
        kinds: dict[str, list[Any]] = {"profiles": [], "chains": []}
        for profile in self.profiles:
            kinds["chains" if isinstance(profile, ChainProfile) else "profiles"].append(profile.to_dict())
        found = {kind: written for kind, written in kinds.items() if written}
        return {**found, "failed": [row.to_dict() for row in self.failed]}

    def table(self) -> list[RenderableType]:
        """Lay the rows out, a table for each kernel."""
        by_kernel = itertools.groupby(self.rows, lambda row: row.kernel)
        return [*itertools.chain.from_iterable(_tables(list(rows)) for _, rows in by_kernel), *failures(self.failed)]

    def plot(self, y: str = "seconds", x: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw a figure of the points over one of the names.

        Parameters
        ----------
        y : str
            A column of :meth:`to_dataframe`, or a figure of :class:`Profile`.
        x : str, optional
            What to draw it over; the first name with several numbers unless given.
        ax : matplotlib.axes.Axes, optional
            Where to draw.

        Raises
        ------
        GpusimError
            No such name.
        """
        from gpusim.pictures.over_parameter import over_parameter

        metrics = getattr(self.profiles[0], "metrics", {}) if self.profiles else {}
        units = {name: metric.unit for name, metric in metrics.items()}
        return over_parameter(self.to_dataframe(), self.names, units, y, x, ax)

    def __repr__(self) -> str:
        from gpusim.report import text

        return text(self.table())


def _tables(rows: Sequence[Row]) -> list[RenderableType]:
    """A kernel's rows: all of them, or the fastest where they are many."""
    from gpusim import report

    found = [row.profile for row in rows if row.profile is not None]
    shown = found if len(found) <= MOST_SHOWN else sorted(found, key=lambda profile: profile.seconds)[:MOST_SHOWN]
    left = [] if shown is found else [f"These are the {len(shown)} fastest of {len(found)}; a file has all of them."]
    chains = [profile for profile in shown if isinstance(profile, ChainProfile)]
    profiles = [profile for profile in shown if isinstance(profile, Profile)]
    return [*(report.chains(chains) if chains else []), *(report.table(profiles) if profiles else []), *left, ""]


def failures(rows: Sequence[Row]) -> list[RenderableType]:
    """Why points were not predicted, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        words = " ".join(f"{name}={value}" for name, value in row.point.items())
        by_reason.setdefault(_first_lines(row.error), []).append(f"{words or row.kernel} on {row.gpu}")
    said = [f"{some(places, '; ')}: {reason}" for reason, places in by_reason.items()]
    return [f"Not predicted: {len(rows)}.", *said] if rows else []


def _first_lines(text: str) -> str:
    """What a compiler says first."""
    return " ".join(text.splitlines()[:2])


def _numbers(profile: Profile | ChainProfile | None) -> dict[str, Any]:
    """Columns of a profile."""
    if profile is None:
        return {}
    if isinstance(profile, ChainProfile):
        return {name: getattr(profile, name) for name in ("seconds", "dram_bytes_read", "dram_bytes_written", "flops")}
    found: dict[str, Any] = {"claim": profile.metrics[CYCLES].claim.value if CYCLES in profile.metrics else ""}
    for name, metric in profile.metrics.items():
        found[name] = metric.value
        if metric.interval is not None:
            found |= {f"{name}.low": metric.interval.low, f"{name}.high": metric.interval.high}
    return found | {name: getattr(profile, name) for name in DERIVED}


def sweep(
    kernels: Any,
    over: Mapping[str, Sequence[Any]] | None = None,
    gpu: str | Gpu | Sequence[str | Gpu] = "h200",
    *,
    where: Sequence[str] = (),
    cache: str = "cold",
    sample: Sample = None,
    fresh: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
    folders: Sequence[str] = (),
    launch: Mapping[str, Any] | None = None,
    **params: Any,
) -> Sweep:
    """Predict kernels at every point of a space, on every GPU.

    Points are predicted side by side, in as many processes as there are processors, or wherever
    :func:`joblib.parallel_config` says.  What was predicted before is kept, so a sweep that was stopped goes on where
    it was.

    Parameters
    ----------
    kernels : str, Path, Algorithm, Chain, Kernel, or a list of such
        Names as in ``gpusim kernels``, descriptions, or CUDA sources.
    over : mapping of str to sequence
        Values of parameters; of a CUDA source, of macros.
    gpu : str, Gpu, or a list of such
        Name as in ``gpusim gpus``, path of a TOML file, or a loaded specification.
    where : sequence of str
        Conditions that points must meet, such as ``"BM*BN <= 16384"``.
    cache, sample, fresh
        As for :func:`gpusim.predict`.
    jobs : int, optional
        Processors of this host to work with; by default all of them.
    progress : callable, optional
        Called with (points done, points, text).
    folders : sequence of str
        More folders to look for kernels in.
    launch : mapping, optional
        Of a CUDA source: ``grid``, ``block``, ``args``, ... as :func:`gpusim.launches.told.launch` takes them.
    **params
        Parameters that are the same at every point.

    Returns
    -------
    Sweep
        With a row for every point; one that could not be predicted says why.

    Raises
    ------
    GpusimError
        An unknown name, a space without points.

    Examples
    --------
    >>> import gpusim
    >>> found = gpusim.sweep("copy", {"B": [64, 256]}, N=65536)
    >>> found.to_dataframe()[["B", "dram_bytes_read"]].values.tolist()
    [[64, 264704], [256, 264704]]
    """
    named = subjects(kernels, params, launch or {}, folders)
    gpus: list[Any] = list(gpu) if isinstance(gpu, list | tuple) else [gpu]
    if not gpus:
        raise GpusimError("no GPU is named: gpusim gpus lists them")
    how = {"cache": cache, "sample": sample, "fresh": fresh}
    return sweep_subjects(named, Space({} if over is None else over, where), gpus, how, jobs, progress or silent)


def sweep_subjects(
    named: Sequence[Subject], space: Space, gpus: Sequence[str | Gpu], how: Mapping[str, Any], jobs: int | None,
    progress: Progress,
) -> Sweep:  # fmt: skip
    """The same, of subjects."""
    How(**how, jobs=jobs, progress=progress)  # says what is wrong of it, once and not at each point
    gpus = each_once(gpus)
    for subject in named:
        subject.check(list(space.over))
    points = [(subject, space.points(known_at(subject))) for subject in named]
    places = [(subject, point, gpu) for subject, of in points for gpu in gpus for point in of]
    return Sweep(predict_points(places, how, jobs, progress), list(space.over))


Place = tuple[Subject, Point, "str | Gpu"]


def predict_points(
    places: Sequence[Place], how: Mapping[str, Any], jobs: int | None, progress: Progress, *, tells: bool = True
) -> list[Row]:
    """Predict at each of some points.

    Parameters
    ----------
    places : sequence of (Subject, dict, str or Gpu)
    how : mapping
        As :func:`gpusim.predict` takes it.
    jobs : int or None
    progress : callable
    tells : bool
        Say on standard error how many are kept from an earlier run.

    Returns
    -------
    list of Row
        In the order of ``places``.
    """
    calls = [_call(*place, how) for place in places]
    ready = {number: call for number, call in enumerate(calls) if not isinstance(call, str)}
    here = any(isinstance(subject, DescribedSubject) and not subject.is_listed for subject, _, _ in places)
    found = predict_rows(list(ready.values()), processors(jobs), progress, here=here, tells=tells)
    profiles = dict(zip(ready, found, strict=True))
    return [_row(place, profiles.get(number, calls[number])) for number, place in enumerate(places)]


def _call(subject: Subject, point: Point, gpu: str | Gpu, how: Mapping[str, Any]) -> Call | str:
    """What predicts a point, or why it has no launch."""
    try:
        return subject.call(point, gpu, how)
    except GpusimError as error:
        return str(error)


def _row(place: Place, found: Any) -> Row:
    subject, point, gpu = place
    named = gpu if isinstance(gpu, str) else gpu.name
    if isinstance(found, str | GpusimError):
        return Row(subject.name, point, named, None, str(found))
    if isinstance(found, Profile) and subject.way == "machine_code":  # macros are as much of it as its arguments
        found = replace(found, params={**point, **found.params})
    return Row(subject.name, point, named, found)


def known_at(subject: Subject) -> Callable[[Point], Mapping[str, Any]]:
    """What names mean in conditions; at a point without a launch, those of the point alone."""
    return partial(_known, subject)


def _known(subject: Subject, point: Point) -> Mapping[str, Any]:
    try:
        return subject.known(point)
    except GpusimError:
        return {}


def silent(done: float, total: float | None, text: str) -> None:
    """Show no progress."""
