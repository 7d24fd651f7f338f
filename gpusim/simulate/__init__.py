"""A Launch run through the engine: what it counts, and how much of it had to be run."""

from __future__ import annotations

from gpusim.simulate.launch import Buffer, Launch, place
from gpusim.simulate.run import CacheState, Counts, SimulationError, count, execute, left_by, load_engine

__all__ = [
    "Buffer", "CacheState", "Counts", "Launch", "SimulationError",
    "count", "execute", "left_by", "load_engine", "place",
]  # fmt: skip
