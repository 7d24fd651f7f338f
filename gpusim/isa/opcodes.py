"""Opcodes of the one warp-level instruction set, and what each of them is.

The set follows NVIDIA's machine code (SASS) closely, so that a disassembled
kernel translates one instruction to one, and the lowering of a description
produces what a compiler would have produced.

Source: NVIDIA, *CUDA Binary Utilities*, "Instruction Set Reference"
(Ampere/Ada and Hopper tables), for the names; semantics as stated beside each.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Op(IntEnum):
    """Opcode numbers as the engine dispatches on them (dense, stable within a version)."""

    # control flow
    NOP = 0
    EXIT = 1  # active lanes that pass the guard leave the kernel
    BRA = 2  # guarded lanes go to `target`
    BSSY = 3  # convergence barrier `sub` <- active lanes; reconvergence point `target`
    BSYNC = 4  # wait until all lanes of convergence barrier `sub` have arrived
    BAR = 5  # block-wide barrier (`sub` = barrier number)
    WARPSYNC = 6
    # moves and special registers
    MOV = 7  # d = a
    S2R = 8  # d = special register `sub` (Special)
    SEL = 9  # d = p ? a : b
    # integer
    IADD3 = 10  # d = a + b + c; X flag adds carry-in p0 (p1); carry-out q0
    IMAD = 11  # d = lo32(a * b) + c
    IMAD_WIDE = 12  # d:d+1 = a * b + c:c+1 (signed unless UNSIGNED)
    IMAD_HI = 13  # d = hi32(a * b) + c (signed unless UNSIGNED)
    LEA = 14  # d = (a << sub) + b; carry-out q0
    LEA_HI_X = 15  # d = hi32((c:a) << sub) + b + carry-in p0: upper half of a 64-bit LEA
    SHF = 16  # d = funnel shift of c:a by b (`sub` = Shift)
    LOP3 = 17  # d = lut(a, b, c), bitwise (`sub` = 8-bit truth table)
    IMNMX = 18  # d = p ? min(a, b) : max(a, b) (signed unless UNSIGNED)
    IABS = 19
    POPC = 20
    FLO = 21  # index of the highest set bit, -1 if none
    BREV = 22
    PRMT = 23  # byte permute of c:a by selector b
    ISETP = 24  # q0 = (a cmp b) boolop p; q1 = !(a cmp b) boolop p
    # fp32
    FADD = 25
    FMUL = 26
    FFMA = 27  # d = fma(a, b, c)
    FMNMX = 28  # d = p ? min(a, b) : max(a, b)
    FSEL = 29  # d = p ? a : b
    FSETP = 30
    MUFU = 31  # d = approximate `sub` (Mufu) of a
    FRND = 32
    # conversions (`sub` = Convert)
    I2F = 33
    F2I = 34
    F2F = 35
    F2FP = 36  # pack two fp32 into one register as fp16/bf16: d = (hi=a, lo=b)
    # fp16x2 / bf16x2
    HADD2 = 37
    HMUL2 = 38
    HFMA2 = 39
    HMNMX2 = 40
    HSETP2 = 41
    # fp64 (register pairs)
    DADD = 42
    DMUL = 43
    DFMA = 44
    DSETP = 45
    # predicates and warp-wide operations
    PLOP3 = 46  # q0 = lut(p0, p1, p2) (`sub` = 8-bit truth table)
    VOTE = 47  # d = ballot(p); q0 = all/any/eq (`sub` = Vote)
    SHFL = 48  # d = a of lane picked by b, c (`sub` = Shfl); q0 = in range
    MATCH = 49
    REDUX = 50
    # memory: address = a (64-bit pair for global, 32-bit otherwise) + imm
    LDG = 51
    STG = 52  # value in b
    LDS = 53
    STS = 54
    LDL = 55
    STL = 56
    LDC = 57  # d = constant bank `sub` at a + imm
    ATOMG = 58  # d = old value, `sub` = Atomic, operand b (and c for compare-and-swap)
    ATOMS = 59
    RED = 60
    LDGSTS = 61  # cp.async: shared[a] <- global[b:b+1]
    LDGDEPBAR = 62
    DEPBAR = 63
    LDSM = 64
    MEMBAR = 65
    # tensor cores
    HMMA = 66
    IMMA = 67
    # control flow that needs a register
    BRX = 68
    CALL = 69
    RET = 70


class Special(IntEnum):
    """Special registers readable by ``S2R`` (``sub`` field)."""

    TID_X = 0
    TID_Y = 1
    TID_Z = 2
    CTAID_X = 3
    CTAID_Y = 4
    CTAID_Z = 5
    LANEID = 6
    WARPID = 7
    SMID = 8
    CLOCK_LO = 9
    CLOCK_HI = 10
    LANEMASK_EQ = 11
    LANEMASK_LT = 12
    LANEMASK_LE = 13
    LANEMASK_GT = 14
    LANEMASK_GE = 15


class Cmp(IntEnum):
    """Comparison in ``sub`` bits 0-2 of ISETP/FSETP/HSETP2/DSETP."""

    LT = 0
    LE = 1
    GT = 2
    GE = 3
    EQ = 4
    NE = 5
    NUM = 6  # neither operand is NaN
    NAN = 7  # at least one operand is NaN


class BoolOp(IntEnum):
    """How a comparison combines with the predicate source (``sub`` bits 4-5)."""

    AND = 0
    OR = 1
    XOR = 2


class Shift(IntEnum):
    """``sub`` of SHF.  L: (c:a << b) upper word is SHL_HI; 32-bit shifts use L and R."""

    L = 0  # d = a << b            (b > 31 gives 0)
    R_U32 = 1  # d = a >> b, logical   (b > 31 gives 0)
    R_S32 = 2  # d = a >> b, arithmetic (b > 31 gives the sign)
    L_HI = 3  # d = upper word of (c:a) << b
    R_LO = 4  # d = lower word of (c:a) >> b


class Mufu(IntEnum):
    """Multi-function unit operations (``sub`` of MUFU)."""

    RCP = 0
    RSQ = 1
    SQRT = 2
    EX2 = 3
    LG2 = 4
    SIN = 5  # argument in revolutions (after RRO-style multiply by 1/2pi)
    COS = 6
    TANH = 7


class Convert(IntEnum):
    """``sub`` of I2F, F2I, F2F, F2FP: bits 0-3 type, bits 4-5 rounding."""

    S32 = 0
    U32 = 1
    F16 = 2  # F2F: fp32 <- fp16 (low half); F2FP: fp16 pair
    BF16 = 3
    TO_F16 = 4  # F2F: fp16 (low half) <- fp32
    TO_BF16 = 5
    S64 = 6
    U64 = 7
    F64 = 8


class Round(IntEnum):
    """Rounding mode, in bits 4-5 of a conversion's ``sub``."""

    NEAREST = 0
    DOWN = 1
    UP = 2
    ZERO = 3


