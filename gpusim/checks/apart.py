"""Arrays with room between them, so that an access beyond one lies in no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from gpusim.engine.state.columns import GLOBAL_BASE
from gpusim.simulate.launch import ALIGNMENT, lay_out, variables_end

if TYPE_CHECKING:
    from gpusim.simulate.launch import Launch, Layout

MOST_ROOM = 1 << 20
"""Bytes between two arrays at most; usually as many as the one before has."""


def apart(launch: Launch) -> Launch:
    """Lay a launch out with room behind each array; those that share memory stay as they lie to one another.

    Parameters
    ----------
    launch : Launch

    Returns
    -------
    Launch
        The same, where it has a memory of its own, or arrays hold addresses of others.
    """
    if launch.memory is not None or launch.besides:
        return launch
    layout, start = lay_out(launch), variables_end(launch.program)
    own = {variable.name for variable in launch.program.variables}
    names = [name for name in layout.address if name not in own]
    at = start + ALIGNMENT
    places: dict[str, int] = {}
    for group in _together(names, layout):
        first = min(layout.address[name] for name in group)
        end = max(layout.address[name] + layout.nbytes[name] for name in group)
        places |= {name: at + layout.address[name] - first - int(GLOBAL_BASE) for name in group}
        at += _padded(end - first) + _padded(min(max(end - first, 1), MOST_ROOM))
    return replace(launch, places=places) if _fits(places, launch.places) else launch


def _together(names: list[str], layout: Layout) -> Iterator[list[str]]:
    """Arrays in the order of memory, those that share some together."""
    group: list[str] = []
    end = -1
    for name in sorted(names, key=lambda one: layout.address[one]):
        if group and layout.address[name] >= end:
            yield group
            group = []
        group.append(name)
        end = max(end, layout.address[name] + layout.nbytes[name])
    if group:
        yield group


def _fits(places: Mapping[str, int], before: Mapping[str, int]) -> bool:
    """Whether there are places of all arrays."""
    return bool(places) and set(before) <= set(places)


def _padded(nbytes: int) -> int:
    return -(-nbytes // ALIGNMENT) * ALIGNMENT
