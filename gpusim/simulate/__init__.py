"""A Launch run through the engine: what it counts, how much of it had to be run, and the profile of it.

What imports numba is imported when it is first used: a result that is kept needs none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpusim.simulate.launch import Buffer, Launch, place

if TYPE_CHECKING:
    from gpusim.simulate.counted import CacheState, Counts
    from gpusim.simulate.counting import count
    from gpusim.simulate.driving import SimulationError, load_engine
    from gpusim.simulate.execution import execute

__all__ = [
    "Buffer", "CacheState", "Counts", "Launch", "SimulationError", "count", "execute", "load_engine", "place",
]  # fmt: skip

_MODULES = {
    "CacheState": "counted", "Counts": "counted", "count": "counting", "SimulationError": "driving",
    "execute": "execution", "load_engine": "driving",
}  # fmt: skip
"""Where a name is that is not imported at once."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value: object = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
