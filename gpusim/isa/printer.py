"""Listing of a program, in the manner of a disassembly."""

from __future__ import annotations

import linecache
import struct

from gpusim.isa.opcodes import Atomic as AtomicOp
from gpusim.isa.opcodes import BoolOp, Cache, Cmp, Convert, Flag, Mma, Mufu, Op, Permute, Round, Shfl, Shift, Special
from gpusim.isa.program import NO_SCOREBOARD, PT, RZ, TRUE, URZ, Half, Instr, Kind, Operand, Program

FLOATS = (Op.FADD, Op.FMUL, Op.FFMA, Op.FMNMX, Op.FSEL, Op.FSETP, Op.MUFU)
MEMORY = (Op.LDG, Op.STG, Op.LDS, Op.STS, Op.LDL, Op.STL, Op.ATOMG, Op.ATOMS, Op.RED, Op.LD, Op.ST)
WIDE_ADDRESS = (Op.LDG, Op.STG, Op.ATOMG, Op.RED, Op.LD, Op.ST)
HALVES = {
    Half.LOW: ".H0_H0", Half.HIGH: ".H1_H1", Half.WORD: ".F32", Half.BYTE_1: ".B1", Half.BYTE_2: ".B2",
    Half.BYTE_3: ".B3", Half.TURNED: ".H0_NH1",
}  # fmt: skip
COMPARISONS = (Op.ISETP, Op.FSETP, Op.HSETP2, Op.DSETP)


def format_program(program: Program, *, control: bool = False, source: bool = False) -> str:
    """Listing of ``program``.

    Parameters
    ----------
    program : Program
    control : bool
        Also show stall counts and scoreboards.
    source : bool
        Also show the source line that an instruction came from, where it changes.
    """
    head = f"// {program.name}: {len(program)} instructions, {program.n_registers} registers"
    if program.shared_bytes:
        head += f", {program.shared_bytes} B shared"
    labels = {i.target for i in program.instrs if i.target >= 0}
    lines, last = [head], 0
    for index, instr in enumerate(program.instrs):
        if index in labels:
            lines.append(f"L{index}:")
        if source and instr.line and instr.line != last:
            last = instr.line
            lines.append(f"        // {linecache.getline(program.source, last).strip()}")
        text = format_instr(instr, program)
        where = f"   // line {instr.line}" if instr.line else ""
        prefix = f"{format_control(instr)}  " if control else ""
        lines.append(f"{index:5d}  {prefix}{text}{where}")
    return "\n".join(lines)


def format_control(instr: Instr) -> str:
    """``wait:read:write:stall`` as published SASS tools show them."""
    stall, write, read, wait, _ = instr.control
    waits = "".join(str(b) if wait >> b & 1 else "-" for b in range(6))
    boards = "".join("-" if b == NO_SCOREBOARD else str(b) for b in (read, write))
    return f"{waits}:R{boards[0]}:W{boards[1]}:{stall:02d}"


def format_instr(instr: Instr, program: Program | None = None) -> str:
    """One instruction, e.g. ``@!P0 LDG.E.128 R4, [R2.64+0x10]``."""
    guard = "" if instr.guard == TRUE else f"@{format_operand(instr.guard)} "
    operands = ", ".join(_operands(instr, program))
    return f"{guard}{mnemonic(instr)} {operands}".rstrip()


def mnemonic(instr: Instr) -> str:
    """Opcode with its variants, e.g. ``ISETP.GE.U32.AND``."""
    parts = [instr.op.name.replace("_", ".")]
    if instr.op in WIDE_ADDRESS:
        parts.append("E")
    parts += _variant(instr)
    if instr.op in MEMORY and instr.width != 4:
        parts.append({1: "U8", 2: "U16"}.get(instr.width, str(8 * instr.width)))
    if instr.op is Op.LDC and instr.width == 8:
        parts.append("64")
    flags = [Flag.X, Flag.FTZ, Flag.SAT, Flag.EX, Flag.CONSTANT, Flag.RELU, Flag.NAN, Flag.UNPACK]
    parts += [flag.name for flag in flags if instr.flags & flag]
    if instr.flags & Flag.UNSIGNED and instr.op not in COMPARISONS:
        parts.append("U32")
    if instr.op in WIDE_ADDRESS and instr.cache:
        parts.append(Cache(instr.cache).name)
    return ".".join(parts)


