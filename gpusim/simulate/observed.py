"""What the engine has noted of a checked run, as records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpusim.engine.core.device_heap import N_HEAP, PLAIN, UNIT
from gpusim.engine.state import checks as K
from gpusim.isa.encode import F, Image
from gpusim.results.faults import Access, Fault, Observed, Space

FAULTS = {
    K.OUT_OF_BOUNDS: Fault.OUT_OF_BOUNDS,
    K.MISALIGNED: Fault.MISALIGNED,
    K.WAW: Fault.WAW,
    K.RAW: Fault.RAW,
    K.WAR: Fault.WAR,
    K.UNWRITTEN: Fault.UNWRITTEN,
    K.EXITED_BARRIER: Fault.EXITED_BARRIER,
    K.BARRIER_COUNT: Fault.BARRIER_COUNT,
    K.ABSENT_LANES: Fault.ABSENT_LANES,
    K.UNAWAITED_COPY: Fault.UNAWAITED_COPY,
    K.READ_TOO_SOON: Fault.RAW,
    K.FREED: Fault.FREED,
    K.CLUSTER_EXIT: Fault.CLUSTER_EXIT,
    K.MBARRIER: Fault.MBARRIER,
}
SPACES = {
    K.NOWHERE: None,
    K.GLOBAL: Space.GLOBAL,
    K.SHARED: Space.SHARED,
    K.LOCAL: Space.LOCAL,
    K.CONSTANT: Space.CONSTANT,
}


def observed(found: np.ndarray, image: Image) -> list[Observed]:
    """Give what was noted.

    What is read before another thread writes it, and nothing says which comes first, is a race, not a read of what
    nobody writes.

    Parameters
    ----------
    found : int64 array
        :attr:`gpusim.engine.state.arrays.Machine.found`.
    image : Image
        What ran.
    """
    rows = found[1 : 1 + int(found[0, K.F_COUNT])].tolist()
    racing = {(row[K.F_OTHER_INDEX], row[K.F_SPACE]) for row in rows if row[K.F_FAULT] == K.READ_TOO_SOON}
    left = [row for row in rows if row[K.F_FAULT] != K.UNWRITTEN or (row[K.F_INDEX], row[K.F_SPACE]) not in racing]
    return _together([_one(row, image) for row in left])


def leaked(heap: np.ndarray, units: int, first: int, image: Image) -> list[Observed]:
    """Give the pieces of the device's heap that were never freed, those of one call of malloc together.

    Parameters
    ----------
    heap : int64 array
        :attr:`gpusim.engine.state.arrays.Machine.heap`, of a checked run.
    units : int
        Of the heap.
    first : int
        Address of its first byte.
    image : Image
        What ran.
    """
    sizes, asked, sites = (heap[N_HEAP + k * units :][:units] for k in (0, PLAIN, PLAIN + 1))
    left = np.flatnonzero((sizes > 0) & (sites > 0))
    found = []
    for site in np.unique(sites[left]):
        pieces = left[sites[left] == site]
        place = int(image.code[int(site) - 1, F.INDEX])
        text = f"{int(asked[pieces].sum())} bytes in {len(pieces)} piece{'' if len(pieces) == 1 else 's'}"
        address = first + int(pieces[0]) * UNIT
        found.append(
            Observed(
                Fault.LEAK, Access(place, 0, 0), None, Space.GLOBAL, address, int(asked[pieces[0]]), len(pieces), text
            )
        )
    return found


def _together(found: list[Observed]) -> list[Observed]:
    """Faults of one kind between the same two instructions are one."""
    first: dict[tuple[object, ...], Observed] = {}
    for one in found:
        key = one.fault, one.space, one.access.index, one.other.index if one.other else -1
        first[key] = replace(first[key], times=first[key].times + one.times) if key in first else one
    return list(first.values())


def _one(row: list[int], image: Image) -> Observed:
    other = None
    if row[K.F_OTHER_WHO] >= 0:
        other = _access(image, row[K.F_OTHER_INDEX], row[K.F_OTHER_WHO], row[K.F_OTHER_VALUE])
    access = _access(image, row[K.F_INDEX], row[K.F_WHO], row[K.F_VALUE])
    if row[K.F_FAULT] == K.READ_TOO_SOON and other is not None:
        access, other = other, access
    fault, space = FAULTS[row[K.F_FAULT]], SPACES[row[K.F_SPACE]]
    text = _more(fault, row[K.F_MORE], row[K.F_ADDRESS])
    address = row[K.F_ADDRESS] if space else 0
    return Observed(fault, access, other, space, address, row[K.F_BYTES], row[K.F_TIMES], text)


def _access(image: Image, index: int, who: int, value: int) -> Access:
    place = int(image.code[index, F.INDEX])
    block, thread = who >> K.THREAD_BITS, who & K.THREADS
    return Access(place, block, thread, None if value == K.NO_VALUE else value)


def _more(fault: Fault, number: int, barrier: int) -> str:
    """What else was noted of a fault."""
    if fault is Fault.ABSENT_LANES:
        return f"lanes {number:#010x}"
    if fault is Fault.EXITED_BARRIER:
        return f"{number} warp{'' if number == 1 else 's'} of the block {'has' if number == 1 else 'have'} ended"
    if fault is Fault.BARRIER_COUNT:
        return f"barrier {barrier} for {number} threads" if number else f"barrier {barrier} for the whole block"
    if fault is Fault.CLUSTER_EXIT:
        return f"block {number} may have ended"
    return ""
