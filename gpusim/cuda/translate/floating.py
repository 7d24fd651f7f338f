"""fp32 arithmetic, comparisons, selection, special functions.

Source: NVIDIA, *CUDA Binary Utilities*, for the names; *PTX ISA*, "Floating Point Instructions", for what
rounding, flushing and saturation mean; a comparison that ends in U is true where an operand is NaN.
"""

from __future__ import annotations

from gpusim.cuda.translate.integer import BOOL
from gpusim.cuda.translate.reader import Reader
from gpusim.isa.opcodes import Cmp, Flag, Mufu, Op, Piece, Round
from gpusim.isa.program import Instr

UNORDERED = 8  # bit of `sub`: true where an operand is NaN
COMPARE = {
    **{c.name: int(c) for c in Cmp},
    **{f"{c.name}U": c | UNORDERED for c in (Cmp.LT, Cmp.LE, Cmp.GT, Cmp.GE, Cmp.EQ, Cmp.NE)},
}
ROUNDING = {"RN": Round.NEAREST, "RM": Round.DOWN, "RP": Round.UP, "RZ": Round.ZERO}
MODES = {"FTZ": Flag.FTZ, "SAT": Flag.SAT}
MUFU = {m.name: m for m in Mufu}
SIXTEEN_BITS = {"F16": Flag.HALF, "BF16": Flag.HALF | Flag.BF16}
UPPER_WORDS = (Mufu.RCP64H, Mufu.RSQ64H)


def rounding(r: Reader) -> int:
    """Rounding mode, as it lies in ``sub``."""
    return r.pick(ROUNDING, Round.NEAREST) << 4


def comparison(r: Reader) -> int:
    """Comparison and how it combines with a predicate, as they lie in ``sub``."""
    return r.need(COMPARE) | r.need(BOOL) << 4


def fadd(r: Reader) -> Instr:
    """``FADD[.FTZ][.SAT][.rnd] d, a, b``."""
    flags, sub = r.flags(MODES), rounding(r)
    return r.make(Op.FADD, r.dst(), (r.float32(), r.float32()), sub=sub, flags=flags)


def fmul(r: Reader) -> Instr:
    """``FMUL[.FTZ][.SAT][.rnd] d, a, b``."""
    flags, sub = r.flags(MODES), rounding(r)
    return r.make(Op.FMUL, r.dst(), (r.float32(), r.float32()), sub=sub, flags=flags)


def ffma(r: Reader) -> Instr:
    """``FFMA[.FTZ][.SAT][.rnd] d, a, b, c``."""
    flags, sub = r.flags(MODES), rounding(r)
    return r.make(Op.FFMA, r.dst(), (r.float32(), r.float32(), r.float32()), sub=sub, flags=flags)


def fmnmx(r: Reader) -> Instr:
    """``FMNMX[.FTZ][.NAN] d, a, b, p0``."""
    flags = r.flags({"FTZ": Flag.FTZ, "NAN": Flag.NAN})
    return r.make(Op.FMNMX, r.dst(), (r.float32(), r.float32()), psrcs=(r.pred(),), flags=flags)


def fmnmx3(r: Reader) -> Instr:
    """``FMNMX3[.FTZ][.NAN] d, a, b, c, p0``."""
    flags = r.flags({"FTZ": Flag.FTZ, "NAN": Flag.NAN})
    dst, srcs = r.dst(), (r.float32(), r.float32(), r.float32())
    return r.make(Op.FMNMX, dst, srcs, psrcs=(r.pred(),), sub=Piece.THIRD, flags=flags)


def fsel(r: Reader) -> Instr:
    """``FSEL d, a, b, p0``."""
    flags = r.flags({"FTZ": Flag.FTZ})
    return r.make(Op.FSEL, r.dst(), (r.float32(), r.float32()), psrcs=(r.pred(),), flags=flags)


def fsetp(r: Reader) -> Instr:
    """``FSETP.cmp[.FTZ].bool q0, q1, a, b, p0``."""
    sub, flags = comparison(r), r.flags({"FTZ": Flag.FTZ})
    verdicts = (r.pred(), r.pred())
    return r.make(Op.FSETP, srcs=(r.float32(), r.float32()), pdsts=verdicts, psrcs=(r.pred(),), sub=sub, flags=flags)


def fset(r: Reader) -> Instr:
    """``FSET[.BF].cmp[.FTZ].bool d, a, b, p0``."""
    sub, flags = comparison(r), r.flags({"FTZ": Flag.FTZ, "BF": Flag.ONE})
    return r.make(Op.FSET, r.dst(), (r.float32(), r.float32()), psrcs=(r.pred(),), sub=sub, flags=flags)


def fchk(r: Reader) -> Instr:
    """``FCHK q0, a, b``."""
    r.skip("DIVIDE")
    verdict = (r.pred(),)
    return r.make(Op.FCHK, srcs=(r.float32(), r.float32()), pdsts=verdict)


def mufu(r: Reader) -> Instr:
    """``MUFU.function[.F16|.BF16] d, a``; RCP64H and RSQ64H take the upper word of an fp64, as DADD's immediate is."""
    flags, sub = r.pick(SIXTEEN_BITS, 0), r.need(MUFU)
    dst = r.dst()
    if flags:
        source = r.half(bf16=bool(flags & Flag.BF16))
    else:
        source = r.float64() if sub in UPPER_WORDS else r.float32()
    return r.make(Op.MUFU, dst, (source,), sub=sub, flags=flags)


TABLE = {
    "FADD": fadd,
    "FMUL": fmul,
    "FFMA": ffma,
    "FMNMX": fmnmx,
    "FMNMX3": fmnmx3,
    "FSEL": fsel,
    "FSETP": fsetp,
    "FSET": fset,
    "FCHK": fchk,
    "MUFU": mufu,
}
