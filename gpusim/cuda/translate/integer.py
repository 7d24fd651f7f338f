"""Integer arithmetic, logic, shifts, comparisons, predicates; moves.

Source: NVIDIA, *CUDA Binary Utilities*, for the names.  Operand orders and meanings follow from what the compiler
makes of known arithmetic (64-bit division by reciprocals, multi-word sums), which the tests run.
"""

from __future__ import annotations

from gpusim.cuda.operands import Form
from gpusim.cuda.translate.reader import BYTES, FALSE, WORDS, ZERO, Reader, Unsupported
from gpusim.isa.instruction import PT, TRUE, Instr, Operand
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import BoolOp, Cmp, Convert, Dot, Flag, Piece, Shift

COMPARE = {c.name: c for c in (Cmp.LT, Cmp.LE, Cmp.GT, Cmp.GE, Cmp.EQ, Cmp.NE)}
BOOL = {b.name: b for b in BoolOp}
TYPES = {"U32": Flag.UNSIGNED, "S32": 0}
COMPARED = {"U32": (Flag.UNSIGNED, 4), "S64": (0, 8), "U64": (Flag.UNSIGNED, 8)}
PIECES = {
    **{name: (flags, Piece.WORD) for name, flags in TYPES.items()},
    **{f"{sign}16x2": (flags, Piece.HALVES) for sign, flags in (("S", 0), ("U", Flag.UNSIGNED))},
    **{f"{sign}8x4": (flags, Piece.BYTES) for sign, flags in (("S", 0), ("U", Flag.UNSIGNED))},
}
FIRST_CARRY, SECOND_CARRY = 17, 20  # bits of the upper word of the encoding where these predicates are
BYTE, BYTE_SHIFT = {"B1": 1, "B2": 2, "B3": 3}, 4  # of P2R, in `sub`
NARROW = {"S8": Convert.S8, "U8": Convert.U8, "S16": Convert.S16, "U16": Convert.U16}


def iadd3(r: Reader) -> Instr:
    """``IADD3[.X] d, [q0, q1,] a, b, c[, p0, p1]``, ``IADD3.64 d, [PT, PT,] a, b, c``."""
    return _sum(r, 3)


def iadd2(r: Reader) -> Instr:
    """``IADD[.X] d, [q0,] a, b[, p0]``, ``IADD.64 d, a, b``: as IADD3 of two."""
    return _sum(r, 2)


def _sum(r: Reader, n: int) -> Instr:
    """A sum of ``n`` words, or of ``n`` pairs."""
    rest = (ZERO,) * (3 - n)
    if r.has("64"):
        dst = _plain_dst(r)
        return r.make(Op.IADD3, dst, (*(r.integer(wide=True) for _ in range(n)), *rest), width=8)
    x = r.flags({"X": Flag.X})
    dst, carries = r.dst(), _carries(r)
    srcs = tuple(r.integer(invert=bool(x)) for _ in range(n))
    return r.make(Op.IADD3, dst, (*srcs, *rest), pdsts=carries, psrcs=r.preds(), flags=x)


def _carries(r: Reader) -> tuple[Operand, ...]:
    """Predicates of a sum's carries, of which nvdisasm leaves out those that go nowhere: the first one, too."""
    found = r.preds()
    encoded = r.line.high >> FIRST_CARRY & 7, r.line.high >> SECOND_CARRY & 7
    return (TRUE, *found) if len(found) == 1 and encoded == (PT, found[0].index) else found


def iadd(r: Reader) -> Instr:
    """``VIADD[.16x2|.U8x4] d, a, b``."""
    sub = r.pick({"16x2": Piece.HALVES, "U8x4": Piece.BYTES}, Piece.WORD)
    return r.make(Op.IADD3, r.dst(), (r.integer(), r.integer(), ZERO), sub=sub)


