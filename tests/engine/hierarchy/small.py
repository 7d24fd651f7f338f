"""A hierarchy small enough to follow by hand: its arrays, which jitted functions take in place of a machine's."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpusim.engine.hierarchy.coalescer import empty_coalescer
from gpusim.engine.hierarchy.l1 import empty_l1
from gpusim.engine.hierarchy.l2_sets import empty_l2
from gpusim.engine.hierarchy.outbox import N_ASKED, N_HEARD, N_OUTBOX, N_WAITER, ROOM
from gpusim.engine.hierarchy.requests import N_REQUEST, N_WAYS_OUT
from gpusim.engine.hierarchy.servers import N_PLANES, N_SPANS, SPANS
from gpusim.engine.load_store.below import CYCLES, N_BATCH
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.hardware.fixed import L1_WAYS
from gpusim.isa.encode import N_FIELDS

WAYS, SETS, L1_SETS, SERVERS = 4, 32, 16, 8
"""Ways and sets of a half of L2, sets of an L1, servers of a kind."""
CONSTANT_LINES, GPC_LINES, GPC_MISSES = 32, 1024, 4
"""Lines of constants that an SM and a GPC hold, and that a GPC asks L2 for at once."""
RATES = {
    S.L1_HIT: 30, S.L2_NEAR: 200, S.L2_FAR: 150, S.DRAM: 400, S.CHANNEL_SECTOR: 8, S.SLICE_SECTOR: 2, S.SLICE_WRITE: 2,
    S.SLICE_REQUEST: 1, S.PORT_SECTOR: 1, S.LINK_SECTOR: 3, S.WRITE_BATCH: 1 << 40, S.PROMOTE: 1, S.MAX_MERGE: 4,
    S.WINDOW: 64, S.PARTIAL_HIGH: 1 << 40, S.ASK_ALONG: 6, S.GPC_GIVES: 2, S.CONSTANT_FETCH: 40, S.CONSTANT_SEEK: 300,
    S.SLICE_QUEUE: 1 << 40, S.REFUSING: 85,
}  # fmt: skip
"""In ticks, small numbers that add up by hand; nothing spreads, HBM writes wait for ever."""


class Small(NamedTuple):
    """The fields of :class:`gpusim.engine.state.arrays.Machine` that the hierarchy reads."""

    sms: np.ndarray
    requests: np.ndarray
    constant_lines: np.ndarray
    gpc_lines: np.ndarray
    l1: np.ndarray
    l1_words: np.ndarray
    l1_sets: np.ndarray
    lrc: np.ndarray
    l2: np.ndarray
    servers: np.ndarray
    partial: np.ndarray
    asked: np.ndarray
    outboxes: np.ndarray
    waiters: np.ndarray
    heard: np.ndarray
    batch: np.ndarray
    sought: np.ndarray
    crew: np.ndarray
    misc: np.ndarray
    code: np.ndarray
    blocks: np.ndarray
    warps: np.ndarray
    awake: np.ndarray
    turns: np.ndarray
    schedulers: np.ndarray
    counts: np.ndarray
    arrays: np.ndarray
    sites: np.ndarray
    rates: np.ndarray
    shape: np.ndarray
    trace: np.ndarray


def rates(**changed: int) -> np.ndarray:
    """Latencies and service times, those of `RATES` but for some, by their columns' names."""
    found = np.zeros(S.N_RATES, np.int64)
    for column, ticks in (RATES | {getattr(S, name): ticks for name, ticks in changed.items()}).items():
        found[column] = ticks
    found[S.LINK_WRITE] = 3 * found[S.LINK_SECTOR] << S.LINK_WRITE_FIELD - 1
    found[S.WINDOWS :] = found[S.WINDOW] * (64 + 2 * np.arange(S.N_WINDOWS)) // 95
    return found


