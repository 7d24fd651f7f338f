"""List scheduling within a basic block, under a limit of live registers.

Loads go as far up as dependences and registers allow, so that they are in
flight together; when registers run short, what frees some goes first.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gpusim.lang.lower.depend import Dependences
from gpusim.lang.lower.machine import VReg

NEVER = 1 << 30
REGISTERS = 1 << 10  # more than an instruction can add or free, twice
PREDICATES = 6  # of seven: one is left for carries

_Growth = tuple[int, int, int]


class Order(NamedTuple):
    """Instructions of a block, by number, in the order found within a limit of registers.

    It is the same for every limit from ``low`` to below ``high``: none of these was ever compared to what lies between.
    """

    instrs: tuple[int, ...]
    peak: int  # registers that are live at once
    low: float
    high: float


class Scheduler:
    """Orders the instructions of a block, once.

    Parameters
    ----------
    graph : Dependences
    needed : set of VReg
        Registers that are needed after the block.
    limit : int
        General-purpose registers to stay within where possible.
    frugal : bool
        Past the limit, go on with what takes the fewest registers rather than with the longest chain.
    """

    def __init__(self, graph: Dependences, needed: set[VReg], limit: int, frugal: bool) -> None:
        self.graph, self.needed, self.limit, self.frugal = graph, needed, limit, frugal
        self.low, self.high = -math.inf, math.inf
        self.waiting = [len(edges) for edges in graph.before]
        self.ready = [i for i, n in enumerate(self.waiting) if n == 0]
        self.earliest = [0] * len(graph.instrs)
        self.reads = [list(dict.fromkeys(i.reads())) for i in graph.instrs]
        self.writes = [i.writes() for i in graph.instrs]
        self.left: dict[VReg, int] = {}
        for reads in self.reads:
            for reg in reads:
                self.left[reg] = self.left.get(reg, 0) + 1
        self.unwritten: dict[VReg, int] = {}
        for writes in self.writes:
            for reg in writes:
                self.unwritten[reg] = self.unwritten.get(reg, 0) + 1
        self.live = self._live_in() | (needed - set(self.unwritten))
        self.count = sum(not r.is_pred for r in self.live)
        self.count_preds = len(self.live) - self.count
        self.peak = self.count
        self.cycle, self.rank = self._ranks()
        self.growth: list[_Growth | None] = [None] * len(graph.instrs)
        self.users: dict[VReg, list[int]] = {}
        for i, (reads, writes) in enumerate(zip(self.reads, self.writes, strict=True)):
            for reg in {*reads, *writes}:
                self.users.setdefault(reg, []).append(i)

    def _live_in(self) -> set[VReg]:
        found: set[VReg] = set()
        seen: set[VReg] = set()
        for reads, writes in zip(self.reads, self.writes, strict=True):
            found.update(r for r in reads if r not in seen)
            seen.update(writes)
        return found

    def _ranks(self) -> tuple[int, list[int]]:
        """What a cycle of waiting weighs in a key, and the key of each instruction: its chain, the longest first.

        Numbers take the lowest digits, then registers; a chain outweighs both, a cycle outweighs every chain.
        """
        chains = [(-path, -chain) for path, chain in zip(self.graph.paths, self.graph.chains, strict=True)]
        places = {chain: place for place, chain in enumerate(sorted(set(chains)))}
        a_chain = REGISTERS * len(chains)
        return len(places) * a_chain, [places[chain] * a_chain + i for i, chain in enumerate(chains)]

    def run(self) -> Order:
        """Find the order."""
        order: list[int] = []
        now = 0
        while self.ready:
            i = self._pick(now)
            self.ready.remove(i)
            now = max(now + 1, self.earliest[i] + 1)
            order.append(i)
            self._issue(i, now - 1)
        return Order(tuple(order), self.peak, self.low, self.high)

    def _pick(self, now: int) -> int:
        """The ready instruction to go next: the one of the longest chain, unless registers run short."""
        growing = free = small = -1
        growing_key = free_key = small_key = math.inf
        room = PREDICATES - self.count_preds
        for i in self.ready:
            regs, preds, key = self.growth[i] or self._note_growth(i)
            if preds > 0 and preds > room:
                key = NEVER * self.cycle + i  # conditions in the order written, which needs few at a time
            elif self.earliest[i] > now:
                key += (self.earliest[i] - now) * self.cycle
            if regs > 0 or preds > 0:
                if key < growing_key:
                    growing, growing_key = i, key
                if self.frugal and (weight := regs * 2 * NEVER * self.cycle + key) < small_key:
                    small, small_key = i, weight
            elif key < free_key:
                free, free_key = i, key
        if growing < 0 or (free >= 0 and (free_key < growing_key or self._short(growing))):
            return free
        return small if free < 0 and self.frugal and self._short(growing) else growing

    def _short(self, i: int) -> bool:
        """Whether an instruction needs more registers than are left."""
        regs, preds, _ = self.growth[i] or self._note_growth(i)
        wanted = self.count + max(regs, 0)
        if wanted > self.limit:
            self.high = min(self.high, wanted)
            return True
        self.low = max(self.low, wanted)
        return self.count_preds + max(preds, 0) > PREDICATES

    def _note_growth(self, i: int) -> _Growth:
        """By how many live registers and predicates would grow, and the instruction's key."""
        regs = preds = 0
        for reg in self.writes[i]:
            if reg not in self.live:
                preds += reg.is_pred
                regs += not reg.is_pred
        for reg in self.reads[i]:
            if self.left[reg] == 1 and self._done_with(reg) and reg not in self.writes[i]:
                preds -= reg.is_pred
                regs -= not reg.is_pred
        found = self.growth[i] = regs, preds, self.rank[i] + (regs + REGISTERS // 2) * len(self.rank)
        return found

    def _done_with(self, reg: VReg) -> bool:
        """Whether the value now in ``reg`` is of no use after this block."""
        return reg not in self.needed or self.unwritten.get(reg, 0) > 0

    def _issue(self, i: int, at: int) -> None:
        regs, preds, _ = self.growth[i] or self._note_growth(i)
        self.count += regs
        self.peak = max(self.peak, self.count)
        self.count_preds += preds
        self._use_registers(i)
        for j in self.graph.after[i]:
            self.earliest[j] = max(self.earliest[j], at + self.graph.before[j][i])
            self.waiting[j] -= 1
            if self.waiting[j] == 0:
                self.ready.append(j)

    def _use_registers(self, i: int) -> None:
        """Note what an instruction has read and written, and whose growth is another one now."""
        for reg in self.reads[i]:
            self.left[reg] -= 1
            if self.left[reg] == 0 and self._done_with(reg):
                self.live.discard(reg)
        for reg in self.writes[i]:
            self.unwritten[reg] -= 1
            if self.left.get(reg, 0) > 0 or reg in self.needed:
                self.live.add(reg)
        for reg in (*self.reads[i], *self.writes[i]):
            if self.left.get(reg, 0) <= 1 or reg in self.writes[i]:
                for j in self.users[reg]:
                    self.growth[j] = None
