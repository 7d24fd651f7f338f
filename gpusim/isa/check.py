"""Structural checks of a program: what no producer may get wrong."""

from __future__ import annotations

from collections.abc import Iterator

from gpusim.errors import GpusimError
from gpusim.isa.opcodes import Flag, Op
from gpusim.isa.printer import format_instr
from gpusim.isa.program import NO_SCOREBOARD, PT, RZ, TRUE, Instr, Kind, Operand, Program
from gpusim.isa.widths import result_words, source_words

WIDTHS = (1, 2, 4, 8, 16)
LOADS = (Op.LDG, Op.LDS, Op.LDL, Op.LDC, Op.LD, Op.CS2R)
STORES = (Op.STG, Op.STS, Op.STL, Op.ST)
GLOBAL = (Op.LDG, Op.STG, Op.ATOMG, Op.RED, Op.LD, Op.ST, Op.ATOM, Op.PREFETCH)
TARGETED = (Op.BRA, Op.BSSY)
ENDS = (Op.EXIT, Op.BRA, Op.BRX, Op.RET, Op.TRAP)
N_BARRIERS = 16
MAX_REGISTERS = 255


class ProgramError(GpusimError):
    """A program that no hardware could run; the message names the instruction."""


def check(program: Program) -> None:
    """Check a program's structure.

    Parameters
    ----------
    program : Program

    Raises
    ------
    ProgramError
        For a register, predicate, width, target or scoreboard out of range, an unaligned group of registers,
        a convergence barrier waited for but never set, or an end (before padding) that is not EXIT or a jump.
    """
    if not program.instrs:
        raise ProgramError(f"{program.name}: no instructions")
    last = next((i for i in reversed(program.instrs) if i.op is not Op.NOP), program.instrs[-1])
    if last.op not in ENDS or last.guard != TRUE or last.psrcs:
        raise ProgramError(f"{program.name}: must end in EXIT, ends in {format_instr(last)}")
    for index, instr in enumerate(program.instrs):
        for problem in problems(instr, program):
            raise ProgramError(f"{program.name}, instruction {index} ({format_instr(instr)}): {problem}")
    _check_barriers(program)


def problems(instr: Instr, program: Program) -> Iterator[str]:
    """What is wrong with one instruction."""
    for operand, count in _groups(instr):
        if operand.kind is Kind.REG and operand.index != RZ:
            if operand.index % count:
                yield f"R{operand.index} does not start a group of {count}"
            if operand.index + count > min(program.n_registers, MAX_REGISTERS):
                yield f"R{operand.index + count - 1} of {program.n_registers} registers"
        elif operand.kind is Kind.CONST and operand.index % 4:
            yield f"constant at {operand.index:#x} is not a word"
    for p in (instr.guard, *instr.psrcs, *instr.pdsts):
        if p.kind in (Kind.PRED, Kind.UPRED) and not 0 <= p.index <= PT:
            yield f"predicate {p.index}"
    if instr.width not in WIDTHS:
        yield f"width {instr.width}"
    leads = instr.op in TARGETED or (instr.op is Op.CALL and not instr.srcs)
    if leads and not 0 <= instr.target < len(program):
        yield f"target {instr.target} of {len(program)} instructions"
    if instr.op in (Op.BSSY, Op.BSYNC) and not 0 <= instr.sub < N_BARRIERS:
        yield f"convergence barrier {instr.sub}"
    if not -(1 << 23) <= instr.offset < 1 << 23:
        yield f"offset {instr.offset} exceeds 24 bits"
    if instr.array >= len(program.arrays):
        yield f"array {instr.array} of {len(program.arrays)}"
    stall, write, read, wait, _ = instr.control
    if not 0 <= stall <= 15 or wait >> 6 or any(b > 5 and b != NO_SCOREBOARD for b in (write, read)):
        yield f"control {tuple(instr.control)}"


def _groups(instr: Instr) -> list[tuple[Operand, int]]:
    """Register operands with the number of registers each stands for."""
    words = max(instr.width // 4, 1)
    found: list[tuple[Operand, int]] = []
    if instr.dst is not None:
        found.append((instr.dst, words if instr.op in LOADS else result_words(instr)))
    for place, operand in enumerate(instr.srcs):
        count = source_words(instr, place)
        if instr.op in GLOBAL and place == 0:
            count = 1 if instr.flags & Flag.NARROW else 2
        elif instr.op in STORES and place == 1:
            count = words
        found.append((operand, count))
    return found


def _check_barriers(program: Program) -> None:
    set_up = {i.sub for i in program.instrs if i.op is Op.BSSY}
    waited = {i.sub for i in program.instrs if i.op is Op.BSYNC}
    if not waited <= set_up:
        raise ProgramError(
            f"{program.name}: convergence barriers {sorted(set_up)} are set up, {sorted(waited)} are waited for"
        )
