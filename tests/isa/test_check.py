"""Does the checker find what no hardware could run?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpusim.isa.check import ProgramError, check
from gpusim.isa.opcodes import Op
from gpusim.isa.program import ArrayInfo, Control, Instr, Program, const, imm, pred, reg

EXIT = Instr(Op.EXIT)
ARRAYS = (ArrayInfo("x", "global", "f32", 0x210, 0),)


def program(*instrs: Instr, n_registers: int = 16) -> Program:
    return Program("p", (*instrs, EXIT), n_registers, arrays=ARRAYS)


def test_a_sound_program_passes() -> None:
    check(
        program(
            Instr(Op.BSSY, target=3),
            Instr(Op.LDG, reg(4), (reg(2),), width=16, offset=-4, array=0, guard=pred(0, neg=True)),
            Instr(Op.BSYNC),
            Instr(Op.IMAD_WIDE, reg(2), (reg(0), imm(4), reg(6))),
            Instr(Op.STG, srcs=(reg(2), reg(255)), width=16, array=0),
        )
    )


@pytest.mark.parametrize(
    ("instr", "complaint"),
    [
        (Instr(Op.MOV, reg(16), (imm(1),)), "R16 of 16 registers"),
        (Instr(Op.LDG, reg(6), (reg(2),), width=16), "group of 4"),
        (Instr(Op.LDG, reg(4), (reg(3),)), "group of 2"),
        (Instr(Op.STS, srcs=(reg(0), reg(2)), width=16), "group of 4"),
        (Instr(Op.LDS, reg(0), (reg(8),), width=32), "width 32"),
        (Instr(Op.IMAD_WIDE, reg(15), (reg(0), imm(4), reg(6))), "group of 2"),
        (Instr(Op.BRA, target=9), "target 9"),
        (Instr(Op.MOV, reg(0), (const(0x211),)), "not a word"),
        (Instr(Op.ISETP, srcs=(reg(0), reg(1)), pdsts=(pred(8),)), "predicate 8"),
        (Instr(Op.LDS, reg(0), (reg(0),), offset=1 << 23), "24 bits"),
        (Instr(Op.LDS, reg(0), (reg(0),), array=1), "array 1"),
        (Instr(Op.BSSY, target=0, sub=16), "convergence barrier 16"),
        (Instr(Op.NOP, control=Control(16)), "control"),
    ],
)
def test_one_bad_instruction_is_named(instr: Instr, complaint: str) -> None:
    with pytest.raises(ProgramError, match=f"p, instruction 0 .*{complaint}"):
        check(program(instr))


def test_convergence_barriers_must_pair() -> None:
    with pytest.raises(ProgramError, match=r"\[0\] are set up, \[\] are waited for"):
        check(program(Instr(Op.BSSY, target=1)))


def test_a_program_must_end() -> None:
    with pytest.raises(ProgramError, match="must end in EXIT"):
        check(replace(program(), instrs=(Instr(Op.NOP),)))
    with pytest.raises(ProgramError, match="must end in EXIT, ends in @!PT EXIT"):
        check(replace(program(), instrs=(Instr(Op.EXIT, guard=pred(7, neg=True)),)))
    with pytest.raises(ProgramError, match="no instructions"):
        check(replace(program(), instrs=()))
