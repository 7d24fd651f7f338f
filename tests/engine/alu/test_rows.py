"""Does every routine read and write exactly what the row of its opcode says?"""

from __future__ import annotations

import ctypes
import zlib

import numpy as np
import pytest

from gpusim.engine.alu.routines import addresses
from gpusim.isa.check import problems
from gpusim.isa.effects import effects, predicate_bit
from gpusim.isa.encode import N_PRED_ROWS, encode
from gpusim.isa.instruction import Instr, pred, reg
from gpusim.isa.opcode_info import ANY_SUB, Pipe, Says, Takes
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.variants import Cmp, Convert, Mufu, Permute, Shift
from gpusim.isa.widths import source_words

REGISTERS, SOURCES = 64, (16, 32, 48)
FULL = np.uint32(0xFFFFFFFF)
TRUE_ROWS = (7, 15)  # PT and UPT
TRIALS = 24
ANY_PREDICATE = sum(predicate_bit(pred(p)) for p in range(7))
INTEGERS = (Convert.S32, Convert.U32, Convert.S64, Convert.U64, Convert.S8, Convert.U16)
FLOATS = (0, Convert.F16, Convert.BF16, Convert.F64)
CONVERSIONS = {
    Op.I2F: [kind | to << 8 for kind in INTEGERS for to in FLOATS],
    Op.F2I: [kind | source << 8 for kind in INTEGERS for source in FLOATS],
    Op.F2F: [
        Convert.F16, Convert.BF16, Convert.F64, Convert.TO_F64, Convert.TO_F16, Convert.TO_BF16,
        Convert.TO_F16 | Convert.F64 << 8, Convert.TO_F64 | Convert.F16 << 8,
    ],
    Op.F2FP: [Convert.F16, Convert.BF16],
    Op.I2I: [Convert.S8, Convert.U8, Convert.S16, Convert.U16],
    Op.F2IP: [Convert.S8, Convert.U8],
}  # fmt: skip
SAID = {
    Says.COMPARISON: [int(c) | how << 4 for c in (Cmp.LT, Cmp.GE, Cmp.EQ, Cmp.NE) for how in range(3)],
    Says.ROUNDING: [how << 4 for how in range(4)],
    Says.ROUNDED_TYPE: [how << 4 | kind << 8 for how in range(4) for kind in FLOATS],
    Says.PERMUTE: list(Permute),
    Says.FUNCTION: list(Mufu),
    Says.SHIFT: list(Shift),
    Says.NUMBER: [0x00, 0x0F, 0x1B],
}
COMPUTED = [op for op in Op if op.info.routine]


def variants(op: Op) -> list[int]:
    """What ``sub`` may be."""
    if op in CONVERSIONS:
        return CONVERSIONS[op]
    return SAID.get(op.info.says, [0]) if op.info.subs is ANY_SUB else list(op.info.subs)


def instructions(op: Op) -> list[Instr]:
    """Every variant, its operands far from one another."""
    info = op.info
    widths = (4, 8) if Takes.WIDE in (*info.sources, info.result) else (4,)
    return [
        Instr(
            op, None if info.result is None else reg(0), tuple(map(reg, SOURCES[: len(info.sources)])),
            pdsts=(pred(0), pred(1)), psrcs=(pred(2), pred(3), pred(4)), sub=sub, width=width,
        )
        for sub in variants(op)
        for width in widths
    ]  # fmt: skip


