"""What is needed before an instruction, under the guards of the program."""

import pytest

from gpusim.isa.effects import effects, predicate_bit
from gpusim.isa.encode import F
from gpusim.isa.instruction import Instr, imm, pred, reg, ureg
from gpusim.isa.liveness import Needs
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.slice import counting_image

P0, NOT_P0, P1 = pred(0), pred(0, neg=True), pred(1)
MOVE = {"op": Op.MOV, "dst": reg(8), "srcs": (reg(6),)}
USE = {"op": Op.IADD3, "dst": reg(9), "srcs": (reg(8), reg(8), reg(8))}
R6, R8 = 1 << 6, 1 << 8


def needed_before(*instrs: Instr) -> int:
    """Registers needed before a stretch of code whose last instruction is needed."""
    needs = Needs(Program("k", instrs, 32))
    live = 0
    for instr in reversed(instrs):
        reads, writes, _ = effects(instr)
        if instr is not instrs[-1] and not needs.result(instr, live, writes):
            reads = 0
        live = needs.before(instr, live, reads, writes)
    return needs.flat(live)


def test_a_write_under_a_guard_ends_a_need_under_the_same_guard():
    assert not needed_before(Instr(**MOVE, guard=P0), Instr(**USE, guard=P0)) & R8


@pytest.mark.parametrize("guard", [NOT_P0, P1, pred(7)])
def test_and_no_need_under_another_guard(guard):
    assert needed_before(Instr(**MOVE, guard=P0), Instr(**USE, guard=guard)) & R8


def test_two_writes_under_opposite_guards_end_every_need():
    assert not needed_before(Instr(**MOVE, guard=P0), Instr(**MOVE, guard=NOT_P0), Instr(**USE)) & R8


def test_a_guard_that_is_written_in_between_is_another_guard():
    compare = Instr(Op.ISETP, None, (reg(1), reg(2)), pdsts=(P0,), psrcs=(pred(7),))
    assert needed_before(Instr(**MOVE, guard=P0), compare, Instr(**USE, guard=P0)) & R8


def test_a_write_that_nothing_needs_where_it_acts_needs_nothing():
    assert not needed_before(Instr(**MOVE, guard=NOT_P0), Instr(**USE, guard=P0)) & R6
    assert needed_before(Instr(**MOVE, guard=P0), Instr(**USE, guard=P0)) & R6


def test_what_other_lanes_read_is_needed_whatever_their_guard():
    shuffle = Instr(Op.SHFL, reg(9), (reg(8), imm(1), imm(31)), guard=P0)
    assert needed_before(Instr(**MOVE, guard=P0), shuffle) & R8


def test_a_lane_that_speaks_for_its_warp_is_one_that_passes_the_guard():
    assert not needed_before(Instr(**MOVE, guard=P0), Instr(Op.R2UR, ureg(4), (reg(8),), guard=P0)) & R8


def test_one_value_of_a_warp_is_needed_whatever_the_guard_of_a_lane():
    read = Instr(Op.MOV, reg(9), (ureg(4),), guard=P0)
    assert needed_before(read) & 1 << (256 + 4)


def test_a_mask_of_predicates_may_spare_some():
    restore = Instr(Op.R2P, None, (reg(1), imm(2)), guard=P1)
    assert needed_before(restore, Instr(**USE, guard=P0)) & predicate_bit(P0)


def test_loads_into_a_register_that_held_data_before_are_only_counted():
    """Guarded tile loads as compilers write them: the address goes where a product was."""
    add = Instr(Op.FADD, reg(8), (reg(20), reg(20)))
    load = Instr(Op.LDS, reg(20), (reg(8),), guard=P0)
    again = Instr(Op.BRA, psrcs=(pred(7),), target=0)
    image = counting_image(Program("k", (Instr(**MOVE, guard=P0), load, add, again), 32))
    assert [row[F.OP] for row in image.code] == [Op.MOV, Op.LDS, Op.BRA]
    assert image.code[1, F.LIGHT]
    assert image.code[2, F.SKIP] == 1
