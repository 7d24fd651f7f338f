"""The arrays a simulated machine lives in: shapes, units, allocation.

Everything jitted takes these NamedTuples of flat arrays.  Times are integers in
ticks, ``TICKS`` to one SM cycle, so that rates such as a sector every 0.7 cycles
stay exact enough without floating point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

TICKS = 1024
NEVER = np.int64(1) << 62
LANES = 32
MAX_SPLITS = 32
N_CONVERGENCE = 16

# States of a warp
EMPTY, READY, AT_BARRIER, DONE = 0, 1, 2, 3


class Warps(NamedTuple):
    """Resident warps; one row a warp slot (SM-major, then block slot, then warp)."""

    u: np.ndarray  # uint32 (slots, rows, 32) register file
    i: np.ndarray  # the same bits as int32
    f: np.ndarray  # the same bits as float32
    preds: np.ndarray  # uint32 (slots, N_PRED_ROWS): a bit a lane
    pc: np.ndarray  # int32 (slots,)
    mask: np.ndarray  # uint32 (slots,) lanes of the path that runs
    alive: np.ndarray  # uint32 (slots,) lanes that have not left the kernel
    n_split: np.ndarray  # int32 (slots,) paths set aside
    split_pc: np.ndarray  # int32 (slots, MAX_SPLITS)
    split_mask: np.ndarray  # uint32 (slots, MAX_SPLITS)
    meet_mask: np.ndarray  # uint32 (slots, N_CONVERGENCE) lanes a convergence barrier waits for
    meet_here: np.ndarray  # uint32 (slots, N_CONVERGENCE) lanes that have arrived
    meet_pc: np.ndarray  # int32 (slots, N_CONVERGENCE) where they wait
    state: np.ndarray  # int8 (slots,)
    ready: np.ndarray  # int64 (slots,) tick at which it may run on
    board: np.ndarray  # int64 (slots, 6) tick at which a scoreboard is released


class Blocks(NamedTuple):
    """Resident blocks; one row a block slot (SM-major)."""

    id: np.ndarray  # int64 (slots,) linear block number, -1 when empty
    xyz: np.ndarray  # int32 (slots, 3)
    kind: np.ndarray  # int32 (slots,) counter row the block adds to
    age: np.ndarray  # int64 (slots,) launch order; smaller is older
    alive: np.ndarray  # int32 (slots,) warps that have not left
    arrived: np.ndarray  # int32 (slots,) warps at the barrier
    last: np.ndarray  # int64 (slots,) latest arrival at the barrier, ticks
    shared: np.ndarray  # uint32 (slots, words) shared memory
    wrote: np.ndarray  # int64 (slots, words) checked runs: who wrote a word last, and when (0 = never)
    read: np.ndarray  # int64 (slots, words) checked runs: who read it last, and when
    phase: np.ndarray  # int32 (slots,) barriers passed


class Sms(NamedTuple):
    """One row an SM."""

    now: np.ndarray  # int64: start of the next issue, ticks
    lsu: np.ndarray  # int64: load/store pipe free from, ticks
    xu: np.ndarray  # int64: special-function pipe free from, ticks
    fill: np.ndarray  # int64: L2 -> L1 wire free from, ticks
    next: np.ndarray  # int64: when it next has something to do (NEVER: nothing)
    free_at: np.ndarray  # int64: when the next block may start, ticks
    gpc: np.ndarray  # int32
    half: np.ndarray  # int32


class L1(NamedTuple):
    """All SMs' L1 data caches: (sm * sets + set) * ways + way."""

    tag: np.ndarray  # int64, line number, -1 empty
    valid: np.ndarray  # uint8, bit a sector
    fill: np.ndarray  # int64, tick at which the sectors being fetched arrive
    pending: np.ndarray  # uint8, sectors on their way
    used: np.ndarray  # int64, stamp for LRU
    shape: np.ndarray  # int64 [sets, ways]


class Coalescer(NamedTuple):
    """Requests outstanding in front of L2, a direct-mapped table a GPC."""

    line: np.ndarray  # int64 (gpcs, entries)
    sectors: np.ndarray  # uint8
    done: np.ndarray  # int64 tick at which the data is back
    merged: np.ndarray  # int32 requests served by it so far


class L2(NamedTuple):
    """Both halves: (half * sets + set) * ways + way."""

    tag: np.ndarray  # int64 line, -1 empty
    valid: np.ndarray  # uint8
    dirty: np.ndarray  # uint8
    used: np.ndarray  # int64
    fill: np.ndarray  # int64 tick of the last fill
    slice_free: np.ndarray  # int64 (slices,)
    channel_free: np.ndarray  # int64 (channels,)
    port_free: np.ndarray  # int64 (gpcs,) wire from L2 into a GPC
    shape: np.ndarray  # int64 [halves, sets, ways, ticks to write a sector back]


class Memory(NamedTuple):
    """Global memory: one byte array holding every buffer, addressed from ``GLOBAL_BASE``."""

    u32: np.ndarray
    u16: np.ndarray
    lo: np.ndarray  # int64 (arrays,) first address of each program array (global ones)
    hi: np.ndarray  # int64 (arrays,) one past the last
    written: np.ndarray  # uint8, a byte a 4-byte word: defined by the host or a store (checked runs)


