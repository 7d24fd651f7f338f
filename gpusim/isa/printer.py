"""Listing of an instruction, in the manner of a disassembly."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable

from gpusim.isa.instruction import NO_SCOREBOARD, PT, RZ, TRUE, URZ, Half, Instr, Kind, Operand
from gpusim.isa.opcode_info import CONSTANT, Says, Takes
from gpusim.isa.variants import (
    Arrival,
    Atomic,
    BoolOp,
    Cache,
    Cmp,
    Convert,
    Flag,
    Mma,
    Mufu,
    Permute,
    Round,
    Scale,
    Shfl,
    Shift,
    Special,
)
from gpusim.isa.warpgroup import DESCRIPTOR_WORDS, product_of
from gpusim.isa.widths import ADDRESSES, source

HALVES = {
    Half.LOW: ".H0_H0", Half.HIGH: ".H1_H1", Half.WORD: ".F32", Half.BYTE_1: ".B1", Half.BYTE_2: ".B2",
    Half.BYTE_3: ".B3", Half.TURNED: ".H0_NH1",
}  # fmt: skip
_ZERO = Operand(Kind.REG, RZ)
SHOWN_FLAGS = (Flag.X, Flag.FTZ, Flag.SAT, Flag.EX, Flag.CONSTANT, Flag.RELU, Flag.NAN, Flag.UNPACK)


def format_control(instr: Instr) -> str:
    """``wait:read:write:stall`` as published SASS tools show them."""
    stall, write, read, wait, _ = instr.control
    waits = "".join(str(b) if wait >> b & 1 else "-" for b in range(6))
    boards = "".join("-" if b == NO_SCOREBOARD else str(b) for b in (read, write))
    return f"{waits}:R{boards[0]}:W{boards[1]}:{stall:02d}"


def format_instr(instr: Instr) -> str:
    """One instruction, e.g. ``@!P0 LDG.E.128 R4, [R2.64+0x10]``."""
    guard = "" if instr.guard == TRUE else f"@{format_operand(instr.guard)} "
    return f"{guard}{mnemonic(instr)} {', '.join(_operands(instr))}".rstrip()


def mnemonic(instr: Instr) -> str:
    """Opcode with its variants, e.g. ``ISETP.GE.U32.AND``."""
    info = instr.op.info
    parts = [instr.op.name.replace("_", ".")]
    if _is_far(instr):
        parts.append("E")
    if info.says in _VARIANT:
        parts += _VARIANT[info.says](instr)
    if info.touches_memory and instr.width != 4:
        parts.append({1: "U8", 2: "U16"}.get(instr.width, str(8 * instr.width)))
    if info.space == CONSTANT and instr.width == 8:
        parts.append("64")
    parts += [flag.name for flag in SHOWN_FLAGS if instr.flags & flag]
    if instr.flags & Flag.UNSIGNED and info.says is not Says.COMPARISON:
        parts.append("U32")
    if _is_far(instr) and instr.cache:
        parts.append(Cache(instr.cache).name)
    return ".".join(parts)


# ------------------------------------------------------------------ what `sub` says


def _comparison(instr: Instr) -> list[str]:
    unsigned = ["U32"] if instr.flags & Flag.UNSIGNED else []
    unordered = "U" if instr.sub & 8 else ""
    return [Cmp(instr.sub & 7).name + unordered, *unsigned, BoolOp(instr.sub >> 4 & 3).name]


def _rounding(instr: Instr) -> list[str]:
    how = instr.sub >> 4 & 3
    return [("RM", "RP", "RZ")[how - 1]] if how else []


def _scaling(instr: Instr) -> list[str]:
    scale = instr.sub & 15
    return [*([Scale(scale).name] if scale else []), *_rounding(instr)]


def _rounded_type(instr: Instr) -> list[str]:
    """The float's type, and the rounding."""
    kind, how = instr.sub >> 8 & 15, instr.sub >> 4 & 3
    return [*([Convert(kind).name] if kind else []), *([Round(how).name] if how else [])]


def _conversion(instr: Instr) -> list[str]:
    return [Convert(instr.sub & 15).name, *_rounded_type(instr)]


def _atomic(instr: Instr) -> list[str]:
    return [Atomic(instr.sub & 15).name, *(["F32"] if instr.flags & Flag.FLOAT else [])]


def _arrival(instr: Instr) -> list[str]:
    said = (instr.sub & bits for bits in (3, 12, 16, 32, 64))
    return [Arrival(part).name for part in said if part]


