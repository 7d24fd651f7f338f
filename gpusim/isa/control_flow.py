"""Which instructions may come after one, and which begin a stretch that runs through."""

from __future__ import annotations

from gpusim.isa.instruction import Instr
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program


def successors(program: Program) -> list[list[int]]:
    """Of each instruction those that may come next."""
    anywhere = named_by_registers(program)
    return [_after(program, k, anywhere) for k in range(len(program))]


def _jumps_anywhere(instr: Instr) -> bool:
    """Whether a register says where it goes, and not just back to where a call came from."""
    return instr.jumps_by_register and instr.op is not Op.RET


def _after(program: Program, index: int, anywhere: list[int]) -> list[int]:
    """Instructions that may come next; ``anywhere``: those that a register may name."""
    instr = program.instrs[index]
    after = [index + 1] if index + 1 < len(program) else []
    if instr.jumps_by_register:
        return [*anywhere, *after]
    if instr.op.info.is_branch:
        return [instr.target, *after]
    return after


def named_by_registers(program: Program) -> list[int]:
    """Where BRX, RET and indirect calls may go: after a call, or anywhere if there are others than RET."""
    if any(_jumps_anywhere(i) for i in program.instrs):
        return list(range(len(program)))
    calls = [k + 1 for k, i in enumerate(program.instrs) if i.op is Op.CALL]
    return [k for k in calls if k < len(program)] if any(i.op is Op.RET for i in program.instrs) else []


def leaders(program: Program) -> set[int]:
    """Instructions that a jump may reach, or that follow one."""
    found = {0, *named_by_registers(program)}
    for index, instr in enumerate(program.instrs):
        if instr.target >= 0:
            found.add(instr.target)
        if instr.op.info.is_control:
            found.add(index + 1)
    return found
