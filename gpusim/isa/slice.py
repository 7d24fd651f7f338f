"""Counting image: the instructions that decide addresses and branches, the rest only counted.

A backward slice from every branch and every address: what no address, branch or
guard depends on is left out and its number noted on the next instruction that
stays.  Loads and stores stay, but move no values unless a later address needs them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from gpusim.isa.control_flow import leaders, successors
from gpusim.isa.effects import address_reads, effects, guard_reads, words_read
from gpusim.isa.encode import F, Image, control_columns, encode
from gpusim.isa.instruction import RZ, TRUE, Instr, Kind, Operand
from gpusim.isa.liveness import Needs
from gpusim.isa.opcode_info import GENERIC, GLOBAL, Pipe
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.provenance import Provenance
from gpusim.isa.widths import address_words

Arrays = Sequence[Collection[str]]
LATENCIES = 24, 40  # cycles of shared loads between which the time that code takes is nearly a line
N_TWINS = 8  # bank patterns of shared loads that a warp remembers
LOOKED_AHEAD, ROWS_TOLD = 64, 2**31 - 1  # instructions of which a warp's rows are told, and which rows


def _may_move(instr: Instr) -> bool:
    """Whether an instruction moves values of memory, if they are needed."""
    return instr.op.info.touches_memory or bool(instr.op.info.described)


def _described_by(instr: Instr) -> int:
    """Registers that say where the matrices of a product lie, as a bit set."""
    multiplies = bool(instr.op.info.described) and instr.dst is not None
    return words_read(instr, addresses=True) if multiplies else 0


def _may_meet(one: str | int, other: str | int) -> bool:
    """Whether two spaces (a name, or of global memory a set of arrays) may share a byte."""
    if isinstance(one, int) and isinstance(other, int):
        return bool(one & other)
    return one == other or GENERIC in (one, other)


class Slice:
    """Which instructions matter, and which of the memory ones must move values.

    ``arrays``: as for :func:`counting_image`.
    """

    def __init__(self, program: Program, arrays: Arrays | None) -> None:
        self.program = program
        self.effects = [effects(i) for i in program.instrs]
        self.addresses = [address_reads(i) if i.op.info.touches_memory else 0 for i in program.instrs]
        self.described_by = [_described_by(i) for i in program.instrs]
        self.needs = Needs(program)
        self.valued: set[int] = set()
        self.spaces: set[str | int] = set()
        self.successors = successors(program)
        known = [{p.name} for p in program.params if p.kind == "buffer"] if arrays is None else arrays
        self.provenance = Provenance(program, known, self.successors)
        self.touched = [self.provenance.of(k) if i.op.info.may_be_global else 0 for k, i in enumerate(program.instrs)]
        self.needed_after = [0] * len(program)
        self.needed_before = [0] * len(program)
        while self._pass():
            pass
        self.needed = [self._need(k) for k in range(len(program))]
        self.kept = [self.needed[k] or i.guard != TRUE for k, i in enumerate(program.instrs)]

    def _need(self, index: int) -> bool:
        """Whether an instruction must run; of the others a guard's lanes are still counted."""
        info = self.program.instrs[index].op.info
        if info.is_control or info.touches_memory or info.always_runs:
            return True
        return self._result(index) != 0 or self._asks_for_lines(index)

    def _asks_for_lines(self, index: int) -> bool:
        """Whether an instruction loads constants: lines that its SM does not hold take time."""
        return self.program.instrs[index].op is Op.LDC

    def _result(self, index: int) -> int:
        """Registers the instruction writes that something needs."""
        return self.needs.result(self.program.instrs[index], self.needed_after[index], self.effects[index].writes)

    def _space(self, index: int) -> str | int:
        info = self.program.instrs[index].op.info
        space = info.space or info.described
        return self.touched[index] if space == GLOBAL else space

    def _writes_to(self, index: int) -> str | int:
        space = self.program.instrs[index].op.info.stores_to
        return self.touched[index] if space == GLOBAL else space

    @property
    def reads(self) -> frozenset[str] | None:
        """Arrays whose values are read, by their parameters; None: any."""
        found = 0
        for index in self.valued:
            found |= self.touched[index] if self.program.instrs[index].op.info.reads_memory else 0
        return self.provenance.names(found)

    def _uses(self, index: int) -> int:
        """Registers needed before ``index`` because of it."""
        instr, effect = self.program.instrs[index], self.effects[index]
        if instr.op.info.touches_memory:
            return effect.reads if index in self.valued else self.addresses[index]
        if instr.op.info.is_control or self._result(index) or self._asks_for_lines(index):
            return effect.reads
        return guard_reads(instr) | self.described_by[index]

    def _pass(self) -> bool:
        """One backward sweep; True when something changed."""
        changed = False
        for index in reversed(range(len(self.program))):
            after = 0
            for successor in self.successors[index]:
                after |= self.needed_before[successor]
            self.needed_after[index] = after
            changed |= self._value(index)
            before = self._before(index)
            changed |= before != self.needed_before[index]
            self.needed_before[index] = before
        return changed

    def _before(self, index: int) -> int:
        """Registers needed before the instruction."""
        instr, writes = self.program.instrs[index], self.effects[index].writes
        return self.needs.before(instr, self.needed_after[index], self._uses(index), writes)

    def _value(self, index: int) -> bool:
        """Mark loads whose value is needed, and the stores that may feed them."""
        instr = self.program.instrs[index]
        if not _may_move(instr) or index in self.valued:
            return False
        is_load = instr.op.info.reads_memory or bool(instr.op.info.described)
        writes_there = instr.op.info.writes_memory and any(_may_meet(self._writes_to(index), s) for s in self.spaces)
        by_map = self.provenance.map_of(index) != 0
        prints = instr.op is Op.VPRINTF
        if not writes_there and not by_map and not prints and not (is_load and self._result(index)):
            return False
        if instr.op.info.copies_from:
            self.spaces.add(instr.op.info.copies_from)
        if is_load or by_map:
            self.spaces.add(self._space(index))
        self.valued.add(index)
        return True


