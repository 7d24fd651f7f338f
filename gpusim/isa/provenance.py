"""Which arrays the addresses of a program come from.

An address is a parameter to which something is added.  So every register is followed from the parameters on: what is
computed from one that holds a pointer may be that pointer.  Pointers that are stored may come back by any load of the
same space.  An address that comes from no array may be one of any.  So may one that comes from a constant bank besides
that of the parameters: compilers put the addresses of device variables there.  So may those that the driver puts beside
the parameters.

Sets of arrays are Python ints, a bit each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from gpusim.isa.effects import REGISTERS, effects, registers_of, words_read
from gpusim.isa.encode import is_indexed
from gpusim.isa.instruction import Instr, Kind
from gpusim.isa.opcode_info import GENERIC
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.widths import address_words, source_words

WORD = 4
BOXES = (Op.UTMALDG, Op.UTMASTG, Op.UTMAREDG, Op.UTMAPF)


class Provenance:
    """Which arrays each access of a program may touch.

    Parameters
    ----------
    program : Program
    arrays : sequence of collections of str
        Parameters that are pointers to arrays: those of arrays that share memory together.
    successors : sequence of lists of int
        Instructions that may follow each.
    """

    def __init__(
        self, program: Program, arrays: Sequence[Collection[str]], successors: Sequence[Sequence[int]]
    ) -> None:
        self.arrays = [frozenset(group) for group in arrays]
        self._elsewhere = 1 << len(self.arrays)
        self.anywhere = 2 * self._elsewhere - 1
        """All arrays, and whatever else there is in global memory."""
        self._program = program
        self._bit = {name: 1 << k for k, group in enumerate(self.arrays) for name in group}
        self._effects = [effects(i) for i in program.instrs]
        self._given = [self._from_constants(i) for i in program.instrs]
        self._stored: dict[str, int] = {}
        self._before = [[0] * (len(self.arrays) + 1) for _ in program.instrs]
        if self.arrays and any(i.op.info.may_be_global and i.array < 0 for i in program.instrs):
            self._follow(successors)

    def of(self, index: int) -> int:
        """Arrays that an access of global memory may touch."""
        instr = self._program.instrs[index]
        if instr.op in BOXES:
            return self.anywhere  # a tensor map says where
        if instr.array >= 0:
            return self._bit.get(self._program.arrays[instr.array].name, self.anywhere)
        found = self._reached(index, words_read(instr, addresses=True)) | self._constants(instr, addresses=True)
        return self.anywhere if not found or found & self._elsewhere else found

    def map_of(self, index: int) -> int:
        """Arrays in which the tensor map may lie that says where an access goes; none where it is a parameter's."""
        instr = self._program.instrs[index]
        if instr.op not in BOXES:
            return 0
        return self._reached(index, registers_of(instr.srcs[1], source_words(instr, 1)))

    def names(self, arrays: int) -> frozenset[str] | None:
        """Parameters of a set of arrays; None where it is of whatever there is."""
        if arrays == self.anywhere:
            return None
        return frozenset(name for name, bit in self._bit.items() if arrays & bit)

    def _follow(self, successors: Sequence[Sequence[int]]) -> None:
        """Follow pointers until nothing new is found."""
        changed = True
        while changed:
            changed = False
            for index, instr in enumerate(self._program.instrs):
                after = self._after(index)
                for successor in successors[index]:
                    there = self._before[successor]
                    for k, registers in enumerate(after):
                        changed |= bool(registers & ~there[k])
                        there[k] |= registers
                changed |= self._store(index, instr)

    def _after(self, index: int) -> list[int]:
        """Registers that may hold a pointer to each array, and elsewhere, after an instruction."""
        instr, (reads, writes, partial) = self._program.instrs[index], self._effects[index]
        if instr.op.info.touches_memory:
            came = self._loaded(instr)
        else:
            came = self._given[index] | self._reached(index, reads & REGISTERS)
        kept = -1 if partial else ~writes
        writes &= REGISTERS
        return [old & kept | (writes if came >> k & 1 else 0) for k, old in enumerate(self._before[index])]

    def _reached(self, index: int, registers: int) -> int:
        """Arrays to which some registers may hold a pointer before an instruction."""
        return sum(1 << k for k, holders in enumerate(self._before[index]) if holders & registers)

    def _loaded(self, instr: Instr) -> int:
        """Arrays to which memory that is read may hold a pointer."""
        info = instr.op.info
        if not info.reads_memory and not info.copies_from:
            return 0
        spaces = self._stored if info.space == GENERIC else (info.space, info.copies_from, GENERIC)
        return _union(self._stored.get(space, 0) for space in spaces)

    def _store(self, index: int, instr: Instr) -> bool:
        """Note the pointers that may be stored; whether one is new."""
        info = instr.op.info
        if not info.writes_memory:
            return False
        values = self._reached(index, words_read(instr, addresses=False))
        came = values | self._constants(instr, addresses=False) | self._loaded(instr)
        before = self._stored.get(info.stores_to, 0)
        self._stored[info.stores_to] = before | came
        return bool(came & ~before)

    def _from_constants(self, instr: Instr) -> int:
        """Arrays whose pointers an instruction reads from constant bank 0."""
        if instr.op is Op.MALLOC:
            return self._elsewhere
        if instr.op is Op.LDC:
            if is_indexed(instr):
                return self._elsewhere - 1 if instr.sub == 0 else self._elsewhere
            return self._pointers(instr.sub, instr.offset, max(instr.width, WORD))
        return self._constants(instr, addresses=True) | self._constants(instr, addresses=False)

    def _constants(self, instr: Instr, *, addresses: bool) -> int:
        """Arrays whose pointers are constant operands: those that are addresses, or the others."""
        found = 0
        for position, operand in enumerate(instr.srcs):
            if operand.kind is Kind.CONST and bool(address_words(instr, position)) == addresses:
                found |= self._pointers(*operand.place, WORD * source_words(instr, position))
        return found

    def _pointers(self, bank: int, offset: int, nbytes: int) -> int:
        """Arrays whose pointers lie, at least in part, in some bytes of a constant bank."""
        if bank or any(offset <= word < offset + nbytes for word in self._program.system_pointers):
            return self._elsewhere
        return _union(
            self._bit.get(p.name, 0)
            for p in self._program.params
            if p.offset < offset + nbytes and offset < p.offset + max(p.nbytes, 2 * WORD)
        )


def _union(sets: Iterator[int]) -> int:
    found = 0
    for one in sets:
        found |= one
    return found
