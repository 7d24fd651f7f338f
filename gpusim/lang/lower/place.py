"""Where each pure value is computed: as late as its uses allow, but outside of the loops it does not vary with.

This is Click's global code motion (*Global Code Motion, Global Value
Numbering*, PLDI 1995) on the graph that value numbering left: it does
loop-invariant code motion and sinks what only one path needs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpusim.lang.lower.flow import Block, Copy, Pinned
from gpusim.lang.lower.regions import Access, AsyncCopy, Exchange, Product, Reread
from gpusim.lang.lower.values import NEAR, PRED, Node

PINNED_OPS = ("phi", "def", "merge", "exit")
OPERANDS = ("const", "param")  # read by instructions directly


@dataclass
class Placement:
    """Blocks of nodes, and who uses them.

    Attributes
    ----------
    block : dict
        Block a value is computed in (or, for pinned ones, defined in).
    users : dict
        Nodes that use a node, and blocks whose effects, copies or jump do.
    """

    block: dict[Node, Block] = field(default_factory=dict)
    users: dict[Node, list[Node | Block]] = field(default_factory=dict)

    def uses(self, node: Node) -> int:
        """How often a node is used."""
        return len(self.users.get(node, ()))


def place(blocks: list[Block]) -> Placement:
    """Choose a block for every value the blocks need; copies nobody needs are dropped."""
    found = Placement()
    _drop_dead_copies(blocks)
    reached = _reach(blocks, found)
    for block in blocks:
        for node in _defined(block):
            found.block[node] = block
    entry = blocks[0]
    pure = sorted((n for n in reached if n.op not in PINNED_OPS), key=lambda n: n.id)
    early: dict[Node, Block] = dict(found.block)
    for node in pure:
        above = [early[a] for a in node.args]
        early[node] = max(above, key=lambda b: b.level, default=entry)
    for node in reversed(pure):
        late = _common([u if isinstance(u, Block) else found.block[u] for u in found.users[node]])
        found.block[node] = _best(node, early[node], late)
    return found


def _best(node: Node, early: Block, late: Block) -> Block:
    """The latest block of those around the fewest loops; conditions, and what is cheap, stay where they are used."""
    if node.dtype == PRED or node.attr == NEAR:
        return late
    best = late
    for block in late.dominators():
        if block.loops < best.loops:
            best = block
        if block is early:
            break
    return best


def _common(blocks: list[Block]) -> Block:
    """Nearest common dominator."""
    first, *rest = blocks
    for other in rest:
        while first is not other:
            if first.level >= other.level and first.above is not None:
                first = first.above
            elif other.above is not None:
                other = other.above
    return first


def operands(item: Pinned) -> list[Node]:
    """Nodes an effect reads."""
    if isinstance(item, (Access, Product)):
        return item.operands()
    if isinstance(item, AsyncCopy):
        return [*item.source.operands(), *item.to.operands()]
    if isinstance(item, Exchange):
        return [item.value, item.lane]
    return [item.source] if isinstance(item, Copy) else []


def _defined(block: Block) -> list[Node]:
    found = list(block.defines)
    for item in block.pinned:
        if isinstance(item, (Access, Product)):
            found += item.results
        elif isinstance(item, (Exchange, Reread)):
            found.append(item.result)
        elif isinstance(item, Copy):
            found.append(item.target)
    return found


def _roots(block: Block) -> list[Node]:
    """What a block's effects and jump need, copies aside."""
    found = [n for item in block.pinned if not isinstance(item, Copy) for n in operands(item)]
    if block.jump is not None and block.jump.cond is not None:
        found.append(block.jump.cond)
    return found


def _drop_dead_copies(blocks: list[Block]) -> None:
    """Remove copies to values that nothing needs in the end (a loop variable may only feed itself)."""
    copies: dict[Node, list[Node]] = {}
    for block in blocks:
        for copy in (*block.copies, *(i for i in block.pinned if isinstance(i, Copy))):
            copies.setdefault(copy.target, []).append(copy.source)
    live: set[Node] = set()
    todo = [n for block in blocks for n in _roots(block)]
    while todo:
        node = todo.pop()
        if node not in live:
            live.add(node)
            todo += [*node.args, *copies.get(node, ())]
    for block in blocks:
        block.copies = [c for c in block.copies if c.target in live]
        block.pinned = [i for i in block.pinned if not isinstance(i, Copy) or i.target in live]
        block.defines = [n for n in block.defines if n in live]


def _reach(blocks: list[Block], found: Placement) -> set[Node]:
    """Every node needed, with its users noted."""
    reached: set[Node] = set()
    todo: list[Node] = []

    def use(node: Node, user: Node | Block) -> None:
        found.users.setdefault(node, []).append(user)
        if node not in reached:
            reached.add(node)
            todo.append(node)

    for block in blocks:
        sources = [n for item in block.pinned if isinstance(item, Copy) for n in operands(item)]
        for node in (*_roots(block), *sources, *(c.source for c in block.copies)):
            use(node, block)
    while todo:
        node = todo.pop()
        for arg in node.args:
            use(arg, node)
    return reached
