"""Run a launch for its values alone, looking for races and for reads of what was never written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.engine.state.arrays import Machine
from gpusim.engine.state.geometry import WORD
from gpusim.isa.encode import encode
from gpusim.simulate.driving import Place, bound, drive
from gpusim.simulate.launch import Launch, Layout, fill_memory, lay_out, read_back
from gpusim.simulate.sample import every_block

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.progress import Progress

MOST_MARKED = 1 << 32  # bytes of an output of which each word is watched until something writes it


def execute(
    launch: Launch, gpu: Gpu, held: Occupancy, *, checked: bool = True, progress: Progress | None = None,
    blocks: np.ndarray | None = None, limit: int | None = None,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Run a launch for its values alone.

    Parameters
    ----------
    launch : Launch
        With every buffer as an array.
    gpu, held
        Where it runs; only what a block may hold matters.
    checked : bool
        Look for races and for reads of what was never written.
    progress : callable, optional
        Called with (blocks done, blocks, text).
    blocks : int64 array, optional
        Only these blocks.
    limit : int, optional
        Warp instructions beyond which the run is taken not to end; unless given, however many it takes.

    Returns
    -------
    dict of str to ndarray
        Every buffer after the launch.

    Raises
    ------
    SimulationError
        Out of bounds, race, unwritten read, divergent barrier, ...
    EndlessError
        It never ends, or has more than ``limit`` warp instructions.
    """
    layout = lay_out(launch)
    image = bound(launch, layout, encode(launch.program))
    memory = fill_memory(launch, layout)
    m = Place(launch, gpu, held, layout, memory).machine(image, 1, checked=checked, timeless=True, n_sm=1)
    _mark_outputs(m, launch, layout)
    queue = every_block(launch.blocks) if blocks is None else blocks
    drive(m, launch, image, queue, np.zeros(len(queue), np.int64), progress, "executing", limit)
    return read_back(launch, layout, memory)


def _mark_outputs(m: Machine, launch: Launch, layout: Layout) -> None:
    """Outputs hold nothing yet, all other buffers what the host wrote; outputs too large to be marked go unwatched."""
    if not m.shape[S.CHECKED]:
        return
    for name in set(launch.outputs) & set(layout.address):
        if layout.nbytes[name] <= MOST_MARKED:
            first = (layout.address[name] - int(S.GLOBAL_BASE)) // WORD
            m.unwritten[first : first + -(-layout.nbytes[name] // WORD)] = 1
