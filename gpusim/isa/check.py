"""Structural checks of a program: what no producer may get wrong, and no file may ask of the engine.

The engine looks nothing up twice: every register, predicate, barrier, branch target, constant and variant that a
program names is within its bounds because it is checked here, before anything runs.  What only a register says is
checked where it is executed.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from gpusim.errors import GpusimError
from gpusim.isa.encode import is_indexed
from gpusim.isa.instruction import NO_SCOREBOARD, PT, RZ, TRUE, URZ, Instr, Kind, Operand
from gpusim.isa.opcode_info import Says, Takes
from gpusim.isa.opcodes import BANKS, COPIES, Op
from gpusim.isa.printer import format_instr
from gpusim.isa.program import Program
from gpusim.isa.variants import Flag
from gpusim.isa.widths import result_words, source_words

WIDTHS = (1, 2, 4, 8, 16)
MAX_REGISTERS, MAX_UNIFORM = RZ, URZ
_LARGEST_GROUP = 4  # registers, of which the first one's number is a multiple; sums of a warpgroup begin at fours, too
_MOST_FIXED = 2  # words of an immediate, or of a constant that is named as an operand


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
        For a register, predicate, width, target, barrier, constant, variant or scoreboard out of range, an unaligned
        group of registers, a convergence barrier waited for but never set, or an end (before padding) that is not
        EXIT or a jump.
    """
    for index, problem in faults(program):
        if index < 0:
            raise ProgramError(f"{program.name}: {problem}")
        instr = program.instrs[index]
        text = format_instr(instr) if _is_variant(instr) else instr.op.name
        raise ProgramError(f"{program.name}, instruction {index} ({text}): {problem}")


def faults(program: Program) -> Iterator[tuple[int, str]]:
    """What is wrong with a program: the index of an instruction (-1: of the whole), and the words for it."""
    if not program.instrs:
        yield -1, "no instructions"
        return
    if program.n_registers > MAX_REGISTERS:
        yield -1, f"{program.n_registers} registers of a thread: there are {MAX_REGISTERS} at most"
    if wrong := [bank for bank in program.banks if bank not in BANKS]:
        yield -1, f"constant bank {wrong[0]}: there are {len(BANKS)}"
    last = next((i for i in reversed(program.instrs) if i.op is not Op.NOP), program.instrs[-1])
    if not is_end(last):
        yield -1, f"must end in EXIT, ends in {format_instr(last)}"
    for index, instr in enumerate(program.instrs):
        for problem in problems(instr, program):
            yield index, problem
    yield from _unset_barriers(program)


def is_end(instr: Instr) -> bool:
    """Whether nothing is executed after an instruction but what a jump leads to."""
    sometimes = instr.guard != TRUE or instr.psrcs or instr.flags & (Flag.DIVERGED | Flag.CONVERGED)
    return instr.op.info.ends and not sometimes


def _is_variant(instr: Instr) -> bool:
    return instr.sub in instr.op.info.subs


def problems(instr: Instr, program: Program) -> Iterator[str]:
    """What is wrong with one instruction."""
    if not _is_variant(instr):
        meets = instr.op.info.says is Says.CONVERGENCE
        yield f"convergence barrier {instr.sub}" if meets else f"no such variant ({instr.sub})"
        return
    if instr.dst is not None and instr.op.info.result is None:
        yield "a result, which it has not"
        return
    yield from _command(instr)
    for operand, count in _groups(instr):
        yield from _operand(operand, count, program)
    if instr.op.info.described:
        yield from _product(instr)
    for p in (instr.guard, *instr.psrcs, *instr.pdsts):
        if p.kind not in (Kind.PRED, Kind.UPRED) or not 0 <= p.index <= PT:
            yield f"predicate {p.index}"
    if instr.width not in WIDTHS:
        yield f"width {instr.width}"
    yield from _places(instr, program)
    stall, write, read, wait, _ = instr.control
    if not 0 <= stall <= 15 or wait >> 6 or any(b > 5 and b != NO_SCOREBOARD for b in (write, read)):
        yield f"control {tuple(instr.control)}"


