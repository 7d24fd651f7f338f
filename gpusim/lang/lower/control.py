"""Scoreboards and stall counts, as ptxas puts them into every instruction.

An instruction of variable latency releases a scoreboard when its result is
written (and, where a source is overwritten before that, another when its
sources are read); whoever comes first to need the register waits for it.
Fixed latencies are kept by stalling the issuing warp.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpusim.isa.instruction import N_SCOREBOARDS, NO_SCOREBOARD, Control
from gpusim.isa.opcode_info import Pipe
from gpusim.isa.opcodes import Op
from gpusim.lang.lower.machine import MBlock, MInstr, VReg
from gpusim.lang.lower.target import Target, is_variable

MAX_STALL = 15
FOR_READS = 2  # scoreboards that ptxas keeps for reads in loops whose loads' addresses are overwritten
Places = dict[VReg, int]


def assign_control(blocks: list[MBlock], place: Places, target: Target) -> dict[MInstr, Control]:
    """Control fields of every instruction.

    Parameters
    ----------
    blocks : list of MBlock
        In their final order.
    place : dict
        Physical registers; predicates are told apart by kind.
    target : Target
        Says how long results take.
    """
    stalls = _stalls(blocks, place, target)
    _add_waits(blocks, stalls)
    boards = _Boards(blocks, place)
    return {
        i: Control(stalls[i], boards.write.get(i, NO_SCOREBOARD), boards.read.get(i, NO_SCOREBOARD), boards.wait[i])
        for block in blocks
        for i in block.instrs()
    }


def _key(reg: VReg, place: Places) -> tuple[bool, int]:
    """Physical register."""
    return reg.is_pred, place[reg]


# ------------------------------------------------------------------ fixed latencies


Pending = dict[tuple[bool, int], int]  # cycles until a product's sums are there


def _stalls(blocks: list[MBlock], place: Places, target: Target) -> dict[MInstr, int]:
    """Cycles each instruction keeps its warp from issuing the next, so that fixed latencies are over in time.

    What a product adds up may be needed in the block after; every other result is there when a block ends.
    """
    entering: dict[MBlock, Pending] = {block: {} for block in blocks}
    stalls: dict[MInstr, int] = {}
    todo = list(blocks)
    while todo:
        block = todo.pop(0)
        found, leaving = _block_stalls(block, place, target, entering[block])
        stalls.update(found)
        for after in block.after:
            if _joined(entering[after], leaving) and after not in todo:
                todo.append(after)
    return stalls


def _joined(pending: Pending, more: Pending) -> bool:
    """Add what is pending on another way here; says whether that is news."""
    news = {key: cycles for key, cycles in more.items() if cycles > pending.get(key, 0)}
    pending.update(news)
    return bool(news)


def _block_stalls(block: MBlock, place: Places, target: Target, entering: Pending) -> tuple[dict[MInstr, int], Pending]:
    """Stall counts of a block, and what is pending behind it."""
    stalls: dict[MInstr, int] = {}
    made: dict[tuple[bool, int], tuple[MInstr, VReg, int]] = {}
    pending = dict(entering)  # cycles from the block's beginning on
    now, last = 0, None
    for instr in block.instrs():
        ready = now
        for reg in instr.reads():
            key = _key(reg, place)
            ready = max(ready, pending.get(key, 0))
            if (found := made.get(key)) is not None:
                producer, _, at = found
                ready = max(ready, at + target.fixed(producer, instr, reg))
        if last is not None:
            stalls[last] += ready - now
            now = ready
        stalls[instr] = _own(instr, target)
        for reg in instr.writes():
            key = _key(reg, place)
            made.pop(key, None)
            pending.pop(key, None)
            if instr.op.info.pipe is Pipe.TENSOR:
                pending[key] = now + target.spacing.tensor_cycles
            elif not is_variable(instr.op):
                made[key] = (instr, reg, now)
        now += stalls[instr]
        last = instr
    if last is not None and not last.op.info.ends:
        now += max(target.spacing.jump_cycles - stalls[last], 0)
        stalls[last] = max(stalls[last], target.spacing.jump_cycles)  # whatever follows finds results ready
    return stalls, {key: at - now for key, at in pending.items() if at > now}


def _add_waits(blocks: list[MBlock], stalls: dict[MInstr, int]) -> None:
    """Have instructions that do nothing wait for what is left of stall counts that no instruction can have."""
    for block in blocks:
        block.body, block.tail = (
            [w for i in part for w in _with_waits(i, stalls)] for part in (block.body, block.tail)
        )


def _with_waits(instr: MInstr, stalls: dict[MInstr, int]) -> list[MInstr]:
    made = [instr]
    while stalls[made[-1]] > MAX_STALL:
        wait = MInstr(Op.NOP, line=instr.line)
        stalls[wait], stalls[made[-1]] = stalls[made[-1]] - MAX_STALL, MAX_STALL
        made.append(wait)
    return made


def _own(instr: MInstr, target: Target) -> int:
    if instr.op.info.ends:
        return target.spacing.jump_cycles
    return target.spacing.barrier_cycles if instr.op is Op.BAR else 1


# ------------------------------------------------------------------ scoreboards


@dataclass
class _Pending:
    """Physical registers with a result on its way (``write``) or a read to come (``read``), and the scoreboards."""

    write: dict[tuple[bool, int], int] = field(default_factory=dict)  # bit masks of scoreboards
    read: dict[tuple[bool, int], int] = field(default_factory=dict)

    def copy(self) -> _Pending:
        return _Pending(dict(self.write), dict(self.read))

    def join(self, other: _Pending) -> bool:
        """Add what is pending on another way here; says whether that is news."""
        news = False
        for mine, theirs in ((self.write, other.write), (self.read, other.read)):
            for key, mask in theirs.items():
                if mine.get(key, 0) | mask != mine.get(key, 0):
                    mine[key] = mine.get(key, 0) | mask
                    news = True
        return news

    def clear(self, boards: int) -> None:
        """Scoreboards in ``boards`` have been waited for."""
        for table in (self.write, self.read):
            for key in [k for k, mask in table.items() if mask & boards]:
                table[key] &= ~boards
                if not table[key]:
                    del table[key]


class _Boards:
    """Which scoreboard each instruction releases, and which each waits for."""

    def __init__(self, blocks: list[MBlock], place: Places) -> None:
        self.place = place
        self.write: dict[MInstr, int] = {}
        self.read: dict[MInstr, int] = {}
        self.wait: dict[MInstr, int] = {}
        for block in blocks:
            self._choose(block.instrs())
        self._wait_where_needed(blocks)

    def _choose(self, instrs: list[MInstr]) -> None:
        """Give results scoreboards, the same only to those that are first needed at about the same place.

        Where sources are overwritten too, reads have the first two: they are over long before results are there.
        """
        first_use = self._first_uses(instrs)
        reads = [
            is_variable(instr.op) and overwritten < min(need, len(instrs))
            for instr, (need, overwritten) in zip(instrs, first_use, strict=True)
        ]
        of_reads = FOR_READS if any(reads) else 0
        holds = [-1] * N_SCOREBOARDS  # place of the earliest wait for each, -1 = free
        for at, (instr, (need, overwritten)) in enumerate(zip(instrs, first_use, strict=True)):
            holds = [until if until > at else -1 for until in holds]
            if is_variable(instr.op) and instr.writes():
                self.write[instr] = self._take(holds, range(of_reads, N_SCOREBOARDS), need)
            if reads[at]:
                self.read[instr] = self._take(holds, range(of_reads), overwritten)

    @staticmethod
    def _take(holds: list[int], among: range, until: int) -> int:
        """A free scoreboard, else the one waited for nearest to ``until``."""
        board = min(among, key=lambda b: (holds[b] >= 0, abs(holds[b] - until) if holds[b] >= 0 else b))
        holds[board] = until if holds[board] < 0 else min(holds[board], until)
        return board

    def _first_uses(self, instrs: list[MInstr]) -> list[tuple[int, int]]:
        """Per instruction: where a result is first touched, and where a source is first overwritten."""
        touched: dict[tuple[bool, int], int] = {}
        written: dict[tuple[bool, int], int] = {}
        found: list[tuple[int, int]] = [(0, 0)] * len(instrs)
        for at in range(len(instrs) - 1, -1, -1):
            instr = instrs[at]
            results = [touched.get(_key(r, self.place), len(instrs)) for r in instr.writes()]
            sources = [written.get(_key(r, self.place), len(instrs)) for r in instr.reads()]
            found[at] = min(results, default=len(instrs)), min(sources, default=len(instrs))
            for reg in instr.writes():
                written[_key(reg, self.place)] = touched[_key(reg, self.place)] = at
            for reg in instr.reads():
                touched[_key(reg, self.place)] = at
        return found

    def _wait_where_needed(self, blocks: list[MBlock]) -> None:
        """Waits at the first touch of each pending register, over all ways through the program."""
        entering = {block: _Pending() for block in blocks}
        todo = list(blocks)
        while todo:
            block = todo.pop(0)
            state = entering[block].copy()
            for instr in block.instrs():
                self._step(instr, state)
            for after in block.after:
                if entering[after].join(state) and after not in todo:
                    todo.append(after)

    def _step(self, instr: MInstr, state: _Pending) -> None:
        boards = 0
        for reg in instr.reads():
            boards |= state.write.get(_key(reg, self.place), 0)
        for reg in instr.writes():
            key = _key(reg, self.place)
            boards |= state.write.get(key, 0) | state.read.get(key, 0)
        self.wait[instr] = self.wait.get(instr, 0) | boards
        state.clear(self.wait[instr])
        if instr in self.write:
            for reg in instr.writes():
                state.write[_key(reg, self.place)] = 1 << self.write[instr]
        board = self.read.get(instr, self.write.get(instr))
        if board is not None and instr.op.info.space:
            for reg in instr.reads():
                key = _key(reg, self.place)
                state.read[key] = state.read.get(key, 0) | 1 << board
