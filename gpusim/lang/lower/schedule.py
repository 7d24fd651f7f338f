"""List scheduling within basic blocks, under a limit of live registers.

Loads go as far up as dependences and registers allow, so that they are in
flight together; when registers run short, what frees some goes first.
"""

from __future__ import annotations

from collections.abc import Container

from gpusim.lang.lower.depend import Dependences, critical_paths, split_jump
from gpusim.lang.lower.liveness import live_out
from gpusim.lang.lower.machine import MBlock, VReg

PREDICATES = 6  # of seven: one is left for carries


def schedule(blocks: list[MBlock], readonly: Container[int], limit: int) -> None:
    """Order every block's instructions.

    Parameters
    ----------
    blocks : list of MBlock
        Reordered in place.
    readonly : container of int
        Numbers of arrays that nothing writes.
    limit : int
        General-purpose registers to stay within where possible.
    """
    out = live_out(blocks)
    for block in blocks:
        instrs, jump = split_jump(block)
        if len(instrs) > 1:
            graph = Dependences(instrs, readonly)
            needed = out[block] | {r for i in jump for r in i.reads()}
            block.body = [instrs[i] for i in _Scheduler(graph, needed, limit).run()]
            block.tail = jump


class _Scheduler:
    def __init__(self, graph: Dependences, needed: set[VReg], limit: int) -> None:
        self.graph, self.needed, self.limit = graph, needed, limit
        self.paths = critical_paths(graph)
        self.waiting = [len(edges) for edges in graph.before]
        self.ready = [i for i, n in enumerate(self.waiting) if n == 0]
        self.earliest = [0] * len(graph.instrs)
        self.reads = [list(dict.fromkeys(i.reads())) for i in graph.instrs]
        self.writes = [i.writes() for i in graph.instrs]
        self.left: dict[VReg, int] = {}
        for reads in self.reads:
            for reg in reads:
                self.left[reg] = self.left.get(reg, 0) + 1
        self.live = self._live_in() | {r for r in needed if not self._written(r)}
        self.count = sum(not r.is_pred for r in self.live)
        self.count_preds = len(self.live) - self.count

    def _written(self, reg: VReg) -> bool:
        return any(reg in writes for writes in self._write_sets)

    @property
    def _write_sets(self) -> list[tuple[VReg, ...]]:
        return self.writes

    def _live_in(self) -> set[VReg]:
        found: set[VReg] = set()
        seen: set[VReg] = set()
        for reads, writes in zip(self.reads, self.writes, strict=True):
            found.update(r for r in reads if r not in seen)
            seen.update(writes)
        return found

    def run(self) -> list[int]:
        """Instruction numbers in their new order."""
        order: list[int] = []
        now = 0
        while self.ready:
            i = self._pick(now)
            self.ready.remove(i)
            now = max(now + 1, self.earliest[i] + 1)
            order.append(i)
            self._issue(i, now - 1)
        return order

    def _pick(self, now: int) -> int:
        """The ready instruction to go next."""
        best, best_key = -1, None
        for i in self.ready:
            regs, preds = self._growth(i)
            tight = (self.count + regs > self.limit and regs > 0) or (
                self.count_preds + preds > PREDICATES and preds > 0
            )
            late = max(self.earliest[i] - now, 0)
            key = (tight, regs if tight else 0, late, -self.paths[i], i)
            if best_key is None or key < best_key:
                best, best_key = i, key
        return best

    def _growth(self, i: int) -> tuple[int, int]:
        """By how many live registers and predicates would grow."""
        regs = preds = 0
        for reg in self.writes[i]:
            if reg not in self.live:
                preds += reg.is_pred
                regs += not reg.is_pred
        for reg in self.reads[i]:
            if self.left[reg] == 1 and reg not in self.needed and reg not in self.writes[i]:
                preds -= reg.is_pred
                regs -= not reg.is_pred
        return regs, preds

    def _issue(self, i: int, at: int) -> None:
        regs, preds = self._growth(i)
        self.count += regs
        self.count_preds += preds
        for reg in self.reads[i]:
            self.left[reg] -= 1
            if self.left[reg] == 0 and reg not in self.needed:
                self.live.discard(reg)
        for reg in self.writes[i]:
            if self.left.get(reg, 0) > 0 or reg in self.needed:
                self.live.add(reg)
        for j in self.graph.after[i]:
            self.earliest[j] = max(self.earliest[j], at + self.graph.before[j][i])
            self.waiting[j] -= 1
            if self.waiting[j] == 0:
                self.ready.append(j)
