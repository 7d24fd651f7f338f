"""List scheduling within basic blocks, under a limit of live registers.

Loads go as far up as dependences and registers allow, so that they are in
flight together; when registers run short, what frees some goes first.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping

from gpusim.lang.description_errors import DescriptionError
from gpusim.lang.lower.allocate import N_REGISTERS, Allocation, OutOfPredicates, allocate
from gpusim.lang.lower.depend import Dependences, critical_paths, split_jump
from gpusim.lang.lower.liveness import live_out
from gpusim.lang.lower.machine import MBlock, VReg
from gpusim.lang.lower.predicates import keep_in_register
from gpusim.lang.lower.target import Target

NEVER = 1 << 30
REGISTERS = 1 << 10  # more than an instruction can add or free, twice
PREDICATES = 6  # of seven: one is left for carries
FEWEST_WARPS = 3
ATTEMPTS = 4  # aligned groups may leave registers unused: then the limit is lowered by as many


def schedule_and_allocate(blocks: list[MBlock], readonly: Container[int], name: str, target: Target) -> Allocation:
    """Order all blocks and give every register a place.

    The fewest registers that do are found first; loads then move up within what costs no more warps than those
    (:func:`_affordable`). At last blocks that need fewer registers than another one does get
    as many as that.

    Raises
    ------
    DescriptionError
        If there are not enough registers.
    """
    start = [(list(b.body), list(b.tail)) for b in blocks]
    peaks: dict[MBlock, int] = {}
    frugal = False

    def attempt(limit: int, room: int = 0) -> Allocation:
        """Within ``limit``, or ``room`` in the blocks that did with fewer than that before."""
        for block, (body, tail) in zip(blocks, start, strict=True):
            block.body, block.tail = list(body), list(tail)
        limits = {block: room if peaks.get(block, 0) < room else limit for block in blocks}
        peaks.update(schedule(blocks, readonly, limits, frugal, target))
        return _allocate(blocks)

    def levelled(limit: int) -> Allocation:
        found = attempt(limit)
        raised = attempt(limit, max(peaks.values(), default=0))
        return raised if raised.used <= found.used else attempt(limit)

    most = N_REGISTERS - target.abi.compiler_registers
    least = attempt(0).used
    if least > most:
        frugal = True
        least = attempt(0).used
    if least > most:
        raise DescriptionError(
            f"{name} needs {least + N_REGISTERS - most} registers a thread, {N_REGISTERS} exist; "
            "choose smaller per-thread tiles (such as TM, TN)"
        )
    aim = _affordable(least, target)
    limit, tried = aim, {}
    for _ in range(ATTEMPTS):
        found = tried[limit] = attempt(limit)
        if found.used <= aim:
            break
        limit -= found.used - aim
    return levelled(min(tried, key=lambda n: tried[n].used))


def _affordable(least: int, target: Target) -> int:
    """``least`` registers in whole allocation units; one more where a scheduler holds as many warps, three or more.

    ptxas likes to fill up to 128 or 168 registers, with which four or three warps fit.
    """
    unit, full, lane = target.registers
    own = target.abi.compiler_registers
    taken = max(full, -(-(least + own) // unit) * unit)
    if FEWEST_WARPS <= lane // taken == lane // (taken + unit):
        taken += unit
    return min(taken, N_REGISTERS) - own


def _allocate(blocks: list[MBlock]) -> Allocation:
    """Allocation; conditions that find no predicate register are kept in general-purpose ones."""
    while True:
        try:
            return allocate(blocks)
        except OutOfPredicates as full:
            keep_in_register(blocks, full.reg)


def schedule(
    blocks: list[MBlock], readonly: Container[int], limits: Mapping[MBlock, int], frugal: bool, target: Target
) -> dict[MBlock, int]:
    """Order every block's instructions.

    Parameters
    ----------
    blocks : list of MBlock
        Reordered in place.
    readonly : container of int
        Numbers of arrays that nothing writes.
    limits : mapping of MBlock to int
        General-purpose registers to stay within where possible.
    frugal : bool
        Past the limit, go on with what takes the fewest registers rather than with the longest chain.
    target : Target
        Says how long results take.

    Returns
    -------
    dict
        For every block, the registers that are live at once.
    """
    out, peaks = live_out(blocks), {}
    for block in blocks:
        instrs, jump = split_jump(block)
        if len(instrs) > 1:
            graph = Dependences(instrs, readonly, target)
            needed = out[block] | {r for i in jump for r in i.reads()}
            scheduler = _Scheduler(graph, needed, limits[block], frugal)
            block.body = [instrs[i] for i in scheduler.run()]
            block.tail, peaks[block] = jump, scheduler.peak
    return peaks


_Growth = tuple[int, int, int]


class _Scheduler:
    def __init__(self, graph: Dependences, needed: set[VReg], limit: int, frugal: bool) -> None:
        self.graph, self.needed, self.limit, self.frugal = graph, needed, limit, frugal
        self.paths = critical_paths(graph)
        self.chains = critical_paths(graph, values_only=True)
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
        chains = [(-path, -chain) for path, chain in zip(self.paths, self.chains, strict=True)]
        places = {chain: place for place, chain in enumerate(sorted(set(chains)))}
        a_chain = REGISTERS * len(chains)
        return len(places) * a_chain, [places[chain] * a_chain + i for i, chain in enumerate(chains)]

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
        return self.count + max(regs, 0) > self.limit or self.count_preds + max(preds, 0) > PREDICATES

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
