"""Run one block of a launch, and keep where the lanes of one of its warps go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.hierarchy.bank_conflicts import bank_wavefronts, ideal_wavefronts
from gpusim.engine.state import checks as K
from gpusim.engine.state import columns as S
from gpusim.errors import ParameterError, whole
from gpusim.isa.encode import F
from gpusim.isa.opcodes import Op
from gpusim.isa.printer import format_instr
from gpusim.isa.program import lines_of
from gpusim.results.touches import Touch
from gpusim.simulate.checking import watched
from gpusim.simulate.launch import arrays_of
from gpusim.simulate.observed import SPACES
from gpusim.simulate.where import place_name

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.instruction import Instr
    from gpusim.progress import Progress
    from gpusim.simulate.launch import Launch, Layout

MOST_INSTRUCTIONS = 20_000_000
"""Warp instructions after which a block is taken not to end: it may wait for others, which do not run."""

PACKED = (Op.LDS, Op.LD)
"""Whose wider accesses take half as many wavefronts where neighbouring lanes read the same."""


def touches(
    launch: Launch, gpu: Gpu, held: Occupancy, block: int = 0, warp: int = 0, progress: Progress | None = None
) -> tuple[Touch, ...]:
    """Find where the lanes of a warp go.

    Parameters
    ----------
    launch : Launch
    gpu, held
        Where it runs; only what a block may hold matters.
    block : int
        Its number in the grid: x goes first.
    warp : int
        Its number in the block.
    progress : callable, optional
        Called with (blocks done, blocks, text).

    Returns
    -------
    tuple of Touch
        In the order of the program; of a copy from global to shared memory, both sides.

    Raises
    ------
    ParameterError
        There is no such block or warp.
    GpusimError
        The block comes to no end by itself.

    Notes
    -----
    Only this block runs.  What others would have left in memory is not there; it matters only where addresses depend
    on it.
    """
    whole("block", block, 0, launch.blocks - 1)
    whole("warp", warp, 0, launch.warps - 1)
    touched, image, layout = watched(launch, gpu, held, block, warp, progress, MOST_INSTRUCTIONS)
    rows = [(int(image.code[k // 2, F.INDEX]), touched[k]) for k in np.flatnonzero(touched[:, K.T_TIMES])]
    if not rows:
        raise ParameterError(f"warp {warp} of block {block} touches no memory")
    places = [launch.program.place_of(index) for index, _ in rows]
    return tuple(
        _touch(launch, layout, index, row, text) for (index, row), text in zip(rows, lines_of(places), strict=True)
    )


def _touch(launch: Launch, layout: Layout, index: int, row: np.ndarray, text: str) -> Touch:
    instr = launch.program.instrs[index]
    lanes, width = np.uint32(row[K.T_LANES]), int(row[K.T_BYTES])
    addresses = row[K.T_ADDRESS :].copy()
    space = str(SPACES[int(row[K.T_SPACE])])
    wavefronts, ideal = _wavefronts(addresses, lanes, width, packs=instr.op in PACKED and space == "shared")
    active = [lane for lane in range(S.LANES) if int(lanes) >> lane & 1]
    array, first = _array(launch, layout, space, int(addresses[active[0]])) if active else ("", 0)
    return Touch(
        index, format_instr(instr), place_name(launch.program, index), text.strip(), space, _does(instr, space),
        array, first, width,
        tuple(int(addresses[lane]) if lane in active else None for lane in range(S.LANES)),
        int(row[K.T_TIMES]), wavefronts, ideal,
    )  # fmt: skip


def _wavefronts(addresses: np.ndarray, lanes: np.uint32, width: int, *, packs: bool) -> tuple[int, int]:
    scratch = np.zeros((S.WORKED + 1, S.LANES), np.int64)
    return int(bank_wavefronts(addresses, lanes, width, packs, scratch)), int(ideal_wavefronts(lanes, width))


def _does(instr: Instr, space: str) -> str:
    info = instr.op.info
    if info.is_atomic:
        return "atomic"
    from_global = instr.op is Op.LDGSTS and space == "global"
    return "load" if from_global or (info.is_load and instr.op is not Op.LDGSTS) else "store"


def _array(launch: Launch, layout: Layout, space: str, address: int) -> tuple[str, int]:
    """The array of global memory that an address is of, and its first byte; of other memory, where that begins."""
    if space != "global":
        return "", launch.program.shared_base if space == "shared" else 0
    for array in arrays_of(launch):
        first = layout.address.get(array.name)
        if first is not None and first <= address < first + layout.nbytes[array.name]:
            return array.name, first
    return "", 0
