"""What instruction selection writes with: instructions into blocks, registers for values, operands of any kind."""

from __future__ import annotations

from collections.abc import Mapping

from gpusim.isa.opcodes import Op
from gpusim.lang.lower.flow import Block
from gpusim.lang.lower.fuse import Fusion
from gpusim.lang.lower.machine import Condition, MBlock, MInstr, Source, VReg, constant, immediate, registers
from gpusim.lang.lower.place import Placement
from gpusim.lang.lower.values import P64, PRED, Node


def is_launch_constant(node: Node) -> bool:
    """Whether a value is a size of the block or the grid, which constant bank 0 has."""
    return node.op == "special" and node.attr.partition(".")[0] in ("ntid", "nctaid")


class InstructionBuilder:
    """Instructions of the blocks, one after another, and the registers of values.

    Attributes
    ----------
    current : Block
        To which instructions are added.
    line : int
        Of the description, that they are of.
    done : set of Node
        Values of which the instructions are there.
    """

    def __init__(self, blocks: list[Block], placement: Placement, offsets: Mapping[str, int]) -> None:
        self.placement, self.offsets = placement, offsets
        self.fusion = Fusion(placement)
        self.made = [MBlock(b.number, loops=b.loops) for b in blocks]
        self.regs: dict[Node, tuple[VReg, ...]] = {}
        self.done: set[Node] = set()
        self.current = blocks[0]
        self.line = 0
        self.moved: dict[tuple[int, int], list[tuple[Block, VReg]]] = {}
        self.grouped: dict[VReg, tuple[int, int]] = {}  # which group of registers, and the place in it
        self.gathered: dict[tuple[Node, ...], list[tuple[Block, tuple[VReg, ...]]]] = {}

    def fresh(self, node: Node) -> tuple[VReg, ...]:
        """New registers for a value of the node's type."""
        if node.dtype == PRED:
            return (VReg(is_pred=True),)
        return tuple(VReg() for _ in range(2 if node.dtype == P64 else 1))

    def define(self, node: Node) -> tuple[VReg, ...]:
        """The node's own registers."""
        if node not in self.regs:
            self.regs[node] = self.fresh(node)
        return self.regs[node]

    def emit(
        self,
        op: Op,
        dsts: tuple[VReg, ...] = (),
        srcs: tuple[Source, ...] = (),
        *,
        pdsts: tuple[VReg, ...] = (),
        psrcs: tuple[Condition, ...] = (),
        sub: int = 0,
        flags: int = 0,
        target: MBlock | None = None,
    ) -> MInstr:
        """Append an instruction to the current block."""
        made = MInstr(op, dsts, srcs, pdsts=pdsts, psrcs=psrcs, sub=sub, flags=flags, target=target, line=self.line)
        self.made[self.current.number].body.append(made)
        return made

    # ---------------------------------------------------------- operands

    def source(self, node: Node) -> Source:
        """Operand of any kind."""
        while node.op == "bits":
            node = node.args[0]
        if node.is_const:
            return immediate(node.attr[0])
        if node.op == "param" or is_launch_constant(node):
            return constant(self.offsets[node.attr])
        return registers(*self.regs[node])

    def signed(self, node: Node) -> Source:
        """A float operand, with negations and absolute values that are part of it."""
        neg = absolute = False
        while node in self.fusion.signs:
            neg ^= node.op == "fneg" and not absolute
            absolute |= node.op == "fabs"
            node = node.args[0]
        source = self.source(node)
        return source._replace(neg=neg, abs=absolute)

    def register(self, node: Node) -> Source:
        """Operand that must be a register."""
        return self.in_register(self.source(node))

    def in_register(self, source: Source) -> Source:
        """The operand moved to a register if it is a constant; outside of loops, and once for all below."""
        if source.is_reg:
            return source
        home = next(b for b in self.current.dominators() if b.loops == 0)
        key = (int(source.kind), source.value)
        for block, reg in self.moved.get(key, ()):
            if block in self.current.dominators():
                return registers(reg)._replace(neg=source.neg, abs=source.abs)
        reg = VReg()
        move = MInstr(Op.MOV, (reg,), (source._replace(neg=False, abs=False),), line=self.line)
        self.made[home.number].body.append(move)
        self.moved.setdefault(key, []).append((home, reg))
        return registers(reg)._replace(neg=source.neg, abs=source.abs)

    def legal(self, *sources: Source) -> tuple[Source, ...]:
        """Operands as an instruction takes them: the first a register, one constant at most."""
        first, *rest = sources
        made = [self.in_register(first)]
        constants = 0
        for source in rest:
            constants += not source.is_reg
            made.append(source if source.is_reg or constants <= 1 else self.in_register(source))
        return tuple(made)

    # ---------------------------------------------------------- groups of registers

    def group(self, regs: tuple[VReg, ...]) -> None:
        """Note that registers follow one another."""
        number = len(self.grouped)
        self.grouped.update({reg: (number, place) for place, reg in enumerate(regs)})

    def together(self, nodes: tuple[Node, ...]) -> Source:
        """Registers of several values that an instruction takes as one operand: gathered where they lie apart."""
        regs = tuple(self.regs[n][0] for n in nodes if n in self.regs)
        places = [self.grouped.get(reg, (-1, -1)) for reg in regs]
        if len(regs) == len(nodes) and places[0][0] >= 0 and places[0][1] % len(nodes) == 0:
            number, first = places[0]
            if places == [(number, first + k) for k in range(len(nodes))]:
                return registers(*regs)
        for block, found in self.gathered.get(nodes, ()):
            if block in self.current.dominators():
                return registers(*found)
        made = self.gather(nodes)
        self.gathered.setdefault(nodes, []).append((self.current, made))
        return registers(*made)

    def gather(self, nodes: tuple[Node, ...]) -> tuple[VReg, ...]:
        """Copies of several values in registers that follow one another (allocation removes most of the moves)."""
        made = tuple(VReg() for _ in nodes)
        for reg, node in zip(made, nodes, strict=True):
            self.emit(Op.MOV, (reg,), (self.source(node),))
        self.group(made)
        return made

    def parts(self, node: Node) -> list[Source]:
        """A value's 32-bit parts."""
        if node.dtype == P64:
            return [registers(r) for r in self.regs[node]]
        return [self.source(node)]

    def pair(self, node: Node) -> Source:
        """A 64-bit operand."""
        return registers(*self.regs[node])

    def condition(self, node: Node | None) -> Condition:
        """A predicate operand; None holds always."""
        neg = False
        while node is not None and node.op == "pnot":
            node, neg = node.args[0], not neg
        if node is None or node.is_const:
            return Condition(None, neg != (node is not None and not node.value))
        return Condition(self.regs[node][0], neg)
