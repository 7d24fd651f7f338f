"""Instruction selection: nodes and effects of each block as machine instructions over virtual registers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpusim.isa.opcodes import Op
from gpusim.lang.lower.flow import Block, Copy, Jump, Meet
from gpusim.lang.lower.fuse import Fusion
from gpusim.lang.lower.machine import (
    ALWAYS,
    Condition,
    MBlock,
    MInstr,
    Source,
    VReg,
    constant,
    immediate,
    registers,
)
from gpusim.lang.lower.place import OPERANDS, PINNED_OPS, Placement, operands
from gpusim.lang.lower.regions import Access, Exchange, Reread, Sync
from gpusim.lang.lower.select_effects import emit_access, emit_exchange, emit_reread
from gpusim.lang.lower.select_values import EMIT
from gpusim.lang.lower.values import P64, PRED, Node

LAUNCH_CONSTANTS = {"ntid.x": 0, "ntid.y": 4, "ntid.z": 8, "nctaid.x": 12, "nctaid.y": 16, "nctaid.z": 20}
IDENTITY = 0xF0  # truth table of the first operand


def select(blocks: list[Block], placement: Placement, offsets: Mapping[str, int]) -> list[MBlock]:
    """Machine blocks of a flow graph.

    Parameters
    ----------
    blocks : list of Block
    placement : Placement
        Where values are computed.
    offsets : mapping of str to int
        Place of each size and scalar in constant bank 0.
    """
    selector = Selector(blocks, placement, offsets)
    for block in blocks:
        selector.block(block)
    return selector.made


class Selector:
    """State of selection; the ``select_*`` modules emit through it."""

    def __init__(self, blocks: list[Block], placement: Placement, offsets: Mapping[str, int]) -> None:
        self.placement, self.offsets = placement, offsets
        self.fusion = Fusion(placement)
        self.made = [MBlock(b.number, loops=b.loops) for b in blocks]
        self.regs: dict[Node, tuple[VReg, ...]] = {}
        self.done: set[Node] = set()
        self.current = blocks[0]
        self.line = 0
        self.moved: dict[tuple[int, int], list[tuple[Block, VReg]]] = {}
        self.leaving = self._leaving()

    def _leaving(self) -> dict[Block, list[Node]]:
        """Values computed in a block and used in others."""
        found: dict[Block, list[Node]] = {}
        for node, block in self.placement.block.items():
            if node.op in PINNED_OPS or node.op in OPERANDS:
                continue  # a fused value is not made, but what it needs may be
            users = (u if isinstance(u, Block) else self.placement.block[u] for u in self.placement.users[node])
            if any(u is not block for u in users):
                found.setdefault(block, []).append(node)
        return found

    # ---------------------------------------------------------- blocks

    def block(self, block: Block) -> None:
        """Emit one block."""
        self.current, self.line = block, block.line or self.line
        made = self.made[block.number]
        for item in block.pinned:
            self.line = getattr(item, "line", self.line)
            self.need(operands(item))
            self._pinned(item)
        jump = block.jump
        self.need([] if jump is None or jump.cond is None else [jump.cond])
        self.need(self.leaving.get(block, ()))
        self.need(c.source for c in block.copies)
        body = len(made.body)
        self._copies(block.copies)
        made.tail = made.body[body:]
        del made.body[body:]
        self._jump(block, made)

    def _pinned(self, item: object) -> None:
        if isinstance(item, Access):
            emit_access(self, item)
        elif isinstance(item, Exchange):
            emit_exchange(self, item)
        elif isinstance(item, Reread):
            emit_reread(self, item)
        elif isinstance(item, Sync):
            self.emit(Op.BAR)
        elif isinstance(item, Copy):
            self._copies([item])
        elif isinstance(item, Meet):
            target = self.made[item.after.number] if item.after is not None else None
            self.emit(Op.BSYNC if item.join else Op.BSSY, sub=item.number, target=target)

    def _jump(self, block: Block, made: MBlock) -> None:
        jump: Jump | None = block.jump
        following = self.made[block.number + 1] if block.number + 1 < len(self.made) else None
        if jump is None:
            made.after = [following] if following else []
            return
        guard = ALWAYS if jump.cond is None else self.condition(jump.cond)
        if jump.negate:
            guard = Condition(guard.reg, not guard.neg)
        target = None if jump.target is None else self.made[jump.target.number]
        made.tail.append(MInstr(Op.EXIT if target is None else Op.BRA, guard=guard, target=target, line=self.line))
        ahead = [target] if target else []
        made.after = [*ahead, following] if guard != ALWAYS and following else ahead

    def _copies(self, copies: list[Copy]) -> None:
        """Copies that happen at once: one whose source another overwrites goes through a register of its own."""
        targets = {c.target for c in copies}
        sources: dict[Node, tuple[VReg, ...]] = {}
        for copy in copies:
            if copy.source in targets and copy.source is not copy.target:
                sources[copy.source] = self._moved(copy.source, None)
        for copy in copies:
            self._moved(copy.source, self.define(copy.target), sources.get(copy.source))

    def _moved(
        self, source: Node, target: tuple[VReg, ...] | None, held: tuple[VReg, ...] | None = None
    ) -> tuple[VReg, ...]:
        """Copy a value to ``target`` (or fresh registers)."""
        target = target or self.fresh(source)
        if source.dtype == PRED:
            which = Condition(held[0]) if held else self.condition(source)
            self.emit(Op.PLOP3, pdsts=target, psrcs=(which,), sub=IDENTITY)
            return target
        parts = [registers(r) for r in held] if held else self.parts(source)
        for dst, part in zip(target, parts, strict=True):
            self.emit(Op.MOV, (dst,), (part,))
        return target

    # ---------------------------------------------------------- values

    def need(self, nodes: Iterable[Node]) -> None:
        """Emit what ``nodes`` need of this block's values and is not there yet, in order of creation."""
        found: set[Node] = set()
        todo = list(nodes)
        while todo:
            node = todo.pop()
            if node in found or node in self.done or self.placement.block.get(node) is not self.current:
                continue
            found.add(node)
            todo += node.args
        for node in sorted(found, key=lambda n: n.id):
            self.done.add(node)
            read_directly = node.op in OPERANDS or (node.op == "special" and node.attr in LAUNCH_CONSTANTS)
            if not (read_directly or node.op in PINNED_OPS or self.fusion.hides(node)):
                EMIT[node.op](self, node)

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
        if node.op == "param":
            return constant(self.offsets[node.attr])
        if node.op == "special" and node.attr in LAUNCH_CONSTANTS:
            return constant(LAUNCH_CONSTANTS[node.attr])
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
