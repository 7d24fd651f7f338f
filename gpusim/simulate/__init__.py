"""A Launch run through the engine: what it counts, and how much of it had to be run."""

from __future__ import annotations

from gpusim.simulate.launch import Buffer, Launch
from gpusim.simulate.run import Counts, SimulationError, count, execute

__all__ = ["Buffer", "Counts", "Launch", "SimulationError", "count", "execute"]
