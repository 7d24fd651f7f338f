"""The numbers of instruction columns, opcodes and variants as plain ints.

numba folds a module's ints into the code it makes; members of an IntEnum it would box.
"""

from __future__ import annotations

from gpusim.isa import encode
from gpusim.isa.encode import PRED_SINK as SINK
from gpusim.isa.encode import F
from gpusim.isa.opcodes import (
    Atomic,
    BarRed,
    BoolOp,
    Cache,
    Cmp,
    Convert,
    Dot,
    Flag,
    Mma,
    Mufu,
    Op,
    Permute,
    Piece,
    Pipe,
    Round,
    Shfl,
    Shift,
    Special,
    Vote,
)

GUARD, DST, A, B, C_ = (int(x) for x in (F.GUARD, F.DST, F.A, F.B, F.C))
SUB, WIDTH, OFFSET, TARGET = (int(x) for x in (F.SUB, F.WIDTH, F.OFFSET, F.TARGET))
P0, Q0, IS_BRANCH, MODS, D = int(F.P0), int(F.Q0), int(F.IS_BRANCH), int(F.MODS), int(F.D)
NO_ROW, ASYNC, OUT_OF_LINE_PIPE, PT = encode.NO_ROW, encode.ASYNC, encode.OUT_OF_LINE_PIPE, encode.PRED_TRUE
STALL, WRITE_SB, READ_SB, WAIT, ARRAY, CACHE, PIPE = (
    int(x) for x in (F.STALL, F.WRITE_SB, F.READ_SB, F.WAIT, F.ARRAY, F.CACHE, F.PIPE)
)
SKIP, SKIP_ISSUE, LIGHT, REPEAT, FLAGS = (int(x) for x in (F.SKIP, F.SKIP_ISSUE, F.LIGHT, F.REPEAT, F.FLAGS))
ROUNDS, OVERLAP, BESIDE, ROWS = int(F.ROUNDS), int(F.OVERLAP), int(F.BESIDE), int(F.ROWS)
UNIT, BUSY, LATENCY, IDLE = (int(x) for x in (F.UNIT, F.BUSY, F.LATENCY, F.IDLE))
TWIN, READS, HOLD, LATER = (int(x) for x in (F.TWIN, F.READS, F.HOLD, F.LATER))
CONTROL, ALU, FMA, XU, LSU, UNIFORM = (
    int(x) for x in (Pipe.CONTROL, Pipe.ALU, Pipe.FMA, Pipe.XU, Pipe.LSU, Pipe.UNIFORM)
)
NOP, EXIT, BRA, BSSY, BSYNC, BAR, WARPSYNC, S2R = (
    int(x) for x in (Op.NOP, Op.EXIT, Op.BRA, Op.BSSY, Op.BSYNC, Op.BAR, Op.WARPSYNC, Op.S2R)
)
ISETP, FSETP, PLOP3, VOTE, SHFL = (int(x) for x in (Op.ISETP, Op.FSETP, Op.PLOP3, Op.VOTE, Op.SHFL))
FADD, FMUL, FFMA, FMNMX, FSEL, FRND, I2F, F2I, F2F, F2FP = (
    int(x) for x in (Op.FADD, Op.FMUL, Op.FFMA, Op.FMNMX, Op.FSEL, Op.FRND, Op.I2F, Op.F2I, Op.F2F, Op.F2FP)
)
LDG, STG, LDS, STS, LDC, ATOMG, RED, ATOMS, MEMBAR, PRMT = (
    int(x) for x in (Op.LDG, Op.STG, Op.LDS, Op.STS, Op.LDC, Op.ATOMG, Op.RED, Op.ATOMS, Op.MEMBAR, Op.PRMT)
)
TID_X, TID_Y, TID_Z, CTAID_X, CTAID_Y, CTAID_Z, LANEID, WARPID, SMID = (
    int(x)
    for x in (
        Special.TID_X, Special.TID_Y, Special.TID_Z, Special.CTAID_X, Special.CTAID_Y, Special.CTAID_Z,
        Special.LANEID, Special.WARPID, Special.SMID,
    )
)  # fmt: skip
CG, IS_FLOAT, UNSIGNED, VECTOR = int(Cache.CG), int(Flag.FLOAT), int(Flag.UNSIGNED), int(Flag.VECTOR)
# What computes: operands, variants, flags
P1, P2, Q1, PRED_SINK = int(F.P1), int(F.P2), int(F.Q1), int(SINK)
MOV, SEL, IADD3, IMAD, IMAD_WIDE, IMAD_HI, LEA, LEA_HI_X, SHF, LOP3, IMNMX, IABS, POPC, FLO, BREV = (
    int(x)
    for x in (
        Op.MOV, Op.SEL, Op.IADD3, Op.IMAD, Op.IMAD_WIDE, Op.IMAD_HI, Op.LEA, Op.LEA_HI_X, Op.SHF, Op.LOP3, Op.IMNMX,
        Op.IABS, Op.POPC, Op.FLO, Op.BREV,
    )
)  # fmt: skip
BMSK, SGXT, IDP, IABSDIFF, FCHK, FSET, DADD, DMUL, DSETP = (
    int(x) for x in (Op.BMSK, Op.SGXT, Op.IDP, Op.IABSDIFF, Op.FCHK, Op.FSET, Op.DADD, Op.DMUL, Op.DSETP)
)
IADDMNMX, I2I, F2IP = int(Op.IADDMNMX), int(Op.I2I), int(Op.F2IP)
HADD2, HMUL2, HFMA2, HMNMX2, HSETP2, HSET2, HMMA, IMMA, DMMA = (
    int(x) for x in (Op.HADD2, Op.HMUL2, Op.HFMA2, Op.HMNMX2, Op.HSETP2, Op.HSET2, Op.HMMA, Op.IMMA, Op.DMMA)
)
X, EX, FTZ, SAT, WRAP, PAND, SHIFT, SIGNED, RELU, UNPACK, MERGE, ONE, BF16_FLAG, F32_RESULT, NAN_FLAG, HALF = (
    int(x)
    for x in (
        Flag.X, Flag.EX, Flag.FTZ, Flag.SAT, Flag.WRAP, Flag.PAND, Flag.SHIFT, Flag.SIGNED, Flag.RELU, Flag.UNPACK,
        Flag.MERGE, Flag.ONE, Flag.BF16, Flag.F32, Flag.NAN, Flag.HALF,
    )
)  # fmt: skip
THIRD, HALVES, UPPER = (int(x) for x in (Piece.THIRD, Dot.HALVES, Dot.UPPER))
LT, LE, GT, GE, EQ, NE, NUM, NAN = (int(x) for x in Cmp)
BOOL_OR, BOOL_XOR = int(BoolOp.OR), int(BoolOp.XOR)
SHL, SHR_U, SHR_S, SHL_HI, SHR_LO, SHR_HI_U, SHR_HI_S, SHR_LO_S, SHL_HI_32, SHR_LO_32 = (int(x) for x in Shift)
PERMUTE_IDX, F4E, B4E, RC8, ECL, ECR, RC16 = (int(x) for x in Permute)
RCP, RSQ, SQRT, EX2, LG2, SIN, COS, TANH, RCP64H, RSQ64H = (int(x) for x in Mufu)
S32, U32, F16, BF16, TO_F16, TO_BF16, S64, U64, F64, TO_F64, S8, U8, S16, U16, E4M3, E5M2 = (int(x) for x in Convert)
ROUND_NEAREST, ROUND_DOWN, ROUND_UP, ROUND_ZERO = (int(x) for x in Round)
(
    F16_16816_F32, F16_16816_F16, F16_1688_F32, F16_1688_F16, BF16_16816_F32, BF16_1688_F32, TF32_1684_F32,
    TF32_1688_F32, S8_16816, S8_16832, U8_16816, U8_16832, F64_884, S8_8816, U8_8816,
) = (int(x) for x in Mma)  # fmt: skip
NARROW, TRANSPOSE, ARRIVE, CONVERGED, EXCLUSIVE, ZFILL, CLEAR = (
    int(x) for x in (Flag.NARROW, Flag.TRANSPOSE, Flag.ARRIVE, Flag.CONVERGED, Flag.EXCLUSIVE, Flag.ZFILL, Flag.CLEAR)
)
ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC, CAST, POPC_INC = (int(x) for x in Atomic)
RED_POPC, RED_AND, RED_OR = (int(x) for x in (BarRed.POPC, BarRed.AND, BarRed.OR))
IDX, UP, DOWN = int(Shfl.IDX), int(Shfl.UP), int(Shfl.DOWN)
ALL, ANY = int(Vote.ALL), int(Vote.ANY)
(
    LDL, STL, LDGSTS, LDGDEPBAR, LDSM, STSM, MOVM, LD, ST, ATOM, PREFETCH, QSPC, MATCH, REDUX, B2R, P2R, R2P,
    R2UR,
) = (
    int(x)
    for x in (
        Op.LDL, Op.STL, Op.LDGSTS, Op.LDGDEPBAR, Op.LDSM, Op.STSM, Op.MOVM, Op.LD, Op.ST, Op.ATOM,
        Op.PREFETCH, Op.QSPC, Op.MATCH, Op.REDUX, Op.B2R, Op.P2R, Op.R2P, Op.R2UR,
    )
)  # fmt: skip
CS2R, BMOV, BRX, CALL, RET, BREAK, TRAP, UNKNOWN, END = (
    int(x) for x in (Op.CS2R, Op.BMOV, Op.BRX, Op.CALL, Op.RET, Op.BREAK, Op.TRAP, Op.UNKNOWN, Op.END)
)
(
    CLOCK_LO, CLOCK_HI, LANEMASK_EQ, LANEMASK_LT, LANEMASK_LE, LANEMASK_GT, LANEMASK_GE, NTID_X, NTID_Z, NCTAID_X,
    NCTAID_Z, GLOBALTIMER_LO, GLOBALTIMER_HI, SHARED_WINDOW, LOCAL_WINDOW, WARPSIZE, ZERO_REGISTER, VIRTID,
    SHARED_SIZE, CLUSTER_SIZE,
) = (
    int(x)
    for x in (
        Special.CLOCK_LO, Special.CLOCK_HI, Special.LANEMASK_EQ, Special.LANEMASK_LT, Special.LANEMASK_LE,
        Special.LANEMASK_GT, Special.LANEMASK_GE, Special.NTID_X, Special.NTID_Z, Special.NCTAID_X, Special.NCTAID_Z,
        Special.GLOBALTIMER_LO, Special.GLOBALTIMER_HI, Special.SHARED_WINDOW_HI, Special.LOCAL_WINDOW_HI,
        Special.WARPSIZE, Special.ZERO, Special.VIRTID, Special.SHARED_SIZE, Special.CLUSTER_SIZE,
    )
)  # fmt: skip
