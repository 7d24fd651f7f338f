"""Which arrays an address comes from, as far as registers, memory and branches can be followed."""

from __future__ import annotations

import pytest

from gpusim.isa.instruction import Instr, const, imm, pred, reg, ureg
from gpusim.isa.opcodes import Op
from gpusim.isa.program import ParamInfo, Program
from gpusim.isa.provenance import Provenance
from gpusim.isa.slice import counting_image

PARAMS = tuple(ParamInfo(name, "raw", 0x210 + 8 * k, 8) for k, name in enumerate("abn"))
A, B, N = (const(p.offset) for p in PARAMS)
A_BIT, B_BIT, ANYWHERE = 1, 2, 7
P0 = pred(0)


def move(target, source, **more):
    return Instr(Op.IMAD_WIDE, reg(target), (reg(20), imm(4), source), **more)


def load(target, address, **more):
    return Instr(Op.LDG, reg(target), (reg(address),), width=4, **more)


def touched(*instrs, arrays=({"a"}, {"b"}), **more):
    """Arrays that the last instruction but EXIT may touch."""
    program = Program("k", (*instrs, Instr(Op.EXIT)), 32, params=PARAMS, **more)
    successors = [[k + 1] if k < len(instrs) else [] for k in range(len(program))]
    for k, instr in enumerate(program.instrs):
        if instr.op is Op.BRA:
            successors[k].append(instr.target)
    return Provenance(program, arrays, successors).of(len(instrs) - 1)


def test_an_address_comes_from_the_parameter_that_it_is_computed_of():
    assert touched(move(2, A), load(0, 2)) == A_BIT
    assert touched(move(2, B), Instr(Op.IADD3, reg(4), (reg(2), reg(9), reg(10)), width=8), load(0, 4)) == B_BIT
    assert touched(Instr(Op.LDC, ureg(4), (reg(255),), width=8, offset=0x218), move(2, ureg(4)), load(0, 2)) == B_BIT


def test_the_two_halves_of_an_address_may_be_computed_apart():
    low = Instr(Op.IADD3, reg(2), (reg(9), const(0x210), reg(255)))
    high = Instr(Op.IADD3, reg(3), (reg(9), const(0x21C), reg(255)))
    assert touched(low, high, load(0, 2)) == A_BIT | B_BIT


def test_an_address_of_no_array_may_be_one_of_any():
    assert touched(move(2, N), load(0, 2)) == ANYWHERE
    assert touched(load(0, 2)) == ANYWHERE
    assert touched(move(2, A), load(0, 2), arrays=()) == 1


def test_an_address_of_the_drivers_is_of_no_array_though_one_is_among_its_terms():
    base, offset = move(2, A), Instr(Op.IADD3, reg(4), (reg(2), const(0x40), reg(255)))
    assert touched(base, offset, load(0, 4)) == A_BIT
    assert touched(base, offset, load(0, 4), system_pointers=(0x40, 0x44)) == ANYWHERE


def test_a_write_ends_what_was_there_unless_it_is_guarded():
    assert touched(move(2, A), move(2, B), load(0, 2)) == B_BIT
    assert touched(move(2, A), move(2, B, guard=P0), load(0, 2)) == A_BIT | B_BIT


def test_ways_that_meet_bring_what_each_has():
    jump = Instr(Op.BRA, guard=P0, target=3)
    assert touched(move(2, A), jump, move(2, B), load(0, 2)) == A_BIT | B_BIT


def test_a_loop_brings_back_what_it_ends_with():
    back = Instr(Op.BRA, guard=P0, target=1)
    program = move(2, A), load(0, 2), move(2, B), back, load(0, 2)
    assert touched(*program) == B_BIT
    whole = Program("k", (*program, Instr(Op.EXIT)), 32, params=PARAMS)
    assert Provenance(whole, ({"a"}, {"b"}), [[1], [2], [3], [4, 1], [5], []]).of(1) == A_BIT | B_BIT


@pytest.mark.parametrize(("store", "fetch"), [(Op.STS, Op.LDS), (Op.STG, Op.LDG), (Op.ST, Op.LDS), (Op.STS, Op.LD)])
def test_a_pointer_that_is_stored_may_come_back_by_a_load_of_that_space(store, fetch):
    put = Instr(store, None, (reg(14), reg(2)), width=8)
    get = Instr(fetch, reg(4), (reg(16),), width=8)
    assert touched(move(2, A), put, get, load(0, 4)) == A_BIT
    assert touched(move(2, A), put, Instr(Op.LDL, reg(4), (reg(16),), width=8), load(0, 4)) == (
        A_BIT if store is Op.ST else ANYWHERE
    )


def test_what_is_loaded_is_no_pointer_to_where_it_was():
    assert (
        touched(move(2, A), load(9, 2), move(4, B), Instr(Op.IADD3, reg(4), (reg(4), reg(9), reg(255))), load(0, 4))
        == B_BIT
    )


def test_the_counting_image_moves_values_of_indices_alone():
    index = move(2, A), load(20, 2), move(4, B), load(6, 4), Instr(Op.STG, None, (reg(4), reg(6)), width=4)
    program = Program("k", (*index, Instr(Op.EXIT)), 32, params=PARAMS)
    assert counting_image(program, ({"a"}, {"b"})).reads == {"a"}
    assert counting_image(program, ({"a", "b"},)).reads == {"a", "b"}
    assert counting_image(program).reads is None
