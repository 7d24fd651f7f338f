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
    NOP = 0  # `sub` 1: YIELD, lets lanes that wait at convergence barriers go on where this is a loop that spins
    EXIT = 1  # active lanes that pass the guard, and in which p0 holds, leave the kernel
    BRA = 2  # active lanes that pass the guard and p0 go to `target`
    BSSY = 3  # convergence barrier `sub` <- active lanes; reconvergence point `target`
    BSYNC = 4  # wait until all lanes of convergence barrier `sub` have arrived
    # barrier number `sub` bits 0-3 plus a (of a register: its bits 0-3); thread count b (none: the whole block; of a
    # register: its bits 16-27); ARRIVE flag: do not wait; `sub` bits 8-11 (BarRed): what B2R gives afterwards, of p0
    # over all threads
    BAR = 5
    WARPSYNC = 6  # lanes of mask a (without a: all), which may be different in each, wait for one another
    # moves and special registers.  MOV, SEL, IADD3 (no carries), ISETP, IMNMX: on register pairs where the width is 8
    MOV = 7  # d = a
    S2R = 8  # d = special register `sub` (Special), through the load/store pipe
    SEL = 9  # d = p ? a : b
    # integer
    # d = a + b + c; X flag: negated sources are inverted instead, carries p0 and p1 come in; carries q0, q1 out.
    # `sub` (Piece), here and of minima and IABSDIFF: each piece of a word on its own; then IADD3 adds a and b alone
    IADD3 = 10
    IMAD = 11  # d = lo32(a * b) + c; X flag adds carry-in p0
    IMAD_WIDE = 12  # d:d+1 = a * b + c:c+1 (signed unless UNSIGNED); X flag adds carry-in p0; carry-out q0
    IMAD_HI = 13  # d = hi32(a * b + c:c+1) (signed unless UNSIGNED); carry-out q0
    LEA = 14  # d = (a << sub) + b; X flag: as IADD3; carry-out q0
    LEA_HI_X = 15  # d = hi32((c:a) << sub) + b + carry-in p0 (X flag); SIGNED flag: c is a's sign; carry-out q0
    SHF = 16  # d = funnel shift of c:a by b (`sub` = Shift); WRAP flag: b modulo 32 (64 for HI/LO of 64) else clamped
    LOP3 = 17  # d = lut(a, b, c), bitwise (`sub` = 8-bit truth table); q0 = (d != 0) or p0 (and, with PAND flag)
    IMNMX = 18  # d = p ? min(a, b) : max(a, b) (signed unless UNSIGNED); RELU flag: 0 where that is negative
    IABS = 19
    POPC = 20
    FLO = 21  # index of the highest set bit (SIGNED: that differs from the sign), -1 if none; SHIFT flag: 31 - index
    BREV = 22
    PRMT = 23  # byte permute of c:a by selector b (`sub` = Permute)
    ISETP = 24  # q0 = (a cmp b) boolop p0; q1 = !(a cmp b) boolop p0; EX flag: p1 is the verdict on the lower words
    # fp32: FTZ flag; FADD, FMUL, FFMA: rounding in `sub` bits 4-5, SAT flag clamps to [0, 1]
    FADD = 25
    FMUL = 26
    FFMA = 27  # d = fma(a, b, c)
    FMNMX = 28  # d = p ? min(a, b) : max(a, b); the other one where one is NaN (NAN flag: NaN)
    FSEL = 29  # d = p ? a : b
    FSETP = 30  # as ISETP on floats; `sub` bit 3: true as well where an operand is NaN (LTU, GEU, NEU, ...)
    MUFU = 31  # d = approximate `sub` (Mufu) of a; HALF flag: on fp16 in the low half
    FRND = 32
    # conversions (`sub` = Convert)
    # integers of 8 and 16 bits lie at the bottom of a, or where Operand.half says; ON_ALU flag: done by the ALU's pipe
    I2F = 33
    F2I = 34  # NaN gives 0; NAN flag: the sign bit alone
    F2F = 35
    # pack two fp32 into one register as fp16/bf16: d = (hi=a, lo=b); RELU flag.  To fp8: (low half of c, a, b).
    # UNPACK flag: fp16 pair <- the two fp8 in the low half of a
    F2FP = 36
    # fp16x2 / bf16x2: sources pick their halves (Operand.half); BF16, RELU, SAT, FTZ flags; HADD2 with F32 flag:
    # d = a + b as fp32
    HADD2 = 37
    HMUL2 = 38
    HFMA2 = 39
    HMNMX2 = 40  # p0 ? min : max; NAN flag as FMNMX; `sub` Piece.THIRD: of a, b and c
    HSETP2 = 41  # q0 from the low halves, q1 from the high ones (`sub` as FSETP)
    # fp64 (register pairs; an immediate is the upper word, the lower one is 0)
    DADD = 42
    DMUL = 43
    DFMA = 44
    # as FSETP.  `sub` bit 6 (MIN) or 7 (MAX): q0 = min(a, b) or max(a, b) is a, where NaN loses to a number;
    # q1 = both are NaN
    DSETP = 45
    # predicates and warp-wide operations
    PLOP3 = 46  # q0 = lut(p0, p1, p2) (`sub` bits 0-7: truth table); q1 likewise (bits 8-15)
    VOTE = 47  # d = ballot(p0); q0 = all/any/eq (`sub` = Vote)
    SHFL = 48  # d = a of lane picked by b, c (`sub` = Shfl); q0 = in range
    # d = mask of lanes with the same a (width 8: a:a+1); `sub` 1 (ALL): mask if all agree, else 0; q0 = all agree
    MATCH = 49
    REDUX = 50  # d = reduction of a over the active lanes (`sub` = Atomic; signed unless UNSIGNED)
    # memory.  Address = a + c + offset.  Global: a is a 64-bit pair, or 32 bits zero-extended (NARROW flag), c an
    # optional 64-bit uniform base; elsewhere a is 32 bits shifted left by `sub`, c an optional uniform base.
    # SIGNED flag: loads of 1 and 2 bytes are sign-extended.  Value of a store in b.
    LDG = 51
    STG = 52
    LDS = 53
    STS = 54
    LDL = 55
    STL = 56
    LDC = 57  # d = constant bank `sub` at offset, plus a if it is a register
    # atomics: d = old value (RED: none), `sub` bits 0-3 = Atomic, value b (compare-and-swap: what is expected in b,
    # new value in c), width 4 or 8, type by UNSIGNED, FLOAT (of width 8: fp64), HALF (with BF16) flags; the
    # uniform base of the address is a fourth source, not c; the shift of ATOMS in `sub` bits 8-10
    ATOMG = 58
    ATOMS = 59
    RED = 60
    # cp.async: shared[a + offset] <- global[b (pair) + c + target]; p0 false: zeros instead; cache as LDG.  ZFILL flag:
    # the global address is aligned, and the bits below its alignment say how many bytes at the end are zero instead
    LDGSTS = 61
    LDGDEPBAR = 62
    DEPBAR = 63  # wait until at most `sub` groups of LDGSTS (a group ends at an LDGDEPBAR) are under way
    LDSM = 64  # `sub` (1, 2, 4) 8x8 matrices of 16-bit elements, a row of 16 bytes at each lane's a + c; TRANSPOSE flag
    MEMBAR = 65  # fences and cache controls: order only
    # tensor cores: d = a b + c on the fragments PTX documents for mma.sync (`sub` = Mma).  HMMA: exact products and
    # c, cut to 25 bits below the largest one's first bit, are added up, and the sum cut to fp32 or rounded to fp16
    HMMA = 66
    IMMA = 67
    # control flow that needs a register: a holds a byte address in the program (16 an instruction), 64 bits wide
    BRX = 68  # go to a + offset; lanes that disagree go separately
    CALL = 69  # go to `target`, or to a + offset where there is a source
    RET = 70  # go to a + offset
    BREAK = 71  # active lanes that pass the guard and p0 no longer take part in convergence barrier `sub`
    CS2R = 72  # d (width 8: a pair) = special register `sub`, not through the load/store pipe
    R2UR = 73  # uniform d = a of the first active lane; q0 = a differs from it
    P2R = 74  # d = (P0..P6 as bits 0-6 & b) | (a & ~b); `sub` UNIFORM_PREDICATES: of UP0..UP6;
    # bits 4-5 of `sub`: the byte of a that both are about
    R2P = 75  # P0..P6 = bits 0-6 of a, those set in b; `sub` as P2R
    BMSK = 76  # d = b ones from bit a on (WRAP flag: both modulo 32)
    SGXT = 77  # d = the low b bits of a, sign-extended (UNSIGNED: zero-extended)
    IDP = 78  # d = dot product of 4 bytes of a and b, plus c (UNSIGNED: both are; `sub`: Dot)
    FCHK = 79  # q0 = division a / b needs the slow path
    FSET = 80  # as FSETP, into d as 1.0 or 0.0 (ONE flag) or all ones
    HSET2 = 81  # as HSETP2, into the halves of d
    LD = 82  # generic address: global, or shared in its window
    ST = 83
    STSM = 84  # as LDSM, the matrices in b and after
    MOVM = 85  # d = 8x8 matrix of 16-bit elements in a, transposed
    DMMA = 86
    B2R = 87  # d = result of the last BAR with a reduction; q0 = it is not 0
    IABSDIFF = 88  # d = |a - b| + c
    TRAP = 89  # the kernel stops with an error
    UNKNOWN = 90  # an instruction the engine does not know: an error when executed
    ATOM = 91  # as ATOMG, at a generic address; q0 = done (HALF: false outside of global memory, where nothing is done)
    PREFETCH = 92  # line of global address a + offset into L2, with Cache.CA into L1 as well
    QSPC = 93  # q0 = generic address a + offset (NARROW flag, c as in memory) lies in space `sub` (Space)
    BMOV = 94  # d = lanes of convergence barrier `sub` (CLEAR flag: and none are left in it); without d: they become a
    IADDMNMX = 95  # d = p ? min(a + b, c) : max(a + b, c) (signed unless UNSIGNED); RELU flag as IMNMX
    I2I = 96  # d = a clamped to `sub` (Convert: S8, U8, S16, U16); UNSIGNED flag: a is unsigned
    F2IP = 97  # d = (low half of c, a, b), a and b converted to bytes as by F2I
    END = 98  # stands after the last instruction where that does not end a program: an error when executed


