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
}

# Columns of Report.error
E_CODE, E_INDEX, E_LANE, E_BLOCK, E_ADDRESS, E_WARP, E_OTHER = range(7)
