"""How threads wait for one another, and what is wrong with it: barriers, lanes, copies, mbarriers, clusters."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at, predicate
from gpusim.engine.compiling.bits import first_lane
from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.core.checking.findings import first_thread, note, number_of
from gpusim.engine.core.checking.order import (
    block_meets,
    hear,
    is_known,
    join,
    lanes_meet,
    now,
    place_for,
    place_of,
    tell,
    tell_block,
)
from gpusim.engine.core.flow import named, with_equal
from gpusim.engine.core.indirect_control import barrier_named
from gpusim.engine.core.lane_exchange import source_lane
from gpusim.engine.core.mbarriers import SIZE, arrivals_of, contents, parity_of, phase_addresses
from gpusim.engine.core.paths import FULL
from gpusim.engine.load_store.buffers import short_addresses
from gpusim.engine.load_store.cluster_memory import WITHIN, rank_of
from gpusim.engine.state import checks as K
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row
from gpusim.isa.mbarrier import EXPECTED_AT, PENDING_AT

ONE = np.uint32(1)
NAMED_AT = 1 << 32  # keys of a block's barriers: no address of shared memory


COMPLETE_AT, BEGUN_AT = 1 << 60, 1 << 61  # keys of complete phases of an mbarrier, and of whether it is one


# ------------------------------------------------------------------ barriers of a block


@jit
def come_to_barrier(m, c, index, w, slot, on):
    """A warp comes to a barrier: the last one that does lets all know of one another."""
    b, threads = barrier_named(m, c, w, first_lane(on))
    block, arrives = m.blocks[slot], c[I.FLAGS] & I.ARRIVE != 0
    expected, here = (threads + S.LANES - 1) // S.LANES, block[S.ARRIVED + b]
    wrong = threads & (S.LANES - 1) or expected > m.shape[S.WARPS]
    if wrong or (here > 0 and block[S.EXPECTED + b] != expected):
        who = number_of(m, slot, first_thread(m, w) + first_lane(on))
        note(m, np.int64(K.BARRIER_COUNT), index, who, K.NOWHERE, b, 0, np.int64(-1), threads)
    all_of_them = expected if expected else block[S.B_ALIVE]
    last = here + 1 >= all_of_them
    if all_of_them == block[S.B_ALIVE] and not arrives and not is_told(m, slot, b):
        if last:
            block_meets(m, slot)
            note_missing(m, slot, index, expected == 0)
        return
    if arrives:
        m.kept_blocks[slot, K.KB_ARRIVED] = index + 1
    key = NAMED_AT | slot << 8 | b
    for lane in range(S.LANES):
        if (np.uint32(on) >> np.uint32(lane)) & ONE:
            tell(m, slot, first_thread(m, w) + lane, key, now(m), now(m))
    if last:
        let_all_hear(m, slot, b, key, w, on, arrives)


@inline
def is_told(m, slot, b):
    """Whether somebody has told others at a named barrier that is not over."""
    k = place_of(m.clocks, NAMED_AT | slot << 8 | b, m.blocks[slot, S.ID], False)
    return k >= 0 and m.clocks[k, K.C_VERSION] > 1


@jit
def let_all_hear(m, slot, b, key, w, on, arrives):
    """A barrier of some warps is over: those that wait there know what all have told."""
    for other in range(slot * m.shape[S.WARPS], (slot + 1) * m.shape[S.WARPS]):
        warp = m.warps[other]
        waits = warp[S.STATE] == S.AT_BARRIER and warp[S.BAR_NUMBER] == b
        if waits or (other == w and not arrives):
            for lane in range(S.LANES):
                if (np.uint32(warp[S.ALIVE]) >> np.uint32(lane)) & ONE:
                    hear(m, slot, first_thread(m, other) + lane, key)
    row = m.clocks[place_of(m.clocks, key, m.blocks[slot, S.ID], True)]
    for k in range(K.C_PHASE, len(row)):
        row[k] = 0
    row[K.C_VERSION] = 1


@inline
def note_missing(m, slot, index, for_all):
    """A barrier of the whole block opens that warps have missed, which have ended."""
    if for_all and m.blocks[slot, S.B_ALIVE] < m.shape[S.WARPS]:
        note(m, np.int64(K.EXITED_BARRIER), index, number_of(m, slot, 0), K.NOWHERE, 0, 0, np.int64(-1),
             m.shape[S.WARPS] - m.blocks[slot, S.B_ALIVE])  # fmt: skip


@jit
def come_to_end(m, c, w, slot, on):
    """Lanes leave: those that wait for them were to meet them, and so were the warps at a barrier if none is left."""
    warp = m.warps[w]
    lanes = np.int64(on & predicate(m.preds[w], c[I.P0]))
    for n in range(warp[S.N_SPLIT]):
        awaited = warp[S.SPLIT_WAIT + n]
        if 0 < awaited <= FULL and awaited & lanes:
            note_absent(m, warp[S.SPLIT_PC + n] - 1, w, slot, warp[S.SPLIT_MASK + n], awaited)
    if warp[S.ALIVE] & ~lanes:
        return
    if m.blocks[slot, S.B_ALIVE] == 1 and m.kept_blocks[slot, K.KB_REMOTE_AT]:
        leave_others(m, w, slot)
    if m.blocks[slot, S.WAITING]:
        open_barriers(m, slot)
    if m.blocks[slot, S.B_ALIVE] == 1 and m.blocks[slot, S.WAITING]:
        note_arrived(m, slot)


@cold
def note_arrived(m, slot):
    """A block ends, and warps have arrived at a barrier at which nobody waits."""
    for b in range(S.N_BARRIERS):
        index = m.kept_blocks[slot, K.KB_ARRIVED] - 1
        if m.blocks[slot, S.ARRIVED + b] and index >= 0:
            threads = m.blocks[slot, S.EXPECTED + b] * S.LANES
            note(m, np.int64(K.BARRIER_COUNT), index, number_of(m, slot, 0), K.NOWHERE, b, 0, np.int64(-1), threads)


@cold
def leave_others(m, w, slot):
    """A block ends whose shared memory another one of its cluster has touched, and may yet where nothing says not."""
    keep = m.kept_blocks[slot]
    stamp = keep[K.KB_REMOTE]
    if keep[K.KB_REMOTE_AT] >= keep[K.KB_CLUSTER] and not is_known(
        m, slot, first_thread(m, w), stamp, keep[K.KB_REMOTE_AT]
    ):
        index = (stamp >> K.INDEX_AT) & K.INDICES
        note(m, np.int64(K.CLUSTER_EXIT), index, stamp >> K.WHO_AT, K.NOWHERE, 0, 0, np.int64(-1), m.blocks[slot, S.ID])


@jit
def open_barriers(m, slot):
    """The last warp that others wait for has ended: those at a barrier go on."""
    for b in range(S.N_BARRIERS):
        here, alive = m.blocks[slot, S.ARRIVED + b], m.blocks[slot, S.B_ALIVE] - 1
        if here and m.blocks[slot, S.EXPECTED + b] == 0 and here >= alive:
            block_meets(m, slot)
            waiting = waits_at(m, slot, b)
            if waiting >= 0:
                note(m, np.int64(K.EXITED_BARRIER), m.warps[waiting, S.PC] - 1, number_of(m, slot, 0), K.NOWHERE, 0, 0,
                     np.int64(-1), m.shape[S.WARPS] - alive)  # fmt: skip


@jit
def waits_at(m, slot, b):
    """A warp of a block that waits at a barrier; -1: none."""
    for w in range(slot * m.shape[S.WARPS], (slot + 1) * m.shape[S.WARPS]):
        if m.warps[w, S.STATE] == S.AT_BARRIER and m.warps[w, S.BAR_NUMBER] == b:
            return np.int64(w)
    return np.int64(-1)


# ------------------------------------------------------------------ lanes of a warp


@cold
def note_absent(m, index, w, slot, lanes, mask):
    """Note that a mask names lanes that do not come."""
    who = number_of(m, slot, first_thread(m, w) + first_lane(np.uint32(lanes)))
    note(m, np.int64(K.ABSENT_LANES), index, who, K.NOWHERE, 0, 0, np.int64(-1), mask)


@inline
def lanes_of_warp(m, w):
    """Lanes that a warp has threads for."""
    threads = m.shape[S.BLOCK_X] * m.shape[S.BLOCK_Y] * m.shape[S.BLOCK_Z]
    return (np.int64(1) << min(S.LANES, threads - first_thread(m, w))) - 1


@jit
def sync_warp(m, c, index, w, slot):
    """WARPSYNC: the last of the lanes of a mask lets all of them know of one another."""
    warp, masks, left = m.warps[w], m.regs[at(c[I.A], first_row(m, w))], m.warps[w, S.MASK]
    while left:
        first = first_lane(np.uint32(left))
        lanes, mask = with_equal(masks, left, first), named(np.int64(masks[first]))
        left ^= lanes
        if mask & lanes_of_warp(m, w) & ~warp[S.ALIVE] or lanes & ~mask:
            note_absent(m, index, w, slot, lanes, mask)
        for n in range(warp[S.N_SPLIT]):
            if warp[S.SPLIT_WAIT + n] == mask:
                lanes |= warp[S.SPLIT_MASK + n]
        if mask & warp[S.ALIVE] & ~lanes == 0:
            lanes_meet(m, w, slot, np.uint32(lanes))


@jit
def meet_at_once(m, c, index, w, slot):
    """NOP: lanes meet where the compiler takes them to be together; whoever its mask names must be here."""
    warp, left = m.warps[w], m.warps[w, S.MASK]
    row = first_row(m, w) + max(c[I.OFFSET] - K.FIRST_MASK, 0)
    while left:
        first = first_lane(np.uint32(left))
        lanes, mask = np.int64(left), np.int64(FULL)
        if c[I.OFFSET] >= K.FIRST_MASK:
            lanes, mask = with_equal(m.regs[row], left, first), named(np.int64(m.regs[row, first]))
        left ^= lanes
        if mask & warp[S.ALIVE] & ~lanes or lanes & ~mask:
            note_absent(m, index, w, slot, lanes, mask)
        lanes_meet(m, w, slot, np.uint32(lanes))


@jit
def look_at_shuffle(m, c, index, w, slot, on):
    """SHFL: no lane may read from one that does not take part."""
    base = first_row(m, w)
    b, k = m.regs[at(c[I.B], base)], m.regs[at(c[I.C_], base)]
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            source, good = source_lane(c[I.SUB], lane, b[lane], k[lane])
            if good and not (on >> np.uint32(source)) & ONE:
                note_absent(m, index, w, slot, np.int64(1) << lane, np.int64(1) << source)


# ------------------------------------------------------------------ copies, mbarriers, clusters


@jit
def end_group(m, w):
    """LDGDEPBAR, and what ends a group of bulk copies."""
    m.kept_warps[w, K.GROUP_ENDS + m.warps[w, S.N_GROUPS] % K.MOST_WAITS] = now(m)


@jit
def wait_for_groups(m, c, w, slot, on):
    """DEPBAR: all but so many groups of copies are there; bulk copies among them have read what they read."""
    group, row = m.warps[w, S.N_GROUPS] - 1 - c[I.SUB], m.kept_warps[w]
    if group < 0 or c[I.SUB] >= K.MOST_WAITS:
        return
    upto = row[K.GROUP_ENDS + group % K.MOST_WAITS]
    note_wait(m, w, upto)
    agent = m.known.shape[2] - 1
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            known = m.known[slot, first_thread(m, w) + lane]
            known[agent] = max(known[agent], upto)


@inline
def note_wait(m, w, upto):
    """A warp has waited for what its copies up to a number bring."""
    row = m.kept_warps[w]
    n = row[K.N_WAITED]
    row[K.WAITED_FOR + n % K.MOST_WAITS], row[K.WAITED_AT + n % K.MOST_WAITS] = upto, now(m)
    row[K.N_WAITED] = n + 1


@inline
def key_of(m, slot, address):
    """Key of an mbarrier in a block's shared memory."""
    return address ^ (m.blocks[slot, S.ID] << S.WINDOW_AT)


