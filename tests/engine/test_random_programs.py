"""Random programs, branches and loops included: the engine against the interpreter that tests the lowering.

The two share nothing but the definition of the instruction set.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim import hardware
from gpusim.isa.opcodes import BoolOp, Cmp, Flag, Op, Shfl, Shift
from gpusim.isa.program import Operand, imm, pred, reg
from gpusim.simulate import Launch, execute
from tests.engine.programs import FULL, SPECIAL_WORDS, Sheet
from tests.lower import interp

REGISTERS = [64, 66, 68, 70, 72, 74]  # each with a free neighbour, for pairs
PREDICATES = [0, 1, 2, 3]
LOOPS = [80, 81]  # counters, written by loops alone


class Author:
    """Writes a program from hypothesis's choices."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.sheet = Sheet()
        self.lane_inputs = [self.sheet.given(self.word_row()) for _ in range(4)]
        self.barriers = 0
        self.loops = 0
        for k, r in enumerate(REGISTERS):
            self.sheet.emit(Op.MOV, reg(r), self.lane_inputs[k % 4])
            self.sheet.emit(Op.MOV, reg(r + 1), self.lane_inputs[(k + 1) % 4])
        for p in PREDICATES:
            self.sheet.emit(Op.ISETP, None, self.source(), imm(p * 77), pdsts=(pred(p),), sub=Cmp.LT)
        self.block(self.draw(st.integers(2, 5)), depth=0)

    def word_row(self) -> np.ndarray:
        seed = self.draw(st.integers(0, 1 << 16))
        rng = np.random.default_rng(seed)
        row = rng.integers(0, 1 << 32, 32, dtype=np.uint32)
        row[rng.random(32) < 0.4] = rng.choice(SPECIAL_WORDS)
        return row % self.draw(st.sampled_from([5, 64, FULL]))

    def pick(self, options) -> object:
        return self.draw(st.sampled_from(list(options)))

    def source(self) -> Operand:
        return self.pick([reg(r) for r in REGISTERS] + [imm(3), imm(-1), imm(0x80000000), reg(255), *self.lane_inputs])

    def result(self) -> Operand:
        return reg(self.pick(REGISTERS))

    def predicate(self) -> Operand:
        return pred(self.pick([*PREDICATES, 7]), neg=self.draw(st.booleans()))

    def guard(self) -> Operand:
        return self.predicate() if self.draw(st.integers(0, 3)) == 0 else pred(7)

    # ------------------------------------------------------------ statements

    def block(self, length: int, depth: int) -> None:
        for _ in range(length):
            kind = self.draw(st.integers(0, 9))
            if kind == 0 and depth < 3:
                self.choice(depth)
            elif kind == 1 and depth < 2 and self.loops < len(LOOPS):
                self.loop(depth)
            elif kind == 2 and depth > 0 and self.draw(st.booleans()):
                self.sheet.emit(Op.EXIT, guard=self.predicate()._replace(index=self.pick(PREDICATES)))
            else:
                self.instruction(depth)

    def choice(self, depth: int) -> None:
        number, self.barriers = self.barriers % 16, self.barriers + 1
        bssy, bra = len(self.sheet.body), len(self.sheet.body) + 1
        self.sheet.emit(Op.BSSY, sub=number, target=0)
        self.sheet.emit(Op.BRA, guard=self.predicate(), target=0)
        self.block(self.draw(st.integers(0, 3)), depth + 1)
        skip = len(self.sheet.body)
        self.sheet.emit(Op.BRA, target=0)
        self.sheet.aim(bra)
        self.block(self.draw(st.integers(0, 3)), depth + 1)
        self.sheet.aim(skip)
        self.sheet.aim(bssy)
        self.sheet.emit(Op.BSYNC, sub=number)

    def loop(self, depth: int) -> None:
        number, self.barriers = self.barriers % 16, self.barriers + 1
        counter, self.loops = reg(LOOPS[self.loops]), self.loops + 1
        self.sheet.emit(Op.LOP3, counter, self.source(), imm(3), sub=0xC0)  # at most three rounds
        bssy = len(self.sheet.body)
        self.sheet.emit(Op.BSSY, sub=number, target=0)
        head = len(self.sheet.body)
        self.sheet.emit(Op.ISETP, None, counter, reg(255), pdsts=(pred(5),), sub=Cmp.LE)
        leave = len(self.sheet.body)
        self.sheet.emit(Op.BRA, guard=pred(5), target=0)
        self.sheet.emit(Op.IADD3, counter, counter, imm(-1))
        self.block(self.draw(st.integers(1, 3)), depth + 1)
        self.sheet.emit(Op.BRA, target=head)
        self.sheet.aim(leave)
        self.sheet.aim(bssy)
        self.sheet.emit(Op.BSYNC, sub=number)

    def instruction(self, depth: int) -> None:
        three = [Op.IADD3, Op.IMAD, Op.LOP3, Op.SHF, Op.SEL, Op.ISETP, Op.IMNMX, Op.IMAD_HI, Op.IMAD_WIDE, Op.PLOP3]
        op = self.pick([*three, Op.LEA, Op.IABS, Op.SHFL] if depth == 0 else [*three, Op.LEA, Op.IABS])
        a, b, c, d = self.source(), self.source(), self.source(), self.result()
        flags = self.pick([0, Flag.UNSIGNED])
        fields = {"guard": self.guard()}
        if op is Op.ISETP:
            compare = self.pick(list(COMPARISONS)) | self.pick(list(BoolOp)) << 4
            targets = (pred(self.pick(PREDICATES)), pred(7))
            self.sheet.emit(
                op, None, a, b, pdsts=targets, psrcs=(self.predicate(),), sub=compare, flags=flags, **fields
            )
        elif op is Op.PLOP3:
            sources, table = tuple(self.predicate() for _ in range(3)), self.draw(st.integers(0, 255))
            self.sheet.emit(op, pdsts=(pred(self.pick(PREDICATES)),), psrcs=sources, sub=table, **fields)
        elif op in (Op.SEL, Op.IMNMX):
            self.sheet.emit(op, d, a, b, psrcs=(self.predicate(),), flags=flags if op is Op.IMNMX else 0, **fields)
        elif op is Op.SHF:
            self.sheet.emit(op, d, a, b, sub=self.pick([Shift.L, Shift.R_U32, Shift.R_S32]), **fields)
        elif op is Op.LOP3:
            self.sheet.emit(op, d, a, b, c, sub=self.draw(st.integers(0, 255)), **fields)
        elif op is Op.SHFL:
            by, kind = imm(self.draw(st.integers(0, 31))), self.pick(list(Shfl))
            # every lane is here: what a lane that is elsewhere would give is undefined
            self.sheet.emit(op, d, a, by, imm(0 if kind is Shfl.UP else 31), sub=kind)
        elif op is Op.LEA:
            self.sheet.emit(op, d, a, b, sub=self.draw(st.integers(0, 31)), **fields)
        elif op is Op.IABS:
            self.sheet.emit(op, d, a, **fields)
        elif op is Op.IMAD_WIDE:
            pair = reg(self.pick([*REGISTERS, 255]))
            self.sheet.emit(op, d, a, b, pair, flags=flags, **fields)
        else:
            a = a._replace(neg=self.draw(st.booleans())) if op is Op.IADD3 else a
            self.sheet.emit(op, d, a, b, c, flags=flags if op is Op.IMAD_HI else 0, **fields)


COMPARISONS = (Cmp.LT, Cmp.LE, Cmp.GT, Cmp.GE, Cmp.EQ, Cmp.NE)


@st.composite
def programs(draw: st.DrawFn) -> Sheet:
    return Author(draw).sheet


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy says where integers wrap
@settings(max_examples=250)
@given(programs())
def test_engine_and_interpreter_agree(sheet):
    outputs = [reg(r + k) for r in REGISTERS for k in (0, 1)] + [pred(p) for p in PREDICATES]
    program, buffers = sheet.program(*outputs), sheet.buffers(len(outputs))
    want, counts = interp.run(program, (1, 1, 1), (32, 1, 1), buffers, {})
    launch = Launch(program, (1, 1, 1), (32, 1, 1), buffers)
    gpu = hardware.load("h200")
    held = hardware.occupancy(gpu, 32, program.n_registers, 0)
    np.testing.assert_array_equal(execute(launch, gpu, held)["y"], want["y"])
    assert counts.total > 0
