"""Integer, floating-point, conversion and predicate instructions over 32 lanes.

Each function is one `if` chain over opcodes, which the compiler turns into a
jump table.  Results of all lanes go to a scratch row ``t`` (a destination may be a
source too, which would keep the loops from being vectorised), then :func:`keep`
moves those of the active lanes ``m``.
"""

from __future__ import annotations

import math

import numpy as np

from gpusim.engine.jit import fused, inline, jit
from gpusim.isa.encode import F
from gpusim.isa.opcodes import BoolOp, Cmp, Convert, Flag, Mufu, Op, Round, Shift

# numba folds module-level ints into the code; an IntEnum member it would box.
DST, A, B, C_, MODS, SUB, FLAGS = (int(x) for x in (F.DST, F.A, F.B, F.C, F.MODS, F.SUB, F.FLAGS))
P0, P1, P2, Q0, Q1 = (int(x) for x in (F.P0, F.P1, F.P2, F.Q0, F.Q1))
UNSIGNED, X, EX = int(Flag.UNSIGNED), int(Flag.X), int(Flag.EX)
LT, LE, GT, GE, EQ, NE, NUM, NAN = (int(x) for x in Cmp)
OR, XOR = int(BoolOp.OR), int(BoolOp.XOR)
SHL, SHR_U, SHR_S, SHL_HI, SHR_LO = (int(x) for x in tuple(Shift)[:5])
RCP, RSQ, SQRT, EX2, LG2, SIN, COS, TANH = (int(x) for x in tuple(Mufu)[:8])
S32, U32, F16, BF16, TO_F16, TO_BF16 = (
    int(x) for x in (Convert.S32, Convert.U32, Convert.F16, Convert.BF16, Convert.TO_F16, Convert.TO_BF16)
)
DOWN, UP, ZERO = int(Round.DOWN), int(Round.UP), int(Round.ZERO)
(MOV, SEL, IADD3, IMAD, IMAD_WIDE, IMAD_HI, LEA, LEA_HI_X, SHF, LOP3, IMNMX, IABS, POPC, FLO, BREV, PRMT) = (
    int(x)
    for x in (
        Op.MOV, Op.SEL, Op.IADD3, Op.IMAD, Op.IMAD_WIDE, Op.IMAD_HI, Op.LEA, Op.LEA_HI_X, Op.SHF, Op.LOP3,
        Op.IMNMX, Op.IABS, Op.POPC, Op.FLO, Op.BREV, Op.PRMT,
    )
)  # fmt: skip
FADD, FMUL, FFMA, FMNMX, FSEL, MUFU, FRND = (
    int(x) for x in (Op.FADD, Op.FMUL, Op.FFMA, Op.FMNMX, Op.FSEL, Op.MUFU, Op.FRND)
)
I2F, F2I, F2F, F2FP = (int(x) for x in (Op.I2F, Op.F2I, Op.F2F, Op.F2FP))
FULL = np.uint32(0xFFFFFFFF)
ONE = np.uint32(1)


@inline
def predicate(preds, field):
    """Bit mask of a predicate operand; bit 4 of the field negates."""
    value = preds[field & 15]
    return (value ^ FULL) if field & 16 else value


@inline
def at(row, base):
    """Row of the register file an operand names: its own from ``base`` on, or (~row) one that all warps share."""
    return base + row if row >= 0 else ~row


@inline
def keep(d, t, m):
    """Move the active lanes of a scratch row to a register."""
    if m == FULL:
        for lane in range(32):
            d[lane] = t[lane]
    else:
        for lane in range(32):
            d[lane] = t[lane] if (m >> np.uint32(lane)) & ONE else d[lane]


@inline
def pack(flags):
    """Bit mask of 32 bytes that are 0 or 1."""
    words = flags.view(np.uint64)
    value = np.uint64(0)
    for k in range(4):
        byte = (words[k] * np.uint64(0x0102040810204080)) >> np.uint64(56)
        value |= byte << np.uint64(8 * k)
    return np.uint32(value)


@jit
def set_predicate(preds, field, value, m):
    """Write the bits of ``m``."""
    preds[field] = (preds[field] & (m ^ FULL)) | (value & m)