UNIFORM_PREDICATES = 8
"""``sub`` of P2R and R2P: where UP0 stands among a warp's predicates."""


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
    ZERO = 16
    NTID_X = 17
    NTID_Y = 18
    NTID_Z = 19
    NCTAID_X = 20
    NCTAID_Y = 21
    NCTAID_Z = 22
    GLOBALTIMER_LO = 23
    GLOBALTIMER_HI = 24
    SHARED_WINDOW_HI = 25  # upper word of the address at which shared memory appears in the generic space
    CLUSTER_CTAID = 26
    WARPSIZE = 27
    VIRTID = 28  # bits 8-14: the warp's slot in its SM (what PTX's %warpid is read from)
    SHARED_SIZE = 30  # bytes of shared memory of the block
    CLUSTER_SIZE = 31  # blocks of the cluster
    LOCAL_WINDOW_HI = 32  # as SHARED_WINDOW_HI


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


class Space(IntEnum):
    """``sub`` of QSPC."""

    GLOBAL = 0
    SHARED = 1
    LOCAL = 2


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
    R_LO = 4  # d = lower word of (c:a) >> b, logical
    R_HI_U32 = 5  # d = c >> b, logical: upper word of the 64-bit shift
    R_HI_S32 = 6  # d = c >> b, arithmetic
    R_LO_S32 = 7  # d = lower word of (c:a) >> b, arithmetic
    L_HI_32 = 8  # as L_HI and R_LO, but b is clamped to 32 (WRAP: modulo 32)
    R_LO_32 = 9


