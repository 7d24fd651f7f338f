"""Does the checker find what no hardware could run?"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.isa.check import ProgramError, check, problems
from gpusim.isa.encode import F, encode
from gpusim.isa.instruction import Control, Instr, const, imm, pred, reg, ureg
from gpusim.isa.opcodes import Op
from gpusim.isa.program import ArrayInfo, Program
from gpusim.isa.variants import Flag
from gpusim.isa.warpgroup import Element, Product
from gpusim.isa.widths import result_words, source_words

EXIT = Instr(Op.EXIT)
ARRAYS = (ArrayInfo("x", "global", "f32", 0x210, 0),)


def program(*instrs: Instr, n_registers: int = 16) -> Program:
    return Program("p", (*instrs, EXIT), n_registers, arrays=ARRAYS, barriers=2, const_base=0x210)


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
        (Instr(Op.MOV, reg(0), (const(0x211),)), "does not start a group of 4 bytes"),
        (Instr(Op.ISETP, srcs=(reg(0), reg(1)), pdsts=(pred(8),)), "predicate 8"),
        (Instr(Op.LDS, reg(0), (reg(0),), offset=1 << 23), "24 bits"),
        (Instr(Op.LDS, reg(0), (reg(0),), array=1), "array 1"),
        (Instr(Op.BSSY, target=0, sub=16), "convergence barrier 16"),
        (Instr(Op.BREAK, sub=16), "convergence barrier 16"),
        (Instr(Op.BMOV, reg(0), sub=-1), "convergence barrier -1"),
        (Instr(Op.NOP, control=Control(16)), "control"),
        (Instr(Op.NOP, control=Control(1, 6)), "control"),
        (Instr(Op.MOV, reg(135), (imm(1),)), "R135 of 16 registers"),
        (Instr(Op.MOV, ureg(254), (imm(1), imm(1)), width=8), "UR255 of 255"),
        (Instr(Op.STG, reg(0), (reg(2), reg(4))), "a result, which it has not"),
        (Instr(Op.LDC, ureg(252), (reg(255),), width=16, offset=0x200), "UR255 of 255"),
        (Instr(Op.LDC, ureg(256), (reg(255),)), "UR256 of 255"),
        (Instr(Op.LDG, reg(4), (ureg(255 + 1),)), "UR257 of 255"),
        (Instr(Op.DADD, reg(14), (reg(14), reg(16))), "R17 of 16"),
        (Instr(Op.HMMA, reg(8), (reg(12), reg(16), reg(8))), "R17 of 16"),
        (Instr(Op.LDSM, reg(14), (reg(0),), sub=4), "group of 4"),
        (Instr(Op.LDSM, reg(0), (reg(0),), sub=3), "no such variant"),
        (Instr(Op.HMMA, reg(0), (reg(0), reg(0), reg(0)), sub=99), "no such variant"),
        (Instr(Op.QSPC, None, (reg(0),), pdsts=(pred(0),), sub=4), "no such variant"),
        (Instr(Op.S2R, reg(0), sub=33), "no such variant"),
        (Instr(Op.LDC, reg(0), (reg(1),), sub=32), "no such variant"),
        (Instr(Op.MOV, reg(0), (const(0x210),)), "0x210 of bank 0, which has 0x210 bytes"),
        (Instr(Op.MOV, reg(0), (const(0, 3),)), "bank 3, which is not there"),
        (Instr(Op.LDC, reg(0), (reg(255),), width=8, offset=0x20C), "0x20c of bank 0"),
        (Instr(Op.LDC, reg(0), (reg(255),), offset=-4), "constant at -0x4"),
        (Instr(Op.BAR, sub=3), "barrier 3 of 2"),
        (Instr(Op.LDGSTS, srcs=(reg(0), reg(2)), target=1 << 23), "24 bits"),
        (Instr(Op.RET, srcs=(reg(0),), offset=1 << 31), "32 bits"),
    ],
)
def test_one_bad_instruction_is_named(instr: Instr, complaint: str) -> None:
    with pytest.raises(ProgramError, match=f"p, instruction 0 .*{complaint}"):
        check(program(instr))


@pytest.mark.parametrize("first", [8, 12, 14])
def test_sums_of_a_warpgroup_begin_at_a_multiple_of_four(first: int) -> None:
    product = Product(Element.F16, Element.F16, tiles=2).sub
    instr = Instr(Op.HGMMA, reg(first), (ureg(4), reg(255), reg(255)), sub=product)
    said = [text for text in problems(instr, program(instr, n_registers=64)) if "group" in text]
    assert said == ([] if first % 4 == 0 else ["R14 does not start a group of 8"])


def test_convergence_barriers_must_pair() -> None:
    with pytest.raises(ProgramError, match=r"\[\] are set up, \[0\] are waited for"):
        check(program(Instr(Op.BSYNC)))


def test_what_every_path_leaves_need_not_be_waited_for() -> None:
    check(program(Instr(Op.BSSY, target=1)))


def test_padding_may_follow_the_end() -> None:
    check(Program("p", (EXIT, Instr(Op.BRA, target=1), Instr(Op.NOP), Instr(Op.NOP)), 16))


def test_a_program_must_end() -> None:
    with pytest.raises(ProgramError, match="must end in EXIT"):
        check(replace(program(), instrs=(Instr(Op.NOP),)))
    with pytest.raises(ProgramError, match="must end in EXIT, ends in @!PT EXIT"):
        check(replace(program(), instrs=(Instr(Op.EXIT, guard=pred(7, neg=True)),)))
    with pytest.raises(ProgramError, match="no instructions"):
        check(replace(program(), instrs=()))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"n_registers": 256}, "256 registers of a thread"),
        ({"banks": {32: b""}}, "constant bank 32"),
        ({"instrs": (Instr(Op.BRA, target=0, flags=Flag.DIVERGED),)}, "must end in EXIT"),
    ],
)
def test_what_is_wrong_with_the_whole_is_said(change: dict, complaint: str) -> None:
    with pytest.raises(ProgramError, match=complaint):
        check(replace(program(), **change))


def test_a_barrier_that_was_put_back_may_be_waited_for() -> None:
    check(program(Instr(Op.BMOV, srcs=(reg(0),), sub=2), Instr(Op.BSYNC, sub=2)))


OPERANDS = st.one_of(
    st.builds(reg, st.integers(0, 255)), st.builds(ureg, st.integers(0, 70)), st.builds(imm, st.integers(0, 9)),
    st.builds(const, st.integers(0, 0x300), st.integers(0, 4)),
)  # fmt: skip


@settings(max_examples=500)
@given(data=st.data())
def test_every_row_that_a_sound_instruction_names_is_there(data: st.DataObject) -> None:
    """Whatever passes names rows of the register file alone, as many as its operands take."""
    op = data.draw(st.sampled_from(sorted(Op)))
    instr = Instr(
        op, data.draw(st.none() | st.builds(reg, st.integers(0, 255)) | st.builds(ureg, st.integers(0, 70))),
        tuple(data.draw(st.lists(OPERANDS, max_size=3))), sub=data.draw(st.integers(0, 40)), target=0,
        width=data.draw(st.sampled_from((1, 2, 4, 8, 16))), flags=data.draw(st.sampled_from((0, Flag.NARROW))),
    )  # fmt: skip
    whole = Program("p", (instr, EXIT), 40, banks={3: bytes(64)})
    if any(True for _ in problems(instr, whole)):
        return
    image = encode(whole)
    row, shared = image.code[0], len(image.shared_values)
    places = [(F.DST, result_words(instr))] + [
        (column, source_words(instr, k)) for k, column in zip(range(len(instr.srcs)), (F.A, F.B, F.C), strict=False)
    ]
    for column, words in places:
        first = int(row[column])
        last = first + words - 1 if first >= 0 else ~first + words - 1
        assert last < (image.n_private if first >= 0 else shared)
    assert 0 <= row[F.GUARD] & 15 < 16