@jit
def arrive_at_mbarrier(m, c, index, w, slot, on):
    """SYNCS_ARRIVE, ARRIVES: a lane tells what it has done, at an mbarrier of its own block or of another one."""
    remote = c[0] == I.SYNCS_ARRIVE and c[I.SUB] & I.REMOTE_ARRIVAL and m.shape[S.CLUSTER] > 1
    if remote:
        short_addresses(m.regs, first_row(m, w), c[I.A], c[I.C_], 0, c[I.OFFSET], m.scratch[S.ADDRESSES])
    else:
        phase_addresses(m, c, w)
    together = np.int64(0)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        address, thread, home = m.scratch[S.ADDRESSES, lane], first_thread(m, w) + lane, slot
        if remote and rank_of(address) < m.shape[S.CLUSTER]:
            home = m.clusters[m.blocks[slot, S.OF_CLUSTER], S.MATES + rank_of(address)]
        if home != slot:
            tell_block(m, slot, thread, home)
            continue
        together += 1
        here = address & WITHIN if remote else address
        if is_one(m, here):
            turn_phase(m, slot, here)
            tell(m, slot, thread, key_of(m, slot, here), now(m), now(m))
            one_each = c[0] == I.SYNCS_ARRIVE and c[I.SUB] & 3 == I.ARRIVE_ONE
            if one_each and address == m.scratch[S.ADDRESSES, first_lane(on)]:
                count_arrivals(m, index, slot, thread, here, together)


