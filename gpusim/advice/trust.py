"""How far to trust a gain: what mending brought in pairs of kernels that were measured, beside what was predicted.

The package has a file for each GPU that such pairs were measured on; ``python -m calibration.advice`` writes it.
"""

from __future__ import annotations

import json
import statistics
from functools import cache
from importlib import resources

from gpusim.advice.finding import Factors

TENTHS = 10
"""Of what is measured eight tenths lie within an interval, one below and one above."""


def interval(gpu: str, speedup: float) -> Factors | None:
    """Give between what the speed-up lies that mending a cause brings, four times in five.

    Parameters
    ----------
    gpu : str
    speedup : float
        Without the cause.

    Returns
    -------
    Factors or None
        None on a GPU of which no pairs were measured.
    """
    ends = _ends(gpu)
    return ends and Factors(*(max(speedup * end, 1.0) for end in ends))


@cache
def _ends(gpu: str) -> tuple[float, float] | None:
    """How many times what was predicted mending brought: the ends of eight tenths of the pairs."""
    file = resources.files("gpusim") / "data" / f"advice-{gpu}.json"
    if not file.is_file():
        return None
    pairs = json.loads(file.read_text())["pairs"]
    tenths = statistics.quantiles([pair["measured"] / pair["advised"] for pair in pairs], n=TENTHS)
    return tenths[0], tenths[-1]
