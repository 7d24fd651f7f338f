"""A Launch run through the engine: what it counts, how much of it had to be run, and the profile of it."""

from __future__ import annotations

from gpusim.simulate.counted import CacheState, Counts
from gpusim.simulate.counting import count
from gpusim.simulate.driving import SimulationError, load_engine
from gpusim.simulate.execution import execute
from gpusim.simulate.launch import Buffer, Launch, place

__all__ = [
    "Buffer", "CacheState", "Counts", "Launch", "SimulationError", "count", "execute", "load_engine", "place",
]  # fmt: skip