class Shfl(IntEnum):
    """``sub`` of SHFL."""

    IDX = 0
    UP = 1
    DOWN = 2
    BFLY = 3


class Vote(IntEnum):
    """``sub`` of VOTE."""

    ALL = 0
    ANY = 1
    EQ = 2


class Atomic(IntEnum):
    """``sub`` of ATOMG/ATOMS/RED: bits 0-3 operation; FLOAT in flags."""

    ADD = 0
    MIN = 1
    MAX = 2
    AND = 3
    OR = 4
    XOR = 5
    EXCH = 6
    CAS = 7
    INC = 8
    DEC = 9


class Cache(IntEnum):
    """Cache operator of a global access."""

    CA = 0  # L1 and L2
    CG = 1  # L2 only
    CS = 2  # streaming: as CA here


class Flag(IntEnum):
    """Bits of :attr:`Instr.flags`."""

    UNSIGNED = 1
    X = 2  # use carry-in
    FTZ = 4
    FLOAT = 8  # atomics on fp32
    SAT = 16
    EX = 32  # extended (second word of a 64-bit comparison)
    CONSTANT = 64  # LDG.CONSTANT (read-only path)


class Pipe(IntEnum):
    """Execution pipe an opcode issues to."""

    CONTROL = 0
    ALU = 1
    FMA = 2
    XU = 3
    LSU = 4
    TENSOR = 5
    FP64 = 6
    FP16 = 7
    UNIFORM = 8