def imad(r: Reader) -> Instr:
    """``IMAD[.WIDE|.HI][.U32][.X] d, [q0,] a, b, c[, p0]``; MOV, SHL and IADD only say what it is used for."""
    r.skip("MOV", "SHL", "IADD")
    op = r.pick({"WIDE": Op.IMAD_WIDE, "HI": Op.IMAD_HI}, Op.IMAD)
    x = r.flags({"X": Flag.X})
    flags = x | r.pick(TYPES, 0)
    dst, carries = r.dst(), r.preds()
    srcs = (r.integer(), r.integer(), r.integer(invert=bool(x)))
    return r.make(op, dst, srcs, pdsts=carries, psrcs=r.preds(), flags=flags)


def lea(r: Reader) -> Instr:
    """``LEA[.X] d, [q0,] a, b, shift[, p0]`` and ``LEA.HI[.X][.SX32] d, [q0,] a, b, [c,] shift[, p0]``."""
    high = r.has("HI")
    flags = r.flags({"X": Flag.X, "SX32": Flag.SIGNED})
    dst, carries = r.dst(), r.preds()
    a, b = r.integer(invert=bool(flags & Flag.X)), r.integer(invert=bool(flags & Flag.X))
    if not high:
        if flags & Flag.SIGNED:
            raise Unsupported("LEA of the lower word with a sign")
        return r.make(Op.LEA, dst, (a, b), pdsts=carries, sub=r.literal(), psrcs=r.preds(), flags=flags)
    c = ZERO if flags & Flag.SIGNED else r.integer()
    return r.make(
        Op.LEA_HI_X, dst, (a, b, c), pdsts=carries, sub=r.literal(), psrcs=r.preds() or (FALSE,), flags=int(flags)
    )


def shf(r: Reader) -> Instr:
    """``SHF.{L,R}[.W].{U32,S32,U64,S64}[.HI] d, a, b, c``: a shift of c:a."""
    left = r.need({"L": True, "R": False})
    kind, high = r.need({k: k for k in ("U32", "S32", "U64", "S64")}), r.has("HI")
    flags = r.flags({"W": Flag.WRAP})
    dst = r.dst()
    a, b, c = r.integer(), r.integer(), r.integer()
    how, srcs = _shift(left, kind, high, (a, b, c), bool(flags))
    return r.make(Op.SHF, dst, srcs, sub=how, flags=flags)


def _shift(
    left: bool, kind: str, high: bool, srcs: tuple[Operand, Operand, Operand], wraps: bool
) -> tuple[Shift, tuple[Operand, ...]]:
    """Variant of SHF and its sources; where one word decides, a plain shift of that word."""
    a, b, c = srcs
    word, signed = kind[1:] == "32", kind[0] == "S"
    if left and not high:
        if wraps and not word:
            raise Unsupported("lower word of a 64-bit shift that wraps")
        return Shift.L, (a, b)
    if left:
        return (Shift.L_HI_32 if word else Shift.L_HI), srcs
    if high and word:
        return (Shift.R_S32 if signed else Shift.R_U32), (c, b)
    if high:
        return (Shift.R_HI_S32 if signed else Shift.R_HI_U32), srcs
    return (Shift.R_LO_32 if word else Shift.R_LO_S32 if signed else Shift.R_LO), srcs


def lop3(r: Reader) -> Instr:
    """``LOP3.LUT [q0,] d, a, b, c, table, p0``."""
    r.skip("LUT")
    flags = r.flags({"PAND": Flag.PAND})
    tests = r.preds()
    dst, srcs = r.dst(), (r.integer(), r.integer(), r.integer())
    return r.make(Op.LOP3, dst, srcs, pdsts=tests, sub=r.literal(), psrcs=r.preds(), flags=flags)


def plop3(r: Reader) -> Instr:
    """``PLOP3.LUT q0, q1, p0, p1, p2, table0, table1``."""
    r.skip("LUT")
    found = r.preds()
    if len(found) != 5:
        raise Unsupported("PLOP3 of other than five predicates")
    tables = r.literal() | r.literal() << 8
    return r.make(Op.PLOP3, pdsts=found[:2], psrcs=found[2:], sub=tables)


