"""What is to be least: a figure of a prediction, or a sum of some with weights."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpusim.assertions.quantities import FIGURES
from gpusim.decide.objective_units import check_units
from gpusim.errors import GpusimError, ParameterError, UnknownNameError, shown
from gpusim.expressions import ExpressionError, Number, evaluate, names
from gpusim.profiles.chain import ChainProfile
from gpusim.profiles.profile import DERIVED, Profile
from gpusim.results.documents import plain

TIME = "time"
WORDS = {TIME: "seconds", "hbm_bytes": "dram_bytes"}
"""Words for figures that have another name."""

OF_METRICS = "__"
"""What Nsight Compute's names have in them, and figures have not."""

OF_LAUNCHES = ("seconds", "cycles", "flops", "dram_bytes", "shared_bytes", *DERIVED)
"""Figures of a launch."""

OF_CHAINS = ("seconds", "dram_bytes", "dram_bytes_read", "dram_bytes_written", "flops")
"""Figures of a chain."""

UNITS = {"flops": "FLOP", "shared_bytes": "byte", **{figure.name: figure.unit for figure in FIGURES}}
"""What each is counted in."""


@dataclass(frozen=True)
class Objective:
    """What is to be least.

    Parameters
    ----------
    text : str
        ``"time"`` (seconds), a figure such as ``"dram_bytes"``, a metric by its Nsight Compute name, or an expression
        of these with weights: ``"20*dram_bytes + 4*l2_read_bytes + flops"``.  Figures in unlike units are added only
        where all of them but those of one unit have a weight.

    Raises
    ------
    ExpressionError
        It is no expression.
    UnknownNameError
        It names no figure.
    UnlikeUnitsError
        It adds figures in unlike units without weights, as ``"time + hbm_bytes"`` does.

    Examples
    --------
    >>> Objective("2*dram_bytes_read").text
    '2*dram_bytes_read'
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise ParameterError(f"an objective is a text, such as 'time', not {shown(self.text)}")
        found = names(self.text)
        if not found:
            raise ExpressionError(f"objective {self.text!r}: it names no figure, such as time or dram_bytes")
        for name in found:
            if OF_METRICS not in name and name not in (*WORDS, *OF_LAUNCHES):
                raise UnknownNameError("figure of an objective", name, [*WORDS, *OF_LAUNCHES])
        check_units(self.text, _unit)

    @property
    def is_time(self) -> bool:
        """Whether it is the time alone."""
        return WORDS.get(self.text, self.text) == "seconds"

    def value(self, profile: Profile | ChainProfile) -> float:
        """Its value.

        Raises
        ------
        ExpressionError
            A name that is neither a figure nor a metric.
        GpusimError
            A figure that is not known of this launch; metrics in unlike units without weights.
        """
        metrics = getattr(profile, "metrics", {})
        check_units(self.text, lambda name: metrics[name].unit if name in metrics else _unit(name))
        found = float(evaluate(self.text, _Known(profile)))
        if not math.isfinite(found):
            raise GpusimError(f"objective {self.text}: it is not known of this launch")
        return found


def _unit(name: str) -> str | None:
    """The unit of a figure; None of a metric, which every launch tells by itself."""
    return UNITS.get(WORDS.get(name, name))


class _Known(Mapping[str, Number]):
    """Figures and metrics of a profile by name, each worked out when it is asked for."""

    def __init__(self, profile: Profile | ChainProfile) -> None:
        self._profile = profile
        self._metrics = getattr(profile, "metrics", {})

    def __getitem__(self, name: str) -> Number:
        own = WORDS.get(name, name)
        if own in self._metrics:
            found: Number = plain(self._metrics[own].value)
            return found
        if own not in figures(self._profile):
            raise KeyError(name)
        figure: Number = plain(getattr(self._profile, own))
        return figure

    def __iter__(self) -> Iterator[str]:
        return iter((*WORDS, *figures(self._profile), *self._metrics))

    def __len__(self) -> int:
        return len(list(iter(self)))


def figures(profile: Profile | ChainProfile) -> tuple[str, ...]:
    """Figures that an objective may name.

    Parameters
    ----------
    profile : Profile or ChainProfile
    """
    return OF_CHAINS if isinstance(profile, ChainProfile) else OF_LAUNCHES