def _variant(instr: Instr) -> list[str]:
    """What ``sub`` says."""
    sub = instr.sub
    match instr.op:
        case Op.ISETP | Op.FSETP | Op.HSETP2 | Op.DSETP | Op.FSET | Op.HSET2:
            unsigned = ["U32"] if instr.flags & Flag.UNSIGNED else []
            unordered = "U" if sub & 8 else ""
            return [Cmp(sub & 7).name + unordered, *unsigned, BoolOp(sub >> 4 & 3).name]
        case Op.FADD | Op.FMUL | Op.FFMA | Op.DADD | Op.DMUL | Op.DFMA:
            return [("RM", "RP", "RZ")[(sub >> 4 & 3) - 1]] if sub >> 4 & 3 else []
        case Op.PRMT:
            return [Permute(sub).name] if sub else []
        case Op.HMMA | Op.IMMA | Op.DMMA:
            return [Mma(sub).name.replace("_", ".")]
        case Op.MUFU:
            return [Mufu(sub).name]
        case Op.SHF:
            return Shift(sub).name.split("_")
        case Op.SHFL:
            return [Shfl(sub).name]
        case Op.I2F | Op.F2I | Op.F2F | Op.F2FP | Op.FRND | Op.F2IP | Op.I2I:
            types = [] if instr.op is Op.FRND else [Convert(sub & 15).name]
            types += [Convert(sub >> 8 & 15).name] if sub >> 8 & 15 else []
            return [*types, *([Round(sub >> 4 & 3).name] if sub >> 4 & 3 else [])]
        case Op.ATOMG | Op.ATOMS | Op.RED:
            return [AtomicOp(sub & 15).name, *(["F32"] if instr.flags & Flag.FLOAT else [])]
    return []


def _operands(instr: Instr, program: Program | None) -> list[str]:
    """Destinations and sources in SASS's order."""
    if instr.op in (Op.BRA, Op.BSSY):
        barrier = [f"B{instr.sub}"] if instr.op is Op.BSSY else []
        return [*barrier, f"L{instr.target}"]
    if instr.op is Op.BSYNC:
        return [f"B{instr.sub}"]
    if instr.op is Op.BAR:
        return [f"{instr.sub & 15:#x}", *(format_operand(o) for o in (*instr.srcs, *instr.psrcs))]
    out = [] if instr.dst is None else [format_operand(instr.dst)]
    out += [format_operand(p) for p in instr.pdsts]
    if instr.op in MEMORY:
        return [*out, *_memory(instr)]
    if instr.op is Op.S2R:
        return [*out, "SR_" + Special(instr.sub).name.replace("_", ".")]
    if instr.op is Op.LDC:
        base = instr.srcs[0] if instr.srcs else Operand(Kind.REG, RZ)
        return [*out, f"c[{instr.sub:#x}][{_plus(base, instr.offset)}]"]
    floating = instr.op in FLOATS
    out += [format_operand(o, floating=floating) for o in instr.srcs]
    if instr.op in (Op.LOP3, Op.PLOP3) or instr.op in (Op.LEA, Op.LEA_HI_X):
        out.append(f"{instr.sub:#x}")
    return [*out, *(format_operand(p) for p in instr.psrcs)]


def _memory(instr: Instr) -> list[str]:
    address, *values = instr.srcs
    wide = ".64" if instr.op in WIDE_ADDRESS else ""
    base = "" if address.index == RZ and address.kind is Kind.REG else format_operand(address) + wide
    if len(values) > 1 and instr.op not in (Op.ATOMG, Op.ATOMS, Op.RED):
        base = f"{base}{'+' if base else ''}{format_operand(values[1])}"
        values = values[: instr.op in (Op.STG, Op.STS, Op.STL, Op.ST)]
    sign = "-" if instr.offset < 0 else "+" if base else ""
    offset = f"{sign}{abs(instr.offset):#x}" if instr.offset or not base else ""
    return [f"[{base}{offset}]", *(format_operand(v) for v in values)]


def _plus(base: Operand, offset: int) -> str:
    return f"{offset:#x}" if base.index == RZ else f"{format_operand(base)}+{offset:#x}"


def format_operand(o: Operand, *, floating: bool = False) -> str:
    """One operand, e.g. ``-R3``, ``|R3|``, ``c[0x0][0x210]``, ``0x20``, ``!P0``."""
    if o.kind in (Kind.PRED, Kind.UPRED):
        name = "PT" if o.index == PT else f"{'U' if o.kind is Kind.UPRED else ''}P{o.index}"
        return f"!{name}" if o.neg else name
    if o.kind is Kind.REG:
        text = "RZ" if o.index == RZ else f"R{o.index}"
    elif o.kind is Kind.UREG:
        text = "URZ" if o.index == URZ else f"UR{o.index}"
    elif o.kind is Kind.CONST:
        bank, offset = o.place
        text = f"c[{bank:#x}][{offset:#x}]"
    elif floating:
        text = f"{struct.unpack('<f', struct.pack('<I', o.index))[0]:.9g}"
    else:
        text = f"{o.index:#x}"
    text += HALVES.get(Half(o.half), "")
    text = f"|{text}|" if o.abs else text
    return f"-{text}" if o.neg else text