def sel(r: Reader) -> Instr:
    """``SEL[.64] d, a, b, p0``."""
    width = _width(r)
    dst, srcs = r.dst(), (r.integer(wide=width == 8), r.integer(wide=width == 8))
    return r.make(Op.SEL, dst, srcs, psrcs=(r.pred(),), width=width)


def _width(r: Reader) -> int:
    """Bytes that a move or a choice is about."""
    return 8 if r.has("64") else 4


def mov(r: Reader) -> Instr:
    """``MOV[.64] d, a[, mask]``; only the mask of all bytes is known."""
    width = _width(r)
    dst, source = r.dst(), r.integer(wide=width == 8)
    if r.more() and r.literal() != 0xF:
        raise Unsupported("MOV of some bytes")
    return r.make(Op.MOV, dst, (source,), width=width)


def imnmx(r: Reader) -> Instr:
    """``IMNMX[.type][.RELU] d, [q0, q1,] a, b, p0``: the first one's upper and lower half were taken.

    From sm_100 on the predicates are always there; of 64 bits they stand before d.
    """
    if any(word in r.modifiers for word in ("S64", "U64")):
        return _imnmx_64(r)
    flags, sub = _pieces(r)
    dst, firsts = r.dst(), r.preds()
    firsts = firsts if any(p.index != PT for p in firsts) else ()
    if flags & Flag.RELU and firsts:
        raise Unsupported("a minimum that is at least 0 and sets predicates")
    srcs = (r.integer(), r.integer())
    return r.make(Op.IMNMX, dst, srcs, pdsts=firsts, psrcs=(r.pred(),), sub=sub, flags=flags)


def _imnmx_64(r: Reader) -> Instr:
    """``IMNMX.{S64,U64} PT, PT, d, a, b, p0, !PT``."""
    flags, width = r.need(COMPARED)
    if any(p != TRUE for p in r.preds()):
        raise Unsupported("a minimum that sets predicates")
    dst, srcs, first = r.dst(), (r.integer(wide=True), r.integer(wide=True)), r.pred()
    if r.pred() != FALSE:
        raise Unsupported("a minimum that depends on another one")
    return r.make(Op.IMNMX, dst, srcs, psrcs=(first,), flags=flags, width=width)


def imnmx3(r: Reader) -> Instr:
    """``VIMNMX3[.type][.RELU] d, a, b, c, p0``."""
    flags, sub = _pieces(r)
    dst = _plain_dst(r)
    srcs = (r.integer(), r.integer(), r.integer())
    return r.make(Op.IMNMX, dst, srcs, psrcs=(r.pred(),), sub=sub | Piece.THIRD, flags=flags)


def iaddmnmx(r: Reader) -> Instr:
    """``VIADDMNMX[.type][.RELU] d, a, b, c, p0``."""
    flags, sub = _pieces(r)
    dst = _plain_dst(r)
    srcs = (r.integer(), r.integer(), r.integer())
    return r.make(Op.IADDMNMX, dst, srcs, psrcs=(r.pred(),), sub=sub, flags=flags)


def _pieces(r: Reader) -> tuple[int, int]:
    """Flags of a minimum, and what it takes words as."""
    unsigned, sub = r.pick(PIECES, (0, Piece.WORD))
    return unsigned | r.flags({"RELU": Flag.RELU}), sub


def _plain_dst(r: Reader) -> Operand:
    """Destination of a minimum, whose verdicts must go nowhere."""
    dst = r.dst()
    if any(p.index != 7 for p in r.preds()):
        raise Unsupported("a minimum that sets predicates")
    return dst


