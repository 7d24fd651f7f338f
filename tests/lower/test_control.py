"""Do stall counts and scoreboards keep every result from being read before it is there?"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from gpusim.catalogue import lookup
from gpusim.isa.instruction import NO_SCOREBOARD, PT, RZ, Instr, Kind
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from tests.kernels.cases import REPRESENTATIVE
from tests.marks import most_by_hand

NAMES = sorted(algorithm.name for algorithm in lookup.all(hidden=True))
LEAST = 4  # cycles before any result may be read
PRODUCT = 24  # cycles before the sums of a product may be read
PAIRS = (Op.IMAD_WIDE,)
QUADS = (Op.LDSM, Op.HMMA)  # that write four registers
OPERANDS = {Op.HMMA: (4, 2, 4), Op.LDGSTS: (1, 2), Op.LDSM: (1,)}  # registers that they read


def words(instr: Instr) -> int:
    return max(instr.width // 4, 1)


def written(instr: Instr) -> set[tuple[str, int]]:
    count = 2 if instr.op in PAIRS else words(instr) if instr.op.info.reads_memory else 1
    count = 4 if instr.op in QUADS else count
    found = {("p", p.index) for p in instr.pdsts if p.index != PT}
    if instr.dst is not None and instr.dst.index != RZ:
        found |= {("r", instr.dst.index + k) for k in range(count)}
    return found


def read(instr: Instr) -> set[tuple[str, int]]:
    found = {("p", p.index) for p in (instr.guard, *instr.psrcs) if p.index != PT}
    for place, o in enumerate(instr.srcs):
        if o.kind is not Kind.REG or o.index == RZ:
            continue
        info = instr.op.info
        count = 1
        if instr.op in OPERANDS:
            count = OPERANDS[instr.op][place]
        elif info.space == "global" and place == 0:
            count = 2
        elif info.writes_memory and not info.reads_memory and place == 1:
            count = words(instr)
        elif instr.op in PAIRS and place == 2:
            count = 2
        found |= {("r", o.index + k) for k in range(count)}
    return found


@dataclass
class State:
    """What is on its way: results by scoreboard or by the cycle they are there, operands still to be read."""

    now: int = 0
    ready: dict[tuple[str, int], int] = field(default_factory=dict)
    coming: dict[tuple[str, int], int] = field(default_factory=dict)
    reading: dict[tuple[str, int], int] = field(default_factory=dict)

    def issue(self, instr: Instr, where: str) -> None:
        stall, write, read_board, wait, _ = instr.control
        for table in (self.coming, self.reading):
            for reg in [r for r, board in table.items() if wait >> board & 1]:
                del table[reg]
        for reg in read(instr) | written(instr):
            assert reg not in self.coming, f"{where}: {reg} is still on its way"
            assert self.ready.get(reg, 0) <= self.now or reg not in read(instr), f"{where}: {reg} is read too early"
        for reg in written(instr):
            assert reg not in self.reading, f"{where}: {reg} is overwritten before it was read"
        for reg in written(instr):
            self.ready.pop(reg, None)
            if instr.op.info.variable_latency:
                assert write != NO_SCOREBOARD, f"{where}: no scoreboard"
                self.coming[reg] = write
            else:
                self.ready[reg] = self.now + (PRODUCT if instr.op is Op.HMMA else LEAST)
        board = read_board if read_board != NO_SCOREBOARD else write
        if instr.op.info.space and board != NO_SCOREBOARD:
            self.reading.update(dict.fromkeys(read(instr), board))
        self.now += stall


def walk(program: Program) -> None:
    """Along the code, and around every loop twice."""
    state = State()
    index, taken = 0, set()
    while index < len(program):
        instr = program.instrs[index]
        state.issue(instr, f"{program.name}, instruction {index}")
        if instr.op is Op.BRA and 0 <= instr.target <= index and index not in taken:
            taken.add(index)
            index = instr.target
        else:
            index += 1


@pytest.mark.parametrize("name", most_by_hand(NAMES, REPRESENTATIVE[::2]))
def test_nothing_is_read_before_it_is_there(name: str) -> None:
    walk(lookup.get(name).kernel.lower())


@pytest.mark.parametrize("name", most_by_hand(NAMES, REPRESENTATIVE[::2]))
def test_stores_do_not_hold_up_what_does_not_need_them(name: str) -> None:
    for instr in lookup.get(name).kernel.lower().instrs:
        if instr.op is Op.STG:
            assert instr.control.write_sb == NO_SCOREBOARD