class Piece(IntEnum):
    """``sub`` of IADD3, IMNMX, IADDMNMX, IABSDIFF, FMNMX: what a word is taken as, in bits 0-1; and THIRD."""

    WORD = 0
    HALVES = 1  # two of 16 bits
    BYTES = 2  # four of 8 bits
    THIRD = 4  # IMNMX, FMNMX: of a, b and c; IABSDIFF: what the pieces give is added up


class Dot(IntEnum):
    """Bits of ``sub`` of IDP."""

    A_UNSIGNED = 1
    B_UNSIGNED = 2
    HALVES = 4  # two halves of a with two bytes of b, the lower ones
    UPPER = 8  # the upper ones


class Permute(IntEnum):
    """``sub`` of PRMT: how the selector picks bytes (PTX ISA, ``prmt``)."""

    IDX = 0
    F4E = 1
    B4E = 2
    RC8 = 3
    ECL = 4
    ECR = 5
    RC16 = 6


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
    RCP64H = 8  # upper word of an approximate fp64 reciprocal
    RSQ64H = 9


class Convert(IntEnum):
    """``sub`` of I2F, F2I, F2F, F2FP, FRND, F2IP: bits 0-3 type, bits 4-5 rounding, bits 8-11 the float's type.

    The float's type is 0 for fp32, else F16, BF16 or F64: what I2F makes, F2I reads, FRND rounds; of F2F the other
    one of the two types, where that is not fp32.
    """

    S32 = 0
    U32 = 1
    F16 = 2  # F2F: fp32 <- fp16 (low half); F2FP: fp16 pair
    BF16 = 3
    TO_F16 = 4  # F2F: fp16 (low half) <- fp32
    TO_BF16 = 5
    S64 = 6
    U64 = 7
    F64 = 8  # F2F: fp32 <- fp64
    TO_F64 = 9  # F2F: fp64 <- fp32
    S8 = 10
    U8 = 11
    S16 = 12
    U16 = 13
    E4M3 = 14  # F2FP: two fp32 to two fp8; F16 pair <- two fp8 with UNPACK flag
    E5M2 = 15


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
    CAST = 10  # as CAS, d = 1 (width 8: a pair) where it put the new value, else 0; q0 likewise
    POPC_INC = 11  # shared: 1 for each lane, there is no value; d = what was there before the instruction