def _bank_pattern(row: np.ndarray) -> tuple[int, ...] | None:
    """What decides the bank conflicts of a light shared load, and whose they are; None if it is none.

    Of the offset only its place in a word does: whole words more move every lane as many banks on.
    """
    if row[F.OP] != Op.LDS or not row[F.LIGHT]:
        return None
    return *(int(row[k]) for k in (F.GUARD, F.A, F.WIDTH, F.C, F.SUB, F.LINE)), int(row[F.OFFSET]) % 4


def _changes(row: np.ndarray, pattern: tuple[int, ...]) -> bool:
    """Whether an instruction writes the address register or the guard of a bank pattern."""
    addresses = range(int(row[F.DST]), int(row[F.DST]) + 4)  # a load may write four registers
    return pattern[1] in addresses or pattern[3] in addresses or pattern[0] & 15 in (int(row[F.Q0]), int(row[F.Q1]))


def _shrink(program: Program, cut: Slice) -> Program:
    """The same program with only what is kept, and registers numbered without gaps.

    Warps' register files are most of what the engine's caches must hold, so
    fewer registers run faster.
    """
    kept = [
        _lighten(i, k in cut.valued) if cut.needed[k] else Instr(Op.NOP, guard=i.guard)
        for k, i in enumerate(program.instrs)
    ]
    used = 0
    for instr in kept:
        reads, writes, _ = effects(instr)
        used |= reads | writes
    numbers = [r for r in range(RZ) if used >> r & 1]
    place = {r: n for n, r in enumerate(numbers)}
    instrs = tuple(_renumber(i, place) for i in kept)
    return replace(program, instrs=instrs, n_registers=len(numbers), most_registers=0)


def _lighten(instr: Instr, valued: bool) -> Instr:
    """Drop the value from a memory instruction of which only the address matters; from a product all but where from."""
    if valued or not _may_move(instr):
        return instr
    if instr.op.info.described:
        return replace(instr, dst=None, srcs=instr.srcs[:1] if _described_by(instr) else (), psrcs=())
    nothing = Operand(Kind.REG, RZ)
    srcs = (nothing if k == 1 and not address_words(instr, 1) else o for k, o in enumerate(instr.srcs))
    return replace(instr, dst=None, srcs=tuple(srcs))


def _renumber(instr: Instr, place: dict[int, int]) -> Instr:
    def new(operand: Operand) -> Operand:
        if operand.kind is not Kind.REG or operand.index == RZ:
            return operand
        return operand._replace(index=place[operand.index])

    return replace(instr, dst=new(instr.dst) if instr.dst else None, srcs=tuple(new(o) for o in instr.srcs))


def _lightened(program: Program, cut: Slice) -> Image:
    """A row for each instruction, with its scheduling, and a note on those of which only the address matters."""
    image = encode(_shrink(program, cut))._replace(reads=cut.reads)
    for index, (row, instr) in enumerate(zip(image.code, program.instrs, strict=True)):
        row[F.STALL : F.WAIT + 1] = control_columns(instr)
        if cut.needed[index] and _may_move(instr):
            row[F.LIGHT] = index not in cut.valued
        row[F.BUSY] = bool(instr.op.info.described) and instr.dst is not None  # a product, though without its sums
    return image


