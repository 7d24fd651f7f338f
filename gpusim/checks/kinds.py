"""Kinds of findings: what each is called, how bad it is, and what to do about it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from gpusim.results.faults import Fault, Tool


class Level(StrEnum):
    """How bad a finding is, under the names of SARIF."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Kind(NamedTuple):
    """What is known of all findings of a kind.

    Attributes
    ----------
    title : str
        What a table calls it.
    tool : str
        The group of faults that it is looked for with.
    about : str
        What it is, in a sentence.
    edit : str
        What to do, in a sentence.
    level : Level
    """

    title: str
    tool: str
    about: str
    edit: str
    level: Level = Level.ERROR


ORDER, SCHEDULES = "order-dependent", "schedules"
"""Results that another legal order of warps and blocks changes, and what they are looked for with."""

_NOTHING_ORDERS = "nothing says which of the two comes first"

KINDS: dict[str, Kind] = {
    Fault.OUT_OF_BOUNDS: Kind(
        "out of bounds", Tool.MEMCHECK,
        "An access beyond its array, the block's shared memory, a thread's local memory or a constant bank.",
        "Guard the access (if (i < n)), or make the array as large as the largest index.",
    ),
    Fault.MISALIGNED: Kind(
        "misaligned", Tool.MEMCHECK,
        "An access at an address that is no multiple of its width.",
        "Use a narrower type, or begin each vector at a multiple of its size (alignas, a padded row).",
    ),
    Fault.FREED: Kind(
        "use after free", Tool.MEMCHECK,
        "An access to memory that has been freed.",
        "Free it after the last launch that uses it, or do not hand the old pointer on.",
    ),
    Fault.LEAK: Kind(
        "leak", Tool.MEMCHECK,
        "Memory that the program never frees.",
        "Free it (cudaFree) before the program ends.",
        Level.WARNING,
    ),
    Fault.API_ERROR: Kind(
        "call fails", Tool.MEMCHECK,
        "A call of the CUDA runtime, by a program's own code, that fails.",
        "Look at what the call is given; where it may fail, look at what it returns.",
    ),
    Fault.STACK: Kind(
        "stack overflow", Tool.MEMCHECK,
        "Functions that call one another beyond a thread's stack.",
        "End the recursion earlier, or ask for more stack (cudaDeviceSetLimit, cudaLimitStackSize).",
    ),
    Fault.WAW: Kind(
        "write after write", Tool.RACECHECK,
        f"Two threads write different values to the same place, and {_NOTHING_ORDERS}.",
        "Have one thread write, give each a place of its own, or use an atomic.",
    ),
    Fault.RAW: Kind(
        "read after write", Tool.RACECHECK,
        f"A thread reads what another one writes, and {_NOTHING_ORDERS}.",
        "Put a barrier between the write and the read.",
    ),
    Fault.WAR: Kind(
        "write after read", Tool.RACECHECK,
        f"A thread writes over what another one reads, and {_NOTHING_ORDERS}.",
        "Put a barrier between the read and the write.",
    ),
    Fault.UNWRITTEN: Kind(
        "uninitialized read", Tool.INITCHECK,
        "A read of memory that nothing has written.",
        "Write it first: all of it, or no more than what is read.",
    ),
    Fault.DIVERGENT_BARRIER: Kind(
        "divergent barrier", Tool.SYNCCHECK,
        "A barrier that only a part of a warp comes to.",
        "Move the barrier out of the condition, so that all threads of the block come to it.",
    ),
    Fault.EXITED_BARRIER: Kind(
        "missed barrier", Tool.SYNCCHECK,
        "A barrier that warps of the block have missed, because they have ended.",
        "Have threads without work skip the work, not the barrier: no return before __syncthreads().",
        Level.WARNING,
    ),
    Fault.BARRIER_COUNT: Kind(
        "barrier count", Tool.SYNCCHECK,
        "A barrier that warps name with different numbers of threads, or with one that cannot be.",
        "Give all that meet at the barrier the same count: a multiple of 32, no more than the block has.",
    ),
    Fault.ABSENT_LANES: Kind(
        "absent lanes", Tool.SYNCCHECK,
        "A shuffle, vote or the like whose mask names lanes that do not come, or that reads from such a lane.",
        "Call it before the branch with the full mask, or name in the mask exactly the lanes that come.",
    ),
    Fault.UNAWAITED_COPY: Kind(
        "copy not awaited", Tool.SYNCCHECK,
        "A read of what an asynchronous copy brings, before the copy was waited for.",
        "Wait for the copy (cp.async.wait_group, __pipeline_wait_prior, the mbarrier), then synchronise, then read.",
    ),
    Fault.MBARRIER: Kind(
        "mbarrier misuse", Tool.SYNCCHECK,
        "An mbarrier that is used before it is initialised, or told more arrivals or bytes than it expects.",
        "Initialise it in one thread, fence and synchronise; expect exactly the arrivals and bytes that come.",
    ),
    Fault.CLUSTER_EXIT: Kind(
        "cluster exit", Tool.SYNCCHECK,
        "An access to shared memory of a block of the cluster that has ended, or may have.",
        "Put cluster.sync() after the last access to another block's shared memory.",
    ),
    Fault.DEADLOCK: Kind(
        "deadlock", Tool.SYNCCHECK,
        "Warps that wait for one another, or a loop that never ends.",
        "See that whatever is waited for comes on every path, and that each loop has an end.",
    ),
    ORDER: Kind(
        "depends on the order", SCHEDULES,
        "A result that another legal order of warps and blocks changes.",
        "Find the accesses that nothing orders: put a barrier between them, or use an atomic.",
    ),
}  # fmt: skip
"""By the name that findings have, of all faults and of :data:`ORDER`."""

TOOLS = (*(str(tool) for tool in Tool), SCHEDULES)
"""Groups, what matters most first."""
