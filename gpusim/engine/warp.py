"""A warp runs until it must wait: the interpreter of the instruction set."""

from __future__ import annotations

import numpy as np

from gpusim.engine import counts as C
from gpusim.engine import errors as E
from gpusim.engine.access import coalesce, tag_wavefronts
from gpusim.engine.arithmetic import (
    FULL,
    at,
    floating,
    fsetp,
    integer,
    isetp,
    plop3,
    predicate,
    set_predicate,
)  # fmt: skip
from gpusim.engine.flow import branch, leave, meet, open_meeting, popcount
from gpusim.engine.jit import inline, jit
from gpusim.engine.memory import l1_read, l2_write
from gpusim.engine.state import (
    ALIVE,
    ALU_RATE,
    BLOCK_X,
    BLOCK_Y,
    BOARD,
    CHECKED,
    E_ADDRESS,
    E_BLOCK,
    E_CODE,
    E_INDEX,
    E_LANE,
    E_WARP,
    FMA_RATE,
    GLOBAL_BASE,
    HALF,
    HASH0,
    HASH1,
    ID,
    ISSUE,
    KIND,
    L2_NEAR,
    LANES,
    LSU_RATE,
    MASK,
    N_STATIC,
    NOW,
    PAT_LINES,
    PAT_N_LINES,
    PAT_N_SECTORS,
    PAT_SECTORS,
    PAT_WAVES,
    PC,
    PHASE,
    PRIVATE,
    QUEUE,
    SHARED,
    SHARED_BYTES,
    SHUFFLE,
    STAMP,
    STEPS,
    TICKS,
    TIMELESS,
    WARPS,
    XU_RATE,
    X,
)  # fmt: skip
from gpusim.engine.state import LSU as LSU_FREE
from gpusim.isa.encode import F
from gpusim.isa.opcodes import Atomic, Cache, Flag, Op, Pipe, Shfl, Special, Vote

GUARD, DST, A, B, C_ = (int(x) for x in (F.GUARD, F.DST, F.A, F.B, F.C))
SUB, WIDTH, OFFSET, TARGET = (int(x) for x in (F.SUB, F.WIDTH, F.OFFSET, F.TARGET))
P0, Q0 = int(F.P0), int(F.Q0)
STALL, WRITE_SB, READ_SB, WAIT, ARRAY, CACHE, PIPE = (
    int(x) for x in (F.STALL, F.WRITE_SB, F.READ_SB, F.WAIT, F.ARRAY, F.CACHE, F.PIPE)
)
SKIP, SKIP_ISSUE, LIGHT, REPEAT, FLAGS = (int(x) for x in (F.SKIP, F.SKIP_ISSUE, F.LIGHT, F.REPEAT, F.FLAGS))
CONTROL, ALU, FMA, XU, LSU, UNIFORM = (
    int(x) for x in (Pipe.CONTROL, Pipe.ALU, Pipe.FMA, Pipe.XU, Pipe.LSU, Pipe.UNIFORM)
)
NOP, EXIT, BRA, BSSY, BSYNC, BAR, WARPSYNC, S2R = (
    int(x) for x in (Op.NOP, Op.EXIT, Op.BRA, Op.BSSY, Op.BSYNC, Op.BAR, Op.WARPSYNC, Op.S2R)
)
ISETP, FSETP, PLOP3, VOTE, SHFL = (int(x) for x in (Op.ISETP, Op.FSETP, Op.PLOP3, Op.VOTE, Op.SHFL))
FADD, FMUL, FFMA, FMNMX, FSEL, MUFU, FRND, I2F, F2I, F2F, F2FP = (
    int(x) for x in (Op.FADD, Op.FMUL, Op.FFMA, Op.FMNMX, Op.FSEL, Op.MUFU, Op.FRND, Op.I2F, Op.F2I, Op.F2F, Op.F2FP)
)
LDG, STG, LDS, STS, LDC, ATOMG, RED, ATOMS, MEMBAR, PRMT = (
    int(x) for x in (Op.LDG, Op.STG, Op.LDS, Op.STS, Op.LDC, Op.ATOMG, Op.RED, Op.ATOMS, Op.MEMBAR, Op.PRMT)
)
TID_X, TID_Y, TID_Z, CTAID_X, CTAID_Y, CTAID_Z, LANEID, WARPID, SMID = (
    int(x)
    for x in (
        Special.TID_X, Special.TID_Y, Special.TID_Z, Special.CTAID_X, Special.CTAID_Y, Special.CTAID_Z,
        Special.LANEID, Special.WARPID, Special.SMID,
    )
)  # fmt: skip
CG, IS_FLOAT, UNSIGNED = int(Cache.CG), int(Flag.FLOAT), int(Flag.UNSIGNED)
ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC = (int(x) for x in Atomic)
BY_ATOMICS, MANY = 0x4000, 0xFFFF  # in a stamp of who touched shared memory: the kind of write, more than one warp
IDX, UP, DOWN = int(Shfl.IDX), int(Shfl.UP), int(Shfl.DOWN)
ALL, ANY = int(Vote.ALL), int(Vote.ANY)
ZERO, ONE = np.uint32(0), np.uint32(1)
PATIENCE = 96 * TICKS  # a shorter wait for a scoreboard does not hand the SM to another warp
LONGEST = 512 * TICKS  # a warp that computes this long without waiting lets others look in

