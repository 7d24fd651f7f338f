"""Results kept on disk under all that decides them: launches in their order, the GPU, how they are to be run.

gpusim itself decides them too, and the known errors that stand beside them: :mod:`gpusim.kept.package`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.isa.array_use import reads_data
from gpusim.isa.program import lines_of
from gpusim.kept.store import RESULTS

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.program import Program
    from gpusim.profiles.profile import Profile
    from gpusim.simulate.launch import Launch
    from gpusim.simulate.work import How, Work

OF_NO_RESULT = {"closed_forms", "fresh", "jobs", "progress", "source", "step", "take"}
"""Fields of a work, and of how it is run, that decide nothing in a profile."""


def key(works: Sequence[Work], gpu: Gpu, how: How) -> str | None:
    """Name of a prediction among the results.

    Parameters
    ----------
    works, gpu, how
        As for :func:`gpusim.simulate.prediction.predict`.

    Returns
    -------
    str or None
        None where it is not kept: values go into arrays, a timeline is large, a part cannot be told from others.
    """
    if how.values or how.timeline is not None:
        return None
    return RESULTS.key(([_deciding(work) for work in works], gpu, _fields(how)))


def load(key: str | None) -> list[Profile]:
    """Profiles that are kept, each with the time of the run that they are from; none where there are none.

    Parameters
    ----------
    key : str or None
        As :func:`key` gives it.
    """
    when, profiles = RESULTS.load(key) or (None, [])
    return [replace(profile, kept=when) for profile in profiles]


def keep(key: str | None, profiles: Sequence[Profile]) -> None:
    """Keep the profiles of a run that has just ended.

    Parameters
    ----------
    key : str or None
        As :func:`key` gave it before the run.
    profiles : sequence of Profile
    """
    RESULTS.keep(key, (datetime.now(UTC).replace(microsecond=0), list(profiles)))


def _deciding(work: Work) -> Mapping[str, Any]:
    """All of a work that decides its profile."""
    return _fields(work) | {"launch": _launch(work.launch, watched=work.watched), "texts": _texts(work.launch.program)}


def _launch(launch: Launch, *, watched: bool) -> Mapping[str, Any]:
    """A launch; of arrays the contents only where these decide what is touched, or are looked at under watch."""
    arrays = {name: value for name, value in launch.arguments.items() if isinstance(value, np.ndarray)}
    if not arrays or watched or reads_data(launch.program):
        return _fields(launch)
    sizes = {name: (value.dtype.kind, value.dtype.itemsize, value.shape) for name, value in arrays.items()}
    elsewhere = {name: value.nbytes for name, value in launch.besides.items()}
    return _fields(launch) | {"arguments": {**launch.arguments, **sizes}, "besides": elsewhere}


def _texts(program: Program) -> list[tuple[tuple[str, int], str]]:
    """The lines of source that a profile may show."""
    places = list(dict.fromkeys(map(program.place_of, range(len(program)))))
    return list(zip(places, lines_of(places), strict=True))


def _fields(value: Any) -> dict[str, Any]:
    """Fields of a work, a launch, or of how they are run, that decide a result."""
    return {each.name: getattr(value, each.name) for each in fields(value) if each.name not in OF_NO_RESULT}
