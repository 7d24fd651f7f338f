"""Which parts of a line that an SM asks for, or writes, become one request to L2.

A program is what one warp does in each round.  An access is a letter, how much of a line its 32 lanes touch side by
side, with where in bytes that begins: ``B`` bytes, ``H`` halves, ``W`` words; ``X`` words, the upper sixteen lanes so
many lines further on; ``Y`` a word of every 16 bytes.  A number is how many cycles it is to the next one, 2 otherwise.
The compiler orders loads as it likes, so their order and the cycles between them are written into its machine code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from calibration import bench

Row = dict[str, Any]
MEASURED: list[Row] = bench.table("requests")["rows"]
SOURCE = "requests.cu"
ROUNDS, PERIOD, SPAN, MARGIN = 64, 3000, 1024, 1 << 16

LDG, STG, ENDS, DELAY, FREE = 0x981, 0x986, (0x947, 0x941, 0x94D), 0x212, 0x24  # opcodes, the last without its form
SIZES = {"B": 0, "H": 2, "W": 4, "X": 4, "Y": 4}  # as an access has them
OPCODE, DST, FIRST, OFFSET, SIZE, TABLE = (0, 12), (16, 8), (24, 8), (40, 24), (73, 3), (72, 8)  # place and width
STALL, BOARD, WAITS, IMMEDIATE = (105, 4), (110, 3), (116, 6), (32, 32)
XOR, NUMBER_OF_DELAYS, LONGEST, SAFE, FREED = 0x3C, 6, 10, 6, 10
Field = tuple[int, int]


class Program(NamedTuple):
    """What a warp does in a round.

    Attributes
    ----------
    accesses : list of (str, int)
        Letter and offset.
    gaps : list of int
        Cycles from each to the next one.
    later : int or None
        Cycles by which the first is later than it would be; None: no such delay is there.
    """

    accesses: list[tuple[str, int]]
    gaps: list[int]
    later: int | None

    @classmethod
    def of(cls, text: str, later: int | None) -> Program:
        """The program that a text tells."""
        accesses, gaps = [], list[int]()
        for word in text.split():
            if word.isdigit():
                gaps[-1] = int(word)
            else:
                accesses.append((word[0], int(word[1:])))
                gaps.append(2)
        return cls(accesses, gaps, later)

    @property
    def macros(self) -> str:
        """The program as the source takes it."""
        delay = [f"T({NUMBER_OF_DELAYS})"] if self.later is not None else []
        return " ".join(delay + [f"{letter}({offset})" for letter, offset in self.accesses])

    @property
    def places(self) -> list[tuple[int, int]]:
        """Size and offset of each access, as machine code has them."""
        return [(SIZES[letter], offset) for letter, offset in self.accesses]


def field(code: int, where: Field) -> int:
    """Bits of an instruction."""
    return code >> where[0] & ((1 << where[1]) - 1)


def replaced(code: int, where: Field, value: int) -> int:
    """The instruction with other bits."""
    return code & ~(((1 << where[1]) - 1) << where[0]) | value << where[0]


def place(code: int) -> tuple[int, int]:
    """Size and offset of an access."""
    return field(code, SIZE), field(code, OFFSET)


def written(code: list[int], programs: list[Program], opcode: int) -> list[int]:
    """The machine code with the accesses of each program in order, and as far apart as it says.

    Raises
    ------
    ValueError
        If the accesses of a program are not found side by side.
    """
    out, left = list(code), list(programs)
    for first, end in _stretches(code):
        found = sorted(place(x) for x in code[first:end] if field(x, OPCODE) == opcode)
        mine = next((program for program in left if found and sorted(program.places) == found), None)
        if mine is not None:
            left.remove(mine)
            out[first:end] = _ordered(code[first:end], mine, opcode, _freed(code[first:]))
    if left:
        raise ValueError(f"accesses {left[0].places} are not side by side in the machine code")
    return out


def _stretches(code: list[int]) -> Iterator[tuple[int, int]]:
    """From behind each branch to the next one."""
    first = 0
    for k, x in enumerate(code):
        if field(x, OPCODE) in ENDS:
            yield first, k
            first = k + 1


def _freed(code: list[int]) -> list[int]:
    """Registers that the source keeps for what is loaded, so that no address is overwritten."""
    mads = [x for x in code if field(x, OPCODE) & 0xFF == FREE and field(x, IMMEDIATE) == 7]
    return [field(x, DST) for x in mads if field(x, DST) == field(x, FIRST)][:FREED]


def _ordered(code: list[int], program: Program, opcode: int, free: list[int]) -> list[int]:
    """What computes addresses, the delay, the accesses, and what takes their data, one after the other."""
    accesses = [x for x in code if field(x, OPCODE) == opcode]
    last = max(k for k, x in enumerate(code) if field(x, OPCODE) == opcode)
    boards = 0 if opcode == STG else sum({1 << field(x, BOARD) for x in accesses})
    delays, before, behind = [], list[int](), list[int]()
    for k, x in enumerate(code):
        if field(x, OPCODE) == DELAY and field(x, TABLE) == XOR:
            delays.append(x)
        elif field(x, OPCODE) != opcode:
            (behind if k > last or field(x, WAITS) & boards else before).append(x)
    before = [replaced(x, STALL, max(SAFE, field(x, STALL))) for x in before]
    return before + _delayed(delays, program.later or 0) + _apart(accesses, program, opcode, free) + behind


def _delayed(delays: list[int], cycles: int) -> list[int]:
    """Instructions that take so many cycles more than one each."""
    out = []
    for x in delays:
        out.append(replaced(x, STALL, 1 + min(LONGEST, cycles)))
        cycles -= min(LONGEST, cycles)
    return out


def _apart(accesses: list[int], program: Program, opcode: int, free: list[int]) -> list[int]:
    """The accesses in the order of the program; the first waits for all that any of them waits for."""
    by_place = {place(x): x for x in accesses}
    waits = 0
    for x in accesses:
        waits |= field(x, WAITS)
    out = [by_place[there] for there in program.places]
    for k, x in enumerate(out[:-1]):
        out[k] = replaced(x, STALL, program.gaps[k])
    out[-1] = replaced(out[-1], STALL, max(field(accesses[-1], STALL), 2))
    out[0] = replaced(out[0], WAITS, waits)
    if opcode == LDG:
        out = [replaced(x, DST, register) for x, register in zip(out, free[: len(out)], strict=True)]
    return out


def code(row: Row) -> bench.Rewritten:
    """The machine code of a row."""
    later = row.get("later", {})
    programs = {name: Program.of(text, later.get(name)) for name, text in row["programs"].items()}
    options = (*(f"-D{name}={program.macros}" for name, program in programs.items()), f"-DAPART={row.get('apart', 1)}")
    options += ("-DSTORE",) * row["stores"]
    old = bench.module(SOURCE, options).kernel("requests").code.code
    words = [int.from_bytes(old[k : k + 16], "little") for k in range(0, len(old), 16)]
    new = b"".join(
        x.to_bytes(16, "little") for x in written(words, [*programs.values()], STG if row["stores"] else LDG)
    )
    return bench.Rewritten(SOURCE, name(row), lambda cubin: cubin.replace(old, new), options)


def name(row: Row) -> str:
    """What a row is about."""
    later = row.get("later", {})
    told = (f"{warp} +{later[warp]}: {text}" if warp in later else text for warp, text in row["programs"].items())
    apart = f", {row['apart']} lines apart" if "apart" in row else ""
    return ("stores " if row["stores"] else "loads ") + " | ".join(told) + apart


def warps(row: Row) -> int:
    """Warps that a row takes; those that do the REST are the ninth and the tenth."""
    return max(10 if warp == "REST" else int(warp[1:]) + 1 for warp in row["programs"])


def simulated(row: Row) -> tuple[float, float]:
    """Requests and sectors in each round."""
    sizes = (np.int32(ROUNDS), np.int32(PERIOD), np.int32(SPAN))
    args = (np.ones(ROUNDS * SPAN * 128 + MARGIN, np.uint8), *sizes, np.zeros(warps(row), np.int64))
    found = bench.launch(code(row), "requests", 1, 32 * warps(row), *args)
    op = "write" if row["stores"] else "read"
    requests, sectors = (found.value(f"lts__t_{what}_srcunit_tex_op_{op}.sum") for what in ("requests", "sectors"))
    return requests / ROUNDS, sectors / ROUNDS


def cases() -> Iterator[bench.Case]:
    """Requests of every row."""
    for row in MEASURED:
        yield bench.Case("request merging", name(row), "1", row["requests"], lambda row=row: simulated(row)[0], 1)