@jit
def combine(value, other, how):
    """``value`` and/or/xor ``other``."""
    if how == OR:
        return value | other
    if how == XOR:
        return value ^ other
    return value & other


@inline
def _s(c, which):
    """0 or all ones: whether integer operand ``which`` is negated ((x ^ s) - s)."""
    return np.int32(-((c[MODS] >> which) & 1))


@fused
def integer(c, u, base, preds, m, scratch, flags):
    """Integer instructions.  ``u``: all register rows; ``scratch``: two rows; ``flags``: 32 bytes."""
    op, sub = c[0], c[SUB]
    a, b, k, t = u[at(c[A], base)], u[at(c[B], base)], u[at(c[C_], base)], scratch[0]
    sa, sb, st = a.view(np.int32), b.view(np.int32), t.view(np.int32)
    if op == MOV:
        keep(u[at(c[DST], base)], a, m)
        return
    if op == IADD3:
        _iadd3(c, a, b, k, preds, m, t, flags)
    elif op == IMAD:
        na, nc = np.uint32(_s(c, 0) ^ _s(c, 1)), np.uint32(_s(c, 2))  # of the product, and of what is added
        for lane in range(32):
            t[lane] = ((a[lane] ^ na) - na) * b[lane] + ((k[lane] ^ nc) - nc)
    elif op == SEL:
        p = predicate(preds, c[P0])
        for lane in range(32):
            t[lane] = a[lane] if (p >> np.uint32(lane)) & ONE else b[lane]
    elif op == LEA:
        na, nb, shift = np.uint32(_s(c, 0)), np.uint32(_s(c, 1)), np.uint32(sub)
        for lane in range(32):
            t[lane] = np.uint32(((a[lane] ^ na) - na) << shift) + ((b[lane] ^ nb) - nb)
        if c[Q0] != 16:
            for lane in range(32):
                x = np.uint32(((a[lane] ^ na) - na) << shift)
                total = np.uint64(x) + np.uint64(b[lane] ^ nb) + np.uint64(nb & ONE)
                flags[lane] = np.uint8((total >> np.uint64(32)) != np.uint64(0))
            set_predicate(preds, c[Q0], pack(flags), m)
    elif op == SHF:
        _shift(sub, t, a, sa, b, k)
    elif op == LOP3:
        _lop3(sub, t, a, b, k)
    elif op == IMAD_WIDE:
        _imad_wide(c, u, base, a, b, m, scratch)
        return
    elif op == IMAD_HI:
        _imad_hi(c[FLAGS] & UNSIGNED, t, a, b, k)
    elif op == LEA_HI_X:
        carry = predicate(preds, c[P0])
        for lane in range(32):
            wide = (np.uint64(k[lane]) << np.uint64(32)) | np.uint64(a[lane])
            high = (wide << np.uint64(sub)) >> np.uint64(32)
            t[lane] = np.uint32(high + np.uint64(b[lane]) + np.uint64((carry >> np.uint32(lane)) & ONE))
    elif op == IMNMX:
        p, unsigned = predicate(preds, c[P0]), (c[FLAGS] & UNSIGNED) != 0
        for lane in range(32):
            less = a[lane] < b[lane] if unsigned else sa[lane] < sb[lane]
            low = ((p >> np.uint32(lane)) & ONE) != 0
            t[lane] = a[lane] if less == low else b[lane]
    elif op == IABS:
        for lane in range(32):
            st[lane] = abs(sa[lane])
    else:
        _bits(op, t, a, b, k)
    keep(u[at(c[DST], base)], t, m)


@jit
def _iadd3(c, a, b, k, preds, m, t, flags):
    """Three-operand addition, with carries in and out where asked for."""
    na, nb, nc = np.uint32(_s(c, 0)), np.uint32(_s(c, 1)), np.uint32(_s(c, 2))
    extended = c[FLAGS] & X
    if c[Q0] == 16 and not extended:
        for lane in range(32):
            t[lane] = ((a[lane] ^ na) - na) + ((b[lane] ^ nb) - nb) + ((k[lane] ^ nc) - nc)
        return
    carry = predicate(preds, c[P0]) if extended else np.uint32(0)
    one = np.uint64(0) if extended else np.uint64((na & ONE) + (nb & ONE) + (nc & ONE))
    for lane in range(32):
        total = np.uint64(a[lane] ^ na) + np.uint64(b[lane] ^ nb) + np.uint64(k[lane] ^ nc)
        total += one + np.uint64((carry >> np.uint32(lane)) & ONE)
        t[lane] = np.uint32(total)
        flags[lane] = np.uint8((total >> np.uint64(32)) != np.uint64(0))
    if c[Q0] != 16:
        set_predicate(preds, c[Q0], pack(flags), m)


