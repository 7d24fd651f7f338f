"""Columns of the arrays that a simulated machine lives in, and units of what is in them.

What belongs together is a row, and the columns have names; those of a unit of the memory hierarchy are in its file.
Times are integers in ticks, ``TICKS`` to one SM cycle, so that rates such as a sector every 0.7 cycles stay exact
enough without floating point.
"""

from __future__ import annotations

import numpy as np

from gpusim.hardware.fixed import (
    MOST_IN_CLUSTER,
    MOST_ISSUED,
    MOST_QUEUED,
    MOST_WARPS,
    PRODUCTS_QUEUED,
    REGISTER_BANKS,
    REGISTER_STAGES,
    WARP,
)
from gpusim.isa.warpgroup import OWN_ROWS, ROW_BYTES
from gpusim.isa.warpgroup import TILE as TILE_COLUMNS

TICKS = 1024
NEVER = np.int64(1) << 62
PENDING = np.int64(1) << 61  # from here on a tick is a reference (gpusim.engine.hierarchy.outbox)
LANES = WARP
MAX_SPLITS = 32
N_MEETINGS = 16
N_BARRIERS = 16  # of a block
N_SCOREBOARDS, MEANING_FIELD = 6, 3  # of a warp; bits of what each was set by
N_BANKS = 32  # of constants
N_GROUPS_KEPT = 8  # latest groups of asynchronous copies, and of products by a warpgroup, whose end is known
GLOBAL_BASE = np.int64(1) << 40


