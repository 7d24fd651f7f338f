"""Floats: comparisons, rounding, special functions, and what has no common form.

Source: NVIDIA, *CUDA Binary Utilities*, for the names; *PTX ISA*, "Floating Point Instructions", for what
rounding, flushing and saturation mean; a comparison that ends in U is true where an operand is NaN.  What DSETP.MIN
and DSETP.MAX leave in their two predicates follows from the code that the compiler makes of ``fmin`` and ``fmax``: the
first selects, the second makes a NaN quiet.
"""

from __future__ import annotations

from gpusim.cuda.translate.integer import BOOL
from gpusim.cuda.translate.reader import Reader
from gpusim.isa.instruction import Instr
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Cmp, Flag, Mufu, Piece, Round, Scale

UNORDERED = 8  # bit of `sub`: true where an operand is NaN
MINIMUM, MAXIMUM = 1 << 6, 1 << 7  # of DSETP
COMPARE = {
    **{c.name: int(c) for c in Cmp},
    **{f"{c.name}U": c | UNORDERED for c in (Cmp.LT, Cmp.LE, Cmp.GT, Cmp.GE, Cmp.EQ, Cmp.NE)},
}
ROUNDING = {"RN": Round.NEAREST, "RM": Round.DOWN, "RP": Round.UP, "RZ": Round.ZERO}
SCALES = {s.name: s for s in Scale}
MUFU = {m.name: m for m in Mufu}
SIXTEEN_BITS = {"F16": Flag.HALF, "BF16": Flag.HALF | Flag.BF16}
UPPER_WORDS = (Mufu.RCP64H, Mufu.RSQ64H)


def rounding(r: Reader) -> int:
    """Rounding mode, as it lies in ``sub``."""
    return r.pick(ROUNDING, Round.NEAREST) << 4


def scaling(r: Reader) -> int:
    """Rounding mode, and by what a product is multiplied before."""
    return rounding(r) | r.pick(SCALES, 0)


def comparison(r: Reader) -> int:
    """Comparison and how it combines with a predicate, as they lie in ``sub``."""
    return r.need(COMPARE) | r.need(BOOL) << 4


def fmnmx3(r: Reader) -> Instr:
    """``FMNMX3[.FTZ][.NAN] d, a, b, c, p0``."""
    flags = r.flags({"FTZ": Flag.FTZ, "NAN": Flag.NAN})
    dst, srcs = r.dst(), (r.float32(), r.float32(), r.float32())
    return r.make(Op.FMNMX, dst, srcs, psrcs=(r.pred(),), sub=Piece.THIRD, flags=flags)


def mufu(r: Reader) -> Instr:
    """``MUFU.function[.F16|.BF16] d, a``; RCP64H and RSQ64H take the upper word of an fp64, as DADD's immediate is."""
    flags, sub = r.pick(SIXTEEN_BITS, 0), r.need(MUFU)
    dst = r.dst()
    if flags:
        source = r.half(bf16=bool(flags & Flag.BF16))
    else:
        source = r.float64() if sub in UPPER_WORDS else r.float32()
    return r.make(Op.MUFU, dst, (source,), sub=sub, flags=flags)


def hmnmx3(r: Reader) -> Instr:
    """``VHMNMX[.BF16_V2][.NAN][.FTZ] d, a, b, c, p0``."""
    flags = r.flags({"BF16_V2": Flag.BF16, "NAN": Flag.NAN, "FTZ": Flag.FTZ})
    dst, srcs = r.dst(), tuple(r.float16(bf16=bool(flags & Flag.BF16)) for _ in range(3))
    return r.make(Op.HMNMX2, dst, srcs, psrcs=(r.pred(),), sub=Piece.THIRD, flags=flags)


def dsetp(r: Reader) -> Instr:
    """``DSETP.cmp.bool q0, q1, a, b, p0``."""
    sub = r.need({**COMPARE, "MIN": MINIMUM, "MAX": MAXIMUM}) | r.need(BOOL) << 4
    verdicts = (r.pred(), r.pred())
    return r.make(Op.DSETP, srcs=(r.float64(), r.float64()), pdsts=verdicts, psrcs=(r.pred(),), sub=sub)


TABLE = {"FMNMX3": fmnmx3, "MUFU": mufu, "VHMNMX": hmnmx3, "DSETP": dsetp}