@jit
def _imad_wide(c, u, base, a, b, m, scratch):
    """64-bit d = a * b + c."""
    klo, khi, low, high = u[at(c[C_], base)], u[at(c[C_], base) + 1], scratch[0], scratch[1]
    sa, sb = a.view(np.int32), b.view(np.int32)
    if c[FLAGS] & UNSIGNED:
        for lane in range(32):
            addend = (np.uint64(khi[lane]) << np.uint64(32)) | np.uint64(klo[lane])
            v = np.uint64(a[lane]) * np.uint64(b[lane]) + addend
            low[lane], high[lane] = np.uint32(v), np.uint32(v >> np.uint64(32))
    else:
        for lane in range(32):
            v = np.int64(sa[lane]) * np.int64(sb[lane]) + ((np.int64(khi[lane]) << 32) | np.int64(klo[lane]))
            low[lane], high[lane] = np.uint32(v), np.uint32(v >> 32)
    keep(u[at(c[DST], base)], low, m)
    keep(u[at(c[DST], base) + 1], high, m)


@jit
def _imad_hi(unsigned, t, a, b, k):
    """Upper half of the product, plus c."""
    sa, sb = a.view(np.int32), b.view(np.int32)
    if unsigned:
        for lane in range(32):
            t[lane] = np.uint32((np.uint64(a[lane]) * np.uint64(b[lane])) >> np.uint64(32)) + k[lane]
    else:
        for lane in range(32):
            t[lane] = np.uint32((np.int64(sa[lane]) * np.int64(sb[lane])) >> 32) + k[lane]


@jit
def _shift(sub, t, a, sa, b, k):
    """The shifts; counts beyond 31 clamp, as on the hardware."""
    if sub == SHL:
        for lane in range(32):
            t[lane] = np.uint32(np.uint64(a[lane]) << np.uint64(min(b[lane], np.uint32(32))))
    elif sub == SHR_U:
        for lane in range(32):
            t[lane] = np.uint32(np.uint64(a[lane]) >> np.uint64(min(b[lane], np.uint32(32))))
    elif sub == SHR_S:
        for lane in range(32):
            t[lane] = np.uint32(np.int64(sa[lane]) >> np.int64(min(b[lane], np.uint32(31))))
    else:
        for lane in range(32):
            n = np.uint64(min(b[lane], np.uint32(63)))
            wide = (np.uint64(k[lane]) << np.uint64(32)) | np.uint64(a[lane])
            t[lane] = np.uint32((wide << n) >> np.uint64(32)) if sub == SHL_HI else np.uint32(wide >> n)


@jit
def _lop3(table, t, a, b, k):
    """Bitwise function of three operands; the common tables have loops of their own."""
    if table == 0xC0:
        for lane in range(32):
            t[lane] = a[lane] & b[lane]
    elif table == 0xFC:
        for lane in range(32):
            t[lane] = a[lane] | b[lane]
    elif table == 0x3C:
        for lane in range(32):
            t[lane] = a[lane] ^ b[lane]
    else:
        for lane in range(32):
            t[lane] = _lut(a[lane], b[lane], k[lane], table)


@inline
def _lut(a, b, c, table):
    """Bitwise function of three operands: bit (a<<2 | b<<1 | c) of the table."""
    na, nb, nc = a ^ FULL, b ^ FULL, c ^ FULL
    v = np.uint32(0)
    if table & 1:
        v |= na & nb & nc
    if table & 2:
        v |= na & nb & c
    if table & 4:
        v |= na & b & nc
    if table & 8:
        v |= na & b & c
    if table & 16:
        v |= a & nb & nc
    if table & 32:
        v |= a & nb & c
    if table & 64:
        v |= a & b & nc
    if table & 128:
        v |= a & b & c
    return v


