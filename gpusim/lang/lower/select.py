"""Instruction selection: nodes and effects of each block as machine instructions over virtual registers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpusim.isa.opcodes import Op
from gpusim.lang.lower.flow import Block, Copy, Jump, Meet
from gpusim.lang.lower.instruction_builder import InstructionBuilder, is_launch_constant
from gpusim.lang.lower.machine import (
    ALWAYS,
    Condition,
    MBlock,
    MInstr,
    VReg,
    registers,
)
from gpusim.lang.lower.place import OPERANDS, PINNED_OPS, Placement, operands
from gpusim.lang.lower.regions import Access, AsyncCopy, Exchange, Groups, Product, Reread, Sync
from gpusim.lang.lower.select_effects import emit_access, emit_exchange, emit_reread
from gpusim.lang.lower.select_matrices import emit_copy, emit_groups, emit_product
from gpusim.lang.lower.select_values import EMIT
from gpusim.lang.lower.values import PRED, Node

IDENTITY = 0xF0  # truth table of the first operand


def select(blocks: list[Block], placement: Placement, offsets: Mapping[str, int]) -> list[MBlock]:
    """Machine blocks of a flow graph.

    Parameters
    ----------
    blocks : list of Block
    placement : Placement
        Where values are computed.
    offsets : mapping of str to int
        Place of each size and scalar in constant bank 0, and of those of block and grid.
    """
    selector = Selector(blocks, placement, offsets)
    for block in blocks:
        selector.block(block)
    return selector.made


class Selector(InstructionBuilder):
    """State of selection; the ``select_*`` modules emit through what it is built on."""

    def __init__(self, blocks: list[Block], placement: Placement, offsets: Mapping[str, int]) -> None:
        super().__init__(blocks, placement, offsets)
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
        elif isinstance(item, Product):
            emit_product(self, item)
        elif isinstance(item, AsyncCopy):
            emit_copy(self, item)
        elif isinstance(item, Groups):
            emit_groups(self, item)
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
            read_directly = node.op in OPERANDS or is_launch_constant(node)
            if not (read_directly or node.op in PINNED_OPS or self.fusion.hides(node)):
                EMIT[node.op](self, node)
