"""Time, cycle by cycle: which warp a scheduler issues from, and from when each may issue again.

A scheduler issues an instruction a cycle at most, from a warp whose stall count
has run out, whose scoreboards are released and for whose unit there is room.
What an instruction waits for is known when the one before it has issued, so that
nothing happens between issues: the machine goes from one to the next.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import guarded
from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline, jit, spliced
from gpusim.engine.compiling.lane_moves import how_many, least, load_sixteen, look_up, numbers
from gpusim.engine.compiling.lanes import pointer, select, store
from gpusim.engine.core.fragments import FIELD, fed, feed, give_way, make_room
from gpusim.engine.core.host_prefetch import prefetch_operands
from gpusim.engine.core.instruction_fetch import fetch_code, first_code
from gpusim.engine.core.issue_events import note_issue
from gpusim.engine.core.products import slow_down
from gpusim.engine.core.register_file import ASKS_FIELD, LATE, PLACE_FIELD, PLACES, ask, enter, goes_on_after
from gpusim.engine.core.register_writes import result_at, return_data
from gpusim.engine.core.scheduler_entries import entry_of, ready_at, rouse
from gpusim.engine.core.warp import lanes_of, pending, perform
from gpusim.engine.hierarchy.outbox import is_pending, set_tick
from gpusim.engine.load_store.async_groups import groups_done
from gpusim.engine.load_store.pipe import pass_through, pipe_free, tags_free
from gpusim.engine.load_store.shared_memory import shared_time
from gpusim.engine.load_store.traffic import note_shared
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import fields as I
from gpusim.engine.state.geometry import CODE_LINE_BITS
from gpusim.engine.state.ticks import CYCLE, next_cycle

USED = 1 << S.UNIT_FIELD  # of a rank: the warp has had its turn
UNIT = (1 << S.UNIT_FIELD) - 1  # of a rank; an entry fits there too
EVERY_PLACE = (1 << 2 * S.N_PLACES) - 1
A_MEANING = (1 << S.MEANING_FIELD) - 1


@inline
def pick(row, now):
    """Warp to issue at ``now``: the one that issued in the cycle before as long as it can, of whatever block.

    Else one of the oldest block that can and has not had its turn, the youngest first.  When all of it that can have
    had one, they may again; who cannot issue keeps its mark.

    Returns
    -------
    entry : int
        Its number among the scheduler's warps, -1 if none can.
    soon : int
        Tick at which another one can.
    """
    places = pointer(row)
    ranks = load_sixteen(places, np.int64(S.RANK))
    free = look_up(places, np.int64(S.UNIT_FREE), ranks & UNIT)
    ready = load_sixteen(places, np.int64(S.READY_AT))
    from_then = select(ready > free, ready, free)
    can = from_then <= now
    n = how_many(can)
    soon = least(select(can, S.NEVER, from_then)) if n < 2 else now
    if n == 0:
        return np.int64(-1), soon
    if now <= row[S.GOES_ON] and goes_on(row, now):
        return row[S.LATEST], soon
    first = least(select(can, (ranks | UNIT) - numbers(ranks), S.NEVER))
    if first & USED:
        again = can & ((ranks >> S.AGE_FIELD) == first >> S.AGE_FIELD)
        store(places, np.int64(S.RANK), select(again, ranks & ~USED, ranks))
    return UNIT - (first & UNIT), soon


@inline
def goes_on(row, now):
    """Whether the warp that issued last can issue again at ``now``."""
    unit = row[S.RANK + row[S.LATEST]] & UNIT
    return max(row[S.READY_AT + row[S.LATEST]], row[S.UNIT_FREE + unit]) <= now


@inline
def queue_of(unit):
    """Why a warp waits that waits for a unit."""
    if unit == S.U_GLOBAL:
        return S.BY_LG
    if unit == S.U_SHARED:
        return S.BY_MIO
    return S.BY_PRODUCT if unit == S.U_PRODUCTS else S.BY_PIPE


@inline
def note_wait(row, turn, unit, awake, now):
    """Why a warp that issues at ``now`` did not before."""
    last, counted, boards = turn[S.LAST_AT], turn[S.COUNT_AT], turn[S.BOARDS_AT]
    row[S.STALLED + S.BY_COUNT] += max(counted - last - S.TICKS, 0)
    if boards > counted:
        row[S.STALLED + turn[S.BOARDS_WHY]] += boards - counted
    else:
        boards = counted
    if turn[S.FETCHED_AT] > boards:
        row[S.STALLED + S.BY_FETCH] += turn[S.FETCHED_AT] - boards
        boards = turn[S.FETCHED_AT]
    if awake > boards:
        row[S.STALLED + S.BY_BARRIER] += awake - boards
    else:
        awake = boards
    free = min(max(row[S.UNIT_FREE + unit], awake), now)
    row[S.STALLED + queue_of(unit)] += free - awake
    row[S.STALLED + S.BY_OTHERS] += now - free
    row[S.ISSUED] += 1


@inline
def occupy(row, unit, now, until):
    """An instruction issues to a unit of a scheduler, which takes no other until some tick.

    FFMA and its like go to either half of the FMA pipe, integer multiplies to one of them.
    """
    if unit == S.NO_UNIT or unit == S.U_PRODUCTS:
        return
    if unit == S.U_EITHER:
        unit = S.U_LITE if row[S.UNIT_FREE + S.U_LITE] <= now else S.U_FMA
    row[S.UNIT_FREE + unit] = max(until, fed(row)) if unit == S.U_TENSOR else until
    row[S.UNIT_BUSY + unit] += until - now
    row[S.UNIT_FREE + S.U_EITHER] = min(row[S.UNIT_FREE + S.U_FMA], row[S.UNIT_FREE + S.U_LITE])


@inline
def read_registers(row, c, entry, now):
    """An instruction of an entry's warp reads its registers.

    What the one before it left in its place for it is there unless another warp has issued since.

    Returns
    -------
    again : int
        Tick at which the scheduler may issue again.
    reads : int
        Places to which it reads a register at once, a bit each, the even bank's below the odd one's.
    """
    cycles = 1 + c[I.HOLD]
    if c[I.READS] < 0:
        return now + cycles * S.TICKS, np.int64(0)
    places, again, reads = np.int64(c[I.READS]), row[S.LATEST] == entry, np.int64(0)
    if c[I.UNIT] == S.U_TENSOR:
        enter(row, np.int64(0), np.int64(0), now // S.TICKS, False)
        feed(row, places if again else places >> 2 * FIELD, row[S.ENTERED])
    elif asks_for_registers(c):
        enter(row, np.int64(0), np.int64(0), now // S.TICKS, False)
    else:
        reads = (places if again else places >> PLACE_FIELD) & EVERY_PLACE
        enter(row, reads, places >> 2 * PLACE_FIELD & EVERY_PLACE, now // S.TICKS, places & LATE)
        if fed(row) > now:
            give_way(row, popcount(reads & PLACES), popcount(reads >> S.N_PLACES), row[S.ENTERED])
    return goes_on_after(row, cycles) * S.TICKS, reads


@inline
def asks_for_registers(c):
    """Whether an instruction reads its registers when it leaves its queue, one after another."""
    return c[I.UNIT] >= S.U_SHARED or c[I.UNIT] == S.U_XU


@inline
def ask_registers(m, row, c, leaves, now):
    """An instruction that leaves its queue at tick ``leaves`` reads its registers."""
    asks = np.int64(c[I.READS])
    if asks < 0:
        return
    first = (leaves + m.rates[S.FIRST_ASKS]) // S.TICKS
    ask(row, asks, first, m.rates[S.ASKING] // S.TICKS, now // S.TICKS)
    if fed(row) > now:
        n = asks >> ASKS_FIELD
        odd = popcount(asks & (1 << n) - 1)
        give_way(row, n - odd, odd, first)


@inline
def stalled_until(row, c, now):
    """Tick until which the stall count of an instruction that issued at ``now`` holds its warp."""
    cycles = max(c[I.STALL], 1) + c[I.HOLD]
    return now + cycles * S.TICKS if c[I.READS] < 0 else goes_on_after(row, cycles) * S.TICKS


@inline
def let_go(row, t, busy):
    """An instruction leaves its scheduler's queue to the load/store pipe at tick ``t``, or when that lets one go again.

    Returns
    -------
    int
        Tick at which it leaves; for ``busy`` ticks no other one does.
    """
    leaves = max(t, row[S.LETS_GO])
    row[S.LETS_GO] = leaves + busy
    return leaves


@inline
def reads_for(m, c, on):
    """Ticks in which an access reads registers when it leaves; what is stored it does not, where no lane takes part."""
    return c[I.BUSY] - m.rates[S.ASKING] * (on == 0 and (c[0] == I.STG or c[0] == I.STS))


@inline
def room_at(own, c, unit):
    """Tick from which an SM has room for what a memory instruction needs."""
    if unit == S.U_GLOBAL:
        return tags_free(own)
    return own[S.SPECIALS] if c[0] == I.LDC or c[0] == I.S2R else pipe_free(own)


@inline
def queue_up(m, row, unit, leaves):
    """An instruction leaves for the load/store pipe at tick ``leaves``: when its unit has room for another."""
    n = row[S.N_DEPARTED]
    row[S.DEPART + (n & (S.QUEUE_KEPT - 1))] = leaves
    row[S.N_DEPARTED] = n + 1
    room = row[S.DEPART + ((n + 1 - m.shape[S.MIO_DEPTH]) & (S.QUEUE_KEPT - 1))]
    row[S.UNIT_FREE + S.U_SHARED] = max(row[S.UNIT_FREE + S.U_SHARED], room)
    if unit == S.U_GLOBAL:
        n = row[S.N_DEPARTED_LG]
        row[S.DEPART_LG + (n & (S.QUEUE_KEPT - 1))] = leaves
        row[S.N_DEPARTED_LG] = n + 1
    n = row[S.N_DEPARTED_LG]
    room = max(room, row[S.DEPART_LG + ((n - m.shape[S.LG_DEPTH]) & (S.QUEUE_KEPT - 1))])
    row[S.UNIT_FREE + S.U_GLOBAL] = max(row[S.UNIT_FREE + S.U_GLOBAL], room)


@inline
def twin(m, c, index, turn, sm, on, mask, now, count):
    """A shared load with the bank pattern of an earlier one; returns the tick its data is there."""
    count[C.INST_LDS] += 1
    m.blocks[turn[S.SLOT], S.SENT] = 1
    if not on:
        count[C.SH_OTHER_WAVES] += 1
        return pass_through(m, sm, now, 1)
    both = turn[S.WAVES - 1 - c[I.TWIN]]
    m.misc[S.LATEST_WAVES] = both
    waves, ideal = both & ((1 << S.WAVES_FIELD) - 1), both >> S.WAVES_FIELD
    count[C.SH_LD_WAVES] += waves
    count[C.SH_LD_IDEAL] += ideal
    note_shared(m, index, waves, ideal)
    return shared_time(m, sm, waves, ideal, 1, now)


@inline
def set_board(m, w, sm, warp, turn, which, t, why):
    """An instruction releases a scoreboard at tick ``t``, which may not be known yet."""
    if which < S.N_SCOREBOARDS and (t > warp[S.BOARD + which] or is_pending(warp[S.BOARD + which])):
        if t > warp[S.BOARD + which]:
            turn[S.MEANING] = (turn[S.MEANING] & ~(np.int64(A_MEANING) << (S.MEANING_FIELD * which))) | (
                np.int64(why) << (S.MEANING_FIELD * which)
            )
        set_tick(m, sm, w, S.BOARD + which, t)


@inline
def awaited(warp, turn, c):
    """What the last of the scoreboards to be released, or of the groups of copies, stands for."""
    t, why, wait = np.int64(-1), np.int64(S.BY_SHORT), c[I.WAIT]
    for b in range(S.N_SCOREBOARDS):
        if (wait >> b) & 1 and warp[S.BOARD + b] > t:
            t, why = warp[S.BOARD + b], (turn[S.MEANING] >> (S.MEANING_FIELD * b)) & A_MEANING
    if wait & I.ASYNC and groups_done(warp, c) > t:
        why = np.int64(S.BY_LONG if c[0] == I.DEPBAR else S.BY_PRODUCT)
    return why


@inline
def rides_along(m, c, turn, index, active):
    """Whether an instruction takes no time: where paths of a warp take no turns, 32 lanes of its paths pay together.

    So they do of instructions that are spared some lanes.  What else goes to the load/store pipe than these, and than
    local memory, which may take none, pays in any case.
    """
    without = m.shape[S.WITHOUT]
    if without == 0:
        return False
    if without & S.NO_SPILLS and (c[0] == I.LDL or c[0] == I.STL):
        return True
    if without & S.SPARES:
        m.misc[S.RIDES] = c[I.SPARED] > 0 and is_spared(turn, c, index, without & S.BY_ROUNDS)
        if m.misc[S.RIDES]:
            return True
    if active == S.LANES or c[I.UNIT] >= S.U_SHARED or not without & S.NO_DIVERGENCE:
        return False
    return not has_paid(turn, active)


@inline
def is_spared(turn, c, index, by_rounds):
    """Whether an instruction that is spared some lanes goes for nothing this time.

    By rounds it does as the first of its round did, which begins where the code goes back; the first round pays.
    """
    if not by_rounds:
        return not has_paid(turn, S.LANES - c[I.SPARED])
    last = turn[S.MEANING] >> S.SPARED_FIELD  # its number and one, 0: none
    pays = last == 0 or turn[S.MEANING] & S.ROUND_PAYS != 0
    if index < last:
        pays = has_paid(turn, S.LANES - c[I.SPARED])
    kept = turn[S.MEANING] & (np.int64(S.ROUND_PAYS) - 1)
    turn[S.MEANING] = kept | np.int64(pays) * S.ROUND_PAYS | (index + 1) << S.SPARED_FIELD
    return not pays


@inline
def has_paid(turn, lanes):
    """Whether an instruction completes 32 lanes for which a warp pays, with so many of its own."""
    turn[S.MEANING] += np.int64(lanes) << S.LANES_FIELD
    pays = (turn[S.MEANING] >> S.LANES_FIELD) & ((1 << S.LANES_BITS) - 1) >= S.LANES
    turn[S.MEANING] -= np.int64(pays * S.LANES) << S.LANES_FIELD
    return pays


@spliced
def issue(m, w, block, sm, row, entry, now, out_of_line):
    """Issue the next instruction of warp ``w``, that is in an entry of the scheduler ``row``, at tick ``now``.

    One function, however long: numba compiles it whole into the machine's loop, where the tick, the instruction and
    what it waits for live in machine registers; what it asks of a unit is in functions of its own.

    Returns
    -------
    int
        PAUSED, or why the warp stops: AT_BLOCK_BARRIER, FINISHED, FAILED.
    """
    warp, turn = m.warps[w], m.turns[w]
    count = m.counts[turn[S.COUNTED]]
    index = np.int64(warp[S.PC])
    c = m.code[index]
    unit = c[I.UNIT]
    note_wait(row, turn, unit, row[S.READY_AT + entry], now)
    note_issue(m, sm, w, block, index, now)
    mask = np.uint32(warp[S.MASK])
    on = guarded(mask, m.preds[w], c[I.GUARD])
    active = lanes_of(mask)
    count[C.INST] += 1
    count[C.THREAD_INST] += active
    count[C.THREAD_ON] += active if on == mask else popcount(on)
    again, done, rides = now, now, rides_along(m, c, turn, index, active)
    if rides:
        unit = np.int32(S.NO_UNIT)
    else:
        again, reads = read_registers(row, c, entry, now)
        if S.NO_UNIT < unit < S.U_UNIFORM:
            again += result_at(m, row, now)
        occupy(row, unit, now, now + (S.TICKS if unit >= S.U_SHARED else c[I.BUSY]))
        again += slow_down(m, row, unit, reads, now)
        row[S.LATEST], row[S.GOES_ON] = entry, again
        if unit == S.U_TENSOR and row[S.UNIT_FREE + S.U_XU] > now:
            row[S.UNIT_FREE + S.U_XU] += m.rates[S.XU_HELD]
        done += c[I.LATENCY] * S.TICKS
    why, leaves, busy = np.int64(S.BY_SHORT), now, np.int64(c[I.BUSY])
    row[S.DISPATCHED] = max(row[S.DISPATCHED], now) + again - now  # a part of a cycle is kept, and adds up
    m.sms[sm, S.NOW] = now
    if unit >= S.U_SHARED:
        free = room_at(m.sms[sm], c, unit)
        busy = reads_for(m, c, on)
        leaves = let_go(row, max(now, free) + c[I.LATER] * S.TICKS, busy)
        why = np.int64(S.BY_LONG if unit == S.U_GLOBAL else S.BY_SHORT)
    elif unit == S.U_XU:
        leaves = let_go(row, now + c[I.LATER] * S.TICKS, m.rates[S.ASKING])
    elif (c[0] == I.IMAD_WIDE or c[0] == I.IMAD_HI) and row[S.LETS_GO] > now:
        row[S.LETS_GO] += m.rates[S.WIDE_ASKS] * (m.sms[sm, S.RESIDENT] > m.shape[S.N_SCHEDULERS])
    if asks_for_registers(c) and not rides:
        ask_registers(m, row, c, leaves, now)
    if c[I.TWIN] < 0:
        done = twin(m, c, index, turn, sm, on, mask, now, count)
        warp[S.PC] += 1
    elif c[I.IDLE]:
        warp[S.PC] += 1
    else:
        got = perform(m, c, index, w, block, sm, on, now, count, out_of_line)
        if got >= 0:
            warp[S.PC] += 1
            done = max(got, done)
            if c[I.TWIN]:
                turn[S.WAVES - 1 + c[I.TWIN]] = m.misc[S.LATEST_WAVES]
        elif got != S.WENT:
            stop = -got - 1
            m.awake[w] = max(now + m.rates[S.WARP_EXIT], turn[S.BOARDS_AT]) if stop == S.FINISHED else now
            if stop == S.AT_BLOCK_BARRIER or stop == S.SLEEPS:
                prepare(m, w, sm, row, entry, warp, turn, now, now + c[I.STALL] * S.TICKS, False)
            return stop
    if unit >= S.U_SHARED:
        queue_up(m, row, unit, leaves)
    if (c[0] == I.LDS or c[0] == I.LDSM) and on and not rides:
        return_data(m, row, c, leaves, done, now)
        make_room(row, c[I.SUB] if c[0] == I.LDSM else c[I.WIDTH] >> 2, now // S.TICKS)
    set_board(m, w, sm, warp, turn, c[I.WRITE_SB], done, why)
    set_board(m, w, sm, warp, turn, c[I.READ_SB], leaves + busy + m.rates[S.READ_LASTS], S.BY_SHORT)
    counted, jumped = now if rides else stalled_until(row, c, now), warp[S.PC] != index + 1
    if jumped and not rides:
        counted += m.rates[S.TAKEN]
        row[S.DISPATCHED] += m.rates[S.BUBBLE]
    prepare(m, w, sm, row, entry, warp, turn, now, counted, jumped)
    row[S.READY_AT + entry] = ready_at(turn)
    return np.int64(S.PAUSED)


@inline
def prepare(m, w, sm, row, entry, warp, turn, now, counted, jumped):
    """What the next instruction of a warp waits for."""
    c = m.code[warp[S.PC]]
    turn[S.LAST_AT], turn[S.COUNT_AT], turn[S.BOARDS_AT], turn[S.FETCHED_AT] = now, counted, 0, 0
    row[S.RANK + entry] = rank_of(row[S.RANK + entry] >> S.AGE_FIELD, USED, c[I.UNIT])
    if warp[S.PC] & ((1 << CODE_LINE_BITS) - 1) == 0 or jumped:
        turn[S.FETCHED_AT] = fetch_code(m, sm, warp[S.PC], now)
    prefetch_operands(m, w)
    if c[I.WAIT]:
        turn[S.BOARDS_AT] = next_cycle(pending(warp, c))
        turn[S.BOARDS_WHY] = awaited(warp, turn, c)


@inline
def rank_of(age, used, unit):
    """Who goes first: the oldest block's warps, of these one that has not had its turn; and the unit it needs next."""
    return (age << S.AGE_FIELD) | used | unit