@jit
def _bits(op, t, a, b, k):
    """POPC, FLO, BREV, PRMT: bit and byte games, one lane at a time."""
    for lane in range(32):
        x = np.uint64(a[lane])
        v = np.uint64(0)
        if op == POPC:
            while x:
                v += x & np.uint64(1)
                x >>= np.uint64(1)
        elif op == FLO:
            v = np.uint64(0xFFFFFFFF)
            for bit in range(32):
                if (x >> np.uint64(bit)) & np.uint64(1):
                    v = np.uint64(bit)
        elif op == BREV:
            for bit in range(32):
                v |= ((x >> np.uint64(bit)) & np.uint64(1)) << np.uint64(31 - bit)
        elif op == PRMT:
            wide = (np.uint64(k[lane]) << np.uint64(32)) | x
            for byte in range(4):
                pick = (np.uint64(b[lane]) >> np.uint64(4 * byte)) & np.uint64(15)
                piece = (wide >> (np.uint64(8) * (pick & np.uint64(7)))) & np.uint64(255)
                if pick & np.uint64(8):
                    piece = np.uint64(255) if piece & np.uint64(128) else np.uint64(0)
                v |= piece << np.uint64(8 * byte)
        t[lane] = np.uint32(v)


@jit
def isetp(c, u, base, preds, m, flags):
    """q0 = (a cmp b) op p0; q1 = !(a cmp b) op p0.  EX: p1 is the lower words' result."""
    a, b = u[at(c[A], base)], u[at(c[B], base)]
    sa, sb = a.view(np.int32), b.view(np.int32)
    cmp = c[SUB] & 7
    less, same = np.uint32(0), np.uint32(0)
    if cmp != EQ and cmp != NE:
        if c[FLAGS] & UNSIGNED:
            for lane in range(32):
                flags[lane] = a[lane] < b[lane]
        else:
            for lane in range(32):
                flags[lane] = sa[lane] < sb[lane]
        less = pack(flags)
    if (cmp != LT and cmp != GE) or c[FLAGS] & EX:
        for lane in range(32):
            flags[lane] = a[lane] == b[lane]
        same = pack(flags)
    value = _compare(cmp, less, same)
    if c[FLAGS] & EX:
        strict = _compare(LT if cmp in (LT, LE) else GT if cmp in (GT, GE) else cmp, less, same)
        lower = predicate(preds, c[P1])
        value = (same ^ FULL) | lower if cmp == NE else same & lower if cmp == EQ else strict | (same & lower)
    other = predicate(preds, c[P0])
    how = (c[SUB] >> 4) & 3
    set_predicate(preds, c[Q0], combine(value, other, how), m)
    set_predicate(preds, c[Q1], combine(value ^ FULL, other, how), m)


@jit
def _compare(cmp, less, same):
    if cmp == LT:
        return less
    if cmp == LE:
        return less | same
    if cmp == GT:
        return (less | same) ^ FULL
    if cmp == GE:
        return less ^ FULL
    if cmp == EQ:
        return same
    return same ^ FULL


@fused
def fsetp(c, u, base, preds, m):
    """Floating-point comparison; a comparison with NaN is false, NE true."""
    a, b = u[at(c[A], base)].view(np.float32), u[at(c[B], base)].view(np.float32)
    sa, sb = _sign(c, 0), _sign(c, 1)
    cmp = c[SUB] & 7
    value = np.uint32(0)
    for lane in range(32):
        x, y = _abs(c, 0, a[lane]) * sa, _abs(c, 1, b[lane]) * sb
        if cmp == LT:
            r = x < y
        elif cmp == LE:
            r = x <= y
        elif cmp == GT:
            r = x > y
        elif cmp == GE:
            r = x >= y
        elif cmp == EQ:
            r = x == y
        elif cmp == NE:
            r = x != y
        else:
            r = math.isnan(x) or math.isnan(y)
            r = r if cmp == NAN else not r
        value |= np.uint32(r) << np.uint32(lane)
    other = predicate(preds, c[P0])
    how = (c[SUB] >> 4) & 3
    set_predicate(preds, c[Q0], combine(value, other, how), m)
    set_predicate(preds, c[Q1], combine(value ^ FULL, other, how), m)


