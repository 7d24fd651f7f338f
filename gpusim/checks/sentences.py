"""A fault in words: who does what where, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gpusim.checks.kinds import KINDS
from gpusim.engine.state.columns import LANES
from gpusim.results.faults import Fault, Space

if TYPE_CHECKING:
    from gpusim.checks.finding import Size, Spot
    from gpusim.checks.whereabouts import Whereabouts
    from gpusim.results.faults import Observed

RACES = (Fault.WAW, Fault.RAW, Fault.WAR)

_AT_BARRIER = {
    Fault.DIVERGENT_BARRIER: "comes to a barrier without all of its warp",
    Fault.EXITED_BARRIER: "waits at a barrier that other warps have missed, for they have ended",
    Fault.BARRIER_COUNT: "comes to a barrier with another number of threads than it can have there",
    Fault.ABSENT_LANES: "names or reads lanes that do not come",
    Fault.MBARRIER: "uses an mbarrier in a way that it cannot be used",
    Fault.DEADLOCK: "waits for what never comes",
    Fault.STACK: "goes beyond its stack",
}


def sentence(found: Observed, spot: Spot, other: Spot | None, where: Whereabouts, verb: str) -> str:
    """Say what happens.

    Parameters
    ----------
    found : Observed
    spot : Spot
        Who did it.
    other : Spot or None
        Who did it before.
    where : Whereabouts
        Where the address lies.
    verb : str
        What the instruction does to memory, such as ``"reads"``.

    Returns
    -------
    str
        A sentence without its full stop.
    """
    said = f"{_who(spot)} {_does(found, spot, other, where, verb)}"
    return f"{said}: {found.text}" if found.text else said


def _does(found: Observed, spot: Spot, other: Spot | None, where: Whereabouts, verb: str) -> str:
    if found.fault is Fault.FREED and not found.nbytes:
        return "frees what is free already, or what malloc has not given"
    if found.fault is Fault.LEAK:
        return "takes memory of the device's heap that this launch does not free"
    if found.fault in RACES and other is not None:
        return _race(found.fault, spot, other, where)
    if found.fault in _ACCESSES:
        return f"{verb} {_bytes(found.nbytes)} {_ACCESSES[found.fault](found)}: {where.place}"
    if found.fault is Fault.UNAWAITED_COPY:
        by = f", started by {_who(other)} at {other.name}" if other is not None else ""
        return f"reads {where.place} before the copy that brings it has been waited for{by}"
    if found.fault is Fault.CLUSTER_EXIT:
        return f"{verb} {where.place} of a block of its cluster that has ended, or may have"
    return _AT_BARRIER.get(found.fault, KINDS[found.fault].title)


def _beyond(found: Observed) -> str:
    return f"of {found.space} memory out of bounds"


def _askew(found: Observed) -> str:
    return f"of {found.space} memory at an address that is no multiple of {found.nbytes}"


_ACCESSES: dict[Fault, Callable[[Observed], str]] = {
    Fault.OUT_OF_BOUNDS: _beyond,
    Fault.MISALIGNED: _askew,
    Fault.FREED: lambda found: "of memory that has been freed",
    Fault.UNWRITTEN: lambda found: "that nothing has written",
}


def _race(fault: Fault, spot: Spot, other: Spot, where: Whereabouts) -> str:
    """What two threads do that nothing orders."""
    does, did = ("reads" if fault is Fault.RAW else "writes"), ("has read" if fault is Fault.WAR else "has written")
    mine, theirs = (
        f" ({one.value:#x})" if one.value is not None and "read" not in verb else ""
        for one, verb in ((spot, does), (other, did))
    )
    earlier = f"{_who(other)} {did}{theirs} at {other.name}"
    return f"{does}{mine} {where.place}, which {earlier}; nothing says which comes first"


def _who(spot: Spot) -> str:
    return f"thread {_triple(spot.thread)} of block {_triple(spot.block)}"


def _triple(size: Size | None) -> str:
    return f"({','.join(map(str, size or ()))})"


def _bytes(count: int) -> str:
    return f"{count} byte{'' if count == 1 else 's'}"


def edit(found: Observed, where: Whereabouts, *, dynamic_shared: bool) -> str:
    """Say what to do.

    Parameters
    ----------
    found : Observed
    where : Whereabouts
    dynamic_shared : bool
        Whether the block was given dynamic shared memory.
    """
    usual = KINDS[found.fault].edit
    if found.fault in RACES and found.other is not None:
        return _apart(found, usual)
    if found.fault is Fault.OUT_OF_BOUNDS:
        return _within(found.space, usual, is_null=where.is_null, dynamic_shared=dynamic_shared)
    if found.fault is Fault.FREED and not found.nbytes:
        return "Call free() once for each pointer that malloc gives."
    if found.fault is Fault.LEAK:
        return "Call free() for it, in this launch or in a later one."
    if found.fault is Fault.UNWRITTEN and found.space is Space.GLOBAL:
        return "Fill it first (cudaMemcpy, cudaMemset, a kernel), or read no more than what was written."
    return usual


def _apart(found: Observed, usual: str) -> str:
    """What orders two threads of a warp, a block or a grid."""
    assert found.other is not None
    mine, theirs = found.access, found.other
    if found.fault is Fault.WAW:
        return usual
    if mine.block != theirs.block:
        if found.space is Space.SHARED:
            return "Put cluster.sync() between the two."
        return "Use an atomic, or a flag with release and acquire, or make two launches of it: blocks run in any order."
    if mine.thread // LANES == theirs.thread // LANES:
        return "Put __syncwarp() between the two, or __syncthreads() if threads of other warps meet there, too."
    return "Put __syncthreads() between the two."


def _within(space: Space | None, usual: str, *, is_null: bool, dynamic_shared: bool) -> str:
    """What keeps an access within memory of a kind."""
    if is_null:
        return "Pass an array: the pointer is null."
    if space is Space.SHARED:
        more = "" if dynamic_shared else ", or give the launch dynamic shared memory (--dynamic-shared)"
        return f"Guard the access, or declare the shared array as large as the largest index{more}."
    if space is Space.LOCAL:
        return "Guard the access, or declare the thread's array as large as the largest index."
    if space is Space.CONSTANT:
        return "Guard the access, or declare the __constant__ array as large as the largest index."
    return usual
