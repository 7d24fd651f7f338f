"""The numbers of instruction columns, opcodes and variants as plain ints.

numba folds a module's ints into the code it makes; members of an IntEnum it would box.
"""

from __future__ import annotations

from gpusim.isa.encode import F
from gpusim.isa.opcodes import Atomic, Cache, Flag, Op, Pipe, Shfl, Special, Vote

GUARD, DST, A, B, C_ = (int(x) for x in (F.GUARD, F.DST, F.A, F.B, F.C))
SUB, WIDTH, OFFSET, TARGET = (int(x) for x in (F.SUB, F.WIDTH, F.OFFSET, F.TARGET))
P0, Q0 = int(F.P0), int(F.Q0)
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
ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC = (int(x) for x in list(Atomic)[:10])
IDX, UP, DOWN = int(Shfl.IDX), int(Shfl.UP), int(Shfl.DOWN)
ALL, ANY = int(Vote.ALL), int(Vote.ANY)