@jit
def plop3(c, preds, m):
    """q0 = table(p0, p1, p2)."""
    value = _lut(predicate(preds, c[P0]), predicate(preds, c[P1]), predicate(preds, c[P2]), c[SUB])
    set_predicate(preds, c[Q0], value, m)


# ------------------------------------------------------------------ floating point


@inline
def _sign(c, which):
    return np.float32(-1.0) if (c[MODS] >> which) & 1 else np.float32(1.0)


@inline
def _abs(c, which, x):
    return abs(x) if (c[MODS] >> (which + 3)) & 1 else x


@fused
def floating(c, u, base, preds, m, scratch):
    """fp32 arithmetic and conversions."""
    op = c[0]
    a, b = u[at(c[A], base)].view(np.float32), u[at(c[B], base)].view(np.float32)
    k, t = u[at(c[C_], base)].view(np.float32), scratch[0].view(np.float32)
    sa, sb, sk = _sign(c, 0), _sign(c, 1), _sign(c, 2)
    if op == FFMA:
        sab = sa * sb
        for lane in range(32):
            t[lane] = (a[lane] * sab) * b[lane] + k[lane] * sk
    elif op == FADD:
        for lane in range(32):
            t[lane] = _abs(c, 0, a[lane]) * sa + _abs(c, 1, b[lane]) * sb
    elif op == FMUL:
        for lane in range(32):
            t[lane] = (a[lane] * sa) * (b[lane] * sb)
    elif op == FMNMX:
        _fmnmx(c, t, a, b, sa, sb, preds)
    elif op == FSEL:
        p = predicate(preds, c[P0])
        for lane in range(32):
            t[lane] = a[lane] * sa if (p >> np.uint32(lane)) & ONE else b[lane] * sb
    elif op == MUFU:
        for lane in range(32):
            t[lane] = _mufu(c[SUB], _abs(c, 0, a[lane]) * sa)
    else:
        _convert(c, t, a, b, u, base, m, scratch[0], sa)
    keep(u[at(c[DST], base)], scratch[0], m)


@fused
def _fmnmx(c, t, a, b, sa, sb, preds):
    """Minimum or maximum; a NaN operand gives the other one."""
    p = predicate(preds, c[P0])
    for lane in range(32):
        x, y = _abs(c, 0, a[lane]) * sa, _abs(c, 1, b[lane]) * sb
        low = ((p >> np.uint32(lane)) & ONE) != 0
        if math.isnan(x):
            t[lane] = y
        elif math.isnan(y):
            t[lane] = x
        else:
            t[lane] = min(x, y) if low else max(x, y)


@fused
def _mufu(which, x):
    """Special functions, computed in float64 and rounded (hardware: 1-2 ulp)."""
    y = np.float64(x)
    if which == RCP:
        return np.float32(1.0 / y)
    if which == RSQ:
        return np.float32(1.0 / math.sqrt(y)) if y >= 0 else np.float32(np.nan)
    if which == SQRT:
        return np.float32(math.sqrt(y)) if y >= 0 else np.float32(np.nan)
    if which == EX2:
        return np.float32(2.0**y)
    if which == LG2:
        return np.float32(math.log2(y)) if y > 0 else np.float32(-np.inf if y == 0 else np.nan)
    if which == SIN:
        return np.float32(math.sin(y * 2.0 * math.pi))
    if which == COS:
        return np.float32(math.cos(y * 2.0 * math.pi))
    return np.float32(math.tanh(y))


@fused
def _round(x, how):
    if how == DOWN:
        return np.floor(x)
    if how == UP:
        return np.ceil(x)
    if how == ZERO:
        return np.trunc(x)
    return np.rint(x)


@fused
def _int_to_float(x, how):
    """int64 to float32 with the rounding asked for."""
    v = np.float32(x)
    if how == UP or (how == ZERO and x < 0):
        if np.float64(v) < np.float64(x):
            v = np.nextafter(v, np.float32(np.inf))
    elif how in (DOWN, ZERO) and np.float64(v) > np.float64(x):
        v = np.nextafter(v, np.float32(-np.inf))
    return np.float32(v)


