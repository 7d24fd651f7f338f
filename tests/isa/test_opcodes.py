"""Is the table of opcodes whole, and do the parts of a row fit one another?"""

from __future__ import annotations

import pytest

from gpusim.isa.instruction import Instr, reg
from gpusim.isa.opcode_info import ANY_SUB, CONSTANT, GENERIC, GLOBAL, LOCAL, SHARED, Pipe, Says, Takes
from gpusim.isa.opcodes import Op
from gpusim.isa.printer import format_instr
from gpusim.isa.variants import Mma
from gpusim.isa.widths import address_words, result_words, source_words

FIRST_ADDRESS = {
    "": None, GLOBAL: Takes.ADDRESS, GENERIC: Takes.ADDRESS, SHARED: Takes.SHORT_ADDRESS, LOCAL: Takes.SHORT_ADDRESS,
    CONSTANT: Takes.SHORT_ADDRESS,
}  # fmt: skip
MBARRIERS = (Op.SYNCS_EXCH, Op.SYNCS_ARRIVE, Op.SYNCS_PHASECHK, Op.SYNCS_CCTL, Op.ARRIVES)
EVERY = pytest.mark.parametrize("op", Op, ids=lambda op: op.name)


def example(op: Op) -> Instr:
    """An instruction with all that its row says."""
    info = op.info
    sub = 0 if info.subs is ANY_SUB else min(info.subs)
    dst = None if info.result is None else reg(0)
    return Instr(op, dst, tuple(reg(8 * k) for k, _ in enumerate(info.sources, 1)), sub=sub, target=0)


def test_numbers_are_dense():
    assert [int(op) for op in Op] == list(range(len(Op)))


def test_a_member_is_found_by_its_number_and_printed_with_it_alone():
    assert Op(int(Op.IADD3)) is Op.IADD3
    assert repr(Op.IADD3) == "<Op.IADD3: 10>"


@EVERY
def test_every_operand_takes_registers(op):
    instr = example(op)
    assert all(source_words(instr, k) >= 1 for k in range(len(instr.srcs)))
    assert (result_words(instr) >= 1) == (op.info.result is not None)


@EVERY
def test_an_address_is_as_wide_as_its_space_is_large(op):
    info = op.info
    first = next((takes for takes in info.sources if "ADDRESS" in takes.name or takes is Takes.COMMAND), None)
    if op in MBARRIERS:  # what lies there is always known, so it is no access
        assert (first, info.space) == (Takes.SHORT_ADDRESS, "")
        return
    if op in (Op.STAS, Op.REDAS):  # a place in shared memory, and an mbarrier
        assert (first, info.space) == (Takes.LONG_ADDRESS, SHARED)
        return
    if not info.may_jump_by_register and first is not Takes.COMMAND:
        assert first is (Takes.SHORT_ADDRESS if info.stores_to == SHARED else FIRST_ADDRESS[info.space])
    somewhere = bool(info.space or info.described or info.may_jump_by_register)
    assert somewhere == any(address_words(example(op), k) for k in range(4))


@EVERY
def test_what_reads_or_writes_memory_has_an_address_there(op):
    info = op.info
    assert info.space or not (info.reads_memory or info.writes_memory)
    assert info.pipe is Pipe.LSU or not info.space
    assert info.reads_memory or not info.is_atomic


@EVERY
def test_what_a_routine_computes_touches_no_memory_and_no_control_flow(op):
    info = op.info
    if info.routine:
        assert not any((info.space, info.is_control, info.out_of_line, info.is_branch, info.ends))


@EVERY
def test_what_ends_or_branches_is_control_flow(op):
    info = op.info
    assert info.is_control or not (info.is_branch or info.ends or info.has_target or info.may_jump_by_register)


@EVERY
def test_every_variant_that_is_bounded_can_be_listed(op):
    for sub in [] if op.info.subs is ANY_SUB else op.info.subs:
        assert format_instr(Instr(op, reg(0) if op.info.result else None, (), sub=sub)).startswith(op.name[:3])


def test_every_shape_of_a_product_of_matrices_belongs_to_one_opcode():
    shapes = [shape for op in Op if op.info.says is Says.SHAPE for shape in op.info.subs]
    assert sorted(shapes) == sorted(Mma)
