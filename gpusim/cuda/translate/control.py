"""Branches, convergence, calls, barriers, ends.

Addresses in a program are bytes from its start, 16 an instruction.  Which lanes BRA.DIV and BRA.CONV look at
follows from the code around them: the path they lead to is the one for a warp that has, or has not, diverged.

Source: NVIDIA, *CUDA Binary Utilities*, for the names; *PTX ISA*, "bar", "Control Flow Instructions".
"""

from __future__ import annotations

from gpusim.cuda.operands import Form
from gpusim.cuda.translate.reader import KINDS, ZERO, Reader, Unsupported
from gpusim.isa.instruction import INSTRUCTION_BYTES, URZ, Instr, Operand, imm
from gpusim.isa.opcodes import BARRIERS, Op
from gpusim.isa.variants import BarRed, Flag

ALL_LANES = imm(-1)
BLOCK_BARRIERS = 16
ANY_LANE = 1  # `sub` of BRA
WORD = 4


def nop(r: Reader) -> Instr:
    """``NOP``, and what only tells the scheduler something."""
    return r.make(Op.NOP)


def pause(r: Reader) -> Instr:
    """``YIELD``."""
    return r.make(Op.NOP, sub=1)


def nanosleep(r: Reader) -> Instr:
    """``NANOSLEEP[.WARP|.SYNCS] time``: takes time, and lets others run."""
    r.skip("WARP", "SYNCS")
    r.integer()
    return r.make(Op.NOP, sub=1)


def leave(r: Reader) -> Instr:
    """``EXIT [p0]``."""
    return r.make(Op.EXIT, psrcs=r.preds())


def bra(r: Reader) -> Instr:
    """``BRA[.U|.DIV|.CONV] [mask,] [p0,] target``; ``@p0 BRA.U.ANY target`` takes all lanes along."""
    if r.has("ANY"):
        r.skip("U")
        return r.make(Op.BRA, psrcs=r.preds(), target=target(r), sub=ANY_LANE)
    flags = r.flags({"U": Flag.UNIFORM_TARGET, "DIV": Flag.DIVERGED, "CONV": Flag.CONVERGED})
    mask = _mask(r) if flags & (Flag.DIVERGED | Flag.CONVERGED) else ()
    return r.make(Op.BRA, None, mask, psrcs=r.preds(), target=target(r), flags=flags)


def _mask(r: Reader) -> tuple[Operand, ...]:
    """Lanes that a branch looks at: all where there is no operand, or ``~URZ``."""
    text = r.peek()
    if text is None or text.form is Form.LABEL:
        return ()
    if text.form is Form.UREG and text.invert and text.index == URZ:
        r.next()
        return (ALL_LANES,)
    return (r.integer(),)


def target(r: Reader) -> int:
    """Take a label of this program; gives the index of the instruction."""
    text = r.next()
    if text.form is not Form.LABEL or text.index < 0 or text.index % INSTRUCTION_BYTES:
        raise Unsupported("a jump out of the program")
    return text.index // INSTRUCTION_BYTES


def bssy(r: Reader) -> Instr:
    """``BSSY barrier, target``."""
    r.skip("RECONVERGENT", "RELIABLE")
    return r.make(Op.BSSY, sub=_barrier(r), target=target(r))


def bsync(r: Reader) -> Instr:
    """``BSYNC barrier``."""
    r.skip("RECONVERGENT", "RELIABLE")
    return r.make(Op.BSYNC, sub=_barrier(r))


def leave_barrier(r: Reader) -> Instr:
    """``BREAK [p0,] barrier``."""
    r.skip("RELIABLE", "RECONVERGENT")
    return r.make(Op.BREAK, psrcs=r.preds(), sub=_barrier(r))


def bmov(r: Reader) -> Instr:
    """``BMOV.32[.CLEAR] d, barrier`` and ``BMOV.32 barrier, a``."""
    r.skip("32", "RELIABLE", "RECONVERGENT")
    flags = r.flags({"CLEAR": Flag.CLEAR})
    text = r.peek()
    if text is not None and text.form is Form.BARRIER:
        return r.make(Op.BMOV, sub=_barrier(r), srcs=(r.integer(),), flags=flags)
    return r.make(Op.BMOV, r.dst(), sub=_barrier(r), flags=flags)


def _barrier(r: Reader) -> int:
    text = r.next()
    if text.form is not Form.BARRIER or text.index not in BARRIERS or text[2:6] != (False, False, False, ()):
        raise Unsupported("an operand is no convergence barrier")
    return text.index


