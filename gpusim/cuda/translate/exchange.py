"""Special registers, and what lanes of a warp tell one another.

Source: NVIDIA, *CUDA Binary Utilities*, for the names; *PTX ISA*, "Special Registers", "shfl", "vote", "match",
"redux".
"""

from __future__ import annotations

from gpusim.cuda.operands import Form
from gpusim.cuda.translate.reader import Reader, Unsupported
from gpusim.isa.instruction import Instr
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Atomic, Flag, Shfl, Special, Vote

SPECIAL = {
    "SRZ": Special.ZERO,
    **{f"SR_{n}.{x}": Special[f"{n}_{x}"] for n in ("TID", "CTAID", "NTID", "NCTAID") for x in "XYZ"},
    "SR_LANEID": Special.LANEID,
    "SR_VIRTUALSMID": Special.SMID,
    "SR_VIRTID": Special.VIRTID,
    "SR_CLOCKLO": Special.CLOCK_LO,
    "SR_CLOCKHI": Special.CLOCK_HI,
    "SR_GLOBALTIMERLO": Special.GLOBALTIMER_LO,
    "SR_GLOBALTIMERHI": Special.GLOBALTIMER_HI,
    "SR_EQMASK": Special.LANEMASK_EQ,
    "SR_LTMASK": Special.LANEMASK_LT,
    "SR_LEMASK": Special.LANEMASK_LE,
    "SR_GTMASK": Special.LANEMASK_GT,
    "SR_GEMASK": Special.LANEMASK_GE,
    "SR_SMEMSZ": Special.SHARED_SIZE,
    "SR_SWINHI": Special.SHARED_WINDOW_HI,
    "SR_LWINHI": Special.LOCAL_WINDOW_HI,
    "SR_LMEMHIOFF": Special.ZERO,  # least local address: where code that is not optimised sees its stack end
    "SR_CgaCtaId": Special.CLUSTER_RANK,
    "SR_CgaSize": Special.CLUSTER_SIZE,
}
REDUCTIONS = {"SUM": Atomic.ADD, "MIN": Atomic.MIN, "MAX": Atomic.MAX, "OR": Atomic.OR, "XOR": Atomic.XOR}


def _special(r: Reader) -> Special:
    text = r.next()
    if text.form is not Form.SPECIAL or text.name not in SPECIAL:
        raise Unsupported("a special register that is not known")
    return SPECIAL[text.name]


def s2r(r: Reader) -> Instr:
    """``S2R d, register``; S2UR into a uniform one."""
    return r.make(Op.S2R, r.dst(), sub=_special(r))


def cs2r(r: Reader) -> Instr:
    """``CS2R[.32] d, register``: 64 bits where not said."""
    width = 4 if r.has("32") else 8
    return r.make(Op.CS2R, r.dst(), sub=_special(r), width=width)


def shfl(r: Reader) -> Instr:
    """``SHFL.mode q0, d, a, b, c``."""
    sub = r.need({s.name: s for s in Shfl})
    inside = (r.pred(),)
    return r.make(Op.SHFL, r.dst(), (r.integer(), r.integer(), r.integer()), pdsts=inside, sub=sub)


def vote(r: Reader) -> Instr:
    """``VOTE.mode [d,] q0, p0``."""
    sub = r.need({v.name: v for v in Vote})
    text = r.peek()
    dst = r.dst() if text is not None and text.form in (Form.REG, Form.UREG) else None
    verdict = (r.pred(),)
    return r.make(Op.VOTE, dst, pdsts=verdict, psrcs=(r.pred(),), sub=sub)


def match(r: Reader) -> Instr:
    """``MATCH.{ANY,ALL}[.U64] [q0,] d, a``."""
    sub = r.need({"ANY": 0, "ALL": 1})
    width = 8 if r.has("U64") else 4
    agree = r.preds()
    return r.make(Op.MATCH, r.dst(), (r.integer(),), pdsts=agree, sub=sub, width=width)


def redux(r: Reader) -> Instr:
    """``REDUX[.operation][.S32] d, a``: AND where not said."""
    sub = r.pick(REDUCTIONS, Atomic.AND)
    flags = 0 if r.has("S32") else Flag.UNSIGNED
    return r.make(Op.REDUX, r.dst(), (r.integer(),), sub=sub, flags=flags)


def r2ur(r: Reader) -> Instr:
    """``R2UR d, a``, ``R2UR[.OR] q0, d, a``: with OR those lanes, too, in which q0 holds before.

    The compiler makes ``R2UR q0, URZ, a`` of lanes' masks before ``@!q0 BRA.DIV`` or ``@!q0 BRA.CONV``, which lead
    lanes of different masks to where each of them waits for its own; and the others in loops, once around for each
    value that lanes have.
    """
    also, differs = r.has("OR"), r.preds()
    return r.make(Op.R2UR, r.dst(), (r.integer(),), pdsts=differs, psrcs=differs if also else (), sub=int(also))


def elect(r: Reader) -> Instr:
    """``ELECT q0, d, p0``."""
    verdict = (r.pred(),)
    return r.make(Op.ELECT, r.dst(), pdsts=verdict, psrcs=(r.pred(),))


TABLE = {
    "S2R": s2r,
    "CS2R": cs2r,
    "SHFL": shfl,
    "VOTE": vote,
    "MATCH": match,
    "REDUX": redux,
    "CREDUX": redux,
    "R2UR": r2ur,
    "ELECT": elect,
}
