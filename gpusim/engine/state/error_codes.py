"""What can go wrong while a program runs: codes the engine reports, with the words for each."""

from __future__ import annotations

OK = 0
GLOBAL_BOUNDS = 1
SHARED_BOUNDS = 2
MISALIGNED = 3
UNWRITTEN_SHARED = 4
RACE = 5
DIVERGENT_BARRIER = 6
DEADLOCK = 7
SPLITS = 8
UNSUPPORTED = 9
UNWRITTEN_GLOBAL = 10
TOO_LONG = 11
SHARED_MISALIGNED = 12
LOCAL_BOUNDS = 13
LOCAL_MISALIGNED = 14
BARRIER_DEADLOCK = 15
TRAPPED = 16
UNKNOWN = 17
BAD_JUMP = 18
PAST_END = 19
BAD_BARRIER = 20
NO_PROGRESS = 21
STRAY = 22
WARPGROUP = 23
REGISTERS = 24
NO_MBARRIER = 30
MBARRIER_ARRIVALS = 31
MBARRIER_BYTES = 32
MBARRIER_DEADLOCK = 33
NO_TENSOR_MAP = 34
COPIES_FULL = 35
TF32_MAP = 36
ENDED_BLOCK = 40
NO_SUCH_BLOCK = 41
CLUSTER_TWICE = 42
CLUSTER_NOT_ARRIVED = 43
CLUSTER_DEADLOCK = 44
WARPGROUP_DEADLOCK = 45
ASSERTED = 46
NO_FORMAT = 47
PRINTS_ELSEWHERE = 48
NOT_ALLOCATED = 49
FREED_TWICE = 50
NO_TEXTURE = 51
AGAIN_AND_AGAIN = 52

TEXT = {
    GLOBAL_BOUNDS: "out of bounds",
    SHARED_BOUNDS: "out of bounds of shared memory",
    MISALIGNED: "misaligned",
    UNWRITTEN_SHARED: "reads shared memory that nothing wrote",
    RACE: "races: two warps touch the same shared word between two barriers, one of them writing",
    DIVERGENT_BARRIER: "barrier in divergent flow: not every thread of the block arrives",
    DEADLOCK: "deadlock: the remaining lanes of a warp wait for one another",
    SPLITS: "a warp splits into too many paths",
    UNSUPPORTED: "instruction the engine does not run",
    UNWRITTEN_GLOBAL: "reads global memory that nothing wrote",
    TOO_LONG: "ran past the instruction limit",
    SHARED_MISALIGNED: "misaligned",
    LOCAL_BOUNDS: "out of bounds of its local memory",
    LOCAL_MISALIGNED: "misaligned",
    BARRIER_DEADLOCK: "deadlock: waits at a barrier that too few threads come to",
    TRAPPED: "stops with a trap",
    UNKNOWN: "instruction the engine does not know",
    BAD_JUMP: "calls or jumps to where no function or instruction is",
    PAST_END: "runs past its last instruction",
    BAD_BARRIER: "names a barrier beyond those that it declares",
    WARPGROUP: "needs a whole warpgroup: four warps from a multiple of four on, and every thread of them",
    REGISTERS: "gives back registers that its warp has not, or asks for fewer than it has",
    STRAY: "beyond the arrays that its address comes from",
    NO_MBARRIER: "no mbarrier: nothing has initialised it",
    MBARRIER_ARRIVALS: "arrives at an mbarrier whose phase lacks no more arrivals",
    MBARRIER_BYTES: "has an mbarrier expect, or told of, more than 1048575 bytes",
    MBARRIER_DEADLOCK: "deadlock: waits for a phase of an mbarrier that nobody completes",
    NO_TENSOR_MAP: "no tensor map that this instruction can use",
    TF32_MAP: "copies a tensor of tf32, whose elements the hardware rounds: use a map of float32 and round them before",
    COPIES_FULL: "begins one more bulk copy than the 512 of an SM that are simulated at once",
    ENDED_BLOCK: "touches shared memory of a block of its cluster that has ended",
    NO_SUCH_BLOCK: "touches shared memory of a block that its cluster does not have",
    CLUSTER_TWICE: "arrives at the barrier of its cluster again, and has not waited since",
    CLUSTER_NOT_ARRIVED: "waits at the barrier of its cluster, at which it has not arrived",
    CLUSTER_DEADLOCK: "deadlock: waits at the barrier of its cluster for warps that do not come",
    WARPGROUP_DEADLOCK: "deadlock: waits for warps of its warpgroup that do not come to this product",
    ASSERTED: "assertion failed",
    NO_FORMAT: "prints by a format that is no string constant",
    PRINTS_ELSEWHERE: "prints arguments that do not lie in its local memory",
    NOT_ALLOCATED: "frees what malloc did not give",
    FREED_TWICE: "frees what is free already",
    AGAIN_AND_AGAIN: "goes wrong in the same way a million times",
    NO_TEXTURE: "fetches from what is no texture of this launch",
    NO_PROGRESS: "never ends: all warps that are left repeat themselves, and nothing in memory changes",
}

# Columns of Report.error
E_CODE, E_INDEX, E_LANE, E_BLOCK, E_ADDRESS, E_WARP, E_OTHER = range(7)