def warpsync(r: Reader) -> Instr:
    """``WARPSYNC[.EXCLUSIVE] mask``, ``WARPSYNC.ALL``, ``WARPSYNC.COLLECTIVE mask, target``.

    ``WARPSYNC.COLLECTIVE.ALL target`` stands before what a whole warp does though its lanes come apart, such as to
    arrive at the barrier of a cluster: there each lane counts for itself, as PTX has it.  Before a barrier of a block
    all of them meet (:func:`gpusim.cuda.translate.translate` sees to it).
    """
    leads, everybody = r.has("COLLECTIVE"), r.has("ALL")
    if leads and everybody:
        target(r)
        return r.make(Op.NOP)
    if everybody:
        return r.make(Op.WARPSYNC)
    flags = Flag.EXCLUSIVE if leads else r.flags({"EXCLUSIVE": Flag.EXCLUSIVE})
    mask = (r.integer(),)
    return r.make(Op.WARPSYNC, None, mask, flags=flags, target=target(r) if leads else -1)


# ------------------------------------------------------------------ jumps through a register


def _place(r: Reader) -> tuple[tuple[Operand, ...], int]:
    """Where ``R6 -0x140`` (from the next instruction on) or ``R6 `0x80`` leads: a register and an offset."""
    text = r.next()
    if text.form is not Form.ADDRESS or len(text.terms) != 1 or text.terms[0].suffixes:
        raise Unsupported("a jump of an unknown form")
    base = 0 if text.name == "absolute" else r.line.address + INSTRUCTION_BYTES
    register = text.terms[0]
    return (Operand(KINDS[register.form], register.index),), base + text.offset


def _jump(r: Reader, op: Op, conditions: tuple[Operand, ...]) -> Instr:
    srcs, offset = _place(r)
    return r.make(op, None, srcs, psrcs=conditions, offset=offset)


def brx(r: Reader) -> Instr:
    """``BRX [p0,] a offset``; BRXU through a uniform register."""
    return _jump(r, Op.BRX, r.preds())


def call(r: Reader) -> Instr:
    """``CALL.REL.NOINC [p0,] target`` or ``CALL.REL.NOINC [p0,] a target``."""
    _relative(r)
    conditions, text = r.preds(), r.peek()
    if text is not None and text.form is Form.LABEL:
        return r.make(Op.CALL, psrcs=conditions, target=target(r))
    return _jump(r, Op.CALL, conditions)


def code_address(r: Reader) -> Instr:
    """``LEPC d, target``: the address of an instruction; ``LEPC d``: its own."""
    d = r.dst()
    place = target(r) * INSTRUCTION_BYTES if r.more() else r.line.address
    return r.make(Op.MOV, d, (imm(place, wide=True),), width=2 * WORD)


def ret(r: Reader) -> Instr:
    """``RET.REL.NODEC [p0,] a target``."""
    _relative(r)
    return _jump(r, Op.RET, r.preds())


def _relative(r: Reader) -> None:
    """Only calls within the program are known; NOINC and NODEC concern a depth that nobody reads."""
    if not r.has("REL"):
        raise Unsupported("a call to an absolute address")
    r.skip("NOINC", "NODEC")


def trap(r: Reader) -> Instr:
    """``BPT.TRAP code``, ``BPT.INT code``."""
    r.skip("TRAP", "INT")
    r.literal()
    return r.make(Op.TRAP)


# ------------------------------------------------------------------ barriers of a block


def bar(r: Reader) -> Instr:
    """``BAR.{SYNC,ARV,RED.operation}[.DEFER_BLOCKING] barrier[, threads][, p0]``."""
    r.skip("DEFER_BLOCKING")
    flags = r.need({"SYNC": 0, "ARV": Flag.ARRIVE, "RED": 0})
    result = r.pick({b.name: b for b in BarRed if b is not BarRed.NONE}, BarRed.NONE)
    number, srcs = _numbered(r)
    return r.make(Op.BAR, None, srcs, psrcs=r.preds(), sub=number | result << 8, flags=flags)


def _numbered(r: Reader) -> tuple[int, tuple[Operand, ...]]:
    """Number of a barrier, and its sources: a register that is added, and a count of threads."""
    text = r.peek()
    number, place = 0, ZERO
    if text is not None and text.form is Form.INTEGER:
        number = r.literal()
        if not 0 <= number < BLOCK_BARRIERS:
            raise Unsupported("no barrier of a block")
    else:
        place = r.integer()
    text = r.peek()
    if text is None or text.form is Form.PRED:
        return number, () if place == ZERO else (place,)
    return number, (place, r.integer())


def b2r(r: Reader) -> Instr:
    """``B2R.RESULT d[, q0]``."""
    if not r.has("RESULT"):
        raise Unsupported("B2R of something else")
    return r.make(Op.B2R, r.dst(), pdsts=r.preds())


TABLE = {
    "NOP": nop,
    "ENDCOLLECTIVE": nop,
    "YIELD": pause,
    "NANOSLEEP": nanosleep,
    "EXIT": leave,
    "BRA": bra,
    "BSSY": bssy,
    "BSYNC": bsync,
    "BREAK": leave_barrier,
    "BMOV": bmov,
    "WARPSYNC": warpsync,
    "BRX": brx,
    "BRXU": brx,
    "CALL": call,
    "RET": ret,
    "LEPC": code_address,
    "BPT": trap,
    "BAR": bar,
    "B2R": b2r,
}