class _Clock:
    """Time of a warp in a stretch of code, if nothing but its stall counts and shared loads holds it up.

    Parameters
    ----------
    latency : int
        Cycles from a shared load until its data is there.
    """

    def __init__(self, latency: int) -> None:
        self.latency = latency
        self.begin()

    def begin(self) -> None:
        """Start anew."""
        self.now, self.there = 0, [0] * 8

    def wait(self, scoreboards: int) -> None:
        """Wait for those of a mask."""
        self.now = max([self.now, *(t for b, t in enumerate(self.there) if scoreboards >> b & 1)])

    def issue(self, row: np.ndarray) -> None:
        """Issue an instruction, which takes as long as its stall count."""
        if row[F.OP] == Op.LDS and row[F.WRITE_SB] < 6:
            self.there[row[F.WRITE_SB]] = self.now + self.latency
        self.now += int(row[F.STALL])


class _Builder:
    """Writes the shortened code."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self.rows: list[np.ndarray] = []
        self.moved: dict[int, int] = {}
        self.loads: dict[tuple[int, ...] | None, np.ndarray] = {}
        self.clocks = [_Clock(latency) for latency in LATENCIES]
        self.kept = [0] * len(LATENCIES)
        self._forget()

    def _forget(self) -> None:
        self.skipped, self.stall, self.wait = 0, 0, 0

    def _pass(self, row: np.ndarray) -> None:
        """Let time pass as in the code itself."""
        for clock in self.clocks:
            clock.wait(int(row[F.WAIT]))
            clock.issue(row)

    def _keep_time(self, cycles: int) -> None:
        """Let so many cycles pass for the rows that stay."""
        self.kept = [kept + cycles for kept in self.kept]

    def _catch_up(self, row: np.ndarray) -> None:
        """Have the row kept before a kept one take the time that the code between them waits for shared loads."""
        self._keep_time(int(row[F.STALL] + row[F.SKIP_ISSUE]))
        lost = [max(clock.now - kept, 0) for clock, kept in zip(self.clocks, self.kept, strict=True)]
        self.kept = [kept + more for kept, more in zip(self.kept, lost, strict=True)]
        if lost[-1]:
            rounds = (lost[1] - lost[0]) / (LATENCIES[1] - LATENCIES[0])
            before = self.rows[-1]
            before[F.ROUNDS], before[F.OVERLAP] = round(16 * rounds), round(rounds * LATENCIES[0] - lost[0])
            before[F.BESIDE] = before[F.STALL] + row[F.SKIP_ISSUE]

    def skip(self, row: np.ndarray) -> None:
        self._pass(row)
        self.skipped += 1
        self.stall += int(row[F.STALL])
        self.wait |= int(row[F.WAIT])

    def keep(self, row: np.ndarray, *, fresh: bool) -> None:
        """Append a row, or let an earlier load of the same bank pattern in this stretch stand for it."""
        if fresh:
            self.loads.clear()
        self._pass(row)
        pattern = _bank_pattern(row)
        if pattern in self.loads:
            first = self.loads[pattern]
            first[F.REPEAT] += 1
            first[F.STALL] += row[F.STALL]
            self.wait |= int(row[F.WAIT])
            self._keep_time(int(row[F.STALL]))
            return
        row = row.copy()
        row[F.SKIP], row[F.SKIP_ISSUE] = self.skipped, self.stall
        row[F.WAIT] |= self.wait
        self._catch_up(row)
        self._forget()
        self.rows.append(row)
        self._note(row, pattern)

    def _note(self, row: np.ndarray, pattern: tuple[int, ...] | None) -> None:
        """Remember a load others may join; forget those whose address register or guard changes."""
        if pattern is not None:
            self.loads[pattern] = row
            return
        self.loads = {k: v for k, v in self.loads.items() if k is not None and not _changes(row, k)}

    def close(self) -> None:
        """End of a stretch: carry what was skipped on an instruction of its own."""
        if self.skipped == 0 and self.wait == 0:
            self._begin()
            return
        nop = np.zeros(self.image.code.shape[1], np.int32)
        nop[[F.GUARD, F.P0, F.P1, F.P2]] = 7
        nop[[F.WRITE_SB, F.READ_SB]] = 7
        nop[F.OP], nop[F.PIPE], nop[F.REPEAT], nop[F.STALL] = Op.NOP, Pipe.CONTROL, 1, 0
        nop[F.SKIP], nop[F.SKIP_ISSUE], nop[F.WAIT] = self.skipped - 1, self.stall, self.wait  # itself is none
        self._catch_up(nop)
        self._forget()
        self.rows.append(nop)
        self._begin()

    def _begin(self) -> None:
        """A stretch begins: nothing is under way, and the rows that stay have taken no time."""
        for clock in self.clocks:
            clock.begin()
        self.kept = [0] * len(LATENCIES)


def counting_image(program: Program, arrays: Arrays | None = None) -> Image:
    """Encode a program so that running it counts the same with less work.

    Parameters
    ----------
    program : Program
    arrays : sequence of collections of str, optional
        Parameters that are pointers to arrays, those of arrays that share memory together; unless given, those that
        the program says are, none of which share any.

    Returns
    -------
    Image
        Same requests, sectors, wavefronts and instruction counts; values only
        where an address, a branch or a guard depends on them.  `Image.reads` says of which arrays.
    """
    return _cut_short(program, Slice(program, arrays))


def counting_and_timed(program: Program, arrays: Arrays | None = None) -> tuple[Image, Image]:
    """Encode a program for counting, and so that it takes its time.

    Parameters
    ----------
    program, arrays
        As for :func:`counting_image`.

    Returns
    -------
    counting : Image
        As :func:`counting_image` gives it.
    timed : Image
        Every instruction issues, each of the program's; those that matter to no address are not computed.
    """
    cut = Slice(program, arrays)
    return _cut_short(program, cut), _idle(program, cut)


def _cut_short(program: Program, cut: Slice) -> Image:
    """An image without the instructions that nothing needs."""
    begins, image = leaders(program), _lightened(program, cut)
    builder, fresh = _Builder(image), True
    for index, row in enumerate(image.code):
        if index in begins:
            builder.close()
            fresh = True
        builder.moved[index] = len(builder.rows)
        if not cut.kept[index]:
            builder.skip(row)
            continue
        builder.keep(row, fresh=fresh)
        fresh = False
    place = np.array([builder.moved[k] for k in range(len(program))], np.int32)
    code = _retarget(builder)
    code[:, F.ROWS] = _rows_ahead(code)
    return image._replace(code=code, place=place)


def _rows_ahead(code: np.ndarray) -> list[int]:
    """A warp's own rows, a bit each, that it uses from each instruction on until it waits; loops are taken to go on."""
    own, waits = _own_rows(code).tolist(), (code[:, F.WAIT] != 0).tolist()
    ends = ((code[:, F.OP] == Op.BAR) | (code[:, F.OP] == Op.EXIT)).tolist()
    places = np.arange(len(code))
    back = (code[:, F.OP] == Op.BRA) & (code[:, F.TARGET] >= 0) & (code[:, F.TARGET] <= places)
    after = np.where(back, code[:, F.TARGET], places + 1).tolist()
    found = []
    for index in range(len(code)):
        rows = own[index]
        for _ in range(LOOKED_AHEAD - 1):
            following = after[index]
            if ends[index] or following == len(code) or waits[following]:
                break
            index = following
            rows |= own[index]
        found.append(rows)
    return found