@inline
def is_one(m, address):
    """Whether an address may be that of an mbarrier."""
    first = m.shape[S.SHARED_BASE]
    return first <= address <= first + m.shape[S.SHARED_BYTES] - SIZE and address & (SIZE - 1) == 0


@inline
def count_arrivals(m, index, slot, thread, address, together):
    """Note that lanes of one instruction arrive more often than the phase lacks arrivals."""
    word = contents(m.shared[slot], address)
    if arrivals_of(word, EXPECTED_AT) and together > arrivals_of(word, PENDING_AT):
        note_mbarrier(m, index, slot, thread, address)


@cold
def note_mbarrier(m, index, slot, thread, address):
    """Note that an mbarrier is not used as it may be."""
    who, place = number_of(m, slot, thread), address - m.shape[S.SHARED_BASE]
    note(m, np.int64(K.MBARRIER), index, who, K.SHARED, place, SIZE, np.int64(-1), 0)


@jit
def turn_phase(m, slot, address):
    """What was told at an mbarrier in a phase that is complete goes to what all know that have seen that."""
    key, parity = key_of(m, slot, address), parity_of(contents(m.shared[slot], address))
    k = place_of(m.clocks, key, m.blocks[slot, S.ID], True)
    if k >= 0 and m.clocks[k, K.C_PARITY] != parity:
        row = m.clocks[k]
        done = place_of(m.clocks, key | COMPLETE_AT, m.blocks[slot, S.ID], True)
        if done >= 0:
            join(m.clocks[done, K.C_PHASE :], row[K.C_PHASE :])
        for column in range(K.C_PHASE, len(row)):
            row[column] = 0
        row[K.C_PARITY] = parity


