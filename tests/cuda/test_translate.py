"""Machine code, one instruction to one: what each family's forms become, and that nothing ordinary is missing."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim import cuda, hardware
from gpusim.cuda.nvdisasm import Line
from gpusim.cuda.translate import TABLE, translate, translate_line
from gpusim.cuda.translate.reader import Unsupported
from gpusim.hardware.programming import Instructions
from gpusim.isa.classes import needed
from gpusim.isa.instruction import (
    NO_CONTROL,
    PT,
    RZ,
    TRUE,
    URZ,
    Half,
    Instr,
    Kind,
    Operand,
    const,
    imm,
    pred,
    reg,
    ureg,
)
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import (
    MULTICAST,
    TEXELS,
    UNIFORM_PREDICATES,
    Arrival,
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
    Permute,
    Piece,
    Round,
    Scale,
    Shfl,
    Shift,
    Space,
    Special,
    Vote,
    Wait,
)
from gpusim.isa.warpgroup import Element, Product
from tests.cuda.conftest import ARCHITECTURES, SOURCES
from tests.cuda.running import listing

R1, R2, R3, R4, R5, R6 = (reg(k) for k in range(1, 7))
UR4 = ureg(4)
P0, P1 = pred(0), pred(1)
ZERO, NEVER = reg(RZ), pred(PT, neg=True)
UP0, NEVER_UNIFORM = Operand(Kind.UPRED, 0), Operand(Kind.UPRED, PT)
_TEXT = re.compile(r"(?:@(\S+) )?(\S+) ?(.*)")


def line(text: str, low: int = 0, address: int = 0) -> Line:
    """An instruction as the listing has it."""
    found = _TEXT.fullmatch(text)
    assert found is not None
    guard, opcode, operands = found.groups()
    return Line(address, guard or "", opcode, tuple(operands.split(", ")) if operands else (), low, 0)


def half(operand: Operand, part: Half) -> Operand:
    return operand._replace(half=int(part))


FORMS = {
    # integers
    "IADD3 R1, R2, -R3, 0x5": Instr(Op.IADD3, R1, (R2, reg(3, neg=True), imm(5))),
    "IADD3 R1, P0, P1, R2, R3, RZ": Instr(Op.IADD3, R1, (R2, R3, ZERO), pdsts=(P0, P1)),
    "IADD3.X R1, R2, ~R3, RZ, P0, !PT": Instr(
        Op.IADD3, R1, (R2, reg(3, neg=True), ZERO), psrcs=(P0, NEVER), flags=Flag.X
    ),
    "IADD3.64 R2, PT, PT, R4, -0x1, RZ": Instr(
        Op.IADD3, R2, (R4, imm(-1, wide=True), ZERO), width=8
    ),
    "IADD.64 R2, R4, UR4": Instr(Op.IADD3, R2, (R4, UR4, ZERO), width=8),
    "VIADD R1, R2, 0xfffffffe": Instr(Op.IADD3, R1, (R2, imm(-2), ZERO)),
    "VIADD.16x2 R1, R2, -R3": Instr(Op.IADD3, R1, (R2, reg(3, neg=True), ZERO), sub=Piece.HALVES),
    "IMAD.MOV.U32 R1, RZ, RZ, R2": Instr(Op.IMAD, R1, (ZERO, ZERO, R2), flags=Flag.UNSIGNED),
    "IMAD.WIDE R2, R1, 0x4, R4": Instr(Op.IMAD_WIDE, R2, (R1, imm(4), R4)),
    "IMAD.HI.U32 R1, R2, R3, RZ": Instr(Op.IMAD_HI, R1, (R2, R3, ZERO), flags=Flag.UNSIGNED),
    "LEA R1, P0, R2, c[0x0][0x210], 0x2": Instr(Op.LEA, R1, (R2, const(0x210)), sub=2, pdsts=(P0,)),
    "LEA.HI.X R1, R2, R3, R4, 0x2, P0": Instr(Op.LEA_HI_X, R1, (R2, R3, R4), sub=2, psrcs=(P0,), flags=Flag.X),
    "LEA.HI.SX32 R1, R2, R3, 0x19": Instr(Op.LEA_HI_X, R1, (R2, R3, ZERO), sub=25, psrcs=(NEVER,), flags=Flag.SIGNED),
    "SHF.L.U32 R1, R2, 0x2, RZ": Instr(Op.SHF, R1, (R2, imm(2)), sub=Shift.L),
    "SHF.R.S32.HI R1, RZ, 0x1f, R2": Instr(Op.SHF, R1, (R2, imm(31)), sub=Shift.R_S32),
    "SHF.L.W.U32.HI R1, R2, 0x7, R3": Instr(Op.SHF, R1, (R2, imm(7), R3), sub=Shift.L_HI_32, flags=Flag.WRAP),
    "LOP3.LUT R1, R2, 0xff, RZ, 0xc0, !PT": Instr(Op.LOP3, R1, (R2, imm(255), ZERO), sub=0xC0, psrcs=(NEVER,)),
    "LOP3.LUT P0, RZ, R2, R3, RZ, 0xc0, !PT": Instr(
        Op.LOP3, ZERO, (R2, R3, ZERO), pdsts=(P0,), sub=0xC0, psrcs=(NEVER,)
    ),
    "PLOP3.LUT P0, PT, P1, PT, PT, 0x80, 0x8": Instr(
        Op.PLOP3, pdsts=(P0, TRUE), psrcs=(P1, TRUE, TRUE), sub=0x80 | 8 << 8
    ),
    "PRMT R1, R2, 0x5410, R3": Instr(Op.PRMT, R1, (R2, imm(0x5410), R3), sub=Permute.IDX),
    "SEL R1, R2, RZ, !P0": Instr(Op.SEL, R1, (R2, ZERO), psrcs=(pred(0, neg=True),)),
    "MOV R1, c[0x3][0x8]": Instr(Op.MOV, R1, (const(8, 3),)),
    "MOV.64 R2, 0x3fe62e42fefa39ef": Instr(Op.MOV, R2, (imm(0x3FE62E42FEFA39EF, wide=True),), width=8),
    "IMNMX.U32 R1, R2, R3, PT": Instr(Op.IMNMX, R1, (R2, R3), psrcs=(TRUE,), flags=Flag.UNSIGNED),
    "VIMNMX.S16x2 R1, PT, PT, R2, R3, !PT": Instr(Op.IMNMX, R1, (R2, R3), psrcs=(NEVER,), sub=Piece.HALVES),
    "IMNMX.S64 PT, PT, R2, R4, 0x64, PT, !PT": Instr(
        Op.IMNMX, R2, (R4, imm(100, wide=True)), psrcs=(TRUE,), width=8
    ),
    "VIMNMX3.RELU R1, R2, R3, R4, !PT": Instr(
        Op.IMNMX, R1, (R2, R3, R4), psrcs=(NEVER,), sub=Piece.THIRD, flags=Flag.RELU
    ),
    "VIADDMNMX.U32 R1, R2, R3, R4, PT": Instr(Op.IADDMNMX, R1, (R2, R3, R4), psrcs=(TRUE,), flags=Flag.UNSIGNED),
    "ISETP.GE.U32.AND P0, PT, R2, R3, P1": Instr(
        Op.ISETP, srcs=(R2, R3), pdsts=(P0, TRUE), psrcs=(P1,), sub=Cmp.GE, flags=Flag.UNSIGNED
    ),
    "ISETP.NE.AND.EX P0, PT, R2, RZ, PT, P1": Instr(
        Op.ISETP, srcs=(R2, ZERO), pdsts=(P0, TRUE), psrcs=(TRUE, P1), sub=Cmp.NE, flags=Flag.EX
    ),
    "ISETP.GT.S64.OR P0, PT, R2, -0x1, PT": Instr(
        Op.ISETP, srcs=(R2, imm(-1, wide=True)), pdsts=(P0, TRUE), psrcs=(TRUE,), sub=Cmp.GT | BoolOp.OR << 4, width=8
    ),
    "FLO.U32.SH R1, R2": Instr(Op.FLO, R1, (R2,), flags=Flag.SHIFT),
    "FLO.U32 R1, ~R2": Instr(Op.FLO, R1, (reg(2, neg=True),)),
    "POPC R1, ~R2": Instr(Op.POPC, R1, (reg(2, neg=True),)),
    "BREV R1, ~R2": Instr(Op.BREV, R1, (reg(2, neg=True),)),
    "SGXT.U32 R1, R2, 0x8": Instr(Op.SGXT, R1, (R2, imm(8)), flags=Flag.UNSIGNED),
    "IDP.4A.U8.S8 R1, R2, R3, R4": Instr(Op.IDP, R1, (R2, R3, R4), sub=Dot.A_UNSIGNED),
    "IDP.2A.HI.S16.U8 R1, R2, R3, R4": Instr(
        Op.IDP, R1, (R2, R3, R4), sub=Dot.HALVES | Dot.UPPER | Dot.B_UNSIGNED
    ),
    "VABSDIFF.U32 R1, R2, R3, R4": Instr(Op.IABSDIFF, R1, (R2, R3, R4), flags=Flag.UNSIGNED),
    "UP2UR UR4, UPR, URZ, 0x1": Instr(Op.P2R, UR4, (ZERO, imm(1)), sub=UNIFORM_PREDICATES),
    "VABSDIFF4.U8 R1, R2, R3, R4": Instr(Op.IABSDIFF, R1, (R2, R3, ZERO), sub=Piece.BYTES, flags=Flag.UNSIGNED),
    "S2R R1, SR_LMEMHIOFF": Instr(Op.S2R, R1, sub=Special.ZERO),
    "VABSDIFF4.U8.ACC R1, R2, R3, R4": Instr(
        Op.IABSDIFF, R1, (R2, R3, R4), sub=Piece.BYTES | Piece.THIRD, flags=Flag.UNSIGNED
    ),
    "P2R R1, PR, R2, 0x7f": Instr(Op.P2R, R1, (R2, imm(0x7F))),
    "R2P PR, R2, 0x3": Instr(Op.R2P, srcs=(R2, imm(3))),
    # floats
    "FADD.FTZ R1, -R2, |R3|": Instr(
        Op.FADD, R1, (reg(2, neg=True), reg(3, absolute=True)), flags=Flag.FTZ
    ),
    "FMUL.RZ R1, R2, 0.15915493667125701904": Instr(Op.FMUL, R1, (R2, imm(0x3E22F983)), sub=Round.ZERO << 4),
    "FMUL.FTZ.M4 R1, R2, R3": Instr(Op.FMUL, R1, (R2, R3), sub=Scale.M4, flags=Flag.FTZ),
    "FMUL.D8.RZ R1, R2, R3": Instr(Op.FMUL, R1, (R2, R3), sub=Scale.D8 | Round.ZERO << 4),
    "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0x100": Instr(Op.USETMAXREG, pdsts=(Operand(Kind.UPRED, 0),), sub=256),
    "FFMA.SAT R1, R2, R3, -1": Instr(Op.FFMA, R1, (R2, R3, imm(0xBF800000)), flags=Flag.SAT),
    "FMNMX.NAN R1, R2, -INF, !PT": Instr(
        Op.FMNMX, R1, (R2, imm(0xFF800000)), psrcs=(NEVER,), flags=Flag.NAN
    ),
    "FSETP.GEU.FTZ.OR P0, P1, |R2|, R3, !PT": Instr(
        Op.FSETP, srcs=(reg(2, absolute=True), R3), pdsts=(P0, P1), psrcs=(NEVER,),
        sub=Cmp.GE | 8 | BoolOp.OR << 4, flags=Flag.FTZ,
    ),
    "FSET.BF.GT.AND R1, R2, R3, PT": Instr(Op.FSET, R1, (R2, R3), psrcs=(TRUE,), sub=Cmp.GT, flags=Flag.ONE),
    "MUFU.RSQ R1, |R2|": Instr(Op.MUFU, R1, (reg(2, absolute=True),), sub=Mufu.RSQ),
    "MUFU.EX2.F16 R1, R2": Instr(Op.MUFU, R1, (R2,), sub=Mufu.EX2, flags=Flag.HALF),
    "DFMA.RM R2, R4, 2, -R6": Instr(Op.DFMA, R2, (R4, imm(0x40000000), reg(6, neg=True)), sub=Round.DOWN << 4),
    "HFMA2.RELU R1, R2.H0_H0, R3, 1, 1": Instr(
        Op.HFMA2, R1, (half(R2, Half.LOW), R3, imm(0x3C003C00)), flags=Flag.RELU
    ),
    "HADD2.F32 R1, -RZ, R2.H1_H1": Instr(
        Op.HADD2, R1, (ZERO._replace(neg=True), half(R2, Half.HIGH)), flags=Flag.F32
    ),
    "HMUL2.BF16_V2 R1, R2, 0.5, 2": Instr(Op.HMUL2, R1, (R2, imm(0x3F004000)), flags=Flag.BF16),
    "HSETP2.LT.AND P0, P1, R2, R3, PT": Instr(
        Op.HSETP2, srcs=(R2, R3), pdsts=(P0, P1), psrcs=(TRUE,), sub=Cmp.LT
    ),
    # conversions
    "I2F.U8 R1, R2.B1": Instr(Op.I2F, R1, (half(R2, Half.BYTE_1),), sub=Convert.U8),
    "I2F.F64.S64 R2, R4": Instr(Op.I2F, R2, (R4,), sub=Convert.S64 | Convert.F64 << 8),
    "F2I.TRUNC.NTZ R1, R2": Instr(Op.F2I, R1, (R2,), sub=Convert.S32 | Round.ZERO << 4),
    "F2F.F64.F32 R2, R4": Instr(Op.F2F, R2, (R4,), sub=Convert.TO_F64),
    "F2FP.F16.F32.MERGE_C.RZ R1, R2, R3.H1": Instr(
        Op.F2FP, R1, (ZERO, R2, half(R3, Half.HIGH)), sub=Convert.F16 | Round.ZERO << 4, flags=Flag.MERGE
    ),
    "F2FP.BF16.F32.PACK_AB R1, R2, R3": Instr(Op.F2FP, R1, (R2, R3), sub=Convert.BF16),
    "MUFU.RCP64H R1, 9.99999660702670321094e+299": Instr(Op.MUFU, R1, (imm(0x7E37E43C),), sub=Mufu.RCP64H),
    "MUFU.RSQ64H R1, 4.1203460693359375": Instr(Op.MUFU, R1, (imm(0x40107B3C),), sub=Mufu.RSQ64H),
    "FRND.F16.FLOOR R1, 0.018585205078125": Instr(
        Op.FRND, R1, (imm(0x24C2),), sub=Round.DOWN << 4 | Convert.F16 << 8
    ),
    "FRND.F16.FLOOR R1, |R2.H1|": Instr(
        Op.FRND, R1, (half(R2._replace(abs=True), Half.HIGH),), sub=Round.DOWN << 4 | Convert.F16 << 8
    ),
    "FRND.BF16 R1, -2.5": Instr(Op.FRND, R1, (imm(0xC020),), sub=Convert.BF16 << 8),
    "F2FP.SATFINITE.RELU.E5M2.F16.UNPACK_B_MERGE_C R1, R2, R3.H1": Instr(
        Op.F2FP,
        R1,
        (R2, ZERO, half(R3, Half.HIGH)),
        sub=Convert.E5M2,
        flags=Flag.SAT | Flag.RELU | Flag.UNPACK | Flag.MERGE,
    ),
    "F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C R1, 5.6051938572992682837e-45, RZ": Instr(
        Op.F2FP, R1, (imm(4), ZERO, ZERO), sub=Convert.E4M3, flags=Flag.SAT | Flag.UNPACK | Flag.MERGE
    ),
    "F2FP.F16.E5M2.UNPACK_B R1, 1.4012984643248170709e-44": Instr(
        Op.F2FP, R1, (imm(10),), sub=Convert.E5M2, flags=Flag.UNPACK
    ),
    "VHMNMX.NAN R1, R2, 0, 7.152557373046875e-07, R3, !PT": Instr(
        Op.HMNMX2, R1, (R2, imm(12), R3), psrcs=(NEVER,), sub=Piece.THIRD, flags=Flag.NAN
    ),
    "LEA.X R1, R2, 0xffffffff, 0x4, P1": Instr(Op.LEA, R1, (R2, imm(-1)), sub=4, psrcs=(P1,), flags=Flag.X),
    "HFMA2 R1, -R2, R3.H0_NH1, |R4|": Instr(
        Op.HFMA2, R1, (reg(2, neg=True), half(R3, Half.TURNED), reg(4, absolute=True))
    ),
    "FRND.FLOOR R1, R2": Instr(Op.FRND, R1, (R2,), sub=Round.DOWN << 4),
    # memory
    "LDG.E.128.CONSTANT R4, desc[UR4][R2.64+0x10]": Instr(
        Op.LDG, R4, (R2,), width=16, offset=16, flags=Flag.CONSTANT
    ),
    "LDG.E.S8 R1, desc[UR4][R2.64+UR4]": Instr(Op.LDG, R1, (R2, ZERO, UR4), width=1, flags=Flag.SIGNED),
    "LDG.E.STRONG.GPU R1, [R2.U32+UR4+-0x4]": Instr(
        Op.LDG, R1, (R2, ZERO, UR4), offset=-4, flags=Flag.NARROW, cache=Cache.CG
    ),
    "STG.E.EF.64 desc[UR4][R2.64], R4": Instr(Op.STG, None, (R2, R4), width=8, cache=Cache.CS),
    "LDS.U.64 R2, [R1.X8+0x400]": Instr(Op.LDS, R2, (R1,), width=8, offset=0x400, sub=3),
    "STS.U8 [R1+UR4], R2": Instr(Op.STS, None, (R1, R2, UR4), width=1),
    "LDL.128 R4, [R1+-0x8]": Instr(Op.LDL, R4, (R1,), width=16, offset=-8),
    "LDC.U8 R1, c[0x3][R2+0x40]": Instr(Op.LDC, R1, (R2,), width=1, offset=0x40, sub=3),
    "ULDC.64 UR4, c[0x0][0x208]": Instr(Op.LDC, UR4, (ZERO,), width=8, offset=0x208),
    "ATOMG.E.ADD.STRONG.GPU PT, R1, desc[UR4][R2.64], R4": Instr(
        Op.ATOMG, R1, (R2, R4), pdsts=(TRUE,), sub=Atomic.ADD, flags=Flag.UNSIGNED, cache=Cache.CG
    ),
    "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R4": Instr(
        Op.RED, None, (R2, R4), sub=Atomic.ADD, flags=Flag.FLOAT | Flag.FTZ, cache=Cache.CG
    ),
    "ATOMS.POPC.INC.32 RZ, [R1]": Instr(Op.ATOMS, ZERO, (R1,), sub=Atomic.POPC_INC, flags=Flag.UNSIGNED),
    "ATOMS.CAST.SPIN R1, [R2], R3, R4": Instr(Op.ATOMS, R1, (R2, R3, R4), sub=Atomic.CAST, flags=Flag.UNSIGNED),
    "LDGSTS.E.BYPASS.128.ZFILL [R1], desc[UR4][R2.64], P0": Instr(
        Op.LDGSTS, None, (R1, R2), psrcs=(P0,), width=16, target=0, flags=Flag.ZFILL, cache=Cache.CG
    ),
    "DEPBAR.LE SB0, 0x1": Instr(Op.DEPBAR, sub=1),
    "CCTL.E.PF2 [R2]": Instr(Op.PREFETCH, None, (R2,), cache=Cache.CG),
    "QSPC.E.S P0, RZ, [R2]": Instr(Op.QSPC, None, (R2,), pdsts=(P0,), sub=Space.SHARED),
    # lanes of a warp
    "S2R R1, SR_TID.Y": Instr(Op.S2R, R1, sub=Special.TID_Y),
    "CS2R R2, SRZ": Instr(Op.CS2R, R2, sub=Special.ZERO, width=8),
    "SHFL.BFLY PT, R1, R2, 0x10, 0x1f": Instr(
        Op.SHFL, R1, (R2, imm(16), imm(31)), pdsts=(TRUE,), sub=Shfl.BFLY
    ),
    "VOTE.ANY R1, PT, P0": Instr(Op.VOTE, R1, pdsts=(TRUE,), psrcs=(P0,), sub=Vote.ANY),
    "VOTEU.ALL UP0, P0": Instr(Op.VOTE, pdsts=(UP0,), psrcs=(P0,), sub=Vote.ALL),
    "MATCH.ALL.U64 P0, R1, R2": Instr(Op.MATCH, R1, (R2,), pdsts=(P0,), sub=1, width=8),
    "REDUX.SUM.S32 UR79, R2": Instr(Op.REDUX, ureg(79), (R2,), sub=Atomic.ADD),
    "REDUX.SUM.S32 UR4, R2": Instr(Op.REDUX, UR4, (R2,), sub=Atomic.ADD),
    "R2UR UR4, R2": Instr(Op.R2UR, UR4, (R2,)),
    "R2UR P1, URZ, R2": Instr(Op.R2UR, ZERO, (R2,), pdsts=(P1,)),
    "R2UR.OR P1, UR4, R2": Instr(Op.R2UR, UR4, (R2,), pdsts=(P1,), psrcs=(P1,), sub=1),
    # tensor cores
    "HMMA.16816.F32.BF16 R4, R8, R12, RZ": Instr(
        Op.HMMA, R4, (reg(8), reg(12), ZERO), sub=Mma.BF16_16816_F32
    ),
    "IMMA.16832.S8.S8.SAT R4, R8.ROW, R12.COL, R4": Instr(
        Op.IMMA, R4, (reg(8), reg(12), R4), sub=Mma.S8_16832, flags=Flag.SAT
    ),
    "DMMA.16x8x16 R4, R32, R12, RZ": Instr(Op.DMMA, R4, (reg(32), reg(12), ZERO), sub=Mma.F64_16816),
    "DMMA.8x8x4 R4, R2, R6, R4": Instr(Op.DMMA, R4, (R2, R6, R4), sub=Mma.F64_884),
    "LDSM.16.MT88.2 R2, [R1+0x80]": Instr(Op.LDSM, R2, (R1,), sub=2, offset=0x80, flags=Flag.TRANSPOSE),
    # warpgroups
    "HGMMA.64x64x16.F32 R24, gdesc[UR8].tnspA.tnspB, R24, UP0, gsb0": Instr(
        Op.HGMMA, reg(24), (ureg(8), ZERO, reg(24)), psrcs=(UP0,),
        sub=Product(Element.F16, Element.F16, 8, a_transposed=True, b_transposed=True, commits=True).sub,
    ),
    "HGMMA.64x256x16.F32.BF16 R24, -R4, gdesc[UR4].negB, RZ, !UPT": Instr(
        Op.HGMMA, reg(24), (ureg(6), R4, ZERO), psrcs=(NEVER_UNIFORM._replace(neg=True),),
        sub=Product(Element.BF16, Element.BF16, 32, a_shared=False, a_negated=True, b_negated=True).sub,
    ),
    "HGMMA.64x8x16.F16 RZ, gdesc[URZ], RZ, !UPT, gsb0": Instr(
        Op.HGMMA, sub=Product(Element.F16, Element.F16, 1, half_sums=True, commits=True).sub,
    ),
    "QGMMA.64x24x32.F16.E4M3.E5M2 R24, gdesc[UR8], R24": Instr(
        Op.QGMMA, reg(24), (ureg(8), ZERO, reg(24)), sub=Product(Element.E4M3, Element.E5M2, 3, half_sums=True).sub
    ),
    "IGMMA.64x16x32.S8.U8.SAT R24, gdesc[UR8], R24, gsb0": Instr(
        Op.IGMMA, reg(24), (ureg(8), ZERO, reg(24)), flags=Flag.SAT,
        sub=Product(Element.S8, Element.U8, 2, commits=True).sub,
    ),
    "WARPGROUP.ARRIVE": Instr(Op.WARPGROUP_ARRIVE),
    "WARPGROUP.DEPBAR.LE gsb0, 0x1": Instr(Op.WARPGROUP_DEPBAR, sub=1),
    "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xf0": Instr(Op.USETMAXREG, pdsts=(UP0,), sub=240),
    "USETMAXREG.DEALLOC.CTAPOOL 0x18": Instr(Op.USETMAXREG, sub=24, flags=Flag.CLEAR),
    "ELECT P0, UR4, PT": Instr(Op.ELECT, UR4, pdsts=(P0,), psrcs=(TRUE,)),
    "FENCE.VIEW.ASYNC.S": Instr(Op.MEMBAR, sub=1),
    "FENCE.VIEW.ASYNC.G": Instr(Op.MEMBAR),
    "MEMBAR.SC.GPU": Instr(Op.MEMBAR, sub=1),
    "ERRBAR": Instr(Op.MEMBAR),
    "CCTL.IVALL": Instr(Op.MEMBAR, sub=1),
    # control
    "@!P0 EXIT": Instr(Op.EXIT, guard=pred(0, neg=True)),
    "@P0 EXIT P1": Instr(Op.EXIT, psrcs=(P1,), guard=pred(0)),
    "BRA.DIV ~URZ, `0x40": Instr(Op.BRA, None, (imm(-1),), target=4, flags=Flag.DIVERGED),
    "BRA P1, `0x20": Instr(Op.BRA, psrcs=(P1,), target=2),
    "BSSY.RECONVERGENT B3, `0x30": Instr(Op.BSSY, sub=3, target=3),
    "BSYNC B3": Instr(Op.BSYNC, sub=3),
    "CALL.REL.NOINC `0x50": Instr(Op.CALL, target=5),
    "RET.REL.NODEC R2 `0x0": Instr(Op.RET, None, (R2,)),
    "RET.REL.NODEC P0, R2 `0x0": Instr(Op.RET, None, (R2,), psrcs=(P0,)),
    "BRX R2 -0x140": Instr(Op.BRX, None, (R2,), offset=-0x130),
    "BAR.SYNC.DEFER_BLOCKING 0x0": Instr(Op.BAR),
    "BAR.RED.POPC.DEFER_BLOCKING 0x1, R2, P0": Instr(
        Op.BAR, None, (ZERO, R2), psrcs=(P0,), sub=1 | BarRed.POPC << 8
    ),
    "WARPSYNC.ALL": Instr(Op.WARPSYNC),
    "WARPSYNC R2": Instr(Op.WARPSYNC, None, (R2,)),
    "WARPSYNC.EXCLUSIVE R2": Instr(Op.WARPSYNC, None, (R2,), flags=Flag.EXCLUSIVE),
    "WARPSYNC.COLLECTIVE R2, `0x40": Instr(Op.WARPSYNC, None, (R2,), target=4, flags=Flag.EXCLUSIVE),
    "BMOV.32.CLEAR R1, B0": Instr(Op.BMOV, R1, flags=Flag.CLEAR),
    "YIELD": Instr(Op.NOP, sub=1),
    "NOP": Instr(Op.NOP),
    # mbarriers and copies
    "SYNCS.EXCH.64 URZ, [UR4], UR6": Instr(Op.SYNCS_EXCH, None, (UR4, ureg(6))),
    "SYNCS.ARRIVE.TRANS64.A1T0 R2, [R1+UR4+0x8], RZ": Instr(
        Op.SYNCS_ARRIVE, R2, (R1, ZERO, UR4), sub=Arrival.ONE, offset=8
    ),
    "SYNCS.ARRIVE.TRANS64.RED.OPTOUT.ART0 RZ, [UR4], R3": Instr(
        Op.SYNCS_ARRIVE, None, (UR4, R3), sub=Arrival.COUNTED | Arrival.DROP | Arrival.REMOTE
    ),
    "SYNCS.ARRIVE.TRANS64 RZ, [UR4], R3": Instr(Op.SYNCS_ARRIVE, None, (UR4, R3), sub=Arrival.ONE | Arrival.EXPECT),
    "SYNCS.ARRIVE.TRANS64.RED.A0TX RZ, [UR4], R3": Instr(
        Op.SYNCS_ARRIVE, None, (UR4, R3), sub=Arrival.COMPLETE | Arrival.REMOTE
    ),
    "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R1+URZ], R3": Instr(
        Op.SYNCS_PHASECHK, None, (R1, R3), pdsts=(P0,), sub=Wait.TRY
    ),
    "SYNCS.CCTL.IV [UR4]": Instr(Op.SYNCS_CCTL, None, (UR4,)),
    "ARRIVES.LDGSTSBAR.64.TRANSCNT [UR4]": Instr(Op.ARRIVES, None, (UR4,), sub=Arrival.NONE),
    "UBLKCP.S.G [UR4], [UR6], UR8, desc[UR10]": Instr(Op.UBLKCP_S_G, None, (UR4, ureg(6), ureg(8))),
    "UBLKRED.G.S.ADD.F16.RN [UR6], [UR4], UR8": Instr(
        Op.UBLKRED_G_S, None, (ureg(6), UR4, ureg(8)), sub=Atomic.ADD, width=2, flags=Flag.HALF
    ),
    "UBLKPF.L2 [UR6], UR8": Instr(Op.UBLKPF, None, (ureg(6), ureg(8))),
    "UBLKCP.S.G.MULTICAST [UR4], [UR6], UR8": Instr(Op.UBLKCP_S_G, None, (UR4, ureg(6), ureg(8)), sub=MULTICAST),
    "UTMALDG.5D [UR8], [UR6]": Instr(Op.UTMALDG, None, (ureg(8), ureg(6), ureg(URZ)), sub=5 << 4),
    "UTMALDG.2D.MULTICAST [UR8], [UR6], UR4, desc[UR12]": Instr(
        Op.UTMALDG, None, (ureg(8), ureg(6), UR4), sub=2 << 4 | MULTICAST
    ),
    "UTMASTG.1D [UR4], [UR6]": Instr(Op.UTMASTG, None, (UR4, ureg(6)), sub=1 << 4),
    "UTMAREDG.2D.XOR [UR4], [UR6]": Instr(Op.UTMAREDG, None, (UR4, ureg(6)), sub=2 << 4 | Atomic.XOR),
    "UTMAPF.L2.3D [UR4], [UR8]": Instr(Op.UTMAPF, None, (UR4, ureg(8)), sub=3 << 4),
    "UTMACMDFLUSH": Instr(Op.UTMACMDFLUSH),
    "UTMACCTL.PF [UR4]": Instr(Op.MEMBAR),
    # clusters
    "UCGABAR_ARV": Instr(Op.CLUSTER_ARRIVE),
    "UCGABAR_WAIT": Instr(Op.CLUSTER_WAIT),
    "CGAERRBAR": Instr(Op.CLUSTER_FENCE),
    "STAS.128 [R2.64], R4": Instr(Op.STAS, None, (R2, R4), width=16),
    "REDAS.MIN.S32 [R2.64], R4": Instr(Op.REDAS, None, (R2, R4), sub=Atomic.MIN),
    "REDAS.ADD.64 [R2.64], R4": Instr(Op.REDAS, None, (R2, R4), sub=Atomic.ADD, width=8, flags=Flag.UNSIGNED),
    "QSPC.E.D P0, RZ, [R2]": Instr(Op.QSPC, None, (R2,), pdsts=(P0,), sub=Space.CLUSTER),
    "WARPSYNC.COLLECTIVE.ALL `0x40": Instr(Op.NOP),
    # textures
    "TEX.LL RZ, R5, R4, R6, UR4, 0x0, 2D, 0x1": Instr(
        Op.TEX, R5, (UR4, R4, R5, ZERO), sub=1, flags=Flag.NARROW
    ),
    "TEX.LZ R6, R4, R4, UR4, 0x0, 2D": Instr(Op.TEX, R4, (UR4, R4, R5, R6), sub=15, flags=Flag.NARROW),
    "TEX.SCR.LZ RZ, R4, R1, R5, 0x0, 0x58, 2D, 0x3": Instr(
        Op.TEX, R4, (const(0x160), R1, R5, ZERO), sub=3, flags=Flag.NARROW
    ),
    "TEX.SCR.B.LL RZ, R6, R4, R6, 2D, 0x1": Instr(Op.TEX, R6, (R6, R4, R5, ZERO), sub=1, flags=Flag.NARROW),
    "TLD.LZ RZ, R5, R3, UR4, 0x0, 1D, 0x1": Instr(
        Op.TEX, R5, (UR4, R3, ZERO, ZERO), sub=1 | TEXELS, flags=Flag.NARROW
    ),
    "PREEXIT": Instr(Op.MEMBAR),
    "ACQBULK": Instr(Op.MEMBAR),
    "BRA.U.ANY `0x40": Instr(Op.BRA, target=4, sub=1),
    # the uniform datapath
    "UIADD3 UR4, UP0, UPT, UR4, 0x1, URZ": Instr(
        Op.IADD3, UR4, (UR4, imm(1), ZERO), pdsts=(UP0, NEVER_UNIFORM)
    ),
    "USEL UR4, UR4, 0x1, UP0": Instr(Op.SEL, UR4, (UR4, imm(1)), psrcs=(UP0,)),
    "S2UR UR4, SR_CTAID.X": Instr(Op.S2R, UR4, sub=Special.CTAID_X),
}  # fmt: skip


@pytest.mark.parametrize("text", FORMS)
def test_a_form_becomes_one_instruction(text):
    assert replace(translate_line(line(text)), control=NO_CONTROL) == FORMS[text]


def test_every_family_has_a_form_above():
    assert {make.__module__ for make in TABLE.values()} == {TABLE[opcode(text)].__module__ for text in FORMS}


def opcode(text: str) -> str:
    """Opcode without its modifiers."""
    return line(text).opcode.partition(".")[0]


@pytest.mark.parametrize(
    "text",
    [
        "FROB R1, R2", "IADD3.SAT R1, R2, R3, R4", "IADD3 R1, R2, R3", "IADD3 R1, R2, R3, R4, P0, P1, 0x1",
        "IADD3 R1, |R2, R3, R4", "FADD R1, ~R2, R3", "FADD R1, R2.H0_H0, R3", "FADD R1, R2, 0x10 0x10", "MOV R1.64, R2",
        "LDG.E R1, [R2+R3]", "LDG.E R1, R2", "LDS R1, [R2.64]", "BRA 0x40", "BRA `(elsewhere)", "BRA `0x48",
        "BSYNC B16", "S2R R1, SR_NONE", "SHF.Q R1, R2, R3, R4", "HMMA.88.F32 R1, R2, R3, R4", "FMUL R1, R2, 1e40",
        "HADD2 R1, R2, 65536, 1", "HADD2 R1, R2, 1", "CALL.ABS.NOINC R2",
        "BAR.SYNC 0x10", "HGMMA.64x264x16.F32 R24, gdesc[UR8], R24", "HGMMA.64x65536x16.F32 R24, gdesc[UR8], R24",
        "HGMMA.64x8x8.F32 R24, gdesc[UR8], R24", "HGMMA.64x8x8.F32.TF32 R24, gdesc[UR8].tnspB, R24",
        "HGMMA.64x8x16.F32 R24, R28, R32, R24", "HGMMA.64x8x16.F32 R24, gdesc[URZ], R24",
        "HGMMA.64x8x16.F32 R24, R28, gdesc[UR8].tnspA, R24", "IGMMA.64x40x32.S8.S8 R24, gdesc[UR8], R24",
        "QGMMA.64x8x32.F32.E4M3 R24, gdesc[UR8], R24", "WARPGROUP.WAIT", "WARPGROUP.DEPBAR.LE gsb1, 0x0",
        "USETMAXREG.CTAPOOL 0x18",
    ],
)  # fmt: skip
def test_what_is_not_known_is_unsupported(text):
    with pytest.raises(Unsupported):
        translate_line(line(text))


def test_bits_of_a_nan_come_from_the_encoding():
    nan = translate_line(line("FADD R1, R2, +QNAN", low=0x7FC01234 << 32))
    assert nan.srcs[1] == imm(0x7FC01234)


def test_what_has_no_translation_keeps_its_text_and_place():
    lines = [line("@P0 FROB.X R1, [R2]"), line("EXIT", address=16)]
    found = translate(
        "k", lines, registers=8, shared_bytes=0, local_bytes=0, max_threads=64, parameters=[(0, 8)], arch="sm_90",
        banks={},
    )  # fmt: skip
    assert found.unknown == {0: "@P0 FROB.X R1, [R2]"}
    assert (found.instrs[0].op, found.instrs[0].guard) == (Op.UNKNOWN, P0)
    assert found.params[0][2:] == (0x210, 8)


# ------------------------------------------------------------------ what compilers make

CORPUS = sorted(path.name for path in SOURCES.glob("*.cu"))
NEEDS = dict.fromkeys(
    ("instructions.cu", "mbarriers.cu", "tensors.cu", "clusters.cu", "cluster_groups.cu"), 90
)  # first architecture that has all of it
OPTIONS = {"instructions.cu": ["-std=c++17"], "integers.cu": ["--device-int128"]}
OF_BLACKWELL = {"R2UR.BROADCAST"}
"""What it makes besides where each lane copies its own."""
UNSUPPORTED = {"CALL.ABS.NOINC"}
"""What the corpus has and nothing here translates: calls of functions, which are resolved later.

