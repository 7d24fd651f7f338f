"""Points drawn from a space too large to enumerate, by Optuna: where others were good, more are drawn."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpusim.decide.space import Point, Space, SpaceError
from gpusim.errors import GpusimError
from gpusim.expressions import Number
from gpusim.progress import Progress

if TYPE_CHECKING:
    from gpusim.decide.sweep import Row

AT_ONCE = 16
"""Points that are drawn before the first of them is predicted, so that they are predicted side by side."""

ASKED, BLINDLY = 10, 100_000
"""So many points Optuna may name for a trial that the conditions do not allow, or that were drawn before; then so many
are drawn blindly."""


def drawn(
    space: Space, known: Callable[[Point], Mapping[str, Number]], predicted: Callable[[Sequence[Point]], list[Row]],
    value: Callable[[Any], float], trials: int, seed: int, progress: Progress,
) -> Iterator[Row]:  # fmt: skip
    """Draw points, predict them, and draw others near the best.

    Parameters
    ----------
    space : Space
    known : callable
        What names mean in conditions at a point.
    predicted : callable
        Gives the rows of points.
    value : callable
        Gives of a profile what is to be least.
    trials : int
        Points that are predicted.
    seed : int
        Decides which are drawn first.
    progress : callable
        Called with (points predicted, points, text).

    Yields
    ------
    Row

    Raises
    ------
    GpusimError
        Optuna is not installed, or no point drawn meets the conditions.
    """
    study, told = _study(seed), 0
    while told < trials:
        asked = list(_asked(study, space, known, min(AT_ONCE, trials - told)))
        if not asked:
            if not told:
                raise SpaceError("the space is empty: no point that was drawn meets " + " and ".join(space.where))
            return
        rows = predicted([point for _, point in asked])
        for (trial, _), row in zip(asked, rows, strict=True):
            _tell(study, trial, None if row.profile is None else value(row.profile))
        told += len(rows)
        progress(told, trials, f"{told} of {trials} points predicted")
        yield from rows


def _study(seed: int) -> Any:
    try:
        import optuna
    except ImportError:
        raise GpusimError('trials are drawn by Optuna: pip install "gpusim[tune]"') from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))


def _tell(study: Any, trial: Any, value: float | None) -> None:
    """Tell what a trial came to; None: it failed."""
    from optuna.trial import TrialState

    study.tell(trial, value, state=TrialState.COMPLETE if value is not None else TrialState.FAIL)


def _asked(
    study: Any, space: Space, known: Callable[[Point], Mapping[str, Number]], count: int
) -> Iterator[tuple[Any, Point]]:
    """Trials with points that the conditions allow and that were not drawn before; fewer where none is found."""
    seen = {_text(_point(trial.params, space)) for trial in study.get_trials(deepcopy=False)}

    def is_new(point: Point) -> bool:
        return _text(point) not in seen and space.allows(point, known)

    for _ in range(count):
        found = _named(study, space, is_new) or _blind(study, space, is_new)
        if found is None:
            return
        seen.add(_text(found[1]))
        yield found


def _named(study: Any, space: Space, is_new: Callable[[Point], bool]) -> tuple[Any, Point] | None:
    """A trial with a point that Optuna names."""
    for _ in range(ASKED):
        trial, point = _suggested(study, space)
        if is_new(point):
            return trial, point
        _tell(study, trial, None)
    return None


def _blind(study: Any, space: Space, is_new: Callable[[Point], bool]) -> tuple[Any, Point] | None:
    """A trial with a point that is drawn without regard to those before it."""
    draw = random.Random(len(study.get_trials(deepcopy=False)))
    for _ in range(BLINDLY):
        places = {name: draw.randrange(len(values)) for name, values in space.over.items()}
        if is_new(_point(places, space)):
            study.enqueue_trial(places)
            return _suggested(study, space)
    return None


def _suggested(study: Any, space: Space) -> tuple[Any, Point]:
    """A trial, and its point: Optuna chooses places in the lists of values, which are near where numbers are."""
    trial = study.ask()
    for name, values in space.over.items():
        if any(isinstance(value, str) for value in values):
            trial.suggest_categorical(name, tuple(range(len(values))))
        else:
            trial.suggest_int(name, 0, len(values) - 1)
    return trial, _point(trial.params, space)


def _point(places: Mapping[str, int], space: Space) -> Point:
    return {name: space.over[name][place] for name, place in places.items()}


def _text(point: Mapping[str, Any]) -> str:
    return repr(sorted(point.items()))
