"""Tiny programs made by hand: a few instructions over 32 lanes, run by the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gpusim import hardware
from gpusim.isa.instruction import RZ, Instr, Kind, Operand, const, imm, pred, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.program import ArrayInfo, ParamInfo, Program
from gpusim.isa.variants import Cmp, Flag, Special
from gpusim.simulate import Launch, execute

X, Y = 0x210, 0x218  # where the addresses of input and output lie in the constant bank
FIRST_INPUT, FIRST_FREE = 8, 64
FULL = 0xFFFFFFFF
LANES = np.arange(32)

SPECIAL_WORDS = [0, 1, 2, 3, 31, 32, 33, 63, 64, 0x7FFFFFFF, 0x80000000, 0x80000001, FULL, FULL - 1, 0xFFFF, 0x10000]
SPECIAL_FLOATS = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-38, 3.4e38, -3.4e38,
    65504.0, 65519.0, 65520.0, 65536.0, 2.0**-14, 2.0**-15, 2.0**-24, 2.0**-25, 3 * 2.0**-25, 2.0**31, -(2.0**31),
    2.0**32, 2.0**24 + 2, 0.1, -7.9,
]  # fmt: skip


def words(shape: Any = 32) -> st.SearchStrategy[np.ndarray]:
    """A word for each lane, special ones often."""
    return arrays(np.uint32, shape, elements=st.sampled_from(SPECIAL_WORDS) | st.integers(0, FULL), fill=st.nothing())


def floats(shape: Any = 32) -> st.SearchStrategy[np.ndarray]:
    """An fp32 value for each lane, any bit pattern."""
    special = st.sampled_from([np.float32(x) for x in SPECIAL_FLOATS])
    any_bits = st.integers(0, FULL).map(lambda bits: np.array(bits, np.uint32).view(np.float32)[()])
    return arrays(np.float32, shape, elements=special | any_bits | st.floats(width=32), fill=st.nothing())


class Sheet:
    """A program under construction.

    Inputs are rows of 32 words, each in a register of its own; outputs are registers and predicates.
    """

    def __init__(self) -> None:
        self.inputs: list[np.ndarray] = []
        self.body: list[Instr] = []

    def __repr__(self) -> str:
        rows = "\n".join(" ".join(f"{x:x}" for x in row) for row in self.inputs)
        return f"inputs\n{rows}\n{self.program()}"

    def given(self, lanes: np.ndarray | Sequence[float]) -> Operand:
        """A register that holds these 32 values."""
        row = np.broadcast_to(lanes, 32)
        row = (row & FULL).astype(np.uint32) if row.dtype.itemsize == 8 else np.ascontiguousarray(row).view(np.uint32)
        self.inputs.append(row)
        return reg(FIRST_INPUT + len(self.inputs) - 1)

    def given_pair(self, low: np.ndarray, high: np.ndarray) -> Operand:
        """The first of two neighbouring registers that hold these words."""
        first = self.given(low)
        self.given(high)
        return first

    def given_wide(self, lanes: np.ndarray) -> Operand:
        """A register pair that holds these 64-bit values."""
        halves = np.ascontiguousarray(lanes).view(np.uint32).reshape(32, 2)
        return self.given_pair(halves[:, 0], halves[:, 1])

    def holds(self, index: int, lanes: np.ndarray) -> Operand:
        """A predicate that is true in these lanes."""
        self.emit(Op.ISETP, None, self.given(np.asarray(lanes).astype(np.uint32)), pdsts=(pred(index),), sub=Cmp.NE)
        return pred(index)

    def emit(self, op: Op, dst: Operand | None = None, *srcs: Operand, **fields: Any) -> Operand | None:
        """Append an instruction."""
        self.body.append(Instr(op, dst, srcs, **fields))
        return dst

    def aim(self, index: int) -> None:
        """Point a branch emitted before at what comes next."""
        self.body[index] = replace(self.body[index], target=len(self.body))

    def program(self, *outputs: Operand) -> Program:
        """Inputs loaded, the body, outputs stored."""
        at, lane = reg(2), reg(0)
        head = [
            Instr(Op.S2R, lane, sub=Special.LANEID),
            *(Instr(Op.MOV, reg(r), (const(offset),)) for r, offset in ((2, X), (3, X + 4), (4, Y), (5, Y + 4))),
            Instr(Op.IMAD_WIDE, at, (lane, imm(4), at), flags=Flag.UNSIGNED),
            Instr(Op.IMAD_WIDE, reg(4), (lane, imm(4), reg(4)), flags=Flag.UNSIGNED),
        ]
        head += [
            Instr(Op.LDG, reg(FIRST_INPUT + k), (at,), offset=128 * k, array=0, line=1) for k in range(len(self.inputs))
        ]
        body = [i if i.target < 0 or i.op is Op.LDGSTS else _moved(i, len(head)) for i in self.body]
        tail: list[Instr] = []
        for k, output in enumerate(outputs):
            value = output
            if output.kind is Kind.PRED:
                value = reg(FIRST_FREE + 60)
                tail.append(Instr(Op.SEL, value, (imm(1), imm(0)), psrcs=(output,)))
            tail.append(Instr(Op.STG, None, (reg(4), value), offset=128 * k, array=1, line=2))
        instrs = (*head, *body, *tail, Instr(Op.EXIT))
        assert FIRST_INPUT + len(self.inputs) <= FIRST_FREE
        places = (ArrayInfo("x", "global", "u32", X, 0), ArrayInfo("y", "global", "u32", Y, 0))
        params = (ParamInfo("x", "buffer", X), ParamInfo("y", "buffer", Y))
        return Program(
            "sheet", instrs, 136, params=params, arrays=places, source="sheet.py", const_base=X, arch="sm_90"
        )  # fmt: skip

    def buffers(self, n_outputs: int) -> dict[str, np.ndarray]:
        """What the program reads, and room for what it writes (marked with 0xABABABAB)."""
        x = np.array(self.inputs, np.uint32) if self.inputs else np.zeros((1, 32), np.uint32)
        return {"x": x, "y": np.full((max(n_outputs, 1), 32), 0xABABABAB, np.uint32)}

    def launch(self, *outputs: Operand, threads: int = 32, **facts: Any) -> Launch:
        """A launch of one block; ``facts``: fields of the program."""
        program = replace(self.program(*outputs), **facts)
        return Launch(program, (1, 1, 1), (threads, 1, 1), self.buffers(len(outputs)))

    def run(self, *outputs: Operand, threads: int = 32, **facts: Any) -> list[np.ndarray]:
        """Values of registers (uint32) and predicates (bool) after the body, a row each."""
        program = replace(self.program(*outputs), **facts)
        y = launch(program, self.buffers(len(outputs)), (threads, 1, 1))["y"]
        return [y[k] != 0 if o.kind is Kind.PRED else y[k] for k, o in enumerate(outputs)]


def launch_shaped(sheet: Sheet, outputs: Sequence[Operand], block: tuple[int, int, int]) -> np.ndarray:
    """Rows of output of a block of any shape."""
    return launch(sheet.program(*outputs), sheet.buffers(len(outputs)), block)["y"]


def _moved(instr: Instr, by: int) -> Instr:
    return replace(instr, target=instr.target + by)


def launch(program: Program, buffers: dict[str, np.ndarray], block: tuple[int, int, int]) -> dict[str, np.ndarray]:
    """Execute one block of a program for its values."""
    gpu = hardware.load("h200")
    made = Launch(program, (1, 1, 1), block, buffers)
    held = hardware.occupancy(gpu, made.threads, program.n_registers, program.shared_bytes)
    return execute(made, gpu, held)


def one(op: Op, *values: np.ndarray, out: int = FIRST_FREE, **fields: Any) -> np.ndarray:
    """Result of one instruction whose sources are these lane values."""
    sheet = Sheet()
    sources = [sheet.given(v) for v in values]
    sheet.emit(op, reg(out), *sources, **fields)
    return sheet.run(reg(out))[0]


__all__ = ["FIRST_FREE", "FULL", "LANES", "RZ", "Sheet", "floats", "launch", "launch_shaped", "one", "words"]
