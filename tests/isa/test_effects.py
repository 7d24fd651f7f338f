"""What an instruction is said to read and write."""

import pytest

from gpusim.isa.effects import effects
from gpusim.isa.instruction import TRUE, Instr, imm, pred, reg
from gpusim.isa.opcodes import Op


@pytest.mark.parametrize(
    ("guard", "partial"), [(TRUE, False), (pred(0), True), (pred(0, neg=True), True), (pred(7, neg=True), True)]
)
def test_old_values_survive_wherever_a_guard_may_be_false(guard, partial):
    found = effects(Instr(Op.MOV, reg(4), (imm(1),), guard=guard))
    assert found.writes == 1 << 4
    assert found.partial == partial
