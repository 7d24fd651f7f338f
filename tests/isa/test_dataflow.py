"""Who may have written what an instruction reads: through jumps, and under guards."""

from gpusim.isa.dataflow import Dataflow
from gpusim.isa.instruction import Instr, imm, pred, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program


def put(register: int, *, guard=None) -> Instr:
    more = {} if guard is None else {"guard": guard}
    return Instr(Op.MOV, reg(register), (imm(1),), **more)


USE = Instr(Op.IADD3, reg(9), (reg(8), reg(8), reg(8)))
END = Instr(Op.EXIT)


def flow_of(*instrs: Instr) -> Dataflow:
    return Dataflow(Program("k", instrs, 32))


def test_the_last_write_is_the_one_that_is_read():
    assert flow_of(put(8), put(8), USE, END).writers(2) == {1}


def test_a_write_under_a_guard_leaves_what_was_there():
    assert flow_of(put(8), put(8, guard=pred(0)), USE, END).writers(2) & {0, 1} == {0, 1}


def test_other_registers_do_not_matter():
    assert flow_of(put(8), put(7), USE, END).writers(2) == {0}


def test_writes_on_either_way_may_be_read():
    jump = Instr(Op.BRA, target=3, guard=pred(0))
    assert flow_of(put(8), jump, put(8), USE, END).writers(3) == {0, 2}


def test_what_a_round_writes_the_next_one_reads():
    count = Instr(Op.IADD3, reg(8), (reg(8), imm(1), reg(7)))
    flow = flow_of(put(8), count, Instr(Op.BRA, target=1, guard=pred(0)), END)
    assert flow.writers(1) == {0, 1}
    assert flow.readers[1] == {1}


def test_readers_are_those_of_whom_it_is_a_writer():
    flow = flow_of(put(8), USE, put(8), USE, END)
    assert flow.readers[:3] == [{1}, set(), {3}]