def _product(instr: Instr) -> Iterator[str]:
    """What is wrong with a product by a warpgroup, whose sums are more than the rows that stand for RZ."""
    if instr.dst is not None and (instr.dst.kind is not Kind.REG or instr.dst.index == RZ):
        yield "sums that go to no registers"
    if instr.srcs and len(instr.srcs) < len(instr.op.info.sources):
        yield "a matrix is missing"


def _command(instr: Instr) -> Iterator[str]:
    """What is wrong with the operands of a copy beside the warps, all of which must be there."""
    sources = instr.op.info.sources
    if instr.op in COPIES:
        if len(instr.srcs) < len(sources):
            yield f"{len(instr.srcs)} operands of {len(sources)}"
        elif any(o.kind is not Kind.UREG or o.index == URZ for o in instr.srcs[:1] if sources[0] is Takes.COMMAND):
            yield "a command that is no uniform registers"


def _operand(operand: Operand, count: int, program: Program) -> Iterator[str]:
    """What is wrong with an operand of so many registers or words."""
    if operand.kind in (Kind.CONST, Kind.IMM) and count > _MOST_FIXED:
        yield f"{count} words that are no registers"
    elif operand.kind is Kind.CONST:
        yield from _constant(*operand.place, 4 * count, program)
    elif operand.kind is not Kind.IMM and operand.index != (RZ if operand.kind is Kind.REG else URZ):
        uniform = operand.kind is Kind.UREG
        own = min(max(program.n_registers, program.most_registers), MAX_REGISTERS)
        name, held = ("UR", MAX_UNIFORM) if uniform else ("R", own)
        if operand.index % gcd(count, _LARGEST_GROUP):
            yield f"{name}{operand.index} does not start a group of {count}"
        if not 0 <= operand.index <= held - count:
            yield f"{name}{operand.index + count - 1} of {held} registers"


def _constant(bank: int, offset: int, nbytes: int, program: Program) -> Iterator[str]:
    """What is wrong with a constant that an instruction names itself."""
    size = program.bank_bytes.get(bank)
    if size is None:
        yield f"constant bank {bank}, which is not there"
    elif offset % min(nbytes, 4):
        yield f"constant at {offset:#x} does not start a group of {min(nbytes, 4)} bytes"
    elif not 0 <= offset <= size - nbytes:
        yield f"constant at {offset:#x} of bank {bank}, which has {size:#x} bytes"


def _places(instr: Instr, program: Program) -> Iterator[str]:
    """What is wrong with where an instruction leads, or reads and writes."""
    info = instr.op.info
    if info.has_target and not instr.jumps_by_register and not 0 <= instr.target < len(program):
        yield f"target {instr.target} of {len(program)} instructions"
    bits = 31 if info.may_jump_by_register else 23
    for offset in (instr.offset, instr.target if instr.op is Op.LDGSTS else 0):
        if not -(1 << bits) <= offset < 1 << bits:
            yield f"offset {offset} exceeds {bits + 1} bits"
    if instr.array >= len(program.arrays):
        yield f"array {instr.array} of {len(program.arrays)}"
    if instr.op is Op.BAR and instr.sub & 15 >= program.barriers:
        yield f"barrier {instr.sub & 15} of {program.barriers}"
    if instr.op is Op.LDC and not is_indexed(instr):
        yield from _constant(instr.sub, instr.offset, instr.width, program)


def _groups(instr: Instr) -> list[tuple[Operand, int]]:
    """Operands with the number of registers each stands for."""
    found = [(instr.dst, result_words(instr))] if instr.dst is not None else []
    found += [(operand, source_words(instr, place)) for place, operand in enumerate(instr.srcs)]
    return found


def _unset_barriers(program: Program) -> Iterator[tuple[int, str]]:
    set_up = {i.sub for i in program.instrs if i.op is Op.BSSY or (i.op is Op.BMOV and i.dst is None)}
    waited = {i.sub for i in program.instrs if i.op is Op.BSYNC}
    if not waited <= set_up:
        yield -1, f"convergence barriers {sorted(set_up)} are set up, {sorted(waited)} are waited for"
