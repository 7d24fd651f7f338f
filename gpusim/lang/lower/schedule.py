"""The order of the instructions of all blocks, and a place for every register."""

from __future__ import annotations

import math
from collections.abc import Container
from typing import NamedTuple

from gpusim.lang.description_errors import DescriptionError
from gpusim.lang.lower.allocate import N_REGISTERS, Allocation, OutOfPredicates, allocate
from gpusim.lang.lower.depend import Dependences, split_jump
from gpusim.lang.lower.list_scheduler import Order, Scheduler
from gpusim.lang.lower.liveness import live_out
from gpusim.lang.lower.machine import MBlock, MInstr, VReg
from gpusim.lang.lower.predicates import keep_in_register
from gpusim.lang.lower.target import Target

FEWEST_WARPS = 3
ANY_ORDER = Order((), 0, -math.inf, math.inf)  # of a block of one instruction or none
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
    attempts = _Attempts(blocks, readonly, target)
    most = N_REGISTERS - target.abi.compiler_registers
    least = attempts.within(0).used
    if least > most:
        attempts.frugal = True
        least = attempts.within(0).used
    if least > most:
        raise DescriptionError(
            f"{name} needs {least + N_REGISTERS - most} registers a thread, {N_REGISTERS} exist; "
            "choose smaller per-thread tiles (such as TM, TN)"
        )
    aim = _affordable(least, target)
    limit, tried = aim, {}
    for _ in range(ATTEMPTS):
        found = tried[limit] = attempts.within(limit)
        if found.used <= aim:
            break
        limit -= found.used - aim
    return attempts.levelled(min(tried, key=lambda n: tried[n].used))


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


class _Tried(NamedTuple):
    """What became of blocks in some order: their instructions, and where their registers are."""

    instrs: list[tuple[list[MInstr], list[MInstr]]]  # body and tail of each block
    allocation: Allocation


class _Attempts:
    """Orders of blocks within limits of registers; what was found before is taken from there.

    Parameters
    ----------
    blocks : list of MBlock
        Always as the last attempt left them.
    readonly : container of int
        Numbers of arrays that nothing writes.
    target : Target
        Says how long results take.
    """

    def __init__(self, blocks: list[MBlock], readonly: Container[int], target: Target) -> None:
        self.blocks, self.frugal = blocks, False
        self.given = [_Given(block, after, readonly, target) for block, after in live_out(blocks).items()]
        self.peaks = [0] * len(blocks)
        self.tried: dict[tuple[tuple[int, ...], ...], _Tried] = {}

    def within(self, limit: int, room: int = 0) -> Allocation:
        """Within ``limit``, or ``room`` in the blocks that did with fewer than that before."""
        limits = [room if peak < room else limit for peak in self.peaks]
        orders = [given.order(n, self.frugal) for given, n in zip(self.given, limits, strict=True)]
        self.peaks = [order.peak for order in orders]
        found = self._tried(tuple(order.instrs for order in orders))
        for block, (body, tail) in zip(self.blocks, found.instrs, strict=True):
            block.body, block.tail = body, tail
        return found.allocation

    def levelled(self, limit: int) -> Allocation:
        """Within ``limit``; where that takes no more registers, blocks get as many as the one with most needs."""
        found = self.within(limit)
        raised = self.within(limit, max(self.peaks, default=0))
        return raised if raised.used <= found.used else self.within(limit)

    def _tried(self, orders: tuple[tuple[int, ...], ...]) -> _Tried:
        if orders not in self.tried:
            for block, given, order in zip(self.blocks, self.given, orders, strict=True):
                block.body, block.tail = given.in_order(order)
            allocation = _allocate(self.blocks)
            self.tried[orders] = _Tried([(block.body, block.tail) for block in self.blocks], allocation)
        return self.tried[orders]


class _Given:
    """A block as it was before any attempt, and the orders of it that were found."""

    def __init__(self, block: MBlock, after: set[VReg], readonly: Container[int], target: Target) -> None:
        self.body, self.tail = block.body, block.tail
        self.instrs, self.jump = split_jump(block)
        self.orders: list[tuple[bool, Order]] = []
        if len(self.instrs) > 1:
            self.graph = Dependences(self.instrs, readonly, target)
            self.needed = after | {r for i in self.jump for r in i.reads()}

    def order(self, limit: int, frugal: bool) -> Order:
        """The order within a limit of registers."""
        if len(self.instrs) < 2:
            return ANY_ORDER
        for how, order in self.orders:
            if how == frugal and order.low <= limit < order.high:
                return order
        order = Scheduler(self.graph, self.needed, limit, frugal).run()
        self.orders.append((frugal, order))
        return order

    def in_order(self, order: tuple[int, ...]) -> tuple[list[MInstr], list[MInstr]]:
        """Body and tail of the block in some order."""
        if len(self.instrs) < 2:
            return self.body, self.tail
        return [self.instrs[i] for i in order], self.jump