def _own_rows(code: np.ndarray) -> np.ndarray:
    """Rows that each instruction uses of its warp's own first ones, a bit each."""
    multiplies, moves = code[:, F.OP] == Op.IMAD_WIDE, code[:, F.PIPE] == Pipe.LSU
    wide = {F.A: moves & ~multiplies, F.C: multiplies, F.DST: multiplies}
    rows = np.zeros(len(code), np.int64)
    for operand in (F.A, F.B, F.C, F.DST):
        row = code[:, operand].astype(np.int64)
        told = (row >= 0) & (row < ROWS_TOLD.bit_length())
        bits = np.where(wide.get(operand, False), 3, 1)
        rows |= np.where(told, bits << np.where(told, row, 0), 0)
    return rows & ROWS_TOLD


def _idle(program: Program, cut: Slice) -> Image:
    """An image whose instructions all issue; those that nothing needs compute nothing."""
    begins, image = leaders(program), _lightened(program, cut)
    twins = _Twins()
    for index, row in enumerate(image.code):
        row[F.IDLE] = not cut.needed[index]
        if index in begins:
            twins.forget()
        twins.meet(row)
    return image


class _Twins:
    """Shared loads of a stretch of code that have the same bank pattern."""

    def __init__(self) -> None:
        self.places: dict[tuple[int, ...], int] = {}

    def forget(self) -> None:
        """A new stretch begins."""
        self.places.clear()

    def meet(self, row: np.ndarray) -> None:
        """Let an earlier load stand for this one, or note it; forget those whose address or guard it changes."""
        pattern = _bank_pattern(row)
        if pattern is None:
            self.places = {k: v for k, v in self.places.items() if not _changes(row, k)}
        elif pattern in self.places:
            row[F.TWIN] = -self.places[pattern]
        elif free := set(range(1, N_TWINS + 1)) - set(self.places.values()):
            row[F.TWIN] = self.places[pattern] = min(free)


def _retarget(builder: _Builder) -> np.ndarray:
    """Point branches at where their targets have moved."""
    code = np.array(builder.rows, np.int32)
    for row in code:
        if row[F.TARGET] >= 0 and Op(row[F.OP]).info.has_target:
            row[F.TARGET] = builder.moved[int(row[F.TARGET])]
    return np.ascontiguousarray(code)