class OpInfo(NamedTuple):
    """Static facts of an opcode."""

    pipe: Pipe
    reads_memory: bool = False
    writes_memory: bool = False
    space: str = ""  # "global" | "shared" | "local" | "constant" | ""
    variable_latency: bool = False  # its result is waited for through a scoreboard


_FMA = OpInfo(Pipe.FMA)
_ALU = OpInfo(Pipe.ALU)
_XU = OpInfo(Pipe.XU, variable_latency=True)
_CTL = OpInfo(Pipe.CONTROL)
_FP16 = OpInfo(Pipe.FP16)
_FP64 = OpInfo(Pipe.FP64, variable_latency=True)

INFO: dict[Op, OpInfo] = {
    **dict.fromkeys((Op.NOP, Op.EXIT, Op.BRA, Op.BSSY, Op.BSYNC, Op.BAR, Op.WARPSYNC, Op.BRX, Op.CALL, Op.RET), _CTL),
    **dict.fromkeys(
        (
            Op.MOV,
            Op.SEL,
            Op.IADD3,
            Op.LEA,
            Op.LEA_HI_X,
            Op.SHF,
            Op.LOP3,
            Op.IMNMX,
            Op.IABS,
            Op.PRMT,
            Op.ISETP,
            Op.FMNMX,
            Op.FSEL,
            Op.FSETP,
            Op.F2FP,
            Op.PLOP3,
            Op.VOTE,
        ),
        _ALU,
    ),
    **dict.fromkeys((Op.IMAD, Op.IMAD_WIDE, Op.IMAD_HI, Op.FADD, Op.FMUL, Op.FFMA), _FMA),
    **dict.fromkeys((Op.MUFU, Op.POPC, Op.FLO, Op.BREV, Op.FRND, Op.I2F, Op.F2I, Op.F2F), _XU),
    **dict.fromkeys((Op.HADD2, Op.HMUL2, Op.HFMA2, Op.HMNMX2, Op.HSETP2), _FP16),
    **dict.fromkeys((Op.DADD, Op.DMUL, Op.DFMA, Op.DSETP), _FP64),
    Op.S2R: OpInfo(Pipe.LSU, variable_latency=True),
    Op.SHFL: OpInfo(Pipe.LSU, variable_latency=True),
    Op.MATCH: OpInfo(Pipe.LSU, variable_latency=True),
    Op.REDUX: OpInfo(Pipe.ALU, variable_latency=True),
    Op.LDG: OpInfo(Pipe.LSU, True, False, "global", True),
    Op.STG: OpInfo(Pipe.LSU, False, True, "global", True),
    Op.LDS: OpInfo(Pipe.LSU, True, False, "shared", True),
    Op.STS: OpInfo(Pipe.LSU, False, True, "shared", True),
    Op.LDL: OpInfo(Pipe.LSU, True, False, "local", True),
    Op.STL: OpInfo(Pipe.LSU, False, True, "local", True),
    Op.LDC: OpInfo(Pipe.LSU, True, False, "constant", True),
    Op.ATOMG: OpInfo(Pipe.LSU, True, True, "global", True),
    Op.ATOMS: OpInfo(Pipe.LSU, True, True, "shared", True),
    Op.RED: OpInfo(Pipe.LSU, True, True, "global", True),
    Op.LDGSTS: OpInfo(Pipe.LSU, True, True, "global", True),
    Op.LDGDEPBAR: OpInfo(Pipe.LSU),
    Op.DEPBAR: OpInfo(Pipe.CONTROL),
    Op.LDSM: OpInfo(Pipe.LSU, True, False, "shared", True),
    Op.MEMBAR: OpInfo(Pipe.LSU),
    Op.HMMA: OpInfo(Pipe.TENSOR),
    Op.IMMA: OpInfo(Pipe.TENSOR),
}
