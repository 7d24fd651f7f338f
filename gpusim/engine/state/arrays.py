"""The arrays that a simulated machine lives in."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np


class Machine(NamedTuple):
    """Everything the engine reads and writes: flat arrays; their columns are in :mod:`gpusim.engine.state.columns`."""

    code: Annotated[np.ndarray, np.int32, 2]  # (n, N_FIELDS)
    regs: Annotated[np.ndarray, np.uint32, 2]  # (N_STATIC + warps * PRIVATE, 32): shared by all warps, then each one's
    preds: Annotated[np.ndarray, np.uint32, 2]  # (warps, N_PRED_ROWS): a bit a lane
    warps: Annotated[np.ndarray, np.int64, 2]  # (warps, N_WARP); SM-major, then block slot, then warp
    awake: Annotated[np.ndarray, np.int64, 1]  # (warps + MAX_ENTRIES,): tick at which each may run on, or NEVER
    turns: Annotated[np.ndarray, np.int64, 2]  # (warps, N_TURN): timed runs
    schedulers: Annotated[np.ndarray, np.int64, 2]  # (SMs * schedulers, N_SCHEDULER_COLUMNS): timed runs
    blocks: Annotated[np.ndarray, np.int64, 2]  # (block slots, N_BLOCK); SM-major
    clusters: Annotated[np.ndarray, np.int64, 2]  # (block slots, or 1: none has to do with another; N_CLUSTER)
    free_slots: Annotated[np.ndarray, np.int64, 2]  # (1 + block slots, N_FREE_SLOT): see gpusim.engine.core.free_slots
    ended: Annotated[np.ndarray, np.int64, 2]  # (1 + block slots, N_FREE_SLOT): blocks that ended in a window, likewise
    ages: Annotated[np.ndarray, np.int64, 1]  # (block slots,): its block's place in the launch order, or NEVER
    shared: Annotated[np.ndarray, np.uint32, 2]  # (block slots, words)
    touched: Annotated[np.ndarray, np.int64, 3]  # (block slots, half words, 2): who last wrote and read them, and when
    sms: Annotated[np.ndarray, np.int64, 2]  # (SMs, N_SM)
    requests: Annotated[np.ndarray, np.int64, 2]  # (SMs * N_WAYS_OUT * MAX_SCHEDULERS * 2, N_REQUEST)
    fetched: Annotated[np.ndarray, np.int64, 2]  # (SMs, lines of code): tick at which it has come, 0 if never asked for
    ran: Annotated[np.ndarray, np.int64, 2]  # (SMs, lines of code): tick at which a warp last came to it
    constant_lines: Annotated[np.ndarray, np.int64, 2]  # (SMs, 2 * CONSTANT_LINES): those held, -1: none; since when
    gpc_lines: Annotated[np.ndarray, np.int64, 3]  # (GPCs, GPC_LINES, 2): the same of a GPC, at their numbers' place
    l1: Annotated[np.ndarray, np.int64, 2]  # (SMs * sets, 2 * L1_WAYS)
    l1_words: Annotated[np.ndarray, np.int64, 2]  # (rows of l1, L1_WAYS)
    l1_sets: Annotated[np.ndarray, np.int64, 2]  # (5, 256): see gpusim.simulate.build.l1_table
    lrc: Annotated[np.ndarray, np.int64, 3]  # (GPCs, entries, N_REQUEST)
    l2: Annotated[np.ndarray, np.int64, 2]  # (halves * sets, 4 * ways)
    servers: Annotated[np.ndarray, np.int64, 3]  # (N_PLANES, most, SPANS + N_SPANS)
    partial: Annotated[np.ndarray, np.int64, 1]  # (a power of two,): ring of lines that became partial, oldest first
    copies: Annotated[np.ndarray, np.int64, 2]  # (SMs * (MOST_COPIES + 1), N_COPY): see gpusim.engine.state.copies
    data: Annotated[np.ndarray, np.uint32, 1]  # every buffer of global memory, from GLOBAL_BASE
    bounds: Annotated[np.ndarray, np.int64, 2]  # (arrays, N_BOUNDS)
    unwritten: Annotated[np.ndarray, np.uint8, 1]  # of each word of `data`: neither the host nor a store did (checked)
    blank: Annotated[np.ndarray, np.uint8, 1]  # of so many words each: none is written, and `unwritten` says nothing
    shadow_shared: Annotated[np.ndarray, np.int64, 3]  # (block slots, granules, N_SHADOW): checked runs
    shadow_global: Annotated[np.ndarray, np.int64, 2]  # (granules, N_SHADOW)
    shadow_local: Annotated[np.ndarray, np.uint8, 3]  # (warps, words, 32): bytes that are written, a bit each
    kept_blocks: Annotated[np.ndarray, np.int64, 2]  # (block slots, N_KEPT_BLOCK): see gpusim.engine.state.checks
    kept_threads: Annotated[np.ndarray, np.int64, 3]  # (block slots, threads, N_KEPT_THREAD)
    kept_warps: Annotated[np.ndarray, np.int64, 2]  # (warps, N_KEPT_WARP)
    known: Annotated[np.ndarray, np.int64, 3]  # (block slots, threads, threads + 1): up to where each knows of each
    clocks: Annotated[np.ndarray, np.int64, 2]  # (MOST_CLOCKS, C_FIRST + threads + 1)
    pairs: Annotated[np.ndarray, np.int64, 2]  # the same
    found: Annotated[np.ndarray, np.int64, 2]  # (1 + MOST_FOUND, N_FOUND)
    lanes_kept: Annotated[np.ndarray, np.int64, 2]  # (2 * n, N_TOUCHED), or one row where no warp is watched
    fresh: Annotated[np.ndarray, np.int64, 2]  # (stretches of global memory that nobody has written, 2): first, end
    freed: Annotated[np.ndarray, np.int64, 2]  # (stretches of global memory that were freed, 2)
    joined: Annotated[np.ndarray, np.int64, 1]  # (threads + 1,) scratch
    patterns: Annotated[np.ndarray, np.int64, 3]  # (2 * n, PATTERNS_KEPT, N_PATTERN); from n on: shared side of LDGSTS
    local: Annotated[np.ndarray, np.uint32, 3]  # (warps, words, 32): local memory
    constants: Annotated[np.ndarray, np.uint8, 1]  # constant banks
    place: Annotated[np.ndarray, np.int32, 1]  # where each instruction of the program is in `code`
    scratch: Annotated[np.ndarray, np.int64, 2]  # (36, 32): bank words, their number, lane addresses, and two more rows
    bits: Annotated[np.ndarray, np.uint32, 2]  # (2, 32) scratch
    counts: Annotated[np.ndarray, np.int64, 2]  # (kinds of block, N_COUNTS)
    arrays: Annotated[np.ndarray, np.int64, 2]  # (arrays, N_ARRAY_COUNTS)
    sites: Annotated[np.ndarray, np.int64, 2]  # (n, N_SITE_COUNTS)
    misc: Annotated[np.ndarray, np.int64, 1]  # (N_MISC,)
    rates: Annotated[np.ndarray, np.int64, 1]  # (N_RATES,)
    shape: Annotated[np.ndarray, np.int64, 1]  # (N_SHAPE,)
    order: Annotated[np.ndarray, np.int64, 1]  # (SMs,): the order in which the hardware fills them
    routines: Annotated[np.ndarray, np.int64, 1]  # by opcode: where the code is that computes it, 0 for none
    trace: Annotated[np.ndarray, np.int64, 2]  # (1 + schedulers of an SM + events, N_TRACE)
    asked: Annotated[np.ndarray, np.int64, 2]  # (2 * SMs * MOST_ASKED, N_ASKED): see gpusim.engine.hierarchy.outbox
    outboxes: Annotated[np.ndarray, np.int64, 2]  # (2 * SMs, N_OUTBOX)
    waiters: Annotated[np.ndarray, np.int64, 3]  # (2 * SMs, 2 * MOST_ASKED, N_WAITER)
    heard: Annotated[np.ndarray, np.int64, 2]  # (SMs, N_HEARD): ticks that references have become
    batch: Annotated[np.ndarray, np.int64, 2]  # (N_BATCH, SMs * MOST_ASKED): what all SMs ask for, by cycle
    sought: Annotated[np.ndarray, np.int64, 2]  # (SMs, 2 * 32): lines of constants that it stands still for, and ticks
    faults: Annotated[np.ndarray, np.int64, 2]  # (SMs, N_ERROR + 1): what went wrong there, and when
    textures: Annotated[np.ndarray, np.int64, 2]  # (1 + textures of the launch, N_TEXTURE)
    formats: Annotated[np.ndarray, np.int64, 2]  # (formats of printf, N_FORMAT)
    printed: Annotated[np.ndarray, np.int64, 2]  # (1 + PRINTS_KEPT, or 1: nothing prints; PRINTED_WORDS + arguments)
    heap: Annotated[np.ndarray, np.int64, 1]  # (N_HEAP + 2 * units,): see gpusim.engine.core.device_heap
    crew: Annotated[np.ndarray, np.int64, 2]  # (threads, N_MISC): `misc` of each thread
    gate: Annotated[np.ndarray, np.int64, 1]  # (N_GATE,): see gpusim.engine.compiling.threads


CACHE_LINE = 64  # bytes, of the host


def aligned(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """Zeros that begin with a cache line, so that a row of 32 lanes takes no more lines than it must."""
    nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(nbytes + CACHE_LINE, np.uint8)
    first = -room.ctypes.data % CACHE_LINE
    return room[first : first + nbytes].view(dtype).reshape(shape)
