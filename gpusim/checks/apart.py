"""Arrays with room between them, so that an access beyond one lies in no other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpusim.engine.state.columns import GLOBAL_BASE
from gpusim.simulate.launch import ALIGNMENT, lay_out, variables_end

if TYPE_CHECKING:
    from gpusim.simulate.launch import Launch

MOST_ROOM = 1 << 20
"""Bytes behind an array at most; usually as many as it has."""


def apart(launch: Launch) -> Launch:
    """Lay a launch out with room before its first array, and behind each.

    Parameters
    ----------
    launch : Launch

    Returns
    -------
    Launch
        The same, where arrays lie where they are: in a memory of its own, as others know their addresses, or together.
    """
    if launch.memory is not None or launch.besides or launch.places:
        return launch
    layout, at = lay_out(launch), variables_end(launch.program) + ALIGNMENT
    own = {variable.name for variable in launch.program.variables}
    places: dict[str, int] = {}
    for name in sorted(layout.address.keys() - own, key=lambda one: layout.address[one]):
        places[name] = at - int(GLOBAL_BASE)
        nbytes = layout.nbytes[name]
        at += _padded(nbytes) + _padded(min(max(nbytes, 1), MOST_ROOM))
    return replace(launch, places=places)


def _padded(nbytes: int) -> int:
    return -(-nbytes // ALIGNMENT) * ALIGNMENT
