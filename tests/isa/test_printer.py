"""Does a listing read like a disassembly?"""

from __future__ import annotations

import pytest

from gpusim.catalogue import lookup
from gpusim.isa.instruction import Control, Instr, const, imm, pred, reg, ureg
from gpusim.isa.opcodes import Op
from gpusim.isa.printer import format_instr
from gpusim.isa.variants import Atomic, BoolOp, Cmp, Flag, Mufu, Shift, Special


@pytest.mark.parametrize(
    ("instr", "text"),
    [
        (
            Instr(Op.LDG, reg(4), (reg(2),), pred(0, neg=True), width=16, offset=16, flags=Flag.CONSTANT, cache=1),
            "@!P0 LDG.E.128.CONSTANT.CG R4, [R2.64+0x10]",
        ),
        (Instr(Op.STG, srcs=(reg(2), reg(255)), offset=-4), "STG.E [R2.64-0x4], RZ"),
        (Instr(Op.LDS, reg(0), (reg(255),), width=8, offset=64), "LDS.64 R0, [0x40]"),
        (Instr(Op.STS, srcs=(reg(1), reg(0))), "STS [R1], R0"),
        (Instr(Op.LDC, reg(2), (reg(255),), width=8, offset=0x210), "LDC.64 R2, c[0x0][0x210]"),
        (
            Instr(
                Op.ISETP, srcs=(reg(1), const(0x218)), pdsts=(pred(1),), psrcs=(pred(0, neg=True),),
                sub=Cmp.GE | BoolOp.OR << 4, flags=Flag.UNSIGNED,
            ),
            "ISETP.GE.U32.OR P1, R1, c[0x0][0x218], !P0",
        ),
        (Instr(Op.FFMA, reg(0), (reg(1, neg=True), imm(0x3F000000), reg(2, neg=True))), "FFMA R0, -R1, 0.5, -R2"),
        (Instr(Op.MUFU, reg(0), (reg(1, absolute=True),), sub=Mufu.RSQ), "MUFU.RSQ R0, |R1|"),
        (Instr(Op.S2R, reg(0), sub=Special.TID_X), "S2R R0, SR_TID.X"),
        (Instr(Op.SHF, reg(0), (reg(1), imm(5), reg(255)), sub=Shift.R_U32), "SHF.R.U32 R0, R1, 0x5, RZ"),
        (Instr(Op.LOP3, reg(0), (reg(1), imm(31), reg(255)), sub=0xC0), "LOP3 R0, R1, 0x1f, RZ, 0xc0"),
        (Instr(Op.IADD3, reg(7), (reg(7), reg(255), reg(255)), psrcs=(pred(1),), flags=Flag.X),
         "IADD3.X R7, R7, RZ, RZ, P1"),
        (Instr(Op.BSSY, sub=2, target=9), "BSSY B2, L9"),
        (Instr(Op.BRA, guard=pred(3), target=4), "@P3 BRA L4"),
        (Instr(Op.BAR), "BAR 0x0"),
        (Instr(Op.CALL, target=7), "CALL L7"),
        (Instr(Op.CS2R, reg(2), sub=Special.CLOCK_LO, width=8), "CS2R R2, SR_CLOCK.LO"),
        (Instr(Op.LDG, reg(4), (reg(2), reg(255), ureg(6)), offset=8), "LDG.E R4, [R2.64+UR6+0x8]"),
        (Instr(Op.LDSM, reg(4), (reg(1),), sub=4, offset=32), "LDSM R4, [R1+0x20]"),
        (Instr(Op.LDGSTS, srcs=(reg(1), reg(2)), width=16, offset=16, target=32), "LDGSTS.128 [R1+0x10], [R2.64+0x20]"),
        (Instr(Op.ATOM, reg(0), (reg(2), reg(4)), sub=Atomic.ADD), "ATOM.E.ADD R0, [R2.64], R4"),
    ],
)  # fmt: skip
def test_instructions_read_as_sass(instr: Instr, text: str) -> None:
    assert format_instr(instr) == text


def test_a_listing_names_lines_labels_and_waits() -> None:
    program = lookup.get("matmul-tiled").kernel.lower(T=16)
    listing = program.listing(control=True, source=True)
    targets = {i.target for i in program.instrs if i.target >= 0}
    assert all(f"\nL{target}:\n" in listing for target in targets)
    assert "acc += sA[r, k] * sB[k, c]" in listing
    assert "// line" in listing
    assert str(program) == program.listing()


def test_control_shows_scoreboards_and_stalls() -> None:
    program = lookup.get("copy").kernel.lower()
    load = next(i for i in program.instrs if i.op is Op.LDG)
    assert load.control == Control(load.control.stall, load.control.write_sb, load.control.read_sb, load.control.wait)
    assert f"W{load.control.write_sb}" in program.listing(control=True)
