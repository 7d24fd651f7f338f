"""Which instructions may have written what an instruction reads, and which may read what it writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from gpusim.isa.control_flow import leaders, successors
from gpusim.isa.effects import effects
from gpusim.isa.program import Program


class Dataflow:
    """Writers and readers of registers and predicates, through all jumps that a program may take.

    A write under a guard may leave what was there, so that earlier writers are still possible.

    Parameters
    ----------
    program : Program
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.effects = [effects(instr) for instr in program.instrs]
        begins = sorted(start for start in leaders(program) if start < len(program))
        self._first = [0] * len(program)
        for start, end in zip(begins, [*begins[1:], len(program)], strict=True):
            self._first[start:end] = [start] * (end - start)
        self._before: dict[int, set[int]] = defaultdict(set)  # of each stretch the last instructions of those before it
        for index, after in enumerate(successors(program)):
            for start in after:
                if self._first[start] == start:
                    self._before[start].add(index)
        self._known: dict[tuple[int, int], frozenset[int]] = {}

    def writers(self, index: int, bits: int | None = None) -> frozenset[int]:
        """Give the instructions that may have written what one reads.

        Parameters
        ----------
        index : int
        bits : int, optional
            Registers and predicates, as :mod:`gpusim.isa.effects` has them; all that it reads unless given.
        """
        found: set[int] = set()
        for bit in _each(self.effects[index].reads if bits is None else bits):
            found |= self._writers_of(index, bit)
        return frozenset(found)

    @cached_property
    def readers(self) -> list[set[int]]:
        """Of each instruction those that may read what it writes."""
        found: list[set[int]] = [set() for _ in self.effects]
        for index in range(len(self.effects)):
            for writer in self.writers(index):
                found[writer].add(index)
        return found

    def _writers_of(self, index: int, bit: int) -> frozenset[int]:
        own, done = self._within(index - 1, self._first[index], bit)
        return frozenset(own) if done else frozenset(own) | self._at_begin(self._first[index], bit)

    def _within(self, last: int, first: int, bit: int) -> tuple[set[int], bool]:
        """Writers among instructions from the last one back to the first; whether no earlier one is possible."""
        found = set()
        for k in range(last, first - 1, -1):
            if self.effects[k].writes & bit:
                found.add(k)
                if not self.effects[k].partial:
                    return found, True
        return found, False

    def _at_begin(self, start: int, bit: int) -> frozenset[int]:
        """Writers of what is read at the begin of a stretch that runs through."""
        if (start, bit) in self._known:
            return self._known[start, bit]
        found: set[int] = set()
        seen, waiting = {start}, [start]
        while waiting:
            for last in self._before[waiting.pop()]:
                own, done = self._within(last, self._first[last], bit)
                found |= own
                if not done and self._first[last] not in seen:
                    seen.add(self._first[last])
                    waiting.append(self._first[last])
        self._known[start, bit] = frozenset(found)
        return self._known[start, bit]


def _each(bits: int) -> Iterator[int]:
    """The bits of a set, one by one."""
    while bits:
        yield bits & -bits
        bits &= bits - 1
