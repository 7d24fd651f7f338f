"""A counter: its value, what it is counted in, and how far to trust it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

STALL_REASON = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
"""Nsight Compute's name of what says how many warps wait for a reason."""

STALL_SHARE = "smsp__warp_issue_stalled_{}_per_warp_active.pct"
"""Nsight Compute's name of the share of their time that warps wait for it."""

CYCLES = "gpc__cycles_elapsed.max"
"""SM cycles that a launch takes, as Nsight Compute counts them."""

DURATION = "gpu__time_duration.sum"
"""Seconds that a launch takes, as Nsight Compute counts them."""

INTERVAL_SHARE = 0.8
"""Of launches that nobody measured, how many take a time within its interval (0 to 1)."""

LEFT_DIRTY = "gpusim__l2_bytes_left_dirty.sum"
"""Bytes written that L2 still holds when the launch ends; Nsight Compute has no name for them."""

Value = int | float
"""A counter's value: an int where it counts, a float where it is a ratio or was scaled."""


class Claim(StrEnum):
    """How far to trust a value, strongest first.

    ``exact``: follows from the program alone, and hardware repeats it
    identically.  ``modelled``: computed by a model of the hardware.
    ``calibrated``: a model with constants measured on this GPU.
    ``extrapolated``: part of the launch was simulated, the rest scaled from it.
    """

    EXACT = "exact"
    MODELLED = "modelled"
    CALIBRATED = "calibrated"
    EXTRAPOLATED = "extrapolated"


class Interval(NamedTuple):
    """Between what a time lies, as launches of like kernels were off.

    Attributes
    ----------
    low, high : float
        Both ends, in the metric's unit.  Where most of these launches took longer than predicted, even the lower one
        may lie above the prediction.
    among : str
        Which measured launches it follows from.
    share : float
        Of launches of kernels that nobody measured, how many fall inside (0.8 = 80 %).

    Examples
    --------
    >>> print(Interval(4350.4, 5210, "458 launches of ... on h200"))
    80 %: 4350 to 5210
    """

    low: float
    high: float
    among: str
    share: float = INTERVAL_SHARE

    def __str__(self) -> str:
        low, high = (f"{end:.0f}" if end >= 1000 else f"{end:.4g}" for end in (self.low, self.high))
        return f"{100 * self.share:.0f} %: {low} to {high}"


@dataclass(frozen=True, slots=True)
class Metric:
    """One counter of a profile.

    Parameters
    ----------
    value : int or float
    unit : str
        ``"byte"``, ``"sector"``, ``"request"``, ``"inst"``, ``"%"``, ...
    claim : Claim
    error : float or None
        Half of the launches in `among` are off by this at most, relative to what was measured (0.01 = 1 %; of a share
        of time the difference); None where it was never measured on this GPU.
    held_out : float or None
        The same over those of them that no calibration has seen; None where none are.
    p90 : float or None
        Nine in ten launches in `among` are off by this at most.
    among : str
        Which measured launches: ``"61 launches of matmul kernels on h200, by description"``.
    interval : Interval or None
        Of a time, between what it lies: it says more of this launch than `error` and `p90` do, so it is what is shown.

    Examples
    --------
    >>> print(Metric(33_554_432, "byte", Claim.MODELLED, 0.004, p90=0.031))
    33554432 byte (modelled ±0.4/3.1 %)
    """

    value: Value
    unit: str
    claim: Claim
    error: float | None = None
    held_out: float | None = None
    p90: float | None = None
    among: str = ""
    interval: Interval | None = None

    @property
    def claim_text(self) -> str:
        """Claim and errors as a table shows them: ``exact``, ``modelled ±0.4/3.1 %``, ``modelled, unmeasured``.

        Of a time with an interval: ``calibrated, 80 %: 4350 to 5210``.
        """
        if self.interval is not None:
            return f"{self.claim.value}, {self.interval}"
        if self.claim is Claim.EXACT and not (self.error or self.p90):
            return self.claim.value
        if self.error is None:
            return f"{self.claim.value}, unmeasured"
        return f"{self.claim.value} {self.error_text}"

    @property
    def error_text(self) -> str:
        """Errors alone: ``±0.4/3.1 %``; empty where they are not known."""
        if self.error is None:
            return ""
        return f"±{'/'.join(format_error(error) for error in (self.error, self.p90) if error is not None)} %"

    def unmeasured(self) -> Metric:
        """Give the same value, of which nobody knows how far off it is."""
        return Metric(self.value, self.unit, self.claim)

    def __str__(self) -> str:
        return f"{self.value} {self.unit} ({self.claim_text})"


def format_error(error: float) -> str:
    """Write an error in per cent, to two digits and no finer than 0.01 %.

    Examples
    --------
    >>> format_error(0.0312), format_error(0.12), format_error(0.00004), format_error(math.inf)
    ('3.1', '12', '0', '∞')
    """
    hundredths = 100 * error
    if not math.isfinite(hundredths):
        return "∞"
    digits = 0 if hundredths >= 9.95 else 1 if hundredths >= 0.995 else 2
    return f"{hundredths:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{hundredths:.0f}"
