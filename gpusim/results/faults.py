"""What may be wrong with a kernel that runs all the same: kinds of faults, and a fault as a run has found it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Tool(StrEnum):
    """Groups of faults that are looked for together, under the names that compute-sanitizer gives them."""

    MEMCHECK = "memcheck"
    RACECHECK = "racecheck"
    INITCHECK = "initcheck"
    SYNCCHECK = "synccheck"


class Fault(StrEnum):
    """A kind of fault.

    ``out-of-bounds``: an access beyond its array, a block's shared memory, a thread's local memory, a constant bank.
    ``misaligned``: an access at an address that is no multiple of its width.
    ``use-after-free``: an access to what has been freed.
    ``leak``: memory that is never freed.
    ``api-error``: a call of the CUDA runtime that fails.
    ``stack-overflow``: functions that call one another beyond a thread's stack.
    ``race-waw``, ``race-raw``, ``race-war``: two accesses of which nothing says which comes first; a write after a
    write of another value, a read after a write, a write after a read.
    ``uninitialized``: a read of what nothing wrote.
    ``divergent-barrier``: a barrier that a part of a warp comes to.
    ``exited-barrier``: a barrier that warps have missed, which have ended.
    ``barrier-count``: a barrier that warps name with different numbers of threads, or with one that cannot be.
    ``absent-lanes``: a shuffle, vote or the like whose mask names lanes that do not come, or reads from such a lane.
    ``unawaited-copy``: a read of what an asynchronous copy brings, before that was waited for.
    ``mbarrier``: an mbarrier that is used before it begins, or told more than it expects.
    ``cluster-exit``: an access to shared memory of a block of the cluster that has ended, or may have.
    ``deadlock``: warps that wait for one another, or a loop that never ends.
    """

    OUT_OF_BOUNDS = "out-of-bounds"
    MISALIGNED = "misaligned"
    FREED = "use-after-free"
    LEAK = "leak"
    API_ERROR = "api-error"
    STACK = "stack-overflow"
    WAW = "race-waw"
    RAW = "race-raw"
    WAR = "race-war"
    UNWRITTEN = "uninitialized"
    DIVERGENT_BARRIER = "divergent-barrier"
    EXITED_BARRIER = "exited-barrier"
    BARRIER_COUNT = "barrier-count"
    ABSENT_LANES = "absent-lanes"
    UNAWAITED_COPY = "unawaited-copy"
    MBARRIER = "mbarrier"
    CLUSTER_EXIT = "cluster-exit"
    DEADLOCK = "deadlock"

    @property
    def tool(self) -> Tool:
        """The group it is of."""
        return _TOOLS[self]


_TOOLS = {
    Fault.OUT_OF_BOUNDS: Tool.MEMCHECK,
    Fault.MISALIGNED: Tool.MEMCHECK,
    Fault.FREED: Tool.MEMCHECK,
    Fault.LEAK: Tool.MEMCHECK,
    Fault.API_ERROR: Tool.MEMCHECK,
    Fault.STACK: Tool.MEMCHECK,
    Fault.WAW: Tool.RACECHECK,
    Fault.RAW: Tool.RACECHECK,
    Fault.WAR: Tool.RACECHECK,
    Fault.UNWRITTEN: Tool.INITCHECK,
    Fault.DIVERGENT_BARRIER: Tool.SYNCCHECK,
    Fault.EXITED_BARRIER: Tool.SYNCCHECK,
    Fault.BARRIER_COUNT: Tool.SYNCCHECK,
    Fault.ABSENT_LANES: Tool.SYNCCHECK,
    Fault.UNAWAITED_COPY: Tool.SYNCCHECK,
    Fault.MBARRIER: Tool.SYNCCHECK,
    Fault.CLUSTER_EXIT: Tool.SYNCCHECK,
    Fault.DEADLOCK: Tool.SYNCCHECK,
}


class Space(StrEnum):
    """Memory that an access is of."""

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"
    CONSTANT = "constant"


@dataclass(frozen=True)
class Access:
    """One thread's part in a fault.

    Attributes
    ----------
    index : int
        Of the instruction in its program.
    block, thread : int
        Linear numbers: of the block in the grid, of the thread in its block.
    value : int, optional
        Lowest word that it wrote, where that is known.
    """

    index: int
    block: int
    thread: int
    value: int | None = None


@dataclass(frozen=True)
class Observed:
    """A fault as a run has found it: the first of all those of its kind between the same two instructions.

    Attributes
    ----------
    fault : Fault
    access : Access
        Who did it, the later one of a race.
    other : Access, optional
        The earlier one of a race, or who wrote the copy that was not awaited.
    space : Space, optional
        Memory that it is about; None where it is about none.
    address : int
        In that memory; 0 where it is about none.  Of shared memory, counted from the block's first byte.
    nbytes : int
        Width of the access.
    times : int
        How often it was found, each thread for itself.
    text : str
        What else there is to say, such as the lanes that a mask names; may be empty.
    """

    fault: Fault
    access: Access
    other: Access | None = None
    space: Space | None = None
    address: int = 0
    nbytes: int = 0
    times: int = 1
    text: str = ""


@dataclass(frozen=True)
class Checked:
    """What checking a launch has found.

    Attributes
    ----------
    faults : tuple of Observed
        In the order in which they were found.
    blocks_run, blocks : int
        Blocks that were run, and those of the grid.
    ended : str
        Why the run came to no end, in words; empty where it did.
    unseen : tuple of str
        What was not looked at, in words, a reason each.
    """

    faults: tuple[Observed, ...]
    blocks_run: int
    blocks: int
    ended: str = ""
    unseen: tuple[str, ...] = ()