@fused
def _convert(c, t, a, b, u, base, m, ut, sa):
    """FRND, I2F, F2I, F2F, F2FP, lane by lane."""
    op = c[0]
    kind, how = c[SUB] & 15, (c[SUB] >> 4) & 3
    keep_sign = np.uint32(0x7FFFFFFF) if c[MODS] & 8 else FULL
    flip_sign = np.uint32(0x80000000) if c[MODS] & 1 else np.uint32(0)
    ua, ub, integers = u[at(c[A], base)], u[at(c[B], base)], u[at(c[A], base)].view(np.int32)
    for lane in range(32):
        if not (m >> np.uint32(lane)) & ONE:
            continue
        if op == FRND:
            t[lane] = np.float32(_round(np.float64(_abs(c, 0, a[lane]) * sa), how))
        elif op == I2F:
            x = np.int64(ua[lane]) if kind == U32 else np.int64(integers[lane])
            t[lane] = _int_to_float(x, how)
        elif op == F2I:
            ut[lane] = _float_to_int(np.float64(_abs(c, 0, a[lane]) * sa), kind, how)
        elif op == F2FP:
            hi = half_bits(a[lane]) if kind == F16 else bf16_bits(ua[lane])
            lo = half_bits(b[lane]) if kind == F16 else bf16_bits(ub[lane])
            ut[lane] = np.uint32((hi << np.uint32(16)) | lo)
        elif kind == F16:
            t[lane] = half_value(ua[lane] & np.uint32(0xFFFF))
        elif kind == BF16:
            ut[lane] = np.uint32(ua[lane] << np.uint32(16))
        elif kind == TO_F16:
            ut[lane] = half_bits(_abs(c, 0, a[lane]) * sa)
        elif kind == TO_BF16:
            ut[lane] = bf16_bits((ua[lane] & keep_sign) ^ flip_sign)


@fused
def _float_to_int(x, kind, how):
    """Saturating conversion; NaN gives 0."""
    if math.isnan(x):
        return np.uint32(0)
    r = _round(x, how)
    if kind == U32:
        r = min(max(r, 0.0), 4294967295.0)
    else:
        r = min(max(r, -2147483648.0), 2147483647.0)
    return np.uint32(np.int64(r) & 0xFFFFFFFF)


# ------------------------------------------------------------------ 16-bit floats


@fused
def half_value(h):
    """fp16 bit pattern -> float32."""
    sign = np.float32(-1.0) if h & np.uint32(0x8000) else np.float32(1.0)
    exponent = np.int64((h >> np.uint32(10)) & np.uint32(31))
    fraction = np.int64(h & np.uint32(1023))
    if exponent == 31:
        return sign * np.float32(np.inf) if fraction == 0 else np.float32(np.nan)
    if exponent == 0:
        return sign * np.float32(math.ldexp(np.float64(fraction), -24))
    return sign * np.float32(math.ldexp(np.float64(fraction + 1024), exponent - 25))


@fused
def half_bits(x):
    """float32 -> fp16 bit pattern, round to nearest even."""
    v = np.float64(x)
    sign = np.uint32(0x8000) if math.copysign(1.0, v) < 0 else np.uint32(0)
    v = abs(v)
    if math.isnan(v):
        return np.uint32(sign | np.uint32(0x7FFF))
    if v >= 65520.0:
        return np.uint32(sign | np.uint32(0x7C00))
    if v < 2.0**-14:
        return np.uint32(sign | np.uint32(np.int64(np.rint(v * 2.0**24))))
    fraction, exponent = math.frexp(v)
    n = np.int64(np.rint(fraction * 2048.0))  # 11 bits: 1024..2048
    e = np.int64(exponent) + 14
    return np.uint32(sign | np.uint32((e << 10) + (n - 1024)))


@fused
def bf16_bits(bits):
    """float32 bit pattern -> bf16 bit pattern, round to nearest even."""
    if (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000):
        return np.uint32(0x7FFF)
    rounded = np.uint64(bits) + np.uint64(0x7FFF) + np.uint64((bits >> np.uint32(16)) & ONE)
    return np.uint32(rounded >> np.uint64(16))