@jit
def begin_mbarrier(m, c, index, w, slot, on):
    """SYNCS_EXCH, SYNCS_CCTL: an mbarrier begins, which must not be one already, or is one no more."""
    phase_addresses(m, c, w)
    lane = first_lane(on)
    address = m.scratch[S.ADDRESSES, lane]
    if not is_one(m, address):
        return
    thread, key = first_thread(m, w) + lane, key_of(m, slot, address)
    k = place_of(m.clocks, key | BEGUN_AT, m.blocks[slot, S.ID], True)
    if k < 0:
        return
    lives = m.clocks[k, K.C_VERSION] > 1 and arrivals_of(contents(m.shared[slot], address), EXPECTED_AT)
    if c[0] == I.SYNCS_EXCH and lives:
        note_mbarrier(m, index, slot, thread, address)
    m.clocks[k, K.C_VERSION] = now(m) if c[0] == I.SYNCS_EXCH else 1


@jit
def hear_of_phase(m, c, w, slot, lanes):
    """Lanes have seen that a phase is complete: they know what those have done that arrived."""
    phase_addresses(m, c, w)
    hear_at(m, w, slot, lanes, m.scratch[S.ADDRESSES])


@inline
def hear_at(m, w, slot, lanes, addresses):
    """The same, of the mbarriers at some addresses, a lane each."""
    for lane in range(S.LANES):
        address = np.int64(addresses[lane])
        if (lanes >> np.uint32(lane)) & ONE and is_one(m, address):
            turn_phase(m, slot, address)
            hear(m, slot, first_thread(m, w) + lane, key_of(m, slot, address) | COMPLETE_AT)


@inline
def fall_asleep(m, w, lanes):
    """A warp sleeps for a phase of mbarriers, whose addresses are there: when it is looked at again they may not be."""
    row = m.kept_warps[w]
    row[K.SLEEPS] = np.int64(lanes)
    for lane in range(S.LANES):
        row[K.SLEEPS_FOR + lane] = m.scratch[S.ADDRESSES, lane]


@jit
def wake_up(m, w, slot):
    """A warp goes on that has slept for a phase of mbarriers."""
    row = m.kept_warps[w]
    hear_at(m, w, slot, np.uint32(row[K.SLEEPS]), row[K.SLEEPS_FOR :])
    row[K.SLEEPS] = 0


@jit
def tell_of_copy(m, slot, barrier):
    """A bulk copy has begun whose end an mbarrier of the block in ``slot`` will hear of."""
    k = place_for(m, m.clocks, key_of(m, slot, barrier) | COMPLETE_AT, m.blocks[slot, S.ID])
    if k >= 0:
        row = m.clocks[k]
        row[len(row) - 1], row[K.C_VERSION] = now(m), now(m)


@jit
def cluster_meets(m, slot):
    """All warps of a cluster have arrived at its barrier: all know of one another."""
    row = m.clusters[m.blocks[slot, S.OF_CLUSTER]]
    for rank in range(m.shape[S.CLUSTER]):
        mate = row[S.MATES + rank]
        m.kept_blocks[mate, K.KB_CLUSTER] = now(m)
        block_meets(m, mate)