def isetp(r: Reader) -> Instr:
    """``ISETP.cmp[.U32|.S64|.U64].bool[.EX] q0, q1, a, b, p0[, p1]``."""
    sub = r.need(COMPARE) | r.need(BOOL) << 4
    unsigned, width = r.pick(COMPARED, (0, 4))
    flags = unsigned | r.flags({"EX": Flag.EX})
    verdicts = (r.pred(), r.pred())
    srcs = (r.integer(wide=width == 8), r.integer(wide=width == 8))
    return r.make(Op.ISETP, srcs=srcs, pdsts=verdicts, psrcs=r.preds(), sub=sub, flags=flags, width=width)


def flo(r: Reader) -> Instr:
    """``FLO[.U32][.SH] d, [~]a``."""
    flags = r.pick({"U32": 0}, Flag.SIGNED) | r.flags({"SH": Flag.SHIFT})
    return r.make(Op.FLO, r.dst(), (r.integer(invert=True),), flags=flags)


def idp(r: Reader) -> Instr:
    """``IDP.4A.{S8,U8}.{S8,U8} d, a, b, c``, ``IDP.2A.{LO,HI}.{S16,U16}.{S8,U8} d, a, b, c``."""
    if r.need({"4A": False, "2A": True}):
        sub = Dot.HALVES | r.need({"LO": 0, "HI": Dot.UPPER}) | r.need({"S16": 0, "U16": Dot.A_UNSIGNED})
    else:
        sub = r.need({"S8": 0, "U8": Dot.A_UNSIGNED})
    sub |= r.need({"S8": 0, "U8": Dot.B_UNSIGNED})
    return r.make(Op.IDP, r.dst(), (r.integer(), r.integer(), r.integer()), sub=sub)


def iabsdiff4(r: Reader) -> Instr:
    """``VABSDIFF4.{U8,S8} d, a, b, c``: with ACC they are added to c, else it is for bytes left out: none."""
    flags = r.need({"U8": Flag.UNSIGNED, "S8": 0})
    adds = r.has("ACC")
    dst, a, b, rest = r.dst(), r.integer(), r.integer(), r.integer()
    srcs = (a, b, rest if adds else ZERO)
    sub = Piece.BYTES | (Piece.THIRD if adds else 0)
    return r.make(Op.IABSDIFF, dst, srcs, sub=sub, flags=flags)


def i2i(r: Reader) -> Instr:
    """``I2I.type.S32.SAT d, a``."""
    sub = r.need(NARROW)
    flags = r.need(TYPES)
    if not r.has("SAT"):
        raise Unsupported("I2I that does not clamp")
    return r.make(Op.I2I, r.dst(), (r.integer(halves=BYTES | WORDS),), sub=sub, flags=flags)


def p2r(r: Reader) -> Instr:
    """``P2R[.byte] d, PR, a, mask``; UP2UR of UPR."""
    byte, dst = r.pick(BYTE, 0), r.dst()
    first = _predicates(r)
    return r.make(Op.P2R, dst, (r.integer(), r.integer()), sub=first | byte << BYTE_SHIFT)


def r2p(r: Reader) -> Instr:
    """``R2P PR, a[.byte], mask``; UR2UP into UPR."""
    first = _predicates(r)
    return r.make(Op.R2P, srcs=(r.integer(halves=BYTES), r.integer()), sub=first)


def _predicates(r: Reader) -> int:
    text = r.next()
    if text.form is not Form.PREDICATES or text.suffixes:
        raise Unsupported("other than all predicates")
    return text.index


TABLE = {
    "IADD3": iadd3,
    "IADD": iadd2,
    "VIADD": iadd,
    "IMAD": imad,
    "LEA": lea,
    "SHF": shf,
    "LOP3": lop3,
    "PLOP3": plop3,
    "SEL": sel,
    "MOV": mov,
    "IMNMX": imnmx,
    "VIMNMX": imnmx,
    "VIMNMX3": imnmx3,
    "VIADDMNMX": iaddmnmx,
    "ISETP": isetp,
    "FLO": flo,
    "IDP": idp,
    "VABSDIFF4": iabsdiff4,
    "I2I": i2i,
    "P2R": p2r,
    "R2P": r2p,
}
