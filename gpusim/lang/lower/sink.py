"""Addresses of shared stores on paths that not every iteration takes are computed there.

What a loop does not change is otherwise computed before it and kept in a register. nvcc moves addresses back to their
stores (LLVM's CodeGenPrepare does so with every address made in another basic block), beginning with the thread's
number, which it reads again; and from a path that may not be taken ptxas does not move them out a second time.
"""

from __future__ import annotations

from gpusim.lang.lower.regions import Access, Branch, Item, Loop, Reread
from gpusim.lang.lower.values import Graph, Node

THREAD = "tid.x"


def sink_addresses(g: Graph, items: list[Item], *, looping: bool = False) -> None:
    """Give shared stores in branches within loops an address of their own; ``looping``: ``items`` are in a loop."""
    for item in items:
        if isinstance(item, Loop):
            sink_addresses(g, item.body, looping=True)
        elif isinstance(item, Branch):
            for path in (item.then, item.orelse):
                if looping:
                    _sink(g, path, None)
                else:
                    sink_addresses(g, path)


def _sink(g: Graph, path: list[Item], thread: Node | None) -> None:
    """The same for one side of a branch; ``thread``: the thread's number, where it has been read again already."""
    for item in list(path):
        if isinstance(item, Branch):
            _sink(g, item.then, thread)
            _sink(g, item.orelse, thread)
        elif isinstance(item, Access) and item.is_shared and item.kind == "store" and item.base is not None:
            if (number := _number(item.base)) is None:
                continue
            if thread is None:
                thread = g.fresh("def", number.dtype)
                thread.facts = number.facts
                path.insert(path.index(item), Reread(thread, THREAD, item.line))
            item.base = _anew(g, item.base, number, thread)


def _number(node: Node) -> Node | None:
    """The thread's number, if ``node`` is made of it."""
    if node.op == "special" and node.attr == THREAD:
        return node
    return next((found for found in map(_number, node.args) if found), None)


def _anew(g: Graph, node: Node, old: Node, new: Node) -> Node:
    """``node`` with ``new`` in place of ``old``."""
    if node is old:
        return new
    args = [_anew(g, a, old, new) for a in node.args]
    return g.make(node.op, *args, attr=node.attr, dtype=node.dtype) if args else node
