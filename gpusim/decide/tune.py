"""The best points of a space: little of each launch is predicted first, then all of the best ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gpusim import hardware
from gpusim.decide.apart import Apart, apart
from gpusim.decide.objective import TIME, Objective
from gpusim.decide.ranking import Candidate
from gpusim.decide.space import Point, Space
from gpusim.decide.subject import Subject, subjects
from gpusim.decide.sweep import Row, known_at, predict_points, silent
from gpusim.decide.tuning import Tuning
from gpusim.errors import GpusimError, ParameterError, as_integer, check_flags, listed, shown
from gpusim.progress import Progress
from gpusim.simulate.work import How

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu

TOP = 8
"""Of the best points so many are predicted in full."""

DEFAULT_OBJECTIVES = (TIME, "hbm_bytes")


@dataclass(frozen=True)
class Search:
    """How a space is searched.

    Attributes
    ----------
    objectives : sequence of Objective
        What is to be least; the first one ranks.
    top : int
        Of the best points so many are predicted in full.
    is_quick : bool
        Whether none is.
    trials : int or None
        Points that are drawn from a space too large to enumerate; None: all are predicted.
    seed : int
        Decides which are drawn.
    """

    objectives: Sequence[Objective]
    top: int = TOP
    is_quick: bool = False
    trials: int | None = None
    seed: int = 0


def tune(
    kernel: Any,
    over: Mapping[str, Sequence[Any]],
    gpu: str | Gpu = "h200",
    *,
    where: Sequence[str] = (),
    objective: str | Sequence[str] = DEFAULT_OBJECTIVES,
    top: int = TOP,
    quick: bool = False,
    trials: int | None = None,
    seed: int = 0,
    cache: str = "cold",
    fresh: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
    folders: Sequence[str] = (),
    launch: Mapping[str, Any] | None = None,
    **params: Any,
) -> Tuning:
    """Search a space for the launch that takes least.

    Every point is predicted quickly, as ``sample="quick"`` does, then the best ones in full.

    Parameters
    ----------
    kernel : str, Path, Algorithm, Chain or Kernel
        As for :func:`gpusim.sweep`.
    over : mapping of str to sequence
        Values of parameters; of a CUDA source, of macros.
    gpu : str or Gpu
    where : sequence of str
        Conditions that points must meet.
    objective : str or sequence of str
        What is to be least: :class:`~gpusim.decide.objective.Objective`.  The first one ranks; of several there is a
        Pareto front.
    top : int
        Of the best points so many are predicted in full.
    quick : bool
        Leave it at quick predictions.
    trials : int, optional
        Of a space too large to enumerate so many points are drawn, by Optuna.
    seed : int
        Decides which.
    cache, fresh, jobs, progress, folders, launch
        As for :func:`gpusim.sweep`.
    **params
        Parameters that are the same at every point.

    Returns
    -------
    Tuning

    Raises
    ------
    GpusimError
        An unknown name, a space without points, none that could be predicted.

    Examples
    --------
    >>> import gpusim
    >>> gpusim.tune("copy", {"B": [32, 256]}, N=65536).best.point
    {'B': 256}
    """
    (subject,) = subjects([kernel], params, launch or {}, folders)
    check_flags(quick=quick)
    search = Search(_objectives(objective), top, quick, trials, seed)
    how = {"cache": cache, "fresh": fresh}
    return search_space(subject, Space(over, where), gpu, search, how, jobs, progress or silent)


def _objectives(given: Any) -> list[Objective]:
    """What is to be least, of one text or of several."""
    if isinstance(given, str | Objective):
        given = [given]
    several = listed(given, "an objective is a text, such as 'time', or a list of such", ParameterError)
    return [one if isinstance(one, Objective) else Objective(one) for one in several]


def search_space(
    subject: Subject, space: Space, gpu: str | Gpu, search: Search, how: Mapping[str, Any], jobs: int | None,
    progress: Progress,
) -> Tuning:  # fmt: skip
    """The same, of a subject.

    Raises
    ------
    GpusimError
        As :func:`tune`.
    """
    How(**how, jobs=jobs, progress=progress)  # says what is wrong of it, once and not at each point
    hardware.given(gpu)
    subject.check(list(space.over))
    _check(search)
    is_whole = subject.way == "chain" or how.get("cache", "cold") != "cold"  # of which nothing is predicted quickly
    if is_whole and search.is_quick:
        raise ParameterError(
            f"quick predictions are of one kernel with cold caches: {subject.name} is predicted in full"
        )
    quick = {**how, "sample": None if is_whole else "quick"}
    rows = list(_first_rows(subject, space, gpu, search, quick, jobs, progress))
    candidates = _ranked(_candidates(rows, search.objectives, is_full=is_whole))
    if not candidates:
        raise GpusimError(f"of {len(rows)} points none could be predicted: {rows[0].error}")
    if not search.is_quick and not is_whole:
        candidates = _in_full(subject, candidates, gpu, search, how, jobs, progress)
    failed = [row for row in rows if row.profile is None]
    return Tuning(candidates, failed, search.objectives, list(space.over), _apart(subject, candidates), search.top)


def _check(search: Search) -> None:
    """Refuse numbers below 1, and objectives that are none or there twice."""
    texts = [objective.text for objective in search.objectives]
    if not texts:
        raise ParameterError("an objective is missing, such as time")
    if twice := [text for text in texts if texts.count(text) > 1]:
        raise ParameterError(f"objective {twice[0]} is given twice")
    for name, value, least in (("top", search.top, 1), ("trials", search.trials, 1), ("seed", search.seed, 0)):
        number = as_integer(value)
        if not (value is None and name == "trials") and (number is None or number < least):
            raise ParameterError(f"{name} must be a whole number from {least} on, not {shown(value)}")


def _first_rows(
    subject: Subject, space: Space, gpu: str | Gpu, search: Search, how: Mapping[str, Any], jobs: int | None,
    progress: Progress,
) -> Iterator[Row]:  # fmt: skip
    """Predictions of all points, or of those that are drawn."""

    def predicted(points: Sequence[Point]) -> list[Row]:
        places = [(subject, point, gpu) for point in points]
        return predict_points(places, how, jobs, progress, tells=search.trials is None)  # drawn ones come in batches

    if search.trials is None or search.trials >= space.size:
        yield from predicted(space.points(known_at(subject)))
        return
    from gpusim.decide.draw import drawn

    value = search.objectives[0].value
    yield from drawn(space, known_at(subject), predicted, value, search.trials, search.seed, progress)


def _candidates(rows: Sequence[Row], objectives: Sequence[Objective], *, is_full: bool) -> list[Candidate]:
    """Those points that were predicted."""
    return [
        Candidate(row, [objective.value(row.profile) for objective in objectives], is_full)
        for row in rows if row.profile is not None
    ]  # fmt: skip


def _ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The best first."""
    return sorted(candidates, key=lambda candidate: candidate.values[0])


def _in_full(
    subject: Subject, candidates: Sequence[Candidate], gpu: str | Gpu, search: Search, how: Mapping[str, Any],
    jobs: int | None, progress: Progress,
) -> list[Candidate]:  # fmt: skip
    """The best ones predicted in full, ranked anew, before the others."""
    best, others = candidates[: search.top], candidates[search.top :]
    tell = partial(_say_full, progress)
    rows = predict_points([(subject, one.point, gpu) for one in best], {**how, "sample": None}, jobs, tell)
    failed = [one for one, row in zip(best, rows, strict=True) if row.profile is None]
    return [*_ranked([*_candidates(rows, search.objectives, is_full=True), *failed]), *others]


def _say_full(progress: Progress, done: int, total: int, text: str) -> None:
    """A report on the second round."""
    progress(done, total, f"best points in full, {text}")


def _apart(subject: Subject, candidates: Sequence[Candidate]) -> Apart:
    """From which ratio on times count as different."""
    first = candidates[0]
    return apart(first.row.gpu, subject.way, quick=not first.is_full)
