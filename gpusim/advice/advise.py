"""Advice on a launch: each cause that its counters show is taken away alone, and what that gains decides the order."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.advice.edits import EDITS
from gpusim.advice.finding import Finding, Findings
from gpusim.advice.signs import Sign, idle_share, read_once, signs
from gpusim.advice.trust import interval
from gpusim.errors import ParameterError
from gpusim.results.causes import UPPER_LIMITS, Cause
from gpusim.results.documents import plain

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gpusim.progress import Progress
    from gpusim.results.figures import Figures


@dataclass(frozen=True, repr=False)
class Advice(Findings):
    """What would make a launch faster.

    Attributes
    ----------
    profile : Profile
        The launch as it is.
    findings : tuple of Finding
        Everything that was looked at, what costs most first; upper limits come after what is sure.
    """

    profile: Figures
    findings: tuple[Finding, ...]

    def table(self) -> list[RenderableType]:  # noqa: D102 (as of Findings)
        from gpusim.advice.table import table

        return list(table(self.profile, self.findings))

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain dicts, lists, strings and numbers, ready for JSON.

        Returns
        -------
        dict
            ``kernel``, ``params``, ``gpu``, ``cache``, ``grid``, ``block``, ``cycles``, and ``findings``.
        """
        profile = self.profile
        return {
            "kernel": profile.kernel, "params": {name: plain(value) for name, value in profile.params.items()},
            "gpu": profile.gpu, "cache": profile.cache,
            "grid": list(profile.grid), "block": list(profile.block), "cycles": profile.cycles,
            "findings": [finding.to_dict() for finding in self.findings],
        }  # fmt: skip


def advise(profile: Figures, progress: Progress | None = None) -> Advice:
    """Find what would make a launch faster.

    The launch is simulated again for each cause of time that its counters show, without that one.

    Parameters
    ----------
    profile : Profile
        As ``predict`` or ``profile`` has given it.
    progress : callable, optional
        Called with (blocks done, blocks, text).

    Returns
    -------
    Advice

    Raises
    ------
    ParameterError
        The profile was read from a file, or has no time.
    """
    if profile.rerun is None or math.isnan(profile.cycles):
        raise ParameterError(f"advice on {profile.kernel} needs its launch: predict it, with its time, in this process")
    found = [_finding(profile, cause, sign, progress) for cause, sign in signs(profile).items()]
    return Advice(profile, tuple(sorted(found, key=lambda finding: finding.rank)))


def _finding(profile: Figures, cause: Cause, sign: Sign, progress: Progress | None) -> Finding:
    simulated = cause is not Cause.FEW_BLOCKS
    found = min(cycles_without(profile, (cause,), progress), profile.cycles)
    at_most = cause in UPPER_LIMITS
    known = simulated and not at_most and profile.cache == "cold"
    sure = interval(profile.gpu, profile.cycles / found) if known else None
    return Finding(cause, profile.cycles, found, sign.what, EDITS[cause], sign.places, simulated, sure, at_most)


def cycles_without(profile: Figures, causes: Collection[Cause], progress: Progress | None = None) -> float:
    """Give the cycles of a launch without some causes of its time, all of them at once.

    Parameters
    ----------
    profile : Profile
        That can be predicted again.
    causes : collection of Cause
        Of one launch: not ``kernels apart``.
    progress : callable, optional
        Called with (blocks done, blocks, text).

    Returns
    -------
    float
        SM cycles; those without few blocks, or a last wave, follow from runs in proportion.
    """
    others = [cause for cause in causes if cause not in (Cause.LAST_WAVE, Cause.FEW_BLOCKS)]
    base = _rerun(profile, others, progress) if others else profile
    if Cause.LAST_WAVE in causes and base.waves > 1:
        return _all_waves(base, _rerun(profile, [*others, Cause.LAST_WAVE], progress))
    if Cause.FEW_BLOCKS in causes and base.waves <= 1:
        return _evenly(base, idle_share(base))
    return float(base.cycles)


def _rerun(profile: Figures, causes: Sequence[Cause], progress: Progress | None) -> Figures:
    """The launch without some causes."""
    names = ", ".join(causes)

    def tell(done: int, total: int, text: str) -> None:
        if progress is not None:
            progress(done, total, f"without {names}: {text}")

    assert profile.rerun is not None
    marked = {"once": read_once(profile)} if Cause.L1_PLACES in causes else {}
    again: Figures = profile.rerun(*causes, **marked, progress=tell)
    return again


def _all_waves(profile: Figures, full: Figures) -> float:
    """Cycles in proportion to those of the full waves alone; no fewer than if no SM had ever been idle."""
    busy = full.value("sm__cycles_active.max")
    scaled = float(full.cycles - busy + busy * profile.waves / math.floor(profile.waves))
    active, longest = (profile.value(f"sm__cycles_active.{how}") for how in ("avg", "max"))
    return max(scaled, _evenly(profile, 1 - active / longest))


def _evenly(profile: Figures, idle: float) -> float:
    """Cycles if no SM were idle, which is so for a share of the time; no unit of the GPU is more than fully used."""
    of_gpu = [
        metric.value for name, metric in profile.metrics.items() if name.endswith("pct_of_peak_sustained_elapsed")
    ]
    even = profile.cycles - idle * profile.value("sm__cycles_active.max")
    return float(max(even, profile.cycles * max(of_gpu, default=0) / 100))