class Patterns(NamedTuple):
    """What the last access of each static memory instruction looked like, and what it cost.

    Bank conflicts do not change when all lanes move by the same amount, nor do
    sectors when they move by whole lines; so a pattern seen again is not worked out again.
    """

    mask: np.ndarray  # uint32 (n,)
    phase: np.ndarray  # int64 (n,) first address modulo a line; -1 never seen
    offset: np.ndarray  # int64 (n, 32) lane addresses relative to the first active lane's line
    n_lines: np.ndarray  # int32 (n,)
    lines: np.ndarray  # int64 (n, 32) relative line numbers
    sectors: np.ndarray  # uint8 (n, 32)
    n_sectors: np.ndarray  # int32 (n,)
    wavefronts: np.ndarray  # int32 (n,) data stage
    seen: np.ndarray  # int64 (32, 32) scratch
    count: np.ndarray  # int64 (32,) scratch
    address: np.ndarray  # int64 (32,) scratch: lane addresses
    bits: np.ndarray  # uint32 (2, 32) scratch


class Report(NamedTuple):
    """What comes out.  ``counts`` (kinds of block, C.N), ``arrays`` (arrays, A.N)."""

    counts: np.ndarray
    arrays: np.ndarray
    error: np.ndarray  # int64 [code, line, instr, lane, block, address, ...]
    clock: np.ndarray  # int64 [ticks at the end, blocks finished, steps, LRU stamp]


GLOBAL_BASE = np.int64(1) << 40
N_COUNTS = 40
N_ARRAY_COUNTS = 8


def allocate_warps(slots: int, rows: int, n_pred: int) -> Warps:
    """Zeroed warp slots."""
    u = np.zeros((slots, rows, LANES), np.uint32)
    return Warps(
        u,
        u.view(np.int32),
        u.view(np.float32),
        np.zeros((slots, n_pred), np.uint32),
        np.zeros(slots, np.int32),
        np.zeros(slots, np.uint32),
        np.zeros(slots, np.uint32),
        np.zeros(slots, np.int32),
        np.zeros((slots, MAX_SPLITS), np.int32),
        np.zeros((slots, MAX_SPLITS), np.uint32),
        np.zeros((slots, N_CONVERGENCE), np.uint32),
        np.zeros((slots, N_CONVERGENCE), np.uint32),
        np.zeros((slots, N_CONVERGENCE), np.int32),
        np.zeros(slots, np.int8),
        np.full(slots, NEVER, np.int64),
        np.zeros((slots, 6), np.int64),
    )


def allocate_blocks(slots: int, shared_words: int, checked: bool) -> Blocks:
    """Empty block slots; the who-wrote-it tables only where runs are checked."""
    check_words = shared_words if checked else 1
    return Blocks(
        np.full(slots, -1, np.int64),
        np.zeros((slots, 3), np.int32),
        np.zeros(slots, np.int32),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int32),
        np.zeros(slots, np.int32),
        np.zeros(slots, np.int64),
        np.zeros((slots, max(shared_words, 1)), np.uint32),
        np.zeros((slots, max(check_words, 1)), np.int64),
        np.zeros((slots, max(check_words, 1)), np.int64),
        np.zeros(slots, np.int32),
    )


def allocate_sms(gpc: np.ndarray, half: np.ndarray) -> Sms:
    """Idle SMs."""
    n = len(gpc)
    zeros = [np.zeros(n, np.int64) for _ in range(4)]
    return Sms(*zeros, np.full(n, NEVER, np.int64), np.zeros(n, np.int64), gpc.astype(np.int32), half.astype(np.int32))


def allocate_l1(n_sm: int, sets: int, ways: int) -> L1:
    """Empty caches."""
    n = n_sm * sets * ways
    return L1(
        np.full(n, -1, np.int64),
        np.zeros(n, np.uint8),
        np.zeros(n, np.int64),
        np.zeros(n, np.uint8),
        np.zeros(n, np.int64),
        np.array([sets, ways], np.int64),
    )


def allocate_coalescer(gpcs: int, entries: int) -> Coalescer:
    """No request outstanding."""
    shape = (gpcs, entries)
    return Coalescer(
        np.full(shape, -1, np.int64), np.zeros(shape, np.uint8), np.zeros(shape, np.int64), np.zeros(shape, np.int32)
    )


def allocate_l2(halves: int, sets: int, ways: int, slices: int, channels: int, gpcs: int, write_back: int) -> L2:
    """Empty and clean."""
    n = halves * sets * ways
    return L2(
        np.full(n, -1, np.int64),
        np.zeros(n, np.uint8),
        np.zeros(n, np.uint8),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(slices, np.int64),
        np.zeros(channels, np.int64),
        np.zeros(gpcs, np.int64),
        np.array([halves, sets, ways, write_back], np.int64),
    )


def allocate_patterns(n: int) -> Patterns:
    """Nothing seen yet."""
    return Patterns(
        np.zeros(n, np.uint32),
        np.full(n, -1, np.int64),
        np.zeros((n, LANES), np.int64),
        np.zeros(n, np.int32),
        np.zeros((n, LANES), np.int64),
        np.zeros((n, LANES), np.uint8),
        np.zeros(n, np.int32),
        np.zeros(n, np.int32),
        np.zeros((32, 32), np.int64),
        np.zeros(32, np.int64),
        np.zeros(32, np.int64),
        np.zeros((2, LANES), np.uint32),
    )


def allocate_report(kinds: int, arrays: int) -> Report:
    """All zero."""
    return Report(
        np.zeros((kinds, N_COUNTS), np.int64),
        np.zeros((max(arrays, 1), N_ARRAY_COUNTS), np.int64),
        np.zeros(8, np.int64),
        np.zeros(4, np.int64),
    )
