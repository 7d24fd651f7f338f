"""The numbers of instruction columns, opcodes and variants as plain ints.

numba folds a module's ints into the code it makes; members of an IntEnum it would box.
"""

from __future__ import annotations

from gpusim.isa import encode
from gpusim.isa.encode import F
from gpusim.isa.opcodes import Atomic, BarRed, Cache, Flag, Op, Pipe, Shfl, Special, Vote

GUARD, DST, A, B, C_ = (int(x) for x in (F.GUARD, F.DST, F.A, F.B, F.C))
SUB, WIDTH, OFFSET, TARGET = (int(x) for x in (F.SUB, F.WIDTH, F.OFFSET, F.TARGET))
P0, Q0, IS_BRANCH, MODS = int(F.P0), int(F.Q0), int(F.IS_BRANCH), int(F.MODS)
NO_ROW, ASYNC, SELDOM_PIPE = encode.NO_ROW, encode.ASYNC, encode.SELDOM_PIPE
STALL, WRITE_SB, READ_SB, WAIT, ARRAY, CACHE, PIPE = (
    int(x) for x in (F.STALL, F.WRITE_SB, F.READ_SB, F.WAIT, F.ARRAY, F.CACHE, F.PIPE)
)
SKIP, SKIP_ISSUE, LIGHT, REPEAT, FLAGS = (int(x) for x in (F.SKIP, F.SKIP_ISSUE, F.LIGHT, F.REPEAT, F.FLAGS))
CONTROL, ALU, FMA, XU, LSU, UNIFORM = (
    int(x) for x in (Pipe.CONTROL, Pipe.ALU, Pipe.FMA, Pipe.XU, Pipe.LSU, Pipe.UNIFORM)
)
NOP, EXIT, BRA, BSSY, BSYNC, BAR, WARPSYNC, S2R = (
    int(x) for x in (Op.NOP, Op.EXIT, Op.BRA, Op.BSSY, Op.BSYNC, Op.BAR, Op.WARPSYNC, Op.S2R)
)
ISETP, FSETP, PLOP3, VOTE, SHFL = (int(x) for x in (Op.ISETP, Op.FSETP, Op.PLOP3, Op.VOTE, Op.SHFL))
FADD, FMUL, FFMA, FMNMX, FSEL, MUFU, FRND, I2F, F2I, F2F, F2FP = (
    int(x) for x in (Op.FADD, Op.FMUL, Op.FFMA, Op.FMNMX, Op.FSEL, Op.MUFU, Op.FRND, Op.I2F, Op.F2I, Op.F2F, Op.F2FP)
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
CG, IS_FLOAT, UNSIGNED = int(Cache.CG), int(Flag.FLOAT), int(Flag.UNSIGNED)
SIGNED, NARROW, HALF, BF16, FTZ, TRANSPOSE, ARRIVE, DIVERGED, CONVERGED = (
    int(x)
    for x in (
        Flag.SIGNED, Flag.NARROW, Flag.HALF, Flag.BF16, Flag.FTZ, Flag.TRANSPOSE, Flag.ARRIVE, Flag.DIVERGED,
        Flag.CONVERGED,
    )
)  # fmt: skip
ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC, CAST = (int(x) for x in Atomic)
RED_POPC, RED_AND, RED_OR = (int(x) for x in (BarRed.POPC, BarRed.AND, BarRed.OR))
IDX, UP, DOWN = int(Shfl.IDX), int(Shfl.UP), int(Shfl.DOWN)
ALL, ANY = int(Vote.ALL), int(Vote.ANY)
LDL, STL, LDGSTS, LDGDEPBAR, DEPBAR, LDSM, STSM, MOVM, LD, ST, MATCH, REDUX, B2R, P2R, R2P, R2UR, CS2R = (
    int(x)
    for x in (
        Op.LDL, Op.STL, Op.LDGSTS, Op.LDGDEPBAR, Op.DEPBAR, Op.LDSM, Op.STSM, Op.MOVM, Op.LD, Op.ST, Op.MATCH,
        Op.REDUX, Op.B2R, Op.P2R, Op.R2P, Op.R2UR, Op.CS2R,
    )
)  # fmt: skip
BRX, CALL, RET, BREAK, TRAP, UNKNOWN = (int(x) for x in (Op.BRX, Op.CALL, Op.RET, Op.BREAK, Op.TRAP, Op.UNKNOWN))
(
    CLOCK_LO, CLOCK_HI, LANEMASK_EQ, LANEMASK_LT, LANEMASK_LE, LANEMASK_GT, LANEMASK_GE, NTID_X, NTID_Z, NCTAID_X,
    NCTAID_Z, GLOBALTIMER_LO, GLOBALTIMER_HI, SHARED_WINDOW, WARPSIZE, ZERO_REGISTER,
) = (
    int(x)
    for x in (
        Special.CLOCK_LO, Special.CLOCK_HI, Special.LANEMASK_EQ, Special.LANEMASK_LT, Special.LANEMASK_LE,
        Special.LANEMASK_GT, Special.LANEMASK_GE, Special.NTID_X, Special.NTID_Z, Special.NCTAID_X, Special.NCTAID_Z,
        Special.GLOBALTIMER_LO, Special.GLOBALTIMER_HI, Special.SHARED_WINDOW_HI, Special.WARPSIZE, Special.ZERO,
    )
)  # fmt: skip
