"""What must stay in order within a basic block, as a graph over its instructions."""

from __future__ import annotations

from collections.abc import Container

from gpusim.isa.opcode_info import Says
from gpusim.isa.opcodes import Op
from gpusim.lang.lower.machine import MBlock, MInstr, VReg
from gpusim.lang.lower.target import Target, is_variable


class Dependences:
    """Edges ``before[i]``: (instruction, cycles) that ``i`` comes after; ``after`` is the reverse.

    Parameters
    ----------
    instrs : list of MInstr
        Of one block, without its jump.
    readonly : container of int
        Numbers of arrays that nothing writes.
    target : Target
        Says how long results take.
    """

    def __init__(self, instrs: list[MInstr], readonly: Container[int], target: Target) -> None:
        self.instrs, self.readonly, self.target = instrs, readonly, target
        self.before: list[dict[int, int]] = [{} for _ in instrs]
        self.values: set[tuple[int, int]] = set()  # (from, to) where a value passes
        self._registers()
        self._memory()
        self._fences()
        self.after: list[list[int]] = [[] for _ in instrs]
        for i, edges in enumerate(self.before):
            for j in edges:
                self.after[j].append(i)

    def _edge(self, first: int, then: int, cycles: int) -> None:
        if first != then:
            self.before[then][first] = max(self.before[then].get(first, 0), cycles)

    def _registers(self) -> None:
        writers: dict[VReg, int] = {}
        readers: dict[VReg, list[int]] = {}
        for i, instr in enumerate(self.instrs):
            for reg in instr.reads():
                if reg in writers:
                    self._edge(writers[reg], i, self.target.expected(self.instrs[writers[reg]], instr, reg))
                    self.values.add((writers[reg], i))
                readers.setdefault(reg, []).append(i)
            for reg in instr.writes():
                for reader in readers.pop(reg, ()):
                    read = self.target.spacing.operands_read_cycles if is_variable(self.instrs[reader].op) else 0
                    self._edge(reader, i, read)
                if reg in writers:
                    self._edge(writers[reg], i, 1)
                writers[reg] = i

    def _memory(self) -> None:
        """Stores keep their order with all accesses to the same array; barriers with all but loads of constants."""
        stores: dict[int, int] = {}
        loads: dict[int, list[int]] = {}
        barriers: list[int] = []
        since: list[int] = []
        for i, instr in enumerate(self.instrs):
            if instr.op is Op.BAR:
                for j in since:
                    self._edge(j, i, 1)
                if barriers:
                    self._edge(barriers[-1], i, 1)
                barriers.append(i)
                since = []
                continue
            if instr.array < 0:
                if instr.op is Op.SHFL and barriers:
                    self._edge(barriers[-1], i, 1)
                continue
            if instr.array in self.readonly:
                if len(barriers) > 1:  # may pass one barrier, not two
                    self._edge(barriers[-2], i, 1)
                continue
            since.append(i)
            if barriers:
                self._edge(barriers[-1], i, 1)
            self._same_array(i, instr, stores, loads)

    def _same_array(self, i: int, instr: MInstr, stores: dict[int, int], loads: dict[int, list[int]]) -> None:
        if instr.array in stores:
            self._edge(stores[instr.array], i, 1)
        if instr.op.info.writes_memory:
            for j in loads.pop(instr.array, ()):
                self._edge(j, i, 1)
            stores[instr.array] = i
        else:
            loads.setdefault(instr.array, []).append(i)

    def _fences(self) -> None:
        """Nothing crosses the set-up of a convergence barrier, or the wait at one."""
        last: int | None = None
        for i, instr in enumerate(self.instrs):
            if last is not None:
                self._edge(last, i, 1)
            if instr.op.info.says is Says.CONVERGENCE:
                for j in range(last or 0, i):
                    self._edge(j, i, 0)
                last = i


def critical_paths(graph: Dependences, *, values_only: bool = False) -> list[int]:
    """Cycles from each instruction to the end of the block along its longest chain.

    ``values_only``: chains of values alone, not of order (which a barrier makes the same for all before it).
    """
    paths = [1] * len(graph.instrs)
    for i in range(len(graph.instrs) - 1, -1, -1):
        for j in graph.after[i]:
            if not values_only or (i, j) in graph.values:
                paths[i] = max(paths[i], paths[j] + graph.before[j][i])
    return paths


def split_jump(block: MBlock) -> tuple[list[MInstr], list[MInstr]]:
    """A block's instructions without its jump, and the jump."""
    instrs = block.instrs()
    if instrs and instrs[-1].op.info.ends:
        return instrs[:-1], instrs[-1:]
    return instrs, []
