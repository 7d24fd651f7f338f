"""Calls of functions of CUDA's own that are simulated: which function a call through a register means.

A compiler loads such a function's address from a constant bank just before the call.  Arguments and results are in
registers from R4 on, a pair on an even register; the function returns to the instruction after the call.

Source: what NVRTC 13.0 makes of printf, assert, malloc and free for sm_75 to sm_120.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gpusim.isa.effects import effects
from gpusim.isa.instruction import RZ, Instr, Kind, Operand, reg
from gpusim.isa.opcodes import Op

if TYPE_CHECKING:
    from gpusim.cuda.nvdisasm import Line
    from gpusim.cuda.relocations import Relocation
    from gpusim.isa.program import Program

FIRST = 4
"""Register of the first argument, and of the result."""
CLOBBERED = range(4, 16)
"""Registers that a call may leave changed."""

_INSTRUCTIONS: dict[str, Callable[[Instr], Instr]] = {
    "vprintf": lambda i: replace(i, op=Op.VPRINTF, dst=reg(FIRST), srcs=(reg(6), reg(FIRST), reg(7)), offset=0),
    "__assertfail": lambda i: replace(
        i, op=Op.ASSERTFAIL, srcs=(reg(FIRST), reg(6), reg(8), reg(10)), offset=0, psrcs=()
    ),
    "malloc": lambda i: replace(i, op=Op.MALLOC, dst=reg(FIRST), srcs=(reg(FIRST),), offset=0),
    "free": lambda i: replace(i, op=Op.FREE, srcs=(reg(FIRST),), offset=0),
}
FUNCTIONS = frozenset(_INSTRUCTIONS)


def resolved(made: Program, lines: Sequence[Line], relocations: Iterable[Relocation]) -> Program:
    """A program whose calls of these functions are instructions.

    Parameters
    ----------
    made : Program
        In which they are unknown.
    lines : sequence of Line
        What it was made of.
    relocations : iterable of Relocation
        Of the kernel.

    Returns
    -------
    Program
        In which calls that cannot be told, or are of other functions, are unknown still, and named where they can be.
    """
    symbols = {(int(one.section[4:]), one.offset): one.symbol for one in relocations if one.section.startswith("bank")}
    instrs, unknown = list(made.instrs), dict(made.unknown)
    calls = [k for k in unknown if lines[k].opcode.startswith("CALL.ABS")]
    before = _predecessors(made) if calls else []
    for index in calls:
        function = _function(made, lines[index], index, before, symbols)
        if function in FUNCTIONS:
            instrs[index] = _INSTRUCTIONS[function](instrs[index])
            del unknown[index]
        elif function:
            unknown[index] = f"call of {function}"
    return replace(made, instrs=tuple(instrs), unknown=unknown)


def _function(
    made: Program, line: Line, index: int, before: Sequence[Sequence[int]], symbols: Mapping[tuple[int, int], str]
) -> str:
    """Name of the function that an instruction calls; empty where that cannot be told."""
    operand = line.operands[-1]
    if operand.startswith("`("):
        return operand[2:-1]
    if not operand.startswith("R") or not operand[1:].isdecimal():
        return ""
    found = {_symbol(made, place, before, symbols) for place in _written(made, index, int(operand[1:]), before)}
    return found.pop() if len(found) == 1 else ""


def _symbol(made: Program, place: int, before: Sequence[Sequence[int]], symbols: Mapping[tuple[int, int], str]) -> str:
    """Symbol whose address an instruction loads from a constant bank."""
    if place < 0 or made.instrs[place].op is not Op.LDC:
        return ""
    load = made.instrs[place]
    first = load.srcs[0] if load.srcs else reg(RZ)
    offset = 0 if first.index == RZ else _constant(made, place, first, before)
    return "" if offset is None else symbols.get((load.sub, load.offset + offset), "")


def _constant(made: Program, index: int, register: Operand, before: Sequence[Sequence[int]]) -> int | None:
    """What a register holds before an instruction, where that is one number."""
    if register.kind is not Kind.REG:
        return None
    found = {_moved(made, place) for place in _written(made, index, register.index, before)}
    return found.pop() if len(found) == 1 else None


def _moved(made: Program, place: int) -> int | None:
    """The number that an instruction gives without looking at any register."""
    if place < 0:
        return None
    instr = made.instrs[place]
    if instr.op is Op.MOV and instr.srcs[0].kind is Kind.IMM:
        return instr.srcs[0].index
    products = (Op.IMAD, Op.HFMA2)
    if instr.op in products and instr.srcs[0].index == instr.srcs[1].index == RZ and instr.srcs[2].kind is Kind.IMM:
        return instr.srcs[2].index
    return None


def _predecessors(made: Program) -> list[list[int]]:
    """Instructions that may come just before each."""
    found: list[list[int]] = [[] for _ in made.instrs]
    for index, instr in enumerate(made.instrs):
        always = instr.op.info.ends and not effects(instr).partial and not instr.psrcs
        if index + 1 < len(found) and not always:
            found[index + 1].append(index)
        if instr.op.info.has_target and 0 <= instr.target < len(found) and instr.op is not Op.BSSY:
            found[instr.target].append(index)
    return found


def _written(made: Program, index: int, register: int, before: Sequence[Sequence[int]]) -> set[int]:
    """Instructions that may have written what a register holds before another one; -1: it cannot be told."""
    bit, found, seen, waiting = 1 << register, set(), set(), list(before[index])
    if not waiting:
        return {-1}
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        instr = made.instrs[place]
        _, writes, partial = effects(instr)
        calls = instr.op is Op.CALL or place in made.unknown
        if writes & bit or (calls and register in CLOBBERED):
            found.add(-1 if partial or calls else place)
        elif before[place]:
            waiting += before[place]
        else:
            found.add(-1)
    return found