Not in the corpus: wgmma (``test_warpgroup.py`` has it), boxes of images, tcgen05, textures, surfaces,
matrices of 4 bits, of 1 bit, and fp8; %nwarpid.
"""


@pytest.mark.usefixtures("compiler")
@pytest.mark.long
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_everything_ordinary_has_a_translation(arch, request):
    unknown, classes = set(), set()
    for name in CORPUS:
        if int(arch[3:]) < NEEDS.get(name, 0):
            continue
        try:
            module = cuda.compile(SOURCES / name, gpu=arch, options=OPTIONS.get(name, ()))
        except cuda.MissingToolError:  # cooperative groups need libcu++
            continue
        for lines in listing(module).values():
            unknown |= {one.opcode for one in lines if not translates(one)}
            classes |= needed([translate_line(one) for one in lines if translates(one)])
    assert unknown == UNSUPPORTED | (OF_BLACKWELL if int(arch[3:]) >= 100 else set())
    assert classes <= set(hardware.of_architecture(arch, Instructions).classes)
    assert classes > {"uniform_datapath", "matrix_load"}


def translates(one: Line) -> bool:
    try:
        translate_line(one)
    except Unsupported:
        return False
    return True


# ------------------------------------------------------------------ anything else

OPCODES = st.sampled_from(sorted(TABLE))
WORDS = sorted({word for text in FORMS for word in line(text).opcode.split(".")[1:]})
OPERANDS = sorted({operand for text in FORMS for operand in line(text).operands})


@settings(max_examples=3000)
@given(
    OPCODES,
    st.lists(st.sampled_from(WORDS), max_size=4),
    st.lists(st.sampled_from(OPERANDS) | st.text(max_size=6), max_size=6),
)
def test_any_instruction_translates_or_is_unsupported(opcode, words, operands):
    translates(Line(0, "", ".".join([opcode, *words]), tuple(operands), 0, 0))
