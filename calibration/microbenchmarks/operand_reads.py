"""Loops of accesses among arithmetic, written into machine code: when registers are read, here and on an H200.

A sequence is words: ``ldg``, ``lds-e``, ``stg-o``, ``sts-eo``, ``shfl-e``, ``mufu-o`` for accesses and the
like, with the banks of the registers they name (of a store the address, where it is one register, then the value);
``eoz`` for an FFMA, ``Leoz`` for a LOP3, ``Ieoz`` for an IMAD with sources in these banks (``e`` an even register,
``o`` an odd one, ``z`` none); ``Wep`` for an IMAD.WIDE of a factor in a bank to which a pair of registers is added,
``Wez`` without.  ``>`` before a word makes its first source what the last word computed, ``>>`` the upper half of that.
A digit at the end is the stall count.  ``|`` ends a sequence that FFMAs of no registers fill up to 15 instructions.
Sequences are repeated to 120 instructions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from calibration import bench
from calibration.microbenchmarks.instruction_sequences import CONTROL
from calibration.microbenchmarks.register_banks import BYTES, FREE_SCOREBOARDS, NO_REGISTER, ffmas, opcode

MEASURED: dict[str, dict[str, float]] = bench.table("pointers")["cycles"]
LOOP, FILLED, ROUNDS = 120, 15, (8, 24)  # instructions; the difference of two numbers of rounds is timed
LDG, STG = 0x981, 0x986
WORD = re.compile(r"(>*)(ldg|lds|stg|sts|shfl|mufu|[LIW]?)-?([eopz]*)(\d*)")
ARITHMETIC = {"": (0x7223, 0), "L": (0x7212, 0x78E1E00), "I": (0x7224, 0x78E0200), "W": (0x7825, 0x78E0200)}
LDS, STS, SHFL, MUFU = (0x7984, 0x800), (0x7388, 0x800), (0x0A001F0000007F89, 0xE0000), (0x7308, 0x800)
"""Low and high word without registers and control bits."""
SHARED_AT, STORED_AT = 0x400 << 40, 0x1000 << 40  # bytes from the address, in the low word
WAIT_FOR_ZEROS, SCOREBOARD = 1 << 16, 5  # of the control bits: for the loads in front of the loop; its place there
IN_TURN = 5  # scoreboards that accesses take in turn
FIRST, SECOND, FACTOR = 24, 32, 4 << 32  # places of registers in the low word; a factor that is no register


class Registers(NamedTuple):
    """Registers that sequences take.

    Attributes
    ----------
    pointer : int
        First of a pair that holds an address.
    zero, source : dict of str to int and of str to list of int
        By bank: one that holds 0, three to read.
    added : int
        First of a pair to add.
    wide, target, loaded : list of int
        What results go to: pairs, and single ones.
    """

    pointer: int
    zero: dict[str, int]
    source: dict[str, list[int]]
    added: int
    wide: list[int]
    target: list[int]
    loaded: list[int]


class Loop(NamedTuple):
    """The machine code in which sequences are written.

    Attributes
    ----------
    places : list of int
        Where the FFMAs are.
    load, store : (int, int)
        Low and high word of an LDG and an STG without their registers.
    registers : Registers
    """

    places: list[int]
    load: tuple[int, int]
    store: tuple[int, int]
    registers: Registers


def _bare(code: bytes, at: int, kept: int) -> tuple[int, int]:
    """Low and high word of an instruction without its control bits, and of the low one what is to be kept."""
    low, high = int.from_bytes(code[at : at + 8], "little"), int.from_bytes(code[at + 8 : at + BYTES], "little")
    return low & kept, high & (1 << CONTROL) - 1


def _loop(code: bytes) -> Loop:
    """Find the loop, and which registers it leaves free.

    Raises
    ------
    ValueError
        If the compiler made other code than the one measured.
    """
    places = ffmas(code, LOOP)
    loads = [at for at in range(places[0] - LOOP * BYTES, places[0], BYTES) if opcode(code, at) == LDG]
    stores = [at for at in range(places[-1], len(code) - BYTES, BYTES) if opcode(code, at) == STG]
    zeros = {"eo"[code[at + 2] % 2]: code[at + 2] for at in loads}
    if len(zeros) != 2:
        raise ValueError("two loads are to be in front of the loop, to an even and an odd register")
    free = sorted({code[at + 2] for at in places})
    pairs = [r for r in free if r % 2 == 0 and r + 1 in free][:5]
    single = [r for r in free if r not in {k for r in pairs for k in (r, r + 1)}]
    source = {bank: [r for r in single if r % 2 == odd][:3] for odd, bank in enumerate("eo")}
    rest = [r for r in single if r not in source["e"] + source["o"]]
    pointer = code[loads[-1] + 3]
    registers = Registers(pointer, zeros, source, pairs[0], pairs[1:], rest[2:], rest[:2])
    load, store = _bare(code, loads[-1], ~(0xFFFF << 16)), _bare(code, stores[-1], 0xFFFF)
    return Loop(places, load, store, registers)


def spelled(sequence: str) -> list[str]:
    """The instructions of the loop."""
    words = sequence.split()
    if words[-1] == "|":
        words = words[:-1] + ["zzz"] * (FILLED + 1 - len(words))
    return [words[k % len(words)] for k in range(LOOP)]


def written(code: bytes, sequence: str) -> bytes:
    """The machine code with the instructions of a sequence."""
    loop, out = _loop(code), bytearray(code)
    before = NO_REGISTER
    for k, (at, word) in enumerate(zip(loop.places, spelled(sequence), strict=True)):
        low, high, before = _instruction(loop, word, k, before)
        if k == 0:
            high |= WAIT_FOR_ZEROS << CONTROL
        out[at : at + BYTES] = low.to_bytes(8, "little") + high.to_bytes(8, "little")
    return bytes(out)


def _instruction(loop: Loop, word: str, k: int, before: int) -> tuple[int, int, int]:
    """Low and high word of the ``k``-th instruction, and the register of its result."""
    of_last, kind, banks, stall = WORD.fullmatch(word).groups()  # type: ignore[union-attr]
    if kind in ARITHMETIC:
        low, high, result = _arithmetic(loop.registers, kind, banks, k)
        control = FREE_SCOREBOARDS
    else:
        low, high, result = _access(loop, kind, banks, k)
        taken = SCOREBOARD if kind in ("ldg", "lds", "shfl", "mufu") else SCOREBOARD + 3
        control = FREE_SCOREBOARDS & ~(7 << taken) | k % IN_TURN << taken
    if of_last:
        low = low & ~(0xFF << FIRST) | before + len(of_last) - 1 << FIRST
    return low, high | (control | int(stall or 1)) << CONTROL, result


def _arithmetic(r: Registers, kind: str, banks: str, k: int) -> tuple[int, int, int]:
    low, high = ARITHMETIC[kind]
    named = [NO_REGISTER if bank not in r.source else r.source[bank][slot] for slot, bank in enumerate(banks)]
    if kind == "W":
        result = r.wide[k % len(r.wide)]
        return low | result << 16 | named[0] << FIRST | FACTOR, high | (r.added if banks[1] == "p" else 255), result
    result = r.target[k % len(r.target)]
    return low | result << 16 | named[0] << FIRST | named[1] << SECOND, high | named[2], result


def _access(loop: Loop, kind: str, banks: str, k: int) -> tuple[int, int, int]:
    r, result = loop.registers, loop.registers.loaded[k % 2]
    if kind == "ldg":
        return loop.load[0] | result << 16 | r.pointer << FIRST, loop.load[1], result
    if kind == "stg":
        low = loop.store[0] | r.pointer << FIRST | r.source[banks][0] << SECOND | STORED_AT
        return low, loop.store[1], NO_REGISTER
    if kind == "sts":
        low, high = STS
        return low | r.zero[banks[0]] << FIRST | r.source[banks[1]][0] << SECOND | SHARED_AT, high, NO_REGISTER
    low, high = {"lds": LDS, "shfl": SHFL, "mufu": MUFU}[kind]
    read = r.zero[banks] << FIRST | SHARED_AT if kind == "lds" else r.source[banks][0] << FIRST
    return low | result << 16 | (read if kind != "mufu" else r.source[banks][0] << SECOND), high, result


@cache
def _code(sequence: str) -> bench.Rewritten:
    return bench.Rewritten("pointers.cu", sequence, lambda code: written(code, sequence))


@cache
def cycles(sequence: str, warps: int) -> float:
    """Cycles an instruction of the loop, each of which all warps execute."""
    zeros = np.zeros(1 << 14, np.float32)
    sink = np.zeros(1, np.uint32)
    return bench.a_step(
        lambda rounds: bench.of_warps(_code(sequence), "pointers", warps, rounds, sink, zeros), ROUNDS, LOOP
    )


def cases() -> Iterator[bench.Case]:
    """Every sequence at every number of warps."""
    return bench.in_cycles("operand reads", MEASURED, cycles, "{}, {} warps")
