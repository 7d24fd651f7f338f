"""Random programs with branches, loops and memory: the engine against the interpreter that tests the lowering.

The two share nothing but the definition of the instruction set.  The same programs show that a counting image
counts what the program does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim import hardware
from gpusim.engine.state import counts as C
from gpusim.isa.instruction import Operand, const, imm, pred, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.program import ArrayInfo
from gpusim.isa.variants import BoolOp, Cmp, Flag, Shfl, Shift
from gpusim.simulate import Launch, execute
from tests.engine.images import compare_images
from tests.engine.programs import FULL, LANES, SPECIAL_WORDS, Sheet, X
from tests.lower import interp

REGISTERS = [64, 66, 68, 70, 72, 74]  # each with a free neighbour, for pairs
PREDICATES = [0, 1, 2, 3]
ADDRESS, WIDE, SHARED = reg(84), 86, 1024
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
        for k in range(4):
            self.sheet.emit(Op.STS, None, self.sheet.given(4 * LANES), self.lane_inputs[k], offset=128 * k, array=2)
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
            elif kind in (3, 4):
                self.access(depth)
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

    def access(self, depth: int) -> None:
        """A load or store at an address worked out from anything: also from what was loaded.

        No store where lanes may be elsewhere: which side of a branch goes first is not defined.
        """
        width, guard = self.pick([2, 4, 4, 8]), self.guard()
        self.sheet.emit(Op.LOP3, ADDRESS, self.source(), imm(0x7F & -width), sub=0xC0)
        kinds = [Op.LDS, Op.LDS, Op.LDG] if depth else [Op.LDS, Op.LDS, Op.STS, Op.LDG]
        kind, offset = self.pick(kinds), width * self.draw(st.integers(0, 8))
        if kind is Op.LDG:
            self.sheet.emit(Op.MOV, reg(WIDE), const(X))
            self.sheet.emit(Op.MOV, reg(WIDE + 1), const(X + 4))
            self.sheet.emit(Op.IMAD_WIDE, reg(WIDE), ADDRESS, imm(1), reg(WIDE), flags=Flag.UNSIGNED)
            self.sheet.emit(kind, self.result(), reg(WIDE), width=width, offset=offset, guard=guard, array=0)
        elif kind is Op.LDS:
            self.sheet.emit(kind, self.result(), ADDRESS, width=width, offset=offset, guard=guard, array=2)
        else:
            self.sheet.emit(kind, None, ADDRESS, self.result(), width=width, offset=offset, guard=guard, array=2)

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
            c = reg(255) if op is Op.IMAD_HI else c
            self.sheet.emit(op, d, a, b, c, flags=flags if op is Op.IMAD_HI else 0, **fields)


COMPARISONS = (Cmp.LT, Cmp.LE, Cmp.GT, Cmp.GE, Cmp.EQ, Cmp.NE)


@st.composite
def programs(draw: st.DrawFn) -> Sheet:
    return Author(draw).sheet


OUTPUTS = [reg(r + k) for r in REGISTERS for k in (0, 1)] + [pred(p) for p in PREDICATES]


def prepared(sheet: Sheet) -> Launch:
    """A launch of one warp."""
    program = sheet.program(*OUTPUTS)
    arrays = (*program.arrays, ArrayInfo("s", "shared", "u32", 0, SHARED))
    program = replace(program, shared_bytes=SHARED, arrays=arrays)
    return Launch(program, (1, 1, 1), (32, 1, 1), sheet.buffers(len(OUTPUTS)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy says where integers wrap
@settings(max_examples=300)
@given(programs())
def test_engine_and_interpreter_agree(sheet):
    launch, gpu = prepared(sheet), hardware.load("h200")
    want, counts = interp.run(launch.program, (1, 1, 1), (32, 1, 1), launch.arguments, {})
    held = hardware.occupancy(gpu, 32, launch.program.n_registers, SHARED)
    np.testing.assert_array_equal(execute(launch, gpu, held)["y"], want["y"])
    assert counts.total > 0


@pytest.mark.long
@settings(max_examples=300)
@given(programs())
def test_the_counting_image_counts_the_same(sheet):
    """All but the lanes whose guard held: of an instruction left out every active lane counts."""
    compare_images(prepared(sheet), "h200", but=(C.THREAD_ON,))
