"""Launches of emitted CUDA, and their counters on an H200: those of data/h200_emitted.json.

Newer measurements come with the package (``gpusim measure``); this one has what they lack still, the counters of L1.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gpusim import catalog, cuda
from gpusim.launches.spec import DescribedLaunch

TABLE = Path(__file__).parent / "data" / "h200_emitted.json"
Measured = dict[str, Any]


def launches() -> list[Measured]:
    """Every launch of the table: kernel, parameters, metrics."""
    found: list[Measured] = json.loads(TABLE.read_text())["launches"]
    return found


def described(launch: Measured) -> DescribedLaunch:
    """The launch, ready to be compiled."""
    return DescribedLaunch.of(catalog.get(launch["kernel"]), launch["params"])


def compiled(launch: Measured) -> tuple[cuda.Kernel, DescribedLaunch]:
    """Machine code of the source that a launch's kernel emits."""
    spec = described(launch)
    return spec.compile("h200").kernel(), spec
