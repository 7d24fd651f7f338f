"""fp16 and bf16, in pairs.

Source: NVIDIA, *CUDA Binary Utilities*, for the names; *PTX ISA*, "Half Precision Floating Point Instructions".
MMA says which unit computes, not what.
"""

from __future__ import annotations

from gpusim.cuda.translate.floating import comparison
from gpusim.cuda.translate.reader import Reader
from gpusim.isa.opcodes import Flag, Op, Piece
from gpusim.isa.program import Instr, Operand

MODES = {"BF16_V2": Flag.BF16, "RELU": Flag.RELU, "SAT": Flag.SAT, "FTZ": Flag.FTZ}


def _sources(r: Reader, flags: int, count: int) -> tuple[Operand, ...]:
    return tuple(r.float16(bf16=bool(flags & Flag.BF16)) for _ in range(count))


def hadd2(r: Reader) -> Instr:
    """``HADD2[.F32][.BF16_V2][.SAT][.FTZ] d, a, b``."""
    flags = r.flags({**MODES, "F32": Flag.F32})
    return r.make(Op.HADD2, r.dst(), _sources(r, flags, 2), flags=flags)


def hmul2(r: Reader) -> Instr:
    """``HMUL2[...] d, a, b``."""
    flags = r.flags(MODES)
    return r.make(Op.HMUL2, r.dst(), _sources(r, flags, 2), flags=flags)


def hfma2(r: Reader) -> Instr:
    """``HFMA2[.MMA][...] d, a, b, c``."""
    r.skip("MMA")
    flags = r.flags(MODES)
    return r.make(Op.HFMA2, r.dst(), _sources(r, flags, 3), flags=flags)


def hmnmx2(r: Reader) -> Instr:
    """``HMNMX2[.BF16_V2][.NAN][.FTZ] d, a, b, p0``."""
    flags = r.flags({"BF16_V2": Flag.BF16, "NAN": Flag.NAN, "FTZ": Flag.FTZ})
    return r.make(Op.HMNMX2, r.dst(), _sources(r, flags, 2), psrcs=(r.pred(),), flags=flags)


def hmnmx3(r: Reader) -> Instr:
    """``VHMNMX[.NAN] d, a, b, c, p0``."""
    flags = r.flags({"BF16_V2": Flag.BF16, "NAN": Flag.NAN, "FTZ": Flag.FTZ})
    dst, srcs = r.dst(), _sources(r, flags, 3)
    return r.make(Op.HMNMX2, dst, srcs, psrcs=(r.pred(),), sub=Piece.THIRD, flags=flags)


def hsetp2(r: Reader) -> Instr:
    """``HSETP2[.BF16_V2].cmp[.FTZ].bool q0, q1, a, b, p0``."""
    sub, flags = comparison(r), r.flags({"BF16_V2": Flag.BF16, "FTZ": Flag.FTZ})
    verdicts = (r.pred(), r.pred())
    return r.make(Op.HSETP2, srcs=_sources(r, flags, 2), pdsts=verdicts, psrcs=(r.pred(),), sub=sub, flags=flags)


def hset2(r: Reader) -> Instr:
    """``HSET2[.BF16_V2][.BF].cmp[.FTZ].bool d, a, b, p0``."""
    sub, flags = comparison(r), r.flags({"BF16_V2": Flag.BF16, "FTZ": Flag.FTZ, "BF": Flag.ONE})
    return r.make(Op.HSET2, r.dst(), _sources(r, flags, 2), psrcs=(r.pred(),), sub=sub, flags=flags)


TABLE = {
    "HADD2": hadd2,
    "HMUL2": hmul2,
    "HFMA2": hfma2,
    "HMNMX2": hmnmx2,
    "VHMNMX": hmnmx3,
    "HSETP2": hsetp2,
    "HSET2": hset2,
}
