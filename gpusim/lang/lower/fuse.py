"""Which nodes one instruction does together: multiply-adds, shift-adds, three-way sums, compare-and.

A node fused into its only user is not computed by itself.
"""

from __future__ import annotations

from gpusim.lang.lower.place import Placement
from gpusim.lang.lower.values import Node

FREE = ("bits", "pnot")  # never computed: another name for their operand
SIGN_TAKERS = ("fadd", "fmul", "ffma", "fmin", "fmax", "mufu", "cmp", "select")
ABS_TAKERS = ("fadd", "fmin", "fmax", "mufu", "cmp")


class Fusion:
    """Decisions: ``into[child] = user``, per user which operand it swallowed, and what users read as they go.

    That is a sign (``signs``), or the upper half of a register (``halves``).
    """

    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        self.into: dict[Node, Node] = {}
        self.swallowed: dict[Node, Node] = {}
        self.signs: set[Node] = set()
        self.halves: set[Node] = set()
        for node in sorted(placement.block, key=lambda n: -n.id):
            if node not in self.into:
                self._look(node)
        for child in [c for c in self.into if c.op == "cmp"]:
            if any(not isinstance(u, Node) or self.swallowed.get(u) is not child for u in placement.users[child]):
                del self.into[child]  # somebody wants it by itself

    def hides(self, node: Node) -> bool:
        """Whether ``node`` needs no instruction of its own."""
        return node in self.into or node in self.signs or node in self.halves or node.op in FREE

    def _look(self, node: Node) -> None:
        if node.op in ("fneg", "fabs"):
            takers = SIGN_TAKERS if node.op == "fneg" else ABS_TAKERS
            if all(isinstance(u, Node) and u.op in takers for u in self.placement.users[node]):
                self.signs.add(node)
            return
        if node.op == "upper":
            if all(isinstance(u, Node) and u.op == "widen" for u in self.placement.users[node]):
                self.halves.add(node)
            return
        wanted = _WANTED.get(node.op)
        if wanted is None:
            return
        for ops in wanted:
            for child in sorted(node.args, key=self._preference):
                if child.op in ops and self._private(child, node) and _allowed(node, child):
                    self.into[child] = node
                    self.swallowed[node] = child
                    return

    def _preference(self, child: Node) -> tuple[int, int]:
        """Of two operands, swallow the one whose uses are spread wider: it would be live for longer."""
        users = [u.id for u in self.placement.users.get(child, ()) if isinstance(u, Node)]
        return (min(users) - max(users) if users else 0), -child.id

    def _private(self, child: Node, user: Node) -> bool:
        """Whether ``user`` is the child's only user, in the same block."""
        placed = self.placement
        if child.op == "cmp":  # as cheap to do again as to keep, if all its users can
            return all(isinstance(u, Node) and u.op in ("pand", "por") for u in placed.users[child]) and not any(
                u in self.swallowed and self.swallowed[u] is not child for u in placed.users[child]
            )
        return placed.uses(child) == 1 and placed.block[child] is placed.block[user]


def _allowed(node: Node, child: Node) -> bool:
    """Whether the hardware has an instruction for the two together."""
    if node.op == "sub":
        return child is node.args[1] and child.args[1].is_const
    if node.op == "select":
        return child is node.args[1] and node.args[2] in child.args and node.args[2] is not node.args[0]
    if child.op in ("add", "sub"):
        return not (_has_constant(child) and _has_constant(node))
    return child.op != "shl" or child.args[1].is_const


def _has_constant(node: Node) -> bool:
    return any(a.is_const or a.op == "param" for a in node.args)


_WANTED: dict[str, tuple[tuple[str, ...], ...]] = {
    "add": (("mul",), ("shl",), ("add", "sub")),
    "sub": (("mul",),),
    "fadd": (("fmul",),),
    "pand": (("cmp",),),
    "por": (("cmp",),),
    "select": (("add", "sub", "fadd"),),
}