class BarRed(IntEnum):
    """Reduction of a barrier, in ``sub`` bits 8-11 of BAR."""

    NONE = 0
    POPC = 1  # threads with p0
    AND = 2  # all ones if every thread has p0, else 0
    OR = 3  # all ones if any has


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
    SIGNED = 128
    NARROW = 256  # global address of 32 bits
    WRAP = 512
    PAND = 1024
    SHIFT = 2048
    BF16 = 4096
    RELU = 8192
    F32 = 16384
    HALF = 1 << 15  # atomics on fp16 (BF16: bf16) pairs
    TRANSPOSE = 1 << 16
    ARRIVE = 1 << 17  # BAR: do not wait
    UNPACK = 1 << 18  # F2FP: of two fp8 a pair of fp16; with SAT the other way round
    MERGE = 1 << 19  # F2FP: the upper half is one of c
    UNIFORM_TARGET = 1 << 20  # BRA.U: the predicate is uniform
    DIVERGED = 1 << 21  # BRA.DIV: all go there where not all lanes of mask a (without a: all) would take the branch
    CONVERGED = 1 << 22  # BRA.CONV: who would take it does, where all lanes of the mask would
    NAN = 1 << 23
    ONE = 1 << 24  # FSET, HSET2: 1.0 instead of all ones
    ON_ALU = 1 << 25
    ZFILL = 1 << 26
    CLEAR = 1 << 27
    EXCLUSIVE = 1 << 28  # WARPSYNC: lanes of one mask alone do what follows, those of another one after them
    VECTOR = 1 << 29  # atomics on neighbouring fp32 or pairs of 16-bit floats, each word for itself


class Mma(IntEnum):
    """``sub`` of HMMA, IMMA, DMMA: shape M x N x K and types (PTX ISA, ``mma.sync``)."""

    F16_16816_F32 = 0  # fp16 inputs, fp32 accumulator
    F16_16816_F16 = 1
    F16_1688_F32 = 2
    F16_1688_F16 = 3
    BF16_16816_F32 = 4
    BF16_1688_F32 = 5
    TF32_1684_F32 = 6
    TF32_1688_F32 = 7
    S8_16816 = 8
    S8_16832 = 9
    U8_16816 = 10
    U8_16832 = 11
    F64_884 = 12
    S8_8816 = 13
    U8_8816 = 14


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
    space: str = ""  # "global" | "shared" | "local" | "generic" | "constant" | ""
    variable_latency: bool = False  # its result is waited for through a scoreboard