# Why a warp stopped
WAITS, AT_BLOCK_BARRIER, FINISHED, FAILED, PAUSED = 0, 1, 2, 3, 4


@jit
def note_error(misc, code, index, lane, block, address, warp):
    """Note an error; the first one stays."""
    if misc[E_CODE] == 0:
        misc[E_CODE], misc[E_INDEX], misc[E_LANE] = code, index, lane
        misc[E_BLOCK], misc[E_ADDRESS], misc[E_WARP] = block, address, warp
    return False


@inline
def fail(m, code, index, lane, block, address, w):
    """Note an error of warp slot ``w``."""
    return note_error(m.misc, code, index, lane, m.blocks[block, ID], address, w % m.shape[WARPS])


@inline
def first_row(m, w):
    """First register row of warp slot ``w``."""
    return m.shape[N_STATIC] + w * m.shape[PRIVATE]


# ------------------------------------------------------------------ special registers and exchanges


@jit
def special(m, c, w, block, sm, on):
    """S2R."""
    base = first_row(m, w)
    which = c[SUB]
    d = m.regs[at(c[DST], base)]
    first = (w % m.shape[WARPS]) * LANES
    x, y = m.shape[BLOCK_X], m.shape[BLOCK_Y]
    for lane in range(LANES):
        thread = first + lane
        v = np.int64(0)
        if which == TID_X:
            v = thread % x
        elif which == TID_Y:
            v = thread // x % y
        elif which == TID_Z:
            v = thread // (x * y)
        elif which <= CTAID_Z:
            v = np.int64(m.blocks[block, X + which - CTAID_X])
        elif which == LANEID:
            v = np.int64(lane)
        elif which == WARPID:
            v = np.int64(w % m.shape[WARPS])
        elif which == SMID:
            v = np.int64(sm)
        if (on >> np.uint32(lane)) & ONE:
            d[lane] = np.uint32(v)