@inline
def earliest(own):
    """Scheduler of an SM (its row) that next has something to do, the first of several, and when.

    Schedulers try at whole cycles, which leaves bits of the ticks for their numbers.
    """
    best = own[S.TRY_AT]
    for k in range(1, S.MAX_SCHEDULERS):
        best = min(best, own[S.TRY_AT + k] | k)
    return best & (S.MAX_SCHEDULERS - 1), best & CYCLE


@inline
def wake(m, sm, t):
    """Have all schedulers of an SM look again from tick ``t`` on."""
    own = m.sms[sm]
    for k in range(m.shape[S.N_SCHEDULERS]):
        own[S.TRY_AT + k] = min(own[S.TRY_AT + k], next_cycle(t))


@jit
def begin(m, w, slot, age, t):
    """A warp of the block in ``slot``, of some age, arrives at tick ``t``."""
    turn = m.turns[w]
    for k in range(S.N_TURN):
        turn[k] = 0
    scheduler, entry = entry_of(m, w)
    m.schedulers[scheduler, S.RANK + entry] = rank_of(age, np.int64(0), m.code[0, I.UNIT])
    turn[S.LAST_AT], turn[S.COUNT_AT] = t, t + m.rates[S.WARP_START]
    turn[S.SLOT], turn[S.COUNTED] = slot, m.blocks[slot, S.KIND]
    turn[S.FETCHED_AT] = first_code(m, scheduler, turn[S.COUNT_AT])
    rouse(m, w, max(turn[S.COUNT_AT], turn[S.FETCHED_AT]))
