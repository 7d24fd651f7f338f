"""The flow graph: structured code as basic blocks, in the order they will have in the program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gpusim.lang.lower.regions import (
    Access,
    AsyncCopy,
    Branch,
    Exchange,
    Groups,
    Item,
    Leave,
    Loop,
    Product,
    Reread,
    Sync,
)
from gpusim.lang.lower.values import SUM, Node


@dataclass(eq=False)
class Copy:
    """``target`` (a phi, merge or exit value) takes the value of ``source``; the copies of a block are parallel."""

    target: Node
    source: Node


@dataclass(eq=False)
class Meet:
    """Set up (``join`` False) or wait at (True) convergence barrier ``number``; ``after`` follows the waiting block."""

    number: int
    join: bool
    after: Block | None = None


@dataclass(eq=False)
class Jump:
    """Lanes where ``cond`` (None: all) holds, or does not (``negate``), go to ``target``; None leaves the kernel."""

    target: Block | None
    cond: Node | None = None
    negate: bool = False


Pinned = Access | AsyncCopy | Groups | Product | Sync | Exchange | Reread | Meet | Copy


@dataclass(eq=False)
class Block:
    """A stretch of code entered at its start only.

    Attributes
    ----------
    number : int
        Place in the program.
    above : Block or None
        Immediate dominator.
    loops : int
        Loops around it.
    pinned : list
        Effects, in order.
    copies : list of Copy
        Made together at the end, before the jump.
    jump : Jump or None
        None: falls through to the next block.
    defines : list of Node
        Loop-carried and merged values whose life starts here.
    """

    number: int
    above: Block | None
    loops: int
    pinned: list[Pinned] = field(default_factory=list)
    copies: list[Copy] = field(default_factory=list)
    jump: Jump | None = None
    defines: list[Node] = field(default_factory=list)
    line: int = 0
    level: int = 0  # depth in the dominator tree

    def dominators(self) -> Iterable[Block]:
        """Itself and the blocks above it, innermost first."""
        block: Block | None = self
        while block is not None:
            yield block
            block = block.above


def flatten(items: list[Item]) -> list[Block]:
    """Blocks of a kernel's structured code; the last one ends in leaving the kernel."""
    flattener = _Flattener()
    flattener.run(items)
    flattener.block.jump = Jump(None)
    return flattener.blocks


def _changes_sums(item: Branch) -> bool:
    """Whether one path changes sums of products: if the other has a block for copies of them, they can stay put."""
    return any(merge.orelse.attr == SUM for merge in item.merges)


class _Flattener:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.loops = 0
        self.meets = 0
        self.block = self._start(None)

    def _start(self, above: Block | None) -> Block:
        level = 0 if above is None else above.level + 1
        self.block = Block(len(self.blocks), above, self.loops, level=level)
        self.blocks.append(self.block)
        return self.block

    def run(self, items: list[Item]) -> None:
        for item in items:
            self.block.line = self.block.line or item.line
            if isinstance(item, Loop):
                self._loop(item)
            elif isinstance(item, Branch):
                self._branch(item)
            elif isinstance(item, Leave):
                self.block.jump = Jump(None, item.cond, negate=True)
                self._start(self.block)
            else:
                self.block.pinned.append(item)

    def _meet(self) -> Meet:
        self.meets += 1
        meet = Meet(self.meets - 1, join=False)
        self.block.pinned.append(meet)
        return meet

    def _join(self, meet: Meet) -> None:
        """The block now started waits for the lanes that went other ways."""
        self.meets -= 1
        self.block.pinned.append(Meet(meet.number, join=True))
        waiting = self.block
        meet.after = self._start(waiting)

    def _branch(self, item: Branch) -> None:
        meet = self._meet() if item.cond.varying else None
        head = self.block
        sides = [(item.then, item.then_idle), (item.orelse, item.else_idle and not _changes_sums(item))]
        paths = [None if idle else self._path(items, head) for items, idle in sides]
        join = self._start(head)
        first = paths[0] or paths[1]
        if first is None:
            head.jump = None
        elif paths[0] and paths[1]:
            head.jump = Jump(paths[1][0], item.cond, negate=True)
            paths[0][1].jump = Jump(join)
        else:
            head.jump = Jump(join, item.cond, negate=paths[0] is not None)
        for merge in item.merges:
            for path, value in zip(paths, (merge.then, merge.orelse), strict=True):
                (path[1] if path else head).copies.append(Copy(merge.result, value))
            join.defines.append(merge.result)
        if meet:
            self._join(meet)

    def _path(self, items: list[Item], head: Block) -> tuple[Block, Block]:
        """First and last block of one side."""
        first = self._start(head)
        self.run(items)
        return first, self.block

    def _loop(self, item: Loop) -> None:
        if item.enter.is_const and not item.enter.value:
            self._copies_out(item, [c.init for c in item.carried])
            return
        once = item.enter.is_const
        meet = self._meet() if item.again.varying or item.enter.varying else None
        head = self.block
        head.copies += [Copy(c.phi, c.init) for c in item.carried if once or c.out is not None]
        if not once:
            ahead = self._start(head)
            ahead.copies += [Copy(c.phi, c.init) for c in item.carried if c.out is None]
        last = self._body(item)
        after = self._start(last if once else head)
        if not once:
            head.jump = Jump(after, item.enter, negate=True)
        if meet:
            self._join(meet)
        self._copies_out(item, [c.phi for c in item.carried])

    def _body(self, item: Loop) -> Block:
        """The blocks of a loop; returns the last of them."""
        self.loops += 1
        first = self._start(self.block)
        first.line = item.line
        first.defines += [c.phi for c in item.carried]
        self.run(item.body)
        last = self.block
        last.copies += [Copy(c.phi, c.next) for c in item.carried if c.next is not None and c.next is not c.phi]
        last.jump = Jump(first, item.again)
        self.loops -= 1
        return last

    def _copies_out(self, item: Loop, values: list[Node]) -> None:
        """What the code after a loop sees of the values it carried."""
        for carried, value in zip(item.carried, values, strict=True):
            if carried.out is not None:
                self.block.pinned.append(Copy(carried.out, value))
