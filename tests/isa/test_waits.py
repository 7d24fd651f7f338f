"""What a counting image notes of waiting for shared loads in the code that it leaves out."""

from gpusim.isa.encode import F
from gpusim.isa.instruction import Control, Instr, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.slice import counting_image

STALL = 4


def load(k: int) -> Instr:
    """A shared load whose bank pattern is its own, that releases scoreboard 0."""
    return Instr(Op.LDS, reg(8), (reg(k),), control=Control(stall=STALL, write_sb=0))


def use(wait: int = 0) -> Instr:
    """Arithmetic that no address needs."""
    return Instr(Op.FFMA, reg(10), (reg(8), reg(8), reg(10)), control=Control(stall=STALL, wait=wait))


def noted(*instrs: Instr) -> list[tuple[float, int, int]]:
    """Latencies waited for, cycles meanwhile, cycles besides, of each shared load that stays."""
    image = counting_image(Program("k", (*instrs, load(7), Instr(Op.EXIT)), 32))
    rows = [row for row in image.code if row[F.OP] == Op.LDS][:-1]
    return [(row[F.ROUNDS] / 16, int(row[F.OVERLAP]), int(row[F.BESIDE])) for row in rows]


def test_a_load_whose_data_nothing_waits_for_costs_no_latency():
    assert noted(load(1), use()) == [(0, 0, 0)]


def test_a_wait_costs_the_latency_less_what_was_done_meanwhile():
    assert noted(load(1), use(), use(wait=1)) == [(1, 2 * STALL, 3 * STALL)]


def test_code_that_does_enough_meanwhile_does_not_wait():
    assert noted(load(1), *[use()] * (40 // STALL), use(wait=1)) == [(0, 0, 0)]


def test_loads_of_one_bank_pattern_are_waited_for_one_after_another():
    assert noted(load(1), use(wait=1), load(1), use(wait=1), load(1), use(wait=1)) == [(3, 3 * STALL, 6 * STALL)]
