"""Which places of operands instructions read registers to."""

from gpusim.engine.core.fragments import FIELD
from gpusim.engine.core.register_file import ASKS_FIELD, LATE
from gpusim.isa.instruction import NO_CONTROL, RZ, Instr, imm, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.variants import Mma
from gpusim.simulate.reads import asked, reads, reads_late

EVEN, ODD = (1, 2, 4), (8, 16, 32)  # places of the first, second, third source in each bank


def packed(*instrs):
    """What is said of instructions, in code that marks a register for reuse."""
    marked = Instr(Op.FADD, reg(0), (reg(RZ), reg(RZ)), control=NO_CONTROL._replace(reuse=1))
    return reads(Program("k", (marked, *instrs, Instr(Op.EXIT)), 64))[1:-1].tolist()


def code(*instrs):
    """What instructions read, what they read when nothing is left of those before, and all places they take."""
    return [(x & 63, x >> 6 & 63, x >> 12 & 63) for x in packed(*instrs)]


def ffma(a, b, c, reuse=0):
    return Instr(Op.FFMA, reg(40), (reg(a), reg(b), reg(c)), control=NO_CONTROL._replace(reuse=reuse))


def test_even_and_odd_registers_lie_in_two_banks():
    mask = EVEN[0] | ODD[1] | EVEN[2]
    assert code(ffma(2, 3, 4)) == [(mask, mask, mask)]


def test_a_register_is_read_once_to_all_its_places_and_the_zero_register_never():
    assert code(ffma(2, 2, RZ)) == [(EVEN[0], EVEN[0], EVEN[0] | EVEN[1])]


def test_what_is_marked_for_reuse_is_not_read_again_until_another_one_comes_to_its_place():
    first, kept, other, again = code(ffma(2, 3, 4, reuse=1), ffma(2, 5, 6, reuse=1), ffma(8, 3, 4), ffma(2, 5, 6))
    everything = EVEN[0] | ODD[1] | EVEN[2]
    assert first == other == again == (everything, everything, everything)
    assert kept == (ODD[1] | EVEN[2], everything, everything)


def test_a_place_is_of_one_source_and_bank():
    assert code(ffma(2, 3, 4, reuse=1), ffma(3, 2, 4))[1][0] == ODD[0] | EVEN[1] | EVEN[2]
    assert code(ffma(2, 3, 4, reuse=1), ffma(7, 3, 4), ffma(2, 3, 4))[2][0] == ODD[1] | EVEN[2]


def test_pairs_lie_in_both_banks():
    assert code(Instr(Op.IMAD_WIDE, reg(10), (reg(2), imm(4), reg(6))))[0][0] == EVEN[0] | EVEN[2] | ODD[2]


def test_the_upper_half_of_what_a_wide_multiplication_adds_comes_late():
    wide, plain = (Instr(op, reg(10), (reg(2), imm(4), reg(6))) for op in (Op.IMAD_WIDE, Op.IMAD))
    assert [bool(x & LATE) for x in packed(wide, plain)] == [True, False]


def test_accesses_read_what_they_store_and_then_the_address_from_its_upper_half_on():
    assert asked(Instr(Op.STS, None, (reg(2), reg(4)), width=16)) == [4, 5, 6, 7, 2]
    assert asked(Instr(Op.STG, None, (reg(2), reg(5)), width=4)) == [5, 3, 2]
    assert asked(Instr(Op.LDG, reg(9), (reg(2), reg(RZ)), width=4)) == [3, 2]
    assert asked(Instr(Op.LDS, reg(9), (reg(RZ), reg(RZ)), width=4)) == []
    assert asked(Instr(Op.MUFU, reg(9), (reg(6),))) == [6]


def test_of_accesses_it_says_how_many_registers_they_read_and_in_which_bank_each_lies():
    store, load = Instr(Op.STG, None, (reg(2), reg(5)), width=4), Instr(Op.LDS, reg(9), (reg(6), reg(RZ)), width=4)
    assert packed(store, load) == [3 << ASKS_FIELD | 0b011, 1 << ASKS_FIELD]


def test_loads_read_their_registers_a_cycle_before_stores_shuffles_and_special_functions():
    late = [reads_late(Instr(op, None, ())) for op in (Op.LDG, Op.LDS, Op.STG, Op.STS, Op.SHFL, Op.MUFU, Op.RED)]
    assert late == [False, False, True, True, True, True, True]


def test_fragments_of_matrices_are_registers_of_each_bank():
    """Sixteen by sixteen halves are 4 registers, sixteen by eight 2, the sums 4: five in each of two banks."""
    product = Instr(Op.HMMA, reg(8), (reg(0), reg(4), reg(8)), sub=Mma.F16_16816_F32)
    packed = int(reads(Program("k", (product, ffma(2, 3, 4, reuse=1)), 64))[0])
    even, odd, even_anew, odd_anew = (packed >> FIELD * k & 15 for k in range(4))
    assert (even, odd) == (even_anew, odd_anew) == (5, 5)


def test_code_without_reuse_takes_no_time_for_its_registers():
    assert set(reads(Program("k", (ffma(2, 4, 6), Instr(Op.EXIT)), 8))) == {-1}