_VARIANT: dict[Says, Callable[[Instr], list[str]]] = {
    Says.COMPARISON: _comparison,
    Says.ROUNDING: _rounding,
    Says.SCALING: _scaling,
    Says.PERMUTE: lambda instr: [Permute(instr.sub).name] if instr.sub else [],
    Says.SHAPE: lambda instr: [Mma(instr.sub).name.replace("_", ".")],
    Says.PRODUCT: lambda instr: [str(product_of(instr.sub))],
    Says.FUNCTION: lambda instr: [Mufu(instr.sub).name],
    Says.SHIFT: lambda instr: Shift(instr.sub).name.split("_"),
    Says.SHUFFLE: lambda instr: [Shfl(instr.sub).name],
    Says.CONVERSION: _conversion,
    Says.ROUNDED_TYPE: _rounded_type,
    Says.ATOMIC: _atomic,
    Says.ARRIVAL: _arrival,
}
_FIRST: dict[Says, Callable[[Instr], str]] = {
    Says.CONVERGENCE: lambda instr: f"B{instr.sub}",
    Says.BARRIER: lambda instr: f"{instr.sub & 15:#x}",
}
"""What ``sub`` names before the sources."""
_AFTER: dict[Says, Callable[[Instr], str]] = {
    Says.SPECIAL: lambda instr: "SR_" + Special(instr.sub).name.replace("_", "."),
    Says.NUMBER: lambda instr: f"{instr.sub:#x}",
}
"""What it names after them."""


# ------------------------------------------------------------------ operands


def _operands(instr: Instr) -> list[str]:
    """Destinations and sources in SASS's order."""
    info = instr.op.info
    out = [] if instr.dst is None else [format_operand(instr.dst)]
    out += [format_operand(p) for p in instr.pdsts]
    if info.says in _FIRST:
        out.append(_FIRST[info.says](instr))
    out += _sources(instr)
    if info.says in _AFTER:
        out.append(_AFTER[info.says](instr))
    if info.has_target and not instr.jumps_by_register:
        out.append(f"L{instr.target}")
    out += [format_operand(p) for p in instr.psrcs]
    return [*out, "gsb0"] if info.described and product_of(instr.sub).commits else out


def _sources(instr: Instr) -> list[str]:
    """Sources, those of an address together."""
    if instr.op.info.space == CONSTANT:
        base = instr.srcs[0] if instr.srcs else _ZERO
        return [f"c[{instr.sub:#x}][{_plus(base, instr.offset)}]"]
    if instr.op.info.touches_memory and instr.srcs:
        return _memory(instr)
    if instr.op.info.described and instr.srcs:
        return _matrices(instr)
    return [format_operand(o, floating=source(instr, k) is Takes.REAL) for k, o in enumerate(instr.srcs)]


def _matrices(instr: Instr) -> list[str]:
    """Matrices of a product by a warpgroup: the first one where it is in registers, the descriptors, the sums."""
    place, first, sums = instr.srcs
    product = product_of(instr.sub)
    turned = {"tnspA": product.a_transposed, "tnspB": product.b_transposed}
    signs = {"negA": product.a_negated and product.a_shared, "negB": product.b_negated}
    said = "".join(f".{name}" for name, holds in (signs | turned).items() if holds)
    own = [] if product.a_shared else [format_operand(first._replace(neg=product.a_negated))]
    place = place if product.a_shared else place._replace(index=place.index - DESCRIPTOR_WORDS)
    return [*own, f"gdesc[{format_operand(place)}]{said}", format_operand(sums)]


def _is_far(instr: Instr) -> bool:
    """Whether its address is one of 64 bits."""
    return source(instr, 0) is Takes.ADDRESS


def _memory(instr: Instr) -> list[str]:
    """An address, and what is stored there: a value, or what another address names."""
    if source(instr, 1) is Takes.ADDRESS:
        return [_place(instr, (0,), instr.offset), _place(instr, (1, 2), max(instr.target, 0))]
    values = [o for k, o in enumerate(instr.srcs) if source(instr, k) in (Takes.WIDTH, Takes.COUNT)]
    return [_place(instr, range(4), instr.offset), *(format_operand(v) for v in values)]


def _place(instr: Instr, positions: Iterable[int], offset: int) -> str:
    """What is added up to an address, in brackets."""
    parts = []
    for k in positions:
        kind = source(instr, k)
        if k < len(instr.srcs) and kind in ADDRESSES and (k > 1 or instr.srcs[k] != _ZERO):
            parts.append(format_operand(instr.srcs[k]) + (".64" if kind is Takes.ADDRESS else ""))
    base = "+".join(parts)
    sign = "-" if offset < 0 else "+" if base else ""
    return f"[{base}{f'{sign}{abs(offset):#x}' if offset or not base else ''}]"


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
