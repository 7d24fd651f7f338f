"""Loops of instructions of chosen units, registers and control bits, written into machine code: here and on an H200.

A sequence is words such as ``Wep`` or ``Lo2y``: ``F``, ``L``, ``I`` for an FFMA, LOP3, IMAD that reads one register
three times, an even (``e``) or an odd one (``o``); ``W`` for an IMAD.WIDE of an even or odd register, to which a pair
of registers is added (``p``) or nothing (``z``).  A digit is the stall count, 1 without; ``y`` lets others go first.
Sequences are repeated to 120 instructions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from calibration import bench
from calibration.microbenchmarks.register_banks import BYTES, DST, FREE_SCOREBOARDS, NO_REGISTER, ffmas, opcode

MEASURED: dict[str, dict[str, float]] = bench.table("sequences")["cycles"]
LOOP, ROUNDS = 120, (8, 24)  # instructions; the difference of two numbers of rounds is timed
FADD = 0x221
WORD = re.compile(r"([FLIW])([eo])([pz]?)(\d?)(y?)")
ENCODED = {"F": (0x7223, 0), "L": (0x7212, 0x78E1E00), "I": (0x7224, 0x78E0200), "W": (0x7825, 0x78E0200)}
"""Low and high word without registers and control bits; all of them execute (predicate 7)."""
READ = {"e": (20, 22, 24, 26), "o": (21, 23, 27, 13)}
FACTORS, SUMS, FACTOR = {"e": (10, 12, 16, 18), "o": (11, 13, 17, 19)}, (2, 4, 6, 8), 4
CONTROL, STAYS, REUSE_FIRST = 41, 1 << 4, 1 << 58  # in the high word; of the control bits; in the high word


def instructions(sequence: str) -> Iterator[tuple[int, int]]:
    """Low and high word of each instruction of the loop."""
    words = sequence.split()
    for k in range(LOOP):
        yield _instruction(words[k % len(words)], k // len(words) % 4)


def _instruction(word: str, turn: int) -> tuple[int, int]:
    kind, bank, added, stall, yields = WORD.fullmatch(word).groups()  # type: ignore[union-attr]
    low, high = ENCODED[kind]
    if kind == "W":
        target, first, second = SUMS[turn], FACTORS[bank][turn], FACTOR
        third = target if added == "p" else NO_REGISTER
    else:
        target = first = second = third = READ[bank][turn]
    control = (int(stall or 1) | FREE_SCOREBOARDS) & ~(STAYS if yields else 0)
    return low | target << 16 | first << 24 | second << 32, high | third | control << CONTROL


def written(code: bytes, sequence: str) -> bytes:
    """The machine code with the instructions of a sequence.

    A register of an FADD after the loop is marked for reuse, so that the simulator takes the code for that of a
    compiler that looks after banks.

    Raises
    ------
    ValueError
        If the compiler made other code than the one measured.
    """
    places, out = _places(code), bytearray(code)
    for at, words in zip(places, instructions(sequence), strict=True):
        out[at : at + BYTES] = b"".join(word.to_bytes(8, "little") for word in words)
    behind = range(places[-1], len(code), BYTES)
    after = next(at for at in behind if opcode(code, at) == FADD and code[at + 3] != NO_REGISTER)
    high = int.from_bytes(code[after + 8 : after + BYTES], "little") | REUSE_FIRST
    out[after + 8 : after + BYTES] = high.to_bytes(8, "little")
    return bytes(out)


def _places(code: bytes) -> list[int]:
    """Where the FFMAs are, which have the registers that sequences take."""
    found = ffmas(code, LOOP)
    taken = {register for pair in (*READ.values(), *FACTORS.values()) for register in pair} | {*SUMS}
    if not taken <= {code[at + DST // 8] for at in found}:
        raise ValueError(f"the FFMAs in the machine code do not have all registers of {sorted(taken)}")
    return found


@cache
def _code(sequence: str) -> bench.Rewritten:
    return bench.Rewritten("sequences.cu", sequence, lambda code: written(code, sequence))


@cache
def cycles(sequence: str, warps: int) -> float:
    """Cycles an instruction of the loop, each of which all warps execute."""
    return bench.a_step(lambda rounds: bench.of_warps(_code(sequence), "sequence", warps, rounds), ROUNDS, LOOP)


def cases() -> Iterator[bench.Case]:
    """Every sequence at every number of warps."""
    return bench.in_cycles("instruction sequences", MEASURED, cycles, "{}, {} warps")
