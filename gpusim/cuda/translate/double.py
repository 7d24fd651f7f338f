"""fp64, in pairs of registers.

Source: NVIDIA, *CUDA Binary Utilities*, for the names.  What DSETP.MIN and DSETP.MAX leave in their two predicates
follows from the code that the compiler makes of ``fmin`` and ``fmax``: the first selects, the second makes a NaN quiet.
"""

from __future__ import annotations

from gpusim.cuda.translate.floating import COMPARE, rounding
from gpusim.cuda.translate.integer import BOOL
from gpusim.cuda.translate.reader import Reader
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Instr

MINIMUM, MAXIMUM = 1 << 6, 1 << 7


def dadd(r: Reader) -> Instr:
    """``DADD[.rnd] d, a, b``."""
    sub = rounding(r)
    return r.make(Op.DADD, r.dst(), (r.float64(), r.float64()), sub=sub)


def dmul(r: Reader) -> Instr:
    """``DMUL[.rnd] d, a, b``."""
    sub = rounding(r)
    return r.make(Op.DMUL, r.dst(), (r.float64(), r.float64()), sub=sub)


def dfma(r: Reader) -> Instr:
    """``DFMA[.rnd] d, a, b, c``."""
    sub = rounding(r)
    return r.make(Op.DFMA, r.dst(), (r.float64(), r.float64(), r.float64()), sub=sub)


def dsetp(r: Reader) -> Instr:
    """``DSETP.cmp.bool q0, q1, a, b, p0``."""
    sub = r.need({**COMPARE, "MIN": MINIMUM, "MAX": MAXIMUM}) | r.need(BOOL) << 4
    verdicts = (r.pred(), r.pred())
    return r.make(Op.DSETP, srcs=(r.float64(), r.float64()), pdsts=verdicts, psrcs=(r.pred(),), sub=sub)


TABLE = {"DADD": dadd, "DMUL": dmul, "DFMA": dfma, "DSETP": dsetp}