def shape(halves: int = 1, **changed: int) -> np.ndarray:
    """Sizes: one half of L2, or two of the same size."""
    found = np.zeros(S.N_SHAPE, np.int64)
    sizes = {
        "SLOTS": 2, "WARPS": 4, "N_SCHEDULERS": 4, "SHOWN": -1, "HALVES": halves, "L2_SETS": SETS, "L2_WAYS": WAYS,
        "L2_BITS": int(halves * SETS).bit_length() - 1, "N_SLICES": 4 * halves, "N_CHANNELS": 4, "N_GPCS": 2,
        "L1_SETS": L1_SETS, "L1_LINES": L1_SETS * L1_WAYS, "TIMED": 1,
        "CONSTANT_LINES": CONSTANT_LINES, "GPC_MISSES": GPC_MISSES, "L1_VACATED": 20, "L1_FRONT": 2,
        "HOME_MASK": 0b10101011,
    }  # fmt: skip
    for name, size in (sizes | changed).items():
        found[getattr(S, name)] = size
    return found


def servers() -> np.ndarray:
    """Servers with nothing booked."""
    return np.zeros((N_PLANES, SERVERS, SPANS + N_SPANS), np.int64)


def small(halves: int = 1, sizes: dict[str, int] | None = None, **changed: int) -> Small:
    """Four SMs, two of each GPC and, where L2 has two halves, one GPC at each."""
    n_sm, dims = 4, shape(halves, **(sizes or {}))
    sms = np.zeros((n_sm, S.N_SM), np.int64)
    sms[:, S.GPC] = np.arange(n_sm) // 2
    sms[:, S.HALF] = sms[:, S.GPC] if halves > 1 else 0
    table = np.zeros((5, 256), np.int64)
    table[0] = np.arange(256) % L1_SETS
    table[4] = np.arange(256)
    crew = np.zeros((1, S.N_MISC), np.int64)
    return Small(
        sms=sms,
        requests=np.zeros((n_sm * N_WAYS_OUT * S.MAX_SCHEDULERS * 2, N_REQUEST), np.int64),
        constant_lines=np.full((n_sm, 2 * CONSTANT_LINES), -1, np.int64),
        gpc_lines=np.full((2, GPC_LINES, 2), -1, np.int64),
        l1=empty_l1(n_sm * L1_SETS),
        l1_words=np.zeros((n_sm * L1_SETS, L1_WAYS), np.int64),
        l1_sets=table,
        lrc=empty_coalescer(2, 64),
        l2=empty_l2(halves * SETS, WAYS),
        servers=servers(),
        partial=np.zeros(64, np.int64),
        asked=np.zeros((2 * n_sm * ROOM, N_ASKED), np.int64),
        outboxes=np.zeros((2 * n_sm, N_OUTBOX), np.int64),
        waiters=np.zeros((2 * n_sm, 2 * ROOM, N_WAITER), np.int64),
        heard=np.zeros((n_sm, N_HEARD), np.int64),
        batch=np.zeros((N_BATCH, CYCLES + 1), np.int64),
        sought=np.zeros((n_sm, 2 * S.LANES), np.int64),
        crew=crew,
        misc=crew[0],
        code=np.zeros((1, N_FIELDS), np.int32),
        blocks=np.zeros((8, S.N_BLOCK), np.int64),
        warps=np.zeros((32, S.N_WARP), np.int64),
        awake=np.zeros(32, np.int64),
        turns=np.zeros((32, S.N_TURN), np.int64),
        schedulers=np.zeros((4 * n_sm, S.N_SCHEDULER_COLUMNS), np.int64),
        counts=np.zeros((1, C.N_COUNTS), np.int64),
        arrays=np.zeros((1, C.N_ARRAY_COUNTS), np.int64),
        sites=np.zeros((1, C.N_SITE_COUNTS), np.int64),
        rates=rates(**changed),
        shape=dims,
        trace=np.zeros((1, S.N_TRACE), np.int64),
    )


def counts() -> np.ndarray:
    """Counts of a kind of block, all zero."""
    return np.zeros(C.N_COUNTS, np.int64)