_FMA = OpInfo(Pipe.FMA)
_ALU = OpInfo(Pipe.ALU)
_XU = OpInfo(Pipe.XU, variable_latency=True)
_CTL = OpInfo(Pipe.CONTROL)
_FP16 = OpInfo(Pipe.FP16)
_FP64 = OpInfo(Pipe.FP64, variable_latency=True)

INFO: dict[Op, OpInfo] = {
    **dict.fromkeys((Op.NOP, Op.EXIT, Op.BRA, Op.BSSY, Op.BSYNC, Op.BAR, Op.WARPSYNC, Op.BRX, Op.CALL, Op.RET), _CTL),
    **dict.fromkeys((Op.BREAK, Op.TRAP, Op.UNKNOWN, Op.END, Op.DEPBAR), _CTL),
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
            Op.FSET,
            Op.FCHK,
            Op.BMSK,
            Op.SGXT,
            Op.IABSDIFF,
            Op.IADDMNMX,
            Op.I2I,
            Op.F2IP,
            Op.PLOP3,
            Op.VOTE,
            Op.P2R,
            Op.R2P,
            Op.CS2R,
            Op.MOVM,
            Op.B2R,
        ),
        _ALU,
    ),
    **dict.fromkeys((Op.IMAD, Op.IMAD_WIDE, Op.IMAD_HI, Op.IDP, Op.FADD, Op.FMUL, Op.FFMA), _FMA),
    **dict.fromkeys((Op.MUFU, Op.POPC, Op.FLO, Op.BREV, Op.FRND, Op.I2F, Op.F2I, Op.F2F), _XU),
    **dict.fromkeys((Op.HADD2, Op.HMUL2, Op.HFMA2, Op.HMNMX2, Op.HSETP2, Op.HSET2), _FP16),
    **dict.fromkeys((Op.DADD, Op.DMUL, Op.DFMA, Op.DSETP), _FP64),
    Op.S2R: OpInfo(Pipe.LSU, variable_latency=True),
    Op.SHFL: OpInfo(Pipe.LSU, variable_latency=True),
    Op.MATCH: OpInfo(Pipe.LSU, variable_latency=True),
    Op.REDUX: OpInfo(Pipe.ALU, variable_latency=True),
    Op.R2UR: OpInfo(Pipe.ALU, variable_latency=True),
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
    Op.LDSM: OpInfo(Pipe.LSU, True, False, "shared", True),
    Op.STSM: OpInfo(Pipe.LSU, False, True, "shared", True),
    Op.ATOM: OpInfo(Pipe.LSU, True, True, "generic", True),
    Op.PREFETCH: OpInfo(Pipe.LSU, False, False, "global"),
    Op.QSPC: OpInfo(Pipe.LSU, False, False, "generic", True),
    Op.LD: OpInfo(Pipe.LSU, True, False, "generic", True),
    Op.ST: OpInfo(Pipe.LSU, False, True, "generic", True),
    Op.MEMBAR: OpInfo(Pipe.LSU),
    Op.HMMA: OpInfo(Pipe.TENSOR),
    Op.IMMA: OpInfo(Pipe.TENSOR),
    Op.DMMA: OpInfo(Pipe.TENSOR),
}

OUT_OF_LINE = frozenset(
    {
        *(
            Op.LDL,
            Op.STL,
            Op.LD,
            Op.ST,
            Op.ATOM,
            Op.PREFETCH,
            Op.QSPC,
            Op.BMOV,
            Op.ATOMG,
            Op.ATOMS,
            Op.RED,
            Op.LDGSTS,
            Op.LDGDEPBAR,
            Op.DEPBAR,
        ),
        *(Op.LDSM, Op.STSM, Op.MOVM, Op.MATCH, Op.REDUX, Op.CS2R, Op.R2UR, Op.P2R, Op.R2P, Op.B2R),
        *(Op.WARPSYNC, Op.BREAK, Op.BRX, Op.CALL, Op.RET, Op.TRAP, Op.UNKNOWN),
    }
)
"""What few kernels have: the engine keeps it out of its inner loop, and compiles it when first needed."""

BRANCHES = frozenset({Op.BRA, Op.BRX, Op.CALL, Op.RET})
"""What counts as a branch instruction (``smsp__sass_inst_executed_op_branch``); only BRA is calibrated."""
