"""What must stay in order within a basic block, as a graph over its instructions."""

from __future__ import annotations

from collections.abc import Container
from functools import cached_property

from gpusim.isa.opcode_info import Says
from gpusim.isa.opcodes import Op
from gpusim.lang.lower.machine import MBlock, MInstr, VReg
from gpusim.lang.lower.target import Target, is_variable

LOADED_AHEAD = 1  # stretches of products: while one is multiplied, the matrices of the next one come


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
        self._fragments()
        self._fences()
        self.after: list[list[int]] = [[] for _ in instrs]
        for i, edges in enumerate(self.before):
            for j in edges:
                self.after[j].append(i)

    @cached_property
    def paths(self) -> list[int]:
        """Cycles from each instruction to the end of the block along its longest chain."""
        return _critical_paths(self, values_only=False)

    @cached_property
    def chains(self) -> list[int]:
        """The same of chains of values alone."""
        return _critical_paths(self, values_only=True)

    def edge(self, first: int, then: int, cycles: int) -> None:
        """Have ``then`` come so many cycles after ``first``, or more."""
        if first != then:
            self.before[then][first] = max(self.before[then].get(first, 0), cycles)

    def _registers(self) -> None:
        writers: dict[VReg, int] = {}
        readers: dict[VReg, list[int]] = {}
        for i, instr in enumerate(self.instrs):
            for reg in instr.reads():
                if reg in writers:
                    self.edge(writers[reg], i, self.target.expected(self.instrs[writers[reg]], instr, reg))
                    self.values.add((writers[reg], i))
                readers.setdefault(reg, []).append(i)
            for reg in instr.writes():
                for reader in readers.pop(reg, ()):
                    read = self.target.spacing.operands_read_cycles if is_variable(self.instrs[reader].op) else 0
                    self.edge(reader, i, read)
                if reg in writers:
                    self.edge(writers[reg], i, 1)
                writers[reg] = i

    def _memory(self) -> None:
        """Stores keep their order with all accesses to the same array; barriers with all but loads of constants.

        Copies keep their order with the ends of groups, and these with waits, which are like barriers.
        """
        order = _Order(self)
        for i, instr in enumerate(self.instrs):
            if instr.op in (Op.BAR, Op.DEPBAR):
                order.barrier(i)
            elif instr.op is Op.LDGDEPBAR:
                order.ends_group(i)
            elif instr.op is Op.LDGSTS:
                order.access(i, instr.copied_to, writes=True)
                order.copies(i, instr.array)
            elif instr.array < 0:
                order.exchange(i, instr)
            elif instr.array in self.readonly:
                order.constant(i)
            else:
                order.access(i, instr.array, writes=instr.op.info.writes_memory)

    def _fragments(self) -> None:
        """Matrices are loaded one stretch of products ahead, no further: registers would not do for more."""
        stretches: list[list[int]] = [[], []]  # of products, before that of the loads now met
        loading = False
        for i, instr in enumerate(self.instrs):
            if instr.op is Op.LDSM:
                if not loading:
                    stretches.append([])
                loading = True
                for j in stretches[-LOADED_AHEAD - 2]:
                    self.edge(j, i, 1)
            elif instr.op is Op.HMMA:
                loading = False
                stretches[-1].append(i)

    def _fences(self) -> None:
        """Nothing crosses the set-up of a convergence barrier, or the wait at one."""
        last: int | None = None
        for i, instr in enumerate(self.instrs):
            if last is not None:
                self.edge(last, i, 1)
            if instr.op.info.says is Says.CONVERGENCE:
                for j in range(last or 0, i):
                    self.edge(j, i, 0)
                last = i


class _Order:
    """What came before of the accesses, barriers and copies of a block."""

    def __init__(self, graph: Dependences) -> None:
        self._graph = graph
        self._stores: dict[int, int] = {}
        self._loads: dict[int, list[int]] = {}
        self._barriers: list[int] = []
        self._since: list[int] = []
        self._copies: list[int] = []
        self._group: int | None = None

    def _after(self, first: int | None, then: int) -> None:
        if first is not None:
            self._graph.edge(first, then, 1)

    def barrier(self, i: int) -> None:
        """Comes after all that came since the last one."""
        for j in self._since:
            self._after(j, i)
        self._after(self._barriers[-1] if self._barriers else None, i)
        self._after(self._group, i)
        self._barriers.append(i)
        self._since = []

    def ends_group(self, i: int) -> None:
        """Comes after the copies before it."""
        for j in self._copies:
            self._after(j, i)
        self._after(self._group, i)
        self._after(self._barriers[-1] if self._barriers else None, i)
        self._group, self._copies = i, []

    def copies(self, i: int, source: int) -> None:
        """Comes after the end of the last group, and after what was stored to where it reads."""
        self._after(self._group, i)
        self._after(self._stores.get(source), i)
        self._copies.append(i)

    def exchange(self, i: int, instr: MInstr) -> None:
        """Comes after the last barrier, if it is a shuffle."""
        if instr.op is Op.SHFL and self._barriers:
            self._after(self._barriers[-1], i)

    def constant(self, i: int) -> None:
        """May pass one barrier, not two."""
        if len(self._barriers) > 1:
            self._after(self._barriers[-2], i)

    def access(self, i: int, array: int, *, writes: bool) -> None:
        """Comes after the last barrier, and after stores to its array; a store after loads, too."""
        self._since.append(i)
        self._after(self._barriers[-1] if self._barriers else None, i)
        self._after(self._stores.get(array), i)
        if writes:
            for j in self._loads.pop(array, ()):
                self._after(j, i)
            self._stores[array] = i
        else:
            self._loads.setdefault(array, []).append(i)


def _critical_paths(graph: Dependences, *, values_only: bool) -> list[int]:
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