@jit
def shuffle(c, u, base, old, preds, on):
    """SHFL: d = a of the lane that b and the clamp c select; q0 = that lane is in range."""
    kind = c[SUB]
    d, b, k = u[at(c[DST], base)], u[at(c[B], base)], u[at(c[C_], base)]
    inside = ZERO
    for lane in range(LANES):
        old[lane] = u[at(c[A], base), lane]
    for lane in range(LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        segment = np.int64((k[lane] >> np.uint32(8)) & np.uint32(31))
        clamp = np.int64(k[lane] & np.uint32(31))
        low = lane & segment
        high = low | (clamp & ~segment)
        by = np.int64(b[lane] & np.uint32(31))
        if kind == IDX:
            source = low | (by & ~segment)
            good = source <= high
        elif kind == UP:
            source = lane - by
            good = source >= high
        elif kind == DOWN:
            source = lane + by
            good = source <= high
        else:
            source = lane ^ by
            good = source <= high
        if not good:
            source = lane
        inside |= np.uint32(good) << np.uint32(lane)
        d[lane] = old[source]
    set_predicate(preds, c[Q0], inside, on)


@jit
def vote(c, u, base, preds, on):
    """VOTE: ballot in d, verdict in q0, over the lanes taking part."""
    yes = predicate(preds, c[P0]) & on
    d = u[at(c[DST], base)]
    for lane in range(LANES):
        if (on >> np.uint32(lane)) & ONE:
            d[lane] = yes
    verdict = yes == on if c[SUB] == ALL else yes != 0 if c[SUB] == ANY else (yes == on or yes == 0)
    set_predicate(preds, c[Q0], FULL if verdict else ZERO, on)


@inline
def load_constant(c, u, base, on):
    """LDC at an address known beforehand: copy rows of the constant bank."""
    for k in range(max(c[WIDTH] >> 2, 1)):
        d, a = u[at(c[DST], base) + k], u[at(c[A], base) + k]
        for lane in range(LANES):
            d[lane] = a[lane] if (on >> np.uint32(lane)) & ONE else d[lane]


# ------------------------------------------------------------------ global memory


@inline
def global_addresses(m, c, w, address):
    """64-bit lane addresses of a global access."""
    base = first_row(m, w)
    lo, hi = m.regs[at(c[A], base)], m.regs[at(c[A], base) + 1]
    offset = np.int64(c[OFFSET])
    for lane in range(LANES):
        address[lane] = ((np.int64(hi[lane]) << 32) | np.int64(lo[lane])) + offset


@jit
def check_global(m, c, index, w, block, address, on):
    """Bounds and alignment of every lane that takes part."""
    array, width = c[ARRAY], np.int64(c[WIDTH])
    lo, hi = m.bounds[array, 0], m.bounds[array, 1]
    bad = False
    for lane in range(LANES):
        active = ((on >> np.uint32(lane)) & ONE) != 0
        a = address[lane]
        bad |= active & ((a < lo) | (a + width > hi) | ((a & (width - 1)) != 0))
    if not bad:
        return True
    for lane in range(LANES):
        if (on >> np.uint32(lane)) & ONE:
            a = address[lane]
            if a < lo or a + width > hi:
                return fail(m, E.GLOBAL_BOUNDS, index, lane, block, a - lo, w)
            if a & (width - 1):
                return fail(m, E.MISALIGNED, index, lane, block, a - lo, w)
    return True


@jit
def load_values(m, c, index, w, block, address, on):
    """Move what a global load reads into registers."""
    base = first_row(m, w)
    width = c[WIDTH]
    halves, octets = m.data.view(np.uint16), m.data.view(np.uint8)
    for lane in range(LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        byte = address[lane] - GLOBAL_BASE
        if width < 4:
            m.regs[at(c[DST], base), lane] = np.uint32(octets[byte] if width == 1 else halves[byte >> 1])
        for k in range(width >> 2):
            m.regs[at(c[DST], base) + k, lane] = m.data[(byte >> 2) + k]
        if m.shape[CHECKED]:
            for k in range(max(width >> 2, 1)):
                if not m.written[(byte >> 2) + k]:
                    fail(m, E.UNWRITTEN_GLOBAL, index, lane, block, address[lane] - m.bounds[c[ARRAY], 0], w)


@jit
def store_values(m, c, w, address, on):
    """Move registers to global memory."""
    base = first_row(m, w)
    width = c[WIDTH]
    halves, octets = m.data.view(np.uint16), m.data.view(np.uint8)
    for lane in range(LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        byte = address[lane] - GLOBAL_BASE
        if width == 1:
            octets[byte] = np.uint8(m.regs[at(c[B], base), lane] & np.uint32(0xFF))
        elif width == 2:
            halves[byte >> 1] = np.uint16(m.regs[at(c[B], base), lane] & np.uint32(0xFFFF))
        for k in range(width >> 2):
            m.data[(byte >> 2) + k] = m.regs[at(c[B], base) + k, lane]
        if m.shape[CHECKED]:
            for k in range(max(width >> 2, 1)):
                m.written[(byte >> 2) + k] = 1


@inline
def load_global(m, c, index, w, block, sm, on, t, count):
    """LDG: count it, find its data; returns the tick it is there, or -1."""
    address = m.scratch[33]
    global_addresses(m, c, w, address)
    if not check_global(m, c, index, w, block, address, on):
        return np.int64(-1)
    p = m.patterns[index]
    origin = coalesce(p, address, on, c[WIDTH], False, m.scratch)
    n = p[PAT_N_LINES]
    tags = tag_wavefronts(p[PAT_LINES:], origin, n, m.rates[HASH0], m.rates[HASH1])
    waves = p[PAT_WAVES]
    lanes = popcount(on)
    count[C.LD_REQ] += 1
    count[C.LD_SECTORS] += p[PAT_N_SECTORS]
    count[C.LD_TAGS] += tags
    count[C.LD_WAVES] += waves
    count[C.LINES] += n
    a = m.arrays[c[ARRAY]]
    a[C.A_LD_REQ] += 1
    a[C.A_LD_SECTORS] += p[PAT_N_SECTORS]
    a[C.A_LD_BYTES] += lanes * c[WIDTH]
    if not c[LIGHT]:
        load_values(m, c, index, w, block, address, on)
    if m.shape[TIMELESS]:
        return t
    begin = max(t, m.sms[sm, LSU_FREE])
    m.sms[sm, LSU_FREE] = max(m.sms[sm, LSU_FREE], m.sms[sm, NOW]) + max(max(tags, waves) * TICKS, m.rates[LSU_RATE])
    done = begin
    for j in range(n):
        line, wanted = origin + p[PAT_LINES + j], p[PAT_SECTORS + j]
        back, hit = l1_read(m, sm, line, wanted, c[CACHE] == CG, begin + (j // 4) * TICKS, count)
        count[C.LD_HIT] += hit
        done = max(done, back)
    return done


@inline
def send_write(m, sm, line, sectors, t, count):
    """Write sectors of a line through to L2."""
    m.misc[STAMP] += 1
    l2_write(m.l2, m.servers, m.rates, m.shape, m.sms[sm, HALF], line, sectors, t, m.misc[STAMP], count)


@inline
def store_global(m, c, index, w, block, sm, on, t, count):
    """STG (and RED): count it and write through to L2."""
    address = m.scratch[33]
    global_addresses(m, c, w, address)
    if not check_global(m, c, index, w, block, address, on):
        return np.int64(-1)
    p = m.patterns[index]
    origin = coalesce(p, address, on, c[WIDTH], False, m.scratch)
    n = p[PAT_N_LINES]
    lanes = popcount(on)
    count[C.ST_REQ] += 1
    count[C.ST_SECTORS] += p[PAT_N_SECTORS]
    count[C.ST_WAVES] += p[PAT_WAVES]
    count[C.LINES] += n
    a = m.arrays[c[ARRAY]]
    a[C.A_ST_REQ] += 1
    a[C.A_ST_SECTORS] += p[PAT_N_SECTORS]
    a[C.A_ST_BYTES] += lanes * c[WIDTH]
    if not c[LIGHT]:
        store_values(m, c, w, address, on)
    if m.shape[TIMELESS]:
        return t
    tags = tag_wavefronts(p[PAT_LINES:], origin, n, m.rates[HASH0], m.rates[HASH1])
    m.sms[sm, LSU_FREE] = max(m.sms[sm, LSU_FREE], m.sms[sm, NOW]) + max(
        max(tags, p[PAT_WAVES]) * TICKS, m.rates[LSU_RATE]
    )
    for j in range(n):
        send_write(m, sm, origin + p[PAT_LINES + j], p[PAT_SECTORS + j], t, count)
    return max(t, m.sms[sm, LSU_FREE])


@jit
def atomic_value(kind, flags, old, value, other, bits):
    """New contents of a word; ``other``: what compare-and-swap puts there; ``bits`` is scratch."""
    if flags & IS_FLOAT and kind <= MAX:
        bits[0], bits[1] = old, value
        pair = bits.view(np.float32)
        pair[0] = pair[0] + pair[1] if kind == ADD else min(pair[0], pair[1]) if kind == MIN else max(pair[0], pair[1])
        return bits[0]
    less = old < value if flags & UNSIGNED else np.int32(old) < np.int32(value)
    if kind == ADD:
        return np.uint32(old + value)
    if kind == MIN:
        return old if less else value
    if kind == MAX:
        return value if less else old
    if kind == AND:
        return old & value
    if kind == OR:
        return old | value
    if kind == XOR:
        return old ^ value
    if kind == CAS:
        return other if old == value else old
    if kind == INC:
        return np.uint32(0) if old >= value else np.uint32(old + ONE)
    if kind == DEC:
        return value if old == 0 or old > value else np.uint32(old - ONE)
    return value


@jit
def atomic_global(m, c, index, w, block, sm, on, t, count):
    """ATOMG/RED on 32-bit words: done at L2, lane by lane in order."""
    base = first_row(m, w)
    address = m.scratch[33]
    global_addresses(m, c, w, address)
    if not check_global(m, c, index, w, block, address, on):
        return np.int64(-1)
    count[C.INST_ATOM] += 1
    for lane in range(LANES):
        if (on >> np.uint32(lane)) & ONE and not c[LIGHT]:
            word = (address[lane] - GLOBAL_BASE) >> 2
            old = m.data[word]
            m.data[word] = atomic_value(
                c[SUB], c[FLAGS], old, m.regs[at(c[B], base), lane], m.regs[at(c[C_], base), lane], m.bits[1]
            )
            if m.shape[CHECKED]:
                m.written[word] = 1
            if c[0] == ATOMG:
                m.regs[at(c[DST], base), lane] = old
    if m.shape[TIMELESS]:
        return t
    p = m.patterns[index]
    origin = coalesce(p, address, on, c[WIDTH], False, m.scratch)
    for j in range(p[PAT_N_LINES]):
        send_write(m, sm, origin + p[PAT_LINES + j], p[PAT_SECTORS + j], t, count)
    return t + m.rates[L2_NEAR]


# ------------------------------------------------------------------ shared memory


@jit
def check_shared(m, c, index, w, block, address, on, writes):
    """Bounds, alignment; in checked runs also what nothing wrote and races between warps."""
    width = np.int64(c[WIDTH])
    warp = w % m.shape[WARPS]
    for lane in range(LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        a = address[lane]
        if a < 0 or a + width > m.shape[SHARED_BYTES]:
            return fail(m, E.SHARED_BOUNDS, index, lane, block, a, warp)
        if a & (width - 1):
            return fail(m, E.MISALIGNED, index, lane, block, a, warp)
        if not m.shape[CHECKED]:
            continue
        for k in range(max(width >> 1, 1)):
            if not check_half(m, index, lane, block, (a >> 1) + k, warp, writes, c[0] == ATOMS):
                return False
    return True


@jit
def check_half(m, index, lane, block, half, warp, writes, atomic):
    """Two shared bytes: written before they are read, and by no other warp in this phase.

    Atomics of several warps do not race with one another.
    """
    now = (np.int64(m.blocks[block, PHASE]) + 1) << 16
    stamp = now | (warp + 1)
    wrote, read = m.touched[block, half, 0], m.touched[block, half, 1]
    if not writes and wrote == 0:
        return fail(m, E.UNWRITTEN_SHARED, index, lane, block, half * 2, warp)
    if atomic and wrote >= now and wrote & BY_ATOMICS:
        stamp = wrote if wrote == stamp | BY_ATOMICS else now | MANY
    elif wrote >= now and wrote & ~BY_ATOMICS != stamp:
        return fail(m, E.RACE, index, lane, block, half * 2, warp)
    elif atomic and wrote < now:
        stamp |= BY_ATOMICS
    if writes:
        if read >= now and read != now | (warp + 1):
            return fail(m, E.RACE, index, lane, block, half * 2, warp)
        m.touched[block, half, 0] = stamp
    else:
        m.touched[block, half, 1] = stamp if read < now or read == stamp else now | MANY
    return True


@inline
def access_shared(m, c, index, w, block, sm, on, t, count):
    """LDS, STS, ATOMS; returns the tick its data is there, or -1."""
    base = first_row(m, w)
    row, address = m.regs[at(c[A], base)], m.scratch[33]
    offset = np.int64(c[OFFSET])
    writes = c[0] != LDS
    width = c[WIDTH]
    for lane in range(LANES):
        address[lane] = np.int64(row[lane]) + offset
    if not c[LIGHT] and not check_shared(m, c, index, w, block, address, on, writes):
        return np.int64(-1)
    p = m.patterns[index]
    coalesce(p, address, on, width, not writes, m.scratch)
    waves = p[PAT_WAVES] * np.int64(c[REPEAT])
    ideal = ideal_wavefronts(on, width) * np.int64(c[REPEAT])
    if writes:
        count[C.SH_ST_WAVES] += waves
        count[C.SH_ST_IDEAL] += ideal
    else:
        count[C.SH_LD_WAVES] += waves
        count[C.SH_LD_IDEAL] += ideal
    if not c[LIGHT]:
        move_shared(m, c, w, block, address, on)
    if m.shape[TIMELESS]:
        return t
    begin = max(t, m.sms[sm, LSU_FREE])
    m.sms[sm, LSU_FREE] = max(m.sms[sm, LSU_FREE], m.sms[sm, NOW]) + max(waves * TICKS, m.rates[LSU_RATE] * c[REPEAT])
    return begin + m.rates[SHARED] + (waves - 1) * TICKS


@inline
def ideal_wavefronts(on, width):
    """Wavefronts without conflicts: one for each group of lanes that has work."""
    group = 32 // max(width >> 2, 1)
    n = 0
    for first in range(0, LANES, group):
        bits = (np.int64(on) >> first) & ((np.int64(1) << group) - 1)
        n += bits != 0
    return n


@jit
def move_shared(m, c, w, block, address, on):
    """The values of a shared access."""
    base = first_row(m, w)
    shared = m.shared[block]
    halves, octets = shared.view(np.uint16), shared.view(np.uint8)
    width, op = c[WIDTH], c[0]
    for lane in range(LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        a = address[lane]
        if op == ATOMS:
            old = shared[a >> 2]
            shared[a >> 2] = atomic_value(
                c[SUB], c[FLAGS], old, m.regs[at(c[B], base), lane], m.regs[at(c[C_], base), lane], m.bits[1]
            )
            m.regs[at(c[DST], base), lane] = old
        elif width < 4 and op == LDS:
            m.regs[at(c[DST], base), lane] = np.uint32(octets[a] if width == 1 else halves[a >> 1])
        elif width == 1:
            octets[a] = np.uint8(m.regs[at(c[B], base), lane] & np.uint32(0xFF))
        elif width == 2:
            halves[a >> 1] = np.uint16(m.regs[at(c[B], base), lane] & np.uint32(0xFFFF))
        else:
            for k in range(width >> 2):
                if op == LDS:
                    m.regs[at(c[DST], base) + k, lane] = shared[(a >> 2) + k]
                else:
                    shared[(a >> 2) + k] = m.regs[at(c[B], base) + k, lane]


# ------------------------------------------------------------------ the interpreter


@inline
def count_instruction(c, mask, on, count):
    """An instruction, and those the counting image left out before it."""
    active = lanes_of(mask)
    skipped = np.int64(c[SKIP])
    count[C.INST] += 1 + skipped
    count[C.THREAD_INST] += active * (1 + skipped)
    count[C.THREAD_ON] += (active if on == mask else lanes_of(on)) + active * skipped


@inline
def lanes_of(mask):
    """Lanes in a mask, mostly all."""
    return np.int64(32) if mask == FULL else popcount(mask)


@inline
def memory_instruction(m, c, index, w, block, sm, on, t, count):
    """Dispatch of the load/store pipe; returns the tick the result is there, or -1."""
    op = c[0]
    repeat = np.int64(c[REPEAT])
    if op == LDG:
        count[C.INST_LDG] += 1
        if on:
            return load_global(m, c, index, w, block, sm, on, t, count)
    elif op == STG:
        count[C.INST_STG] += 1
        if on:
            return store_global(m, c, index, w, block, sm, on, t, count)
    elif op in (LDS, STS, ATOMS):
        if op == LDS:
            count[C.INST_LDS] += repeat
        else:
            count[C.INST_STS] += repeat
        count[C.INST] += repeat - 1
        count[C.THREAD_INST] += (repeat - 1) * popcount(m.warps[w, MASK])
        count[C.THREAD_ON] += (repeat - 1) * popcount(on)
        if on:
            return access_shared(m, c, index, w, block, sm, on, t, count)
        count[C.SH_OTHER_WAVES] += repeat
    elif op in (ATOMG, RED):
        if on:
            return atomic_global(m, c, index, w, block, sm, on, t, count)
    elif op == SHFL:
        count[C.SH_OTHER_WAVES] += 1
        shuffle(c, m.regs, first_row(m, w), m.bits[0], m.preds[w], on)
        m.sms[sm, LSU_FREE] = max(m.sms[sm, LSU_FREE], m.sms[sm, NOW]) + m.rates[LSU_RATE]
        return t + m.rates[SHUFFLE]
    elif op == S2R:
        if c[SUB] <= TID_Z:
            count[C.SH_OTHER_WAVES] += 1
        special(m, c, w, block, sm, on)
        return t + m.rates[SHUFFLE]
    elif op == LDC:
        load_constant(c, m.regs, first_row(m, w), on)
        return t + m.rates[SHARED]
    elif op != MEMBAR:
        fail(m, E.UNSUPPORTED, index, 0, block, op, w)
        return np.int64(-1)
    return t


@inline
def compute(m, c, op, w, on):
    """Everything that touches only registers; False if the engine does not know it."""
    u, base, preds = m.regs, first_row(m, w), m.preds[w]
    if FADD <= op <= FSEL or MUFU <= op <= F2FP:
        floating(c, u, base, preds, on, m.bits)
    elif op < ISETP or op == PRMT:
        integer(c, u, base, preds, on, m.bits, m.flags)
    elif op == ISETP:
        isetp(c, u, base, preds, on, m.flags)
    elif op == FSETP:
        fsetp(c, u, base, preds, on)
    elif op == PLOP3:
        plop3(c, preds, on)
    elif op == VOTE:
        vote(c, u, base, preds, on)
    else:
        return False
    return True


@inline
def control(m, c, op, index, w, block, on, count):
    """Branches, convergence, leaving, the block's barrier; returns why to stop, or -1 to go on."""
    warp = m.warps[w]
    if op == BRA:
        count[C.BRANCHES] += 1
        split = branch(warp, c[TARGET], np.int64(on))
        if split < 0:
            fail(m, E.SPLITS, index, 0, block, 0, w)
            return FAILED
        count[C.DIVERGED] += split
    elif op == BSSY:
        open_meeting(warp, c[SUB])
    elif op == BSYNC:
        if not meet(warp, c[SUB]):
            fail(m, E.DEADLOCK, index, 0, block, 0, w)
            return FAILED
    elif op == EXIT:
        if not leave(warp, np.int64(on)):
            if warp[ALIVE]:
                fail(m, E.DEADLOCK, index, 0, block, 0, w)
                return FAILED
            return FINISHED
    elif op == BAR:
        if warp[MASK] != warp[ALIVE]:
            fail(m, E.DIVERGENT_BARRIER, index, 0, block, 0, w)
            return FAILED
        warp[PC] += 1
        return AT_BLOCK_BARRIER
    elif op in (NOP, WARPSYNC):
        warp[PC] += 1
    else:
        fail(m, E.UNSUPPORTED, index, 0, block, op, w)
        return FAILED
    return -1


@inline
def pending(warp, wait):
    """Latest tick among the scoreboards of a wait mask."""
    t = np.int64(0)
    for b in range(6):
        if (wait >> b) & 1:
            t = max(t, warp[BOARD + b])
    return t


@inline
def run(m, w, block, sm):
    """Run warp ``w`` from where it stands until it must wait, or leaves.

    The SM's pipes are charged for what it issued; its own clock follows stall
    counts and scoreboards.

    Returns
    -------
    why : int
        WAITS, AT_BLOCK_BARRIER, FINISHED, FAILED or PAUSED; ``warp[AWAKE]`` is set.
    """
    warp, rates, code = m.warps[w], m.rates, m.code
    count = m.counts[m.blocks[block, KIND]]
    begin = max(m.sms[sm, NOW], m.awake[w])
    m.sms[sm, NOW] = begin
    t = begin
    issue, alu, fma, xu = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    why = PAUSED
    steps = 0
    while t - begin < LONGEST:
        index = np.int64(warp[PC])
        c = code[index]
        if c[WAIT]:
            until = pending(warp, c[WAIT])
            if until > t:
                t = until
                if until - begin > PATIENCE:
                    why = WAITS
                    break
        op = c[0]
        mask = np.uint32(warp[MASK])
        on = mask & predicate(m.preds[w], c[GUARD])
        count_instruction(c, mask, on, count)
        issue += rates[ISSUE] * (1 + c[SKIP])
        t += (np.int64(c[STALL]) + c[SKIP_ISSUE]) * TICKS
        pipe = c[PIPE]
        steps += 1
        if pipe == CONTROL:
            stop = control(m, c, op, index, w, block, on, count)
            if stop >= 0:
                why = stop
                break
            continue
        if pipe == LSU:
            done = memory_instruction(m, c, index, w, block, sm, on, t, count)
            if done < 0:
                why = FAILED
                break
            issue += rates[ISSUE] * (c[REPEAT] - 1)
            if c[WRITE_SB] < 6:
                warp[BOARD + c[WRITE_SB]] = max(done, warp[BOARD + c[WRITE_SB]])
            if c[READ_SB] < 6:
                warp[BOARD + c[READ_SB]] = max(t + 8 * TICKS, warp[BOARD + c[READ_SB]])
        else:
            if on and not compute(m, c, op, w, on):
                fail(m, E.UNSUPPORTED, index, 0, block, op, w)
                why = FAILED
                break
            alu += rates[ALU_RATE] * (pipe == ALU)
            fma += rates[FMA_RATE] * (pipe == FMA)
            xu += rates[XU_RATE] * (pipe == XU)
            if c[WRITE_SB] < 6:
                warp[BOARD + c[WRITE_SB]] = max(t + rates[SHUFFLE], warp[BOARD + c[WRITE_SB]])
        warp[PC] += 1
    m.misc[STEPS] += steps
    m.awake[w] = t
    busy = max(max(issue, alu), max(fma, xu))
    m.sms[sm, NOW] = max(begin + busy, m.sms[sm, LSU_FREE] - rates[QUEUE])
    return why
