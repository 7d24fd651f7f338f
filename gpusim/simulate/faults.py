"""What went wrong in a run, in one line that names the kernel, the source line, the thread and the address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state.arrays import Machine
from gpusim.isa.encode import F, Image
from gpusim.isa.instruction import INSTRUCTION_BYTES
from gpusim.isa.mbarrier import state_of
from gpusim.isa.opcodes import Op
from gpusim.simulate.launch import arrays_of, lay_out
from gpusim.simulate.places import NEAR_NULL, coordinates, global_place, shared_place
from gpusim.simulate.printed import string_of

if TYPE_CHECKING:
    from gpusim.simulate.launch import Launch

_GLOBAL = (E.GLOBAL_BOUNDS, E.MISALIGNED, E.UNWRITTEN_GLOBAL, E.STRAY)
_SHARED = (E.SHARED_BOUNDS, E.SHARED_MISALIGNED, E.UNWRITTEN_SHARED, E.RACE)
_CLUSTER = (E.ENDED_BLOCK, E.NO_SUCH_BLOCK)
_HEAP = (E.NOT_ALLOCATED, E.FREED_TWICE)
_LOCAL = (E.LOCAL_BOUNDS, E.LOCAL_MISALIGNED)
_MBARRIER = (E.NO_MBARRIER, E.MBARRIER_ARRIVALS, E.MBARRIER_BYTES, E.MBARRIER_DEADLOCK)


def explain(launch: Launch, image: Image, misc: np.ndarray) -> str:
    """One line for an error the engine noted.

    Parameters
    ----------
    launch : Launch
    image : Image
        What ran.
    misc : int64 array
        :attr:`gpusim.engine.state.arrays.Machine.misc`.
    """
    row = image.code[min(max(int(misc[S.E_INDEX]), 0), len(image.code) - 1)]
    program, code, op = launch.program, int(misc[S.E_CODE]), Op(int(row[F.OP]))
    index = int(row[F.INDEX]) * INSTRUCTION_BYTES
    if code == E.ASSERTED:
        return _assertion(launch, misc)
    place = f"{program.source}:{row[F.LINE]}" if row[F.LINE] else f"instruction at {index:#x}"
    who = f"{place}: {program.name}: {_thread(launch, misc)}"
    address = int(misc[S.E_ADDRESS])
    if code in _GLOBAL:
        array = arrays_of(launch)[row[F.ARRAY]].name if row[F.ARRAY] >= 0 else "global memory"
        return f"{who} {_global_text(code, op, array)}: {global_place(address, launch)}"
    if code in _SHARED:
        return f"{who}: {_shared_text(code, address, int(misc[S.E_HOLDS]))}; {shared_place(launch, address)}"
    if code in _CLUSTER:
        whose = f"of block {address >> S.WINDOW_AT} of the {launch.cluster_blocks} of a cluster"
        return f"{who}: {E.TEXT[code]}: shared address {address:#x}, {whose}"
    if code in _MBARRIER:
        return f"{who}: {_mbarrier_text(code, address, int(misc[S.E_HOLDS]))}"
    if code == E.CLUSTER_DEADLOCK:
        return f"{who}: {E.TEXT[code]}: {_missing(address, int(misc[S.E_HOLDS]), launch)}"
    if code == E.WARPGROUP_DEADLOCK:
        return f"{who}: {E.TEXT[code]}: {_absent(address)}"
    if code == E.REGISTERS:
        return f"{who}: {E.TEXT[code]}: it has {address} a thread, and names {row[F.SUB]}"
    if code == E.NO_PROGRESS and (asked := _registers_asked(image, int(misc[S.E_INDEX]))):
        return f"{who}: {E.TEXT[code]}: it asks for {asked} registers a thread, which other warps do not give back"
    if code == E.NO_TENSOR_MAP:
        return f"{who}: {E.TEXT[code]} lies {_map_place(address)}"
    if code in (*_HEAP, E.NO_FORMAT):
        return f"{who} {E.TEXT[code]}: address {address:#x}"
    if code == E.NO_TEXTURE:
        return f"{who} {E.TEXT[code]}: handle {address}"
    if code in _LOCAL:
        return f"{who}: {E.TEXT[code]}: local address {address:#x} of {program.local_bytes} bytes"
    text = program.unknown.get(int(row[F.INDEX]), op.name)
    if code == E.UNKNOWN:
        text += f"; at {index:#x}"
    return f"{who}: {E.TEXT[code]} ({text})"


def _assertion(launch: Launch, misc: np.ndarray) -> str:
    """An assertion that does not hold, as the CUDA runtime words it."""
    text, file, function = (string_of(launch.program, int(misc[k])) for k in (S.E_ADDRESS, S.E_FILE, S.E_FUNCTION))
    block, thread = coordinates(int(misc[S.E_BLOCK]), launch.grid), _number_of(launch, misc)
    where = f"block: [{','.join(map(str, block))}], thread: [{','.join(map(str, thread))}]"
    return f"{file}:{int(misc[S.E_HOLDS])}: {function}: {where} Assertion `{text}` failed."


def past_the_end(launch: Launch, misc: np.ndarray) -> tuple[str, int]:
    """Array past whose end an access begins, and by how many bytes.

    ``*`` where it may be any, because the access lies in several; an empty name where it is something else.
    """
    address, layout = int(misc[S.E_ADDRESS]), lay_out(launch)
    if int(misc[S.E_CODE]) not in (E.GLOBAL_BOUNDS, E.STRAY) or abs(address) < NEAR_NULL:
        return "", 0
    if int(misc[S.E_CODE]) == E.STRAY:
        return "*", 0
    ends = {name: first + layout.nbytes[name] for name, first in layout.address.items()}
    below = [name for name, end in ends.items() if end <= address]
    name = max(below, key=lambda one: ends[one], default="")
    return name, address - ends[name] + 1 if name else 0


def _shared_text(code: int, address: int, needed: int) -> str:
    """What is wrong with an address of shared memory; of what it must be a multiple, or how many bytes lie there."""
    if code == E.SHARED_MISALIGNED and needed:
        return f"{E.TEXT[code]}: shared address {address:#x} is no multiple of {needed}"
    if code == E.SHARED_BOUNDS and needed:
        return f"{E.TEXT[code]}: shared address {address:#x}, {needed} bytes from there on"
    return f"{E.TEXT[code]}: shared address {address:#x}"


def _absent(warps: int) -> str:
    """The warps of a block, a bit each, that are missing."""
    them = [str(n) for n in range(warps.bit_length()) if warps >> n & 1]
    one = len(them) == 1
    return f"warp{'' if one else 's'} {' and '.join(them)} of the block {'is' if one else 'are'} missing"


def _registers_asked(image: Image, index: int) -> int:
    """Registers that a loop of a few instructions asks for until it gets them; 0 where it does not."""
    rows = image.code[max(index - 2, 0) : index + 2]
    return next((int(row[F.SUB]) for row in rows if row[F.OP] == Op.USETMAXREG), 0)


def _mbarrier_text(code: int, address: int, word: int) -> str:
    """What is wrong with an mbarrier, and of one that is waited for what its phase lacks."""
    if code != E.MBARRIER_DEADLOCK:
        return f"{E.TEXT[code]}: shared address {address:#x}"
    held = state_of(word)
    return (
        f"{E.TEXT[code]}: the one at shared address {address:#x} lacks {held.pending} of {held.expected} arrivals and "
        f"{held.nbytes} bytes of its phase of parity {held.parity}"
    )


def _missing(warps: int, one: int, launch: Launch) -> str:
    """How many warps do not come to the barrier of a cluster, and one of them."""
    them = "1 does" if warps == 1 else f"{warps} do"
    return f"{them} not, such as warp {one & 0xFFFFFFFF} of block {coordinates(one >> 32, launch.grid)}"


def _map_place(address: int) -> str:
    """Where a tensor map was looked for."""
    if address >> 32 == S.PARAMETERS_HI:
        return f"at byte {address & 0xFFFFFFFF:#x} of constant bank 0"
    return f"at address {address:#x}"


def unending(m: Machine) -> np.ndarray:
    """As if the engine had noted that a warp, one that does not wait at a barrier if there is one, never ends."""
    state = m.warps[:, S.STATE]
    warp = int(np.argmin(np.where(state == S.READY, 0, np.where(state == S.AT_BARRIER, 1, 2))))
    lanes = int(m.warps[warp, S.MASK])
    misc = m.misc.copy()
    misc[S.E_CODE], misc[S.E_INDEX] = E.NO_PROGRESS, m.warps[warp, S.PC]
    misc[S.E_LANE] = (lanes & -lanes).bit_length() - 1 if lanes else 0
    misc[S.E_WARP], misc[S.E_BLOCK] = warp % m.shape[S.WARPS], m.blocks[warp // m.shape[S.WARPS], S.ID]
    return misc


def _global_text(code: int, op: Op, array: str) -> str:
    if code == E.UNWRITTEN_GLOBAL:
        return f"reads {array} where nothing wrote"
    verb = "reads" if op.info.is_load else "writes"
    return f"{verb} {array} {E.TEXT[code]}"


def _thread(launch: Launch, misc: np.ndarray) -> str:
    """The thread and its block, as x, y, z."""
    return f"thread {_number_of(launch, misc)} of block {coordinates(int(misc[S.E_BLOCK]), launch.grid)}"


def _number_of(launch: Launch, misc: np.ndarray) -> tuple[int, int, int]:
    """A thread's place in its block."""
    return coordinates(int(misc[S.E_WARP]) * S.LANES + int(misc[S.E_LANE]), launch.block)
