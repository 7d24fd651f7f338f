"""Instructions for effects: loads, stores, atomics, exchanges between lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Atomic, Cache, Flag, Shfl, Special
from gpusim.lang.lower.machine import ZERO, MInstr, Source, VReg, immediate, registers
from gpusim.lang.lower.regions import Access, Exchange, Reread
from gpusim.lang.lower.values import Node

if TYPE_CHECKING:
    from gpusim.lang.lower.instruction_builder import InstructionBuilder

CACHE = {"ca": Cache.CA, "lu": Cache.CG, "cg": Cache.CG, "cv": Cache.CG, "cs": Cache.CS}
SHUFFLES = {"idx": Shfl.IDX, "up": Shfl.UP, "down": Shfl.DOWN, "xor": Shfl.BFLY}
LAST_LANE = 0x1F


def emit_access(s: InstructionBuilder, item: Access) -> None:
    """A load, store or atomic."""
    if item.kind == "matrices":
        made = _matrices(s, item)
    elif item.kind == "load":
        made = _load(s, item)
    elif item.kind == "store":
        value = _value(s, item)
        made = s.emit(Op.STS if item.is_shared else Op.STG, (), (address(s, item), value))
    else:
        made = _atomic(s, item)
    made.guard = s.condition(item.guard)
    made.width, made.offset, made.array = item.width, item.offset, item.array.number
    if not item.is_shared:
        made.cache = CACHE[item.cache]


def address(s: InstructionBuilder, item: Access) -> Source:
    """Register, or pair of them, that an access's address is in, its offset aside."""
    if item.base is None:
        return ZERO
    return s.register(item.base) if item.is_shared else s.pair(item.base)


def _load(s: InstructionBuilder, item: Access) -> MInstr:
    dsts = tuple(s.define(r)[0] for r in item.results)
    for dst, instead in zip(dsts, item.other, strict=False):
        s.emit(Op.MOV, (dst,), tuple(s.parts(instead)))
    made = s.emit(Op.LDS if item.is_shared else Op.LDG, dsts, (address(s, item),))
    made.keeps = bool(item.other)
    if item.array.readonly and item.cache == "ca":
        made.flags = Flag.CONSTANT
    return made


def _matrices(s: InstructionBuilder, item: Access) -> MInstr:
    dsts = tuple(s.define(r)[0] for r in item.results)
    s.group(dsts)
    flags = Flag.TRANSPOSE if item.op == "transpose" else 0
    return s.emit(Op.LDSM, dsts, (address(s, item),), sub=len(dsts), flags=flags)


def _value(s: InstructionBuilder, item: Access) -> Source:
    """The stored registers: several must be consecutive, so they are gathered (allocation removes most moves)."""
    parts = [s.in_register(part) for v in item.values for part in s.parts(v)]
    if len(parts) == 1:
        return parts[0]
    gathered = tuple(VReg() for _ in parts)
    for dst, part in zip(gathered, parts, strict=True):
        s.emit(Op.MOV, (dst,), (part,))
    return registers(*gathered)


def _atomic(s: InstructionBuilder, item: Access) -> MInstr:
    value = s.register(item.values[0])
    (result,) = item.results
    unused = result not in s.placement.users
    dsts = () if unused and not item.is_shared else s.define(result)
    op = Op.ATOMS if item.is_shared else Op.ATOMG if dsts else Op.RED
    made = s.emit(op, dsts, (address(s, item), value), sub=Atomic[item.op.upper()])
    made.flags = Flag.FLOAT if result.dtype == "f32" else Flag.UNSIGNED if result.dtype == "u32" else 0
    made.keeps = False
    return made


def emit_exchange(s: InstructionBuilder, item: Exchange) -> None:
    """A shuffle."""
    value, lane = s.register(item.value), s.source(item.lane)
    clamp = ZERO if item.kind == "up" else immediate(LAST_LANE)
    s.emit(Op.SHFL, s.define(item.result), (value, lane, clamp), sub=SHUFFLES[item.kind])


def emit_reread(s: InstructionBuilder, item: Reread) -> None:
    """A special register, once more."""
    read_special(s, item.result, item.name)


def read_special(s: InstructionBuilder, result: Node, name: str) -> None:
    """Special register ``name`` of the language."""
    s.emit(Op.S2R, s.define(result), sub=Special[name.upper().replace(".", "_")])