class State:
    """A warp's registers and predicates, random ones."""

    def __init__(self, rng: np.random.Generator) -> None:
        kind = rng.integers(3)
        words = rng.integers(0, 1 << 32, (REGISTERS, 32), np.uint32)
        sizes = np.uint32(0x3C003C00), np.uint32(0x42000000)  # small halves, larger floats; else any
        self.registers = words if kind == 2 else words & np.uint32((0x07FF07FF, 0x01FFFFFF)[kind]) | sizes[kind]
        if rng.integers(2):  # sources that are alike, as far as their upper words
            self.registers[SOURCES[1] + 1] = self.registers[SOURCES[0] + 1]
        self.predicates = rng.integers(0, 1 << 32, N_PRED_ROWS, np.uint32)
        self.predicates[list(TRUE_ROWS)] = FULL

    def where(self, mask: int, other: State) -> State:
        """This one's registers and predicates of a bit set, the other's elsewhere."""
        made = State.__new__(State)
        own = [bool(mask >> r & 1) for r in range(REGISTERS)]
        made.registers = np.where(np.array(own)[:, None], self.registers, other.registers)
        own = [p in TRUE_ROWS or (p < 7 and bool(mask & predicate_bit(pred(p)))) for p in range(N_PRED_ROWS)]
        made.predicates = np.where(own, self.predicates, other.predicates)
        return made

    def ran(self, instr: Instr, lanes: int) -> State:
        """What an instruction makes of it."""
        image = encode(Program("k", (instr, Instr(Op.EXIT)), REGISTERS))
        shared = np.repeat(image.shared_values[:, None], 32, axis=1)
        rows = np.ascontiguousarray(np.concatenate([shared, self.registers]))
        code, predicates, scratch = image.code[0].copy(), self.predicates.copy(), np.zeros((36, 32), np.int64)
        pointer, word = ctypes.c_void_p, ctypes.c_uint32
        call = ctypes.CFUNCTYPE(None, pointer, pointer, ctypes.c_int64, pointer, pointer, word)(routine(instr.op))
        call(code.ctypes.data, rows.ctypes.data, len(shared), predicates.ctypes.data, scratch.ctypes.data, lanes)
        made = State.__new__(State)
        made.registers, made.predicates = rows[len(shared) :], predicates
        return made

    def of(self, mask: int) -> list[np.ndarray]:
        """Registers and predicates of a bit set."""
        registers = [self.registers[r] for r in range(REGISTERS) if mask >> r & 1]
        return [*registers, *(self.predicates[p] for p in range(7) if mask & predicate_bit(pred(p)))]


def routine(op: Op) -> int:
    return int(addresses([op])[op])


def same(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def random(instr: Instr) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(instr).encode()))


@pytest.mark.parametrize("op", COMPUTED, ids=lambda op: op.name)
def test_a_result_depends_on_nothing_but_what_the_row_says(op: Op) -> None:
    for instr in instructions(op):
        rng, effect = random(instr), effects(instr)
        for _ in range(TRIALS // 4):
            state = State(rng)
            other = state.where(effect.reads | effect.writes & ANY_PREDICATE, State(rng))
            assert same(state.ran(instr, FULL).of(effect.writes), other.ran(instr, FULL).of(effect.writes)), instr


@pytest.mark.parametrize("op", COMPUTED, ids=lambda op: op.name)
def test_nothing_is_written_but_what_the_row_says_and_in_lanes_that_act(op: Op) -> None:
    for instr in instructions(op):
        state, writes = State(random(instr)), effects(instr).writes
        lanes = FULL if op.info.pipe is Pipe.TENSOR else np.uint32(0x0FF00FF1)
        after, rest = state.ran(instr, int(lanes)), ~writes
        assert same(after.of(rest), state.of(rest)), instr
        idle = [lane for lane in range(32) if not lanes >> lane & 1]
        np.testing.assert_array_equal(after.registers[:, idle], state.registers[:, idle])
        np.testing.assert_array_equal(after.predicates[:7] & ~lanes, state.predicates[:7] & ~lanes)


@pytest.mark.parametrize("op", COMPUTED, ids=lambda op: op.name)
def test_every_register_of_a_pair_or_a_fragment_matters(op: Op) -> None:
    """In some variant: a conversion to something small hardly needs the lower word."""
    named = [
        (instr, source.index + word)
        for instr in instructions(op)
        for k, source in enumerate(instr.srcs)
        for word in range(source_words(instr, k) if source_words(instr, k) > 1 else 0)
    ]
    unseen = {register for _, register in named}
    for instr, register in named:
        if register in unseen and matters(instr, register):
            unseen.remove(register)
    assert not unseen


def matters(instr: Instr, register: int) -> bool:
    """Whether a register decides any result."""
    rng, writes = random(instr), effects(instr).writes
    for _ in range(TRIALS):
        state = State(rng)
        other = State(rng).where(1 << register, state)
        if not same(state.ran(instr, FULL).of(writes), other.ran(instr, FULL).of(writes)):
            return True
    return False


@pytest.mark.parametrize("op", COMPUTED, ids=lambda op: op.name)
def test_what_is_tried_here_can_run(op: Op) -> None:
    program = Program("k", (Instr(Op.EXIT),), REGISTERS)
    assert [problem for instr in instructions(op) for problem in problems(instr, program)] == []