def lines_of(columns: int) -> int:
    """So many columns of eight bytes, rounded up to whole cache lines."""
    return -(-columns // 8) * 8


SHARED_WINDOW_HI, LOCAL_WINDOW_HI, PARAMETERS_HI = 0x7F01, 0x7F02, 0x7F03
"""Upper words of the generic addresses of shared and local memory, and of constant bank 0.  Any will do that no buffer
has; drivers choose others from run to run."""

# Units of a scheduler that an instruction may have to wait for.  FMA, LITE: the halves of the FMA pipe, EITHER:
# whichever is free; PRODUCTS: the queue of products by warpgroups in front of a tensor core; SHARED, GLOBAL: the queues
# to the load/store pipe
(
    NO_UNIT, U_ALU, U_FMA, U_LITE, U_EITHER, U_XU, U_FP64, U_TENSOR, U_FP16, U_UNIFORM, U_PRODUCTS, U_SHARED, U_GLOBAL,
) = range(13)  # fmt: skip
N_UNITS = 16

# Why a warp did not issue, and the number of those
BY_COUNT, BY_SHORT, BY_LONG, BY_BARRIER, BY_PIPE, BY_MIO, BY_LG, BY_OTHERS, BY_FETCH, BY_PRODUCT = range(10)
N_REASONS = 10

# Columns of Machine.schedulers, a scheduler each.  READY_AT: tick at which each of its warps may issue; RANK: who goes
# first, the least: age of the block, whether it issued since bits were cleared, and the unit that it needs next;
# UNIT_FREE: ticks from which each unit takes an instruction; DISPATCHED: from when it may issue again; DEPART,
# DEPART_LG: rings of the ticks at which the latest instructions left the queues to the load/store pipe; N_DEPARTED,
# N_DEPARTED_LG: how many did so far; LETS_GO: from when the next one may; STALLED: ticks that warps waited, by reason;
# ISSUED: cycles in which it issued; LATEST, GOES_ON: the warp that did last, and until when it goes before others;
# UNIT_BUSY: ticks that each unit was taken.  In cycles (gpusim.engine.core.register_file): ENTERED: when the latest
# instruction came to its registers; HELD_UP: for how long it and those before it hold up all behind them, after that
# cycle and the next two; BANK_TAKEN: when each bank is read and its places are taken; ASKED: when what goes to the
# load/store pipe reads each bank, a bit a cycle from ASKED_FROM on; FED: when the tensor core has read all
# of each bank that it is to (gpusim.engine.core.fragments).  Of dense loads (gpusim.engine.core.register_writes):
# INBOUND: ring of the ticks at which their registers come; N_INBOUND, N_ARRIVED: how many loads are in it, and have
# come; WRITES_UNTIL: until when those are written if no result comes in between.
# CODE_AT: when it has its first code, 0: nobody has asked for it.  Of products by warpgroups
# (gpusim.engine.core.products): N_PRODUCTS: how many so far; BEGUN_AT: ring of the ticks at which the tensor core
# begins each of the latest
MAX_ENTRIES, MAX_SCHEDULERS = MOST_WARPS, MOST_ISSUED  # warps of a scheduler, schedulers of an SM
READY_AT, RANK, UNIT_FREE = 0, MAX_ENTRIES, 2 * MAX_ENTRIES
UNIT_FIELD, AGE_FIELD = 4, 5  # bits of a rank below whether it issued, and below the age
DISPATCHED = UNIT_FREE + N_UNITS
N_DEPARTED = DISPATCHED + 1
N_DEPARTED_LG = N_DEPARTED + 1
DEPART = N_DEPARTED_LG + 1
QUEUE_KEPT = MOST_QUEUED + 1
DEPART_LG = DEPART + QUEUE_KEPT
LETS_GO = DEPART_LG + QUEUE_KEPT
STALLED = LETS_GO + 1
ISSUED = STALLED + N_REASONS
LATEST, GOES_ON = ISSUED + 1, ISSUED + 2
UNIT_BUSY = ISSUED + 3
N_PLACES = 3  # of a bank, one for each source
ENTERED = UNIT_BUSY + N_UNITS
HELD_UP = ENTERED + 1
BANK_TAKEN = HELD_UP + REGISTER_STAGES
INBOUND_KEPT = 64
ASKED, ASKED_FROM = BANK_TAKEN + REGISTER_BANKS, BANK_TAKEN + 2 * REGISTER_BANKS
FED = ASKED_FROM + 1
N_INBOUND = FED + REGISTER_BANKS
N_ARRIVED = N_INBOUND + 1
WRITES_UNTIL = N_ARRIVED + 1
INBOUND = WRITES_UNTIL + 1
CODE_AT = INBOUND + INBOUND_KEPT
N_PRODUCTS, BEGUN_AT = CODE_AT + 1, CODE_AT + 2
N_SCHEDULER_COLUMNS = lines_of(BEGUN_AT + PRODUCTS_QUEUED)

# Columns of Machine.turns, a warp each.
# LAST_AT: tick of its latest issue; COUNT_AT: from when its stall count lets it; BOARDS_AT: from when its scoreboards
# do; FETCHED_AT: from when its code is there; BOARDS_WHY: what they stand for; MEANING: three bits each of what they
# were last set by, from LANES_FIELD on lanes that ran for nothing where paths take no turns or instructions are spared,
# whether those of a round are not (ROUND_PAYS), and from SPARED_FIELD on the last of them; COUNTED: row of counts it
# adds to; SLOT: its block's; WAVES: wavefronts of its latest shared loads, and from WAVES_FIELD on without conflicts
LAST_AT, COUNT_AT, BOARDS_AT, FETCHED_AT, BOARDS_WHY, MEANING, COUNTED, SLOT = range(8)
WAVES = 8
N_TURN = 16
LANES_FIELD, LANES_BITS = 32, 6
ROUND_PAYS, SPARED_FIELD = 1 << 38, 39
WAVES_FIELD = 16

# States of a warp
EMPTY, READY, AT_BARRIER, DONE, ASLEEP = range(5)

# Why a warp stopped
FAILED, AT_BLOCK_BARRIER, FINISHED, WAITS, PAUSED, SLEEPS = range(6)

# Instead of the number of an instruction that is run out of line: copies of an SM go on; a warp leaves its cluster
GO_ON, LEAVE = -1, -2

# What an instruction returns that has no result at some tick: that it failed, or stops the warp (-1 less why), or
# that it has moved the warp on itself
FAILURE, WENT = -1, -16

# Columns of Machine.warps.  MASK: lanes of the path that runs; ALIVE: lanes that have not left the
# kernel; BOARD: ticks at which its six scoreboards are released;
# SPLIT_*: paths set aside (SPLIT_WAIT: what they wait for, see gpusim.engine.core.paths, 0: nothing); MEET_MASK: lanes
# that each convergence barrier waits for, MEET_AT: PC of the BSSY that named the latest of them; SPINS: backward
# branches taken while other paths could run; BAR_*: the block's barrier it waits at, the reduction it asks for and
# its latest result; COPIED: when its latest LDGSTS is done; GROUPS: when each of its latest groups of them is;
# MULTIPLIED, PRODUCT_GROUPS: the same of products by a warpgroup; GIVEN_BACK: registers of a thread that are the
# block's; CAME_LANES: those that have arrived at the barrier of its cluster, and not waited for it yet; AWAITS: the
# phase that they wait for, once all lanes that are left have arrived, else 0.
PC, MASK, BOARD = range(3)  # what every instruction needs: the first line
ALIVE = BOARD + N_SCOREBOARDS  # the second
STATE, N_SPLIT, BAR_NUMBER, BAR_MODE, BAR_RESULT, SPINS = range(ALIVE + 1, ALIVE + 7)
SPLIT_PC = SPINS + 1
SPLIT_MASK = SPLIT_PC + MAX_SPLITS
SPLIT_WAIT = SPLIT_MASK + MAX_SPLITS
COPIED, N_GROUPS, GROUPS = range(SPLIT_WAIT + MAX_SPLITS, SPLIT_WAIT + MAX_SPLITS + 3)
MEET_MASK = GROUPS + N_GROUPS_KEPT
MEET_AT = MEET_MASK + N_MEETINGS
MULTIPLIED, N_PRODUCT_GROUPS, GIVEN_BACK = range(MEET_AT + N_MEETINGS, MEET_AT + N_MEETINGS + 3)
PRODUCT_GROUPS = GIVEN_BACK + 1
AWAITS, CAME_LANES = range(PRODUCT_GROUPS + N_GROUPS_KEPT, PRODUCT_GROUPS + N_GROUPS_KEPT + 2)
N_WARP = lines_of(CAME_LANES + 1)

# Columns of Machine.blocks.  ID: linear block number, -1 when the slot is empty; KIND: row of counts it
# adds to; B_ALIVE: warps that have not left; PHASE: barriers passed; WAITING: arrivals at
# barriers not passed yet.  For each barrier: ARRIVED, LAST: warps there and the tick of the latest; EXPECTED:
# warps it is for (0: all); YES, VOTERS: threads of a reduction that said yes, that took part.
# STARTED: tick of its start; REFILL_DELAY: ticks for which its place stays empty when it has ended; ENDED_AT: when it
# ended, where that is not yet known to who hands out blocks, else 0; REGISTERS_LEFT: registers of a thread that its
# warps have given back.  Where blocks may have to do with one another: CLUSTER_PLACE: its place in its cluster;
# OWN_WINDOW: what that adds to addresses of its shared memory; OF_CLUSTER: row of its cluster; HEARD_PHASES: phases of
# the cluster's barrier that it has heard the end of; FREE_FROM: when a place that is vacant may be given a block of a
# cluster.  SENT: whether it has sent the load/store pipe anything since its latest barrier.
ID, X, Y, Z, KIND, B_ALIVE, PHASE, WAITING, ARRIVED = range(9)
LAST, EXPECTED, YES, VOTERS, STARTED = range(ARRIVED + N_BARRIERS, ARRIVED + 6 * N_BARRIERS, N_BARRIERS)
(
    REFILL_DELAY, ENDED_AT, REGISTERS_LEFT, CLUSTER_PLACE, OWN_WINDOW, OF_CLUSTER, HEARD_PHASES, FREE_FROM, SENT,
) = range(STARTED + 1, STARTED + 10)  # fmt: skip
N_BLOCK = lines_of(SENT + 1)
WINDOW_AT = 24  # bit of an address in shared memory from which on it says whose that is

# Columns of Machine.clusters, a cluster each.  LIVE: warps that have not left, 0: the row is free; CAME, LATEST_CAME:
# of these how many have arrived at its barrier, and the tick of the latest; PHASES: of the barrier that are over;
# MATES: places of its blocks.
LIVE, CAME, LATEST_CAME, PHASES, MATES = range(5)
N_CLUSTER = lines_of(MATES + MOST_IN_CLUSTER)

# Columns of Machine.sms.  NOW: tick of the next issue; LSU, TAGS: ticks from which the load/store pipe is free and
# its tag stage, where global accesses go; LSU_TAKES, TAGS_TAKE: from which either takes in another instruction;
# TRY_AT: tick at which each of its schedulers may next issue; FILL, OUT: the same for the wires from L2 and to it;
# FREE_AT: when the next block may start; NEXT: the warp to run next.
# BAR_FREE: when its barrier unit is free; FIRST_AT, LAST_END: when its first block started and its last one ended;
# WARP_TICKS: ticks that warps were resident; OUT_BUSY: ticks that the wire to L2 was taken; L1_USED: lines of L1 that
# hold data; L1_TURN: whose turn it is to give up lines, a place in their order; GIVEN_AT: its GPC's
# latest turn in which it is given a block; READER: the warp that reads; READ_REQUEST: row of Machine.requests of what
# it asks L2 for, -1: nothing so far; SPECIALS: from when the unit is free that reads special registers and constants;
# LINE_TURN: which of its lines of constants makes room next; CODE_HELD: lines of code it holds; RESIDENT: its warps;
# SINCE_SHARED: global accesses since the latest shared one; LEFT: blocks that ended in the latest window; COMES:
# when it next has something to do; SEEKS: lines of constants that it stands still for, in its row of Machine.sought;
# SOUGHT_AT: when the last of them has come; READS_FOR: instruction and array that what it asks counts for.
# COPIES: bulk copies under way; BULK_FREE: when the unit that makes them has asked for all so far; LOOKED_AT: from when
# an mbarrier's phase can be looked at again; AMONG_FREE, FENCES_FREE: from when what it asks other SMs for, and fences
# of its clusters, are taken.
# In a run that is not timed: ISSUES: until when its schedulers and units have work; WARPS_RAN: ticks that warps took,
# all together and but for waiting for one another; WARPS_LOADED: of these in code that waits for shared loads;
# IN_TURN: whether schedulers and units hold warps up, and not the load/store pipe: then who was ready first goes first.
NOW, LSU, TAGS, FILL, TRY_AT = range(5)
(
    OUT, FREE_AT, GPC, HALF, NEXT, BAR_FREE, FIRST_AT, LAST_END, WARP_TICKS, OUT_BUSY, L1_USED, L1_TURN, LSU_TAKES,
    TAGS_TAKE, GIVEN_AT, READER, READ_REQUEST, SPECIALS, LINE_TURN, CODE_HELD, ISSUES, RESIDENT,
    WARPS_RAN, WARPS_LOADED, SINCE_SHARED, IN_TURN, LEFT, COMES, SEEKS, SOUGHT_AT,
    READS_FOR, COPIES, BULK_FREE, LOOKED_AT, AMONG_FREE, FENCES_FREE,
) = range(TRY_AT + MAX_SCHEDULERS, 44)  # fmt: skip
N_SM = lines_of(FENCES_FREE + 1)

# Rows of Machine.scratch.  Those before WORKED and it are for what works something out; the others are lane addresses:
# of an access, of where a copy goes to, and bytes at its end that are zero; then lanes of each turn of the tag stage,
# a bit each; and from PRODUCTS on those of products by a warpgroup.  Those hold, in words of 8 bytes, first what a
# routine works with, then TILE: the number of eight columns; in words of 4 bytes, from STAGED_A on the four registers
# of a, from STAGED_B on those of b, two of each tile, a row of 32 lanes each.
WORKED = LANES
ADDRESSES, TARGETS, ZEROS, TURNS, PRODUCTS = range(LANES + 1, LANES + 6)
TILE = 2 * ROW_BYTES * (OWN_ROWS + TILE_COLUMNS) + OWN_ROWS * TILE_COLUMNS
STAGED_A = 2 * (TILE + LANES)
STAGED_B = STAGED_A + OWN_ROWS // TILE_COLUMNS * 2 * LANES
STAGED_TILE, STAGED_TILES = 2 * LANES, 2
N_SCRATCH = PRODUCTS + (STAGED_B + STAGED_TILES * STAGED_TILE) // (2 * LANES)

# Columns of Machine.misc, which each thread has its own of: an error (see gpusim.engine.state.error_codes; E_HOLDS:
# what the mbarrier holds that it is about, or the line of a failed assertion, E_FILE and E_FUNCTION where the names of
# its file and function lie), the end of what it knows of, instructions run, the wavefronts of the latest
# shared load (see WAVES), and of the SMs that it took through the window: when the first has something to do, whether
# blocks ended, constants are sought, requests not heard of.  Of the first thread alone: blocks handed out and finished,
# the number from which uses of L2 count on, the tick up to which SMs may go, what is to be done next (see
# gpusim.engine.core.machine), which outboxes are being filled, whether an SM has failed, the stretch of blocks that is
# handed out, and how many of it are
(
    E_CODE, E_INDEX, E_LANE, E_BLOCK, E_ADDRESS, E_WARP, E_HOLDS, E_FILE, E_FUNCTION, END, STEPS, LATEST_WAVES,
    SEEN_FIRST, SEEN_LEFT, SEEN_SEEKS, SEEN_ASKED, HANDED, FINISHED_BLOCKS, STAMP, HORIZON, WHAT, FILLING, FAILED_SMS,
    STRETCH, STRETCH_TAKEN, RIDES,
) = range(26)  # fmt: skip
N_ERROR = E_FUNCTION + 1
N_MISC = lines_of(RIDES + 1)

# Columns of the queue of blocks, a stretch of the grid each: its first block, how many there are (one at least), and
# the row of counts that they add to
STRETCH_FIRST, STRETCH_BLOCKS, STRETCH_KIND, N_STRETCH = range(4)

# Columns of Machine.bounds, an array of global memory each.  FIRST_BYTE, PAST_END: where it lies; IN_ORDER: the number
# of the array that is so many in the order of memory; HELD: whether `data` has its contents; FREE: whether accesses
# cost nothing; ONCE: whether L1 keeps nothing that is loaded of it
FIRST_BYTE, PAST_END, IN_ORDER, HELD, FREE, ONCE, N_BOUNDS = range(7)

# Columns of Machine.textures, a texture each; the first row is none.  Its address; texels along x, and along y (0: it
# has one dimension); bytes from one row to the next, and of a texel; channels; what a channel is (TEXTURE_F32, ...);
# whether coordinates are shares of its size, texels are filtered, integers are read as shares of the greatest; what is
# read beyond it along x and y; bytes of a row of the tiles in which it lies (0: its rows lie one after another); and
# from TEXTURE_COLOR on what is read of its border, as bits
(
    TEXTURE_ADDRESS, TEXTURE_WIDTH, TEXTURE_HEIGHT, TEXTURE_PITCH, TEXTURE_TEXEL, TEXTURE_CHANNELS, TEXTURE_KIND,
    TEXTURE_NORMALIZED, TEXTURE_LINEAR, TEXTURE_UNIT, TEXTURE_MODE_X, TEXTURE_MODE_Y, TEXTURE_TILES,
    TEXTURE_COLOR,
) = range(14)  # fmt: skip
N_TEXTURE = lines_of(TEXTURE_COLOR + 4)
(
    TEXTURE_F32, TEXTURE_F16, TEXTURE_S8, TEXTURE_U8, TEXTURE_S16, TEXTURE_U16, TEXTURE_S32, TEXTURE_U32,
) = range(8)  # fmt: skip
TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER = range(4)

# Columns of Machine.formats, a format of printf each: its address; bytes of the arguments; how many there are
FORMAT_ADDRESS, FORMAT_BYTES, FORMAT_ARGUMENTS, N_FORMAT = range(4)

# Columns of Machine.printed, what a thread printed each, the latest ones; the first row counts them all: its block, the
# tick, its number in the block, the address of the format, and from PRINTED_WORDS on the arguments
PRINTED_BLOCK, PRINTED_AT, PRINTED_THREAD, PRINTED_FORMAT, PRINTED_WORDS = range(5)

# Columns of Machine.trace.  Its first row: T_NEXT: row of the next event; T_LOST: events there was no room for; T_FROM:
# tick from which they are recorded; T_PC, T_WARP, T_BLOCK: of the latest instruction.  A row for each scheduler
# follows, of what it had noted in STALLED by its latest issue.  The others are events.  T_TRACK: the scheduler, or the
# unit (ON_*); T_AT, T_TAKES: ticks; T_WHY, T_WAITED: what a warp that issues had waited for longest, and how long;
# T_SINCE: tick at which its block started
T_TRACK, T_AT, T_TAKES, T_PC, T_WARP, T_BLOCK, T_WHY, T_WAITED, T_SINCE = range(9)
T_NEXT, T_LOST, T_FROM = 0, 1, 2
N_TRACE = N_REASONS
ON_LSU, ON_TAGS, ON_FILL, ON_OUT = range(64, 68)

# Columns of Machine.shape.  SHARED_BASE: address of shared memory's first byte; LOCAL_BASE: line number from
# which local memory is cached; N_BUFFERS: global arrays; TIMED: every instruction issues at its cycle; N_SCHEDULERS:
# schedulers of an SM; MIO_DEPTH, LG_DEPTH: instructions that wait for the load/store pipe, a scheduler; CODE_AHEAD:
# lines of code fetched ahead; UNIFORM: first uniform register among a warp's rows; SHOWN: the SM of which a timeline is
# recorded, -1: none; L1_LINES: lines of data an L1 has;
# BARRIERS: those that a block may use; CODE_LINES, CONSTANT_LINES: lines of code and of constants that an SM holds;
# GPC_MISSES: lines of constants that a GPC asks L2 for at once; L1_VACATED: lines that L1 drops at once; L1_FRONT: ways
# of a set of it for lines that were used again; HOME_MASK: bits of the number of a stretch of memory whose parity tells
# its half of L2; DENSE_WAVES: wavefronts without conflicts that a dense load has at most; ONE_BY_ONE: whether SMs
# go through a window one after another, because one may read what another writes; THREAD_REGISTERS: those that a thread
# has when it begins; CLUSTER_X, CLUSTER_Y, CLUSTER_Z, CLUSTER: blocks of a cluster along each axis and in all;
# AMONG: whether the program has instructions of clusters, for which there are rows of Machine.clusters; HEAP_FIRST,
# HEAP_UNITS: where the device's heap begins, and how large it is; WITHOUT: what costs nothing in this run, NO_*
# together; DIRTY_ROOM: sectors that L2 may still keep unwritten to HBM, where it has room for all that is read.
(
    BLOCK_X, BLOCK_Y, BLOCK_Z, GRID_X, GRID_Y, GRID_Z, WARPS, SLOTS, SHARED_BYTES, CHECKED, TIMELESS, LIMIT, L1_SETS,
    HALVES, L2_SETS, L2_WAYS, N_SLICES, N_CHANNELS, N_STATIC, PRIVATE, L2_BITS, SHARED_BASE, LOCAL_BYTES,
    LOCAL_BASE, N_BUFFERS, UNIFORM, N_CODE, TIMED, N_SCHEDULERS, MIO_DEPTH, LG_DEPTH, SHOWN, L1_LINES, N_GPCS,
    CODE_AHEAD, BARRIERS, CODE_LINES, CONSTANT_LINES, GPC_MISSES, L1_VACATED, L1_FRONT, HOME_MASK, DENSE_WAVES,
    ONE_BY_ONE, THREAD_REGISTERS, CLUSTER_X, CLUSTER_Y, CLUSTER_Z, CLUSTER, AMONG,
    HEAP_FIRST, HEAP_UNITS, WITHOUT, DIRTY_ROOM,
    BANK_FIRST,
) = range(55)  # fmt: skip
BANK_BYTES = BANK_FIRST + N_BANKS  # of each constant bank: first byte in Machine.constants, and size
N_SHAPE = BANK_BYTES + N_BANKS

# What a run may go without (WITHOUT): wavefronts more than words need, sectors more than words need, traffic of local
# memory, turns of a warp's paths one after another, waits at barriers, what atomics cost, what L2 has no room for.
NO_CONFLICTS, NO_EXCESS, NO_SPILLS, NO_DIVERGENCE, NO_BARRIERS, NO_ATOMICS, NO_CAPACITY = (1 << k for k in range(7))
# SPARES: instructions do not pay for the lanes that their column SPARED says, so that of 32 of them as many go for
# nothing; BY_ROUNDS: all of a round of their loop do or none, and those that do touch no cache.  Else they fetch.
SPARES, BY_ROUNDS = (1 << k for k in range(7, 9))

# Columns of Machine.rates: latencies and service times in ticks, policies as small integers.
(
    L1_HIT,
    L2_NEAR,
    L2_FAR,  # added when the line comes over the fabric
    DRAM,
    SHARED,
    WAVE_APART,  # from the data of one wavefront of a load to that of the next
    ASKING,  # between two registers that an instruction to the load/store pipe reads
    FIRST_ASKS,  # from when such an instruction leaves its queue until it reads the first of them
    READ_LASTS,  # from when it has read all of them until they may be written
    READ_BY,  # from its issue until then, in a run that is not timed
    DENSE,  # in which no result may come, for a dense load
    DENSE_WAIT,  # for which it waits for a time when none comes anyway
    PRODUCT_PLACE,  # from the begin of such work until its place in the queue is free
    PRODUCT_SLOWS,  # for which others read a register longer meanwhile
    PRODUCT_SLOWS_XU,  # and the special functions are taken longer
    PRODUCT_LASTS,  # from the end of a tensor core's work on a product by a warpgroup until its sums are there
    XU_HELD,  # for which a product of matrices holds up the special functions under way
    FILL_SECTOR,  # L2 -> SM wire
    ASK,  # between two requests of an SM to L2
    ASK_ALONG,  # after which no more goes along with a request to read, ...
    SEND_ALONG,  # ... and with one to write
    OUT_LINE,  # SM -> L2 wire: what a store takes for each line, ...
    OUT_SECTOR,  # ... for each sector it fills, ...
    OUT_BROKEN,  # ... and for each it does not
    OUT_HELD,  # of which the load/store pipe waits for none
    OUT_LASTS,  # from which on a line, stored as one of 32, may be stored to again
    DRAM_HALF,  # added where both 64-byte halves of a line come from DRAM
    TAKEN,  # added by a branch that is taken
    BUBBLE,  # and what its scheduler loses by it
    FETCH,  # of the first code of a scheduler
    FETCH_NEXT,  # of another line of code that no warp of the SM has run yet
    GPC_GIVES,  # between two that a GPC gives its SMs of code or constants
    CONSTANT,  # from the read of a constant until it is there
    CONSTANT_FETCH,  # of a line of constants that an SM does not hold
    CONSTANT_SEEK,  # of one that its GPC does not hold
    WARP_START,  # from a warp's arrival to its first issue
    WARP_APART,  # from one warp of a block to the next
    SPECIAL,  # between two reads of special registers or constants
    NOBODY,  # of an access in which no lane takes part
    AWAITED,  # that a load takes of the pipe besides, whose data is not there yet
    BETWEEN_SHARED,  # that a shared access loses behind a global one that came behind a shared one
    WIDE_ASKS,  # by which IMAD.WIDE delays what a scheduler lets go, where others have the load/store pipe too
    WARP_EXIT,  # from its last issue to its end
    PORT_SECTOR,  # L2 -> GPC wire
    LINK_SECTOR,  # one that leaves its half of L2
    LINK_WRITE,  # one that is written, in parts of a tick (from LINK_WRITE_FIELD on)
    SLICE_SECTOR,
    SLICE_REQUEST,
    SLICE_WRITE,  # one sector written
    ATOMIC_REQUEST,  # which an atomic takes its slice besides
    ATOMIC_CHAIN,  # from one addition of floating-point numbers at an address to the next
    SLICE_QUEUE,  # how long a request waits for it behind the coalescer; the rest it waits in front
    CHANNEL_SECTOR,
    WRITE_BATCH,  # sectors that a DRAM channel writes in one go
    TURNAROUND,  # what it loses by that
    BARRIER,  # from the last arrival to the first issue
    BARRIER_WARP,  # added per warp of the block
    TURNOVER,  # from the tick at which a block is handed out to its start
    START_GAP,  # between two blocks started on one SM
    GPC_TURN,  # in which a GPC is given blocks, before the next one is
    LAUNCH,  # between two blocks started by a GPC, and between two that the GPU hears the end of
    ISSUE,  # one warp instruction, all schedulers of the SM together
    ISSUE_QUEUE,  # work its schedulers and units have ahead before another warp has to wait, in a run that is not timed
    FMA_RATE,
    ALU_RATE,
    XU_RATE,
    LSU_RATE,  # between two instructions that the load/store pipe takes in
    QUEUE,  # work the load/store pipe holds before issue stops, ...
    TAG_QUEUE,  # ... and its tag stage
    SHUFFLE,
    MAX_MERGE,  # requests one L2 read may serve; 1: no coalescer
    L2_SPREAD,  # width of the distribution of L2 latency over pairs of SM and slice
    DRAM_SPREAD,  # width of the distribution of DRAM latency over accesses
    WINDOW,  # mean time a request that hits L2 is outstanding at the coalescer
    REFUSING,  # for which a request for other sectors of a line keeps more from joining
    PROMOTE,  # 1: L2 fetches 64 bytes from HBM, 0: 32
    PARTIAL_HIGH,  # partial lines in L2 beyond which they are filled, oldest first, ...
    PARTIAL_LOW,  # ... until no more than these are left
    AHEAD,  # half the time that passes until an SM can affect another one
    MBARRIER,  # from an instruction on an mbarrier, or the end of its phase, until a warp goes on
    LOOKS,  # from one warp's look at an mbarrier's phase to the next one's
    BULK_START,  # from a bulk copy's instruction to its first request
    STORE_START,  # the same of one that reads shared memory
    BULK_REQUEST,  # from one of its requests to the next, ...
    BULK_SECTOR,  # ... for each sector that it brings at least
    CLUSTER_BARRIER,  # from the last arrival at a cluster's barrier until warps go on
    CLUSTER_BARRIER_BLOCK,  # what each block of it adds
    CLUSTER_FENCE,  # until other blocks of a cluster see what a warp wrote
    CLUSTER_FENCE_WARP,  # between two such fences of an SM
    REMOTE,  # of a load from shared memory of the other SM of a TPC
    REMOTE_TPC,  # added where the SM is one of another TPC
    REMOTE_ATOMIC,  # added by an atomic
    REMOTE_LOAD,  # a sector that an SM loads from another
    REMOTE_STORE,  # one that it stores there
    REMOTE_ARRIVE,  # from an arrival at an mbarrier of another block until that has heard of it
    WINDOWS,  # times a request may be outstanding at the coalescer, by how far its slice is
) = range(96)
N_WINDOWS = 32
N_RATES = WINDOWS + N_WINDOWS
LINK_WRITE_FIELD = 10
