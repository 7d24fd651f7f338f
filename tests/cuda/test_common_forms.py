"""Is machine code of a common form read as the row of its opcode says?"""

from __future__ import annotations

import pytest

from gpusim.cuda.nvdisasm import Line
from gpusim.cuda.translate import FAMILIES, translate_line
from gpusim.cuda.translate.reader import Unsupported
from gpusim.isa.instruction import imm, pred, reg, ureg
from gpusim.isa.opcode_info import Says, Takes
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import BoolOp, Cmp

FORMS = [op for op in Op if op.info.form]
MODIFIERS = {Says.COMPARISON: ".GE.OR", Says.ROUNDING: ".RZ", Says.PERMUTE: ".F4E"}
SUBS = {Says.COMPARISON: Cmp.GE | BoolOp.OR << 4, Says.ROUNDING: 3 << 4, Says.PERMUTE: 1}
IMMEDIATES = {Takes.REAL: ("1.5", 0x3FC00000), Takes.DOUBLE: ("1.5", 0x3FF80000)}
COMMON = pytest.mark.parametrize("op", FORMS, ids=lambda op: op.name)


def line(opcode: str, operands: list[str]) -> Line:
    """A line of a disassembly."""
    return Line(0, "", opcode, tuple(operands), 0, 0)


def written(op: Op, register: str = "R", modifiers: str = "") -> Line:
    """An instruction with all that its form has, in registers 8, 16, 24 and 32 and predicates 0 to 2."""
    info, form = op.info, op.info.form
    pre = "" if register == "R" else "U"
    operands = [f"{pre}P{k}" for k in range(form.verdicts)]
    operands += [f"{register}8"] if info.result else []
    operands += [f"{register}{8 * k}" for k, _ in enumerate(info.sources[: form.sources], 2)]
    operands += [f"{pre}P{2 + k}" for k in range(form.conditions)]
    name = f"{pre}{form.name or op.name}"
    return line(f"{name}{MODIFIERS.get(info.says, '')}{modifiers}", operands)


@COMMON
def test_operands_come_in_the_order_of_the_form(op):
    info, form = op.info, op.info.form
    instr = translate_line(written(op))
    assert (instr.op, instr.sub, instr.flags) == (op, SUBS.get(info.says, 0), 0)
    assert instr.dst == (reg(8) if info.result else None)
    assert instr.srcs == tuple(reg(8 * k) for k, _ in enumerate(info.sources[: form.sources], 2))
    assert instr.pdsts == tuple(pred(k) for k in range(form.verdicts))
    assert instr.psrcs == tuple(pred(2 + k) for k in range(form.conditions))


@COMMON
def test_every_modifier_sets_its_flag(op):
    for word, flag in op.info.form.flags.items():
        assert translate_line(written(op, modifiers=f".{word}")).flags == flag
    for word in op.info.form.ignored:
        assert translate_line(written(op, modifiers=f".{word}")) == translate_line(written(op))
    with pytest.raises(Unsupported, match="modifier"):
        translate_line(written(op, modifiers=".NEVER"))


@pytest.mark.parametrize("op", [op for op in FORMS if op.info.form.uniform], ids=lambda op: op.name)
def test_the_uniform_datapath_has_it_too(op):
    instr = translate_line(written(op, "UR"))
    assert instr.op is op
    assert instr.srcs[0] == ureg(16)


@pytest.mark.parametrize("takes", IMMEDIATES)
def test_immediates_are_of_the_type_of_their_source(takes):
    op = next(op for op in FORMS if op.info.sources[:2] == (takes, takes) and op.info.result)
    text, bits = IMMEDIATES[takes]
    assert translate_line(line(op.name, ["R8", "R16", text])).srcs[1] == imm(bits)


def test_no_name_of_machine_code_is_read_in_two_ways():
    names = [name for family in FAMILIES for name in family]
    assert len(names) == len(set(names))
