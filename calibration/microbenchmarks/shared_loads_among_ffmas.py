"""Loops of loads from shared memory among FFMAs, written into machine code: here and on an H200.

A case is such as ``same 1 14``: which lanes read one address, how many loads of 16 bytes a lane follow one another, how
many FFMAs come between.  Nothing waits for what is loaded.  It is repeated to 119 instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from calibration import bench
from calibration.microbenchmarks.instruction_sequences import CONTROL
from calibration.microbenchmarks.register_banks import BYTES, FREE_SCOREBOARDS, ffmas, opcode

MEASURED: dict[str, dict[str, float]] = bench.table("beside")["cycles"]
LOOP, ROUNDS = 119, (8, 24)  # instructions; the difference of two numbers of rounds is timed
MASKS = {"same": 0x000, "pairs": 0x1E0, "apart": 0x1F0}
"""Of 16 times the lane: bits that make its address."""
LDS, AND = 0x984, 0x812
ADDRESS, LOADED = 8, 24  # registers; four from the second on
ACCUMULATORS = (4, 3, 6, 5, 12, 7, 14, 13, 16, 15, 18, 17, 22, 19, 28, 23)
RESERVED = 0x400  # bytes at the beginning of shared memory that are not the block's


def written(code: bytes, case: str) -> bytes:
    """The machine code of the kernel with the instructions of a case.

    Raises
    ------
    ValueError
        If the compiler made other code than the one measured.
    """
    lanes, loads, between = case.split()
    period = int(loads) + int(between)
    places, out = ffmas(code, LOOP), bytearray(code)
    hoisted, mask = _before(code, places[0])
    out[mask + 4 : mask + 8] = MASKS[lanes].to_bytes(4, "little")
    out[hoisted : hoisted + BYTES] = _ffma(0)
    for k, at in enumerate(places):
        out[at : at + BYTES] = _load() if k % period < int(loads) else _ffma(k)
    return bytes(out)


def _before(code: bytes, loop: int) -> tuple[int, int]:
    """Where in front of the loop the load is, and the AND that makes its address."""
    near = range(loop - 20 * BYTES, loop, BYTES)
    load = [at for at in near if opcode(code, at) == LDS and code[at + 3] == ADDRESS]
    mask = [
        at for at in near if opcode(code, at) == AND and code[at + 4 : at + 8] == MASKS["apart"].to_bytes(4, "little")
    ]
    if len(load) != 1 or len(mask) != 1:
        raise ValueError(
            f"one load from R{ADDRESS} is to be in front of the loop, and one AND with {MASKS['apart']:#x}"
        )
    return load[0], mask[0]


def _load() -> bytes:
    low = 0x7000 | LDS | LOADED << 16 | ADDRESS << 24 | RESERVED << 40
    return _words(low, 0xC00, FREE_SCOREBOARDS & ~(7 << 5))


def _ffma(k: int) -> bytes:
    register = ACCUMULATORS[k % len(ACCUMULATORS)]
    return _words(0x7223 | register << 16 | register << 24 | register << 32, register, FREE_SCOREBOARDS)


def _words(low: int, high: int, control: int) -> bytes:
    return low.to_bytes(8, "little") + (high | (control | 1) << CONTROL).to_bytes(8, "little")


@cache
def _code(case: str) -> bench.Rewritten:
    return bench.Rewritten("beside.cu", case, lambda code: written(code, case))


@cache
def cycles(case: str, warps: int) -> float:
    """Cycles of the loop, once."""
    return bench.a_step(lambda rounds: bench.of_warps(_code(case), "beside", warps, rounds), ROUNDS, 1)


def cases() -> Iterator[bench.Case]:
    """Every case at every number of warps."""
    return bench.in_cycles("shared loads among FFMAs", MEASURED, cycles, "{}, {} warps")
