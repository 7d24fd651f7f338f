"""Columns of what a checked run keeps: who last touched what, who knows of whom, and what was found.

Instructions that are looked at have numbers, in the order in which they run.  What an access leaves is a *stamp*, which
says whose it was, and that number.
"""

from __future__ import annotations

# Machine.shadow_shared, Machine.shadow_global: a granule of memory each.  Stamps of who wrote it last, of a thread that
# has read it since, of another one that has, and of the latest write by an atomic or the like, each with when
WROTE, WROTE_AT, READ, READ_AT, READ_TOO, READ_TOO_AT, CHANGED, CHANGED_AT = range(8)
N_SHADOW = 8

# A stamp: the number of the thread from WHO_AT on (that of its block from THREAD_BITS on), its instruction from
# INDEX_AT on, and how it was.  STRONG: an atomic, or an access that others see at once, with OF_BLOCK those of its
# block alone; COPY: what LDGSTS writes; AGENT: a bulk copy, which nobody knows to be over who has not waited for it;
# BLANK: a read of what nobody had written
THREAD_BITS, WHO_AT, INDEX_AT = 10, 22, 5
THREADS, INDICES = (1 << THREAD_BITS) - 1, (1 << WHO_AT - INDEX_AT) - 1
STRONG, COPY, AGENT, BLANK, OF_BLOCK = 1, 2, 4, 8, 16

# Machine.kept_blocks, a place of a block each.  KB_ID: the block that it is of, and one; KB_BEGAN: number of its first
# instruction; KB_PHASE: that of the latest barrier of the whole block; KB_AGENT: bulk copies up to which all threads
# know, since that; KB_CLUSTER: number of the latest barrier of the cluster; KB_REMOTE: stamp of the latest access by
# another block of the cluster, and when; KB_ARRIVED: instruction of the latest arrival at a barrier without a wait
KB_ID, KB_BEGAN, KB_PHASE, KB_AGENT, KB_CLUSTER, KB_REMOTE, KB_REMOTE_AT, KB_ARRIVED = range(8)
N_KEPT_BLOCK = 8

# Machine.kept_threads: FENCED: number of the latest fence, and of the latest that was not for the block alone;
# RELEASED: of the fence that it last told others of, and where
FENCED, FENCED_WIDE, RELEASED, RELEASED_AT = range(4)
N_KEPT_THREAD = 4

# Machine.kept_warps: GROUP_ENDS: ring of the numbers at which groups of LDGSTS ended; N_WAITED: waits for them;
# WAITED_FOR, WAITED_AT: rings of the number up to which each wait had them all, and of its own; SLEEPS: lanes that wait
# for a phase of mbarriers; FOREIGN: number at which a lane last came to know of threads of other warps; SLEEPS_FOR: the
# addresses of those mbarriers, a lane each
MOST_WAITS = 8
GROUP_ENDS, WAITED_FOR, WAITED_AT = 0, MOST_WAITS, 2 * MOST_WAITS
N_WAITED, SLEEPS, FOREIGN, SLEEPS_FOR = range(3 * MOST_WAITS, 3 * MOST_WAITS + 4)
N_KEPT_WARP = SLEEPS_FOR + 32

# Machine.clocks: what threads have told, at a place each: C_KEY, C_BLOCK: the place, and the block whose threads have;
# C_VERSION: number of the latest; C_PARITY: of an mbarrier's phase in which it was; C_PHASE: the latest barrier of the
# block that those who told had passed; from C_FIRST on, of each thread of the block (and of bulk copies) up to where.
# Machine.pairs: what a block knows of another one: its number in C_KEY
C_KEY, C_BLOCK, C_VERSION, C_PARITY, C_PHASE, C_FIRST = range(6)
MOST_CLOCKS = 1 << 12

# Machine.found: faults, from the second row on.  The first has: how many there are; those there was no room for; the
# number of the latest instruction; bits of an address within a granule of shared and of global memory; whether there
# was no room for what threads tell one another; whether they have told anything; what decides the order of warps, 0: as
# they come; where shared memory ends that the source declares: what begins before may be read beyond that; the first
# thread, with that of its block, of the warp whose accesses are kept in Machine.lanes_kept, and one: 0 of none
F_COUNT, F_LOST, F_NOW, F_SHARED_BITS, F_GLOBAL_BITS, F_BLIND, F_TOLD, F_SEED, F_SHARED_END, F_WATCHED = range(10)
(
    F_FAULT, F_INDEX, F_WHO, F_OTHER_INDEX, F_OTHER_WHO, F_SPACE, F_ADDRESS, F_BYTES, F_TIMES, F_VALUE, F_OTHER_VALUE,
    F_MORE,
) = range(12)  # fmt: skip
N_FOUND = 12
MOST_FOUND = 512
ENOUGH = 1 << 20  # times that a fault is found, and the run ends
NO_VALUE = -1
LATER_BITS = 18  # of the ticks by which loads come later at most, where the order of warps is drawn

# Machine.lanes_kept: of an instruction two rows, its access of shared memory in the second.  How often the watched warp
# has come to it; of the first time the space of memory, bytes of a lane, the lanes, and the address of each
T_TIMES, T_SPACE, T_BYTES, T_LANES, T_ADDRESS = range(5)
N_TOUCHED = T_ADDRESS + 32

# A NOP of a checked run, in its offset: nothing; that all lanes meet there; else the register that names those that do
ALL_MEET, FIRST_MASK = 1, 2

# Faults, and spaces of memory.  READ_TOO_SOON: a write of what another thread has read before anything was written
(
    OUT_OF_BOUNDS, MISALIGNED, WAW, RAW, WAR, UNWRITTEN, EXITED_BARRIER, BARRIER_COUNT, ABSENT_LANES, UNAWAITED_COPY,
    READ_TOO_SOON, FREED, CLUSTER_EXIT, MBARRIER,
) = range(1, 15)  # fmt: skip
NOWHERE, GLOBAL, SHARED, LOCAL, CONSTANT = range(5)
