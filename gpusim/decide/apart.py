"""How far apart two predictions must be for a GPU to agree on which is faster: launches of one kernel, tiled otherwise.

``python -m calibration.tuning`` writes the package's file, from launches that were measured.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

FILE = "tuning.json"


class Apart(NamedTuple):
    """From which ratio on two times count as different.

    Attributes
    ----------
    factor : float
        Of four pairs in five measured the ratio of times was off by this factor at most.
    among : str
        Which pairs.
    is_known : bool
        Whether they were measured on this GPU, and predicted in this way.
    """

    factor: float
    among: str
    is_known: bool


def apart(gpu: str, way: str, *, quick: bool) -> Apart:
    """Give the factor for predictions of a kind.

    Parameters
    ----------
    gpu : str
    way : str
        ``description`` or ``machine_code``.
    quick : bool
        Whether they are quick predictions.

    Returns
    -------
    Apart
        Of a kind that nobody measured the largest factor there is.

    Examples
    --------
    >>> apart("v100", "machine_code", quick=False).is_known
    False
    """
    own = [one for one in _sets() if (one["gpu"], one["way"], one["quick"]) == (gpu, way, quick)]
    chosen = max(own or _sets(), key=lambda one: float(one["factor"]))
    return Apart(float(chosen["factor"]), str(chosen["among"]), bool(own))


@cache
def _sets() -> list[dict[str, Any]]:
    """Every set of launches that ratios were learnt from."""
    found: list[dict[str, Any]] = json.loads((resources.files("gpusim") / "data" / FILE).read_text())["sets"]
    return found
