"""Machine instructions over virtual registers: what selection makes, scheduling orders and allocation maps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from gpusim.isa.instruction import Half, Kind
from gpusim.isa.opcodes import Op


class VReg:
    """A virtual register of 32 bits, or a virtual predicate."""

    __slots__ = ("id", "is_pred")
    _count = 0

    def __init__(self, *, is_pred: bool = False) -> None:
        VReg._count += 1
        self.id, self.is_pred = VReg._count, is_pred

    def __repr__(self) -> str:
        return f"{'p' if self.is_pred else 'v'}{self.id}"


class Source(NamedTuple):
    """A source operand: registers (one, or 2 or 4 that must be consecutive), RZ, or a constant.

    ``regs`` is empty for constants and for RZ; ``value`` is an immediate's bits or an offset in bank 0.
    """

    kind: Kind
    regs: tuple[VReg, ...] = ()
    value: int = 0
    neg: bool = False
    abs: bool = False
    half: Half = Half.BOTH

    @property
    def is_reg(self) -> bool:
        """Whether it is a register (or RZ) and no constant."""
        return self.kind is Kind.REG


ZERO = Source(Kind.REG)


class Condition(NamedTuple):
    """A predicate read: None is the one that is always true."""

    reg: VReg | None = None
    neg: bool = False


ALWAYS = Condition()


@dataclass(eq=False, slots=True)
class MInstr:
    """A machine instruction; fields as in :class:`gpusim.isa.instruction.Instr`.

    ``keeps``: where the guard is false, the old value of the destination stays in use.
    ``source_offset`` and ``copied_to``: of a copy, bytes from the pointer to what is read, and the shared array.
    """

    op: Op
    dsts: tuple[VReg, ...] = ()
    srcs: tuple[Source, ...] = ()
    guard: Condition = ALWAYS
    pdsts: tuple[VReg, ...] = ()
    psrcs: tuple[Condition, ...] = ()
    sub: int = 0
    width: int = 4
    offset: int = 0
    target: MBlock | None = None
    flags: int = 0
    cache: int = 0
    line: int = 0
    array: int = -1
    keeps: bool = True
    source_offset: int = -1
    copied_to: int = -1
    _reads: list[VReg] | None = None

    def reads(self) -> list[VReg]:
        """Registers and predicates it reads, the old value of a guarded destination included."""
        if self._reads is None:
            self._reads = self._find_reads()
        return self._reads

    def _find_reads(self) -> list[VReg]:
        found = [r for s in self.srcs for r in s.regs]
        found += [c.reg for c in (self.guard, *self.psrcs) if c.reg is not None]
        if self.keeps and self.guard.reg is not None:
            found += [*self.dsts, *self.pdsts]
        return found

    def writes(self) -> tuple[VReg, ...]:
        """Registers and predicates it writes."""
        return (*self.dsts, *self.pdsts)


@dataclass(eq=False)
class MBlock:
    """A basic block of machine instructions; ``tail`` holds copies and the jump."""

    number: int
    body: list[MInstr] = field(default_factory=list)
    tail: list[MInstr] = field(default_factory=list)
    after: list[MBlock] = field(default_factory=list)  # successors
    loops: int = 0

    def instrs(self) -> list[MInstr]:
        """All instructions, in order."""
        return [*self.body, *self.tail]


def registers(*regs: VReg) -> Source:
    """A register operand."""
    return Source(Kind.REG, regs)


def immediate(bits: int) -> Source:
    """An immediate; zero is RZ."""
    return Source(Kind.IMM, (), bits) if bits else ZERO


def constant(offset: int) -> Source:
    """A word of constant bank 0."""
    return Source(Kind.CONST, (), offset)
