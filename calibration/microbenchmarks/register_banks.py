"""Loops of FFMAs that read registers of chosen banks: measured on an H200, and through the engine's register file.

A sequence is words such as ``eoz``: the banks of an instruction's three sources, ``e`` an even register, ``o`` an odd
one, ``z`` none.  Each source has one register of either bank for itself; a capital marks it for reuse.  A digit behind
is the stall count.  Sequences are repeated to 64 instructions; what is left over is filled with ``zzz8``.

``python -m calibration.microbenchmarks.register_banks FILE`` measures all of them.
It needs a GPU of compute capability 9.0, CuPy and nvcc.
"""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from calibration import bench
from gpusim.engine import state as S
from gpusim.engine.jit import jit
from gpusim.engine.register_file import enter, goes_on_after

MEASURED: dict[str, float] = bench.table("registers")["cycles"]
LOOP, ROUNDS = 64, 50
COUNTED_AT, BACK_CYCLES = 14, 12
"""After so many FFMAs one compares the count, kept in an even register; and what a warp alone takes to go back."""
FFMA, NO_REGISTER, BYTES = 0x223, 255, 16
OPCODE, DST, SOURCES, CONTROL, CONTROL_BITS = 0xFFF, 16, (24, 32, 64), 105, 23  # bits of an instruction of sm_90
REUSE = 17  # of the control bits; stall counts are the lowest, then yield, two scoreboards, those to wait for
FREE_SCOREBOARDS = 1 << 4 | 7 << 5 | 7 << 8
READS = ["".join(x) for x in itertools.product("eoz", repeat=3)]


def spelled(sequence: str) -> list[str]:
    """The instructions of the loop."""
    words = sequence.split()
    return words * (LOOP // len(words)) + ["zzz8"] * (LOOP % len(words))


def sequences() -> Iterator[str]:
    """Every pair far from the next one, random triples, and what goes on without pause, also with reuse."""
    rng = random.Random(1)
    yield from (f"{a} {b}8" for a in READS for b in READS)
    for _ in range(400):
        yield " ".join(rng.choices(READS, k=3)) + "8"
    for _ in range(300):
        yield " ".join(rng.choices(READS, k=rng.choice((1, 2, 4, 8, 16, 32))))
    for _ in range(300):
        yield " ".join("".join(rng.choices("eoEOz", k=3)) for _ in range(rng.choice((2, 4, 8, 16))))


@jit
def _through(row, places, stalls, rounds):  # type: ignore[no-untyped-def]
    now = np.int64(0)
    for _ in range(rounds):
        for k in range(len(stalls)):
            enter(row, places[k, 0], places[k, 1], now, False)
            now = goes_on_after(row, stalls[k])
    return now


def _operands(words: list[str]) -> list[tuple[int, int]]:
    """Places that each instruction of a loop that goes round reads to, and that it uses."""
    kept, out = 0, []
    for word in words * 2:
        uses, again = 0, 0
        for slot, c in enumerate(word[:3]):
            if c != "z":
                place = 1 << "eo".index(c.lower()) * S.N_PLACES + slot
                uses, again = uses | place, again | place * c.isupper()
        out.append((uses & ~kept, uses))
        kept = kept & ~uses | again
    return out[len(words) :]


def simulated(sequence: str) -> float:
    """Cycles a round of the loop."""
    words = spelled(sequence)
    places, stalls = _operands(words), [int(word[3:] or 1) for word in words]
    places[COUNTED_AT:COUNTED_AT], stalls[COUNTED_AT:COUNTED_AT] = [(1, 1)], [1]
    row, empty = np.zeros(S.N_PART, np.int64), (0, 0)
    times = _through(row, np.array([*places, empty]), np.array([*stalls, BACK_CYCLES]), ROUNDS)
    return float(times) / ROUNDS


def opcode(code: bytes, at: int) -> int:
    """Opcode of the instruction of sm_90 at an offset."""
    return int.from_bytes(code[at : at + 2], "little") & OPCODE


def ffmas(code: bytes, expected: int) -> list[int]:
    """Where the FFMAs of a loop are.

    Raises
    ------
    ValueError
        If they are not so many, side by side.
    """
    found = [k for k in range(0, len(code) - BYTES, BYTES) if opcode(code, k) == FFMA]
    if len(found) != expected or found[-1] - found[0] > BYTES * (expected + 8):
        raise ValueError(f"{len(found)} FFMAs in the machine code, {expected} expected, side by side")
    return found


def written(code: bytes, sequence: str) -> bytes:
    """The machine code with the registers of a sequence: those of sources are never written."""
    at, out = ffmas(code, LOOP), bytearray(code)
    free = sorted({code[k + DST // 8] for k in at})
    banks = {bank: [r for r in free if r % 2 == odd] for odd, bank in enumerate("eo")}
    for n, (k, word) in enumerate(zip(at, spelled(sequence), strict=True)):
        targets = banks["eo"[n % 2]][len(SOURCES) :]
        sources = [NO_REGISTER if c == "z" else banks[c.lower()][slot] for slot, c in enumerate(word[:3])]
        registers = {DST: targets[n * 5 % len(targets)]} | dict(zip(SOURCES, sources, strict=True))
        out[k : k + BYTES] = _instruction(code[k : k + BYTES], registers, word)
    return bytes(out)


def _instruction(before: bytes, registers: dict[int, int], word: str) -> bytes:
    """An instruction with other ``registers``, by their place in it, and the control bits that a word says."""
    bits = int.from_bytes(before, "little") & ~(((1 << CONTROL_BITS) - 1) << CONTROL)
    for where, register in registers.items():
        bits = bits & ~(0xFF << where) | register << where
    reuse = sum(1 << slot for slot, c in enumerate(word[:3]) if c.isupper())
    return (bits | (FREE_SCOREBOARDS | int(word[3:] or 1) | reuse << REUSE) << CONTROL).to_bytes(BYTES, "little")


def measure() -> dict[str, float]:
    """Cycles a round of every sequence on the GPU of this machine."""
    import cupy

    with tempfile.TemporaryDirectory() as folder:
        cubin, source = Path(folder, "registers.cubin"), bench.SOURCES / "registers.cu"
        subprocess.run(["nvcc", "-cubin", "-arch=sm_90", "-o", str(cubin), str(source)], check=True)
        code = cubin.read_bytes()
        cycles: dict[str, float] = {}
        for n, sequence in enumerate(dict.fromkeys(sequences())):
            file = Path(folder, f"{n}.cubin")  # CuPy keeps what it has loaded from a path
            file.write_bytes(written(code, sequence))
            kernel = cupy.RawModule(path=str(file)).get_function("registers")
            cycles[sequence] = min(_run(kernel) for _ in range(2))
    return cycles


def _run(kernel: Any) -> float:
    import cupy

    x, when = cupy.zeros(32 * 512, cupy.float32), cupy.zeros(2, cupy.int64)
    kernel((1,), (32,), (x, when, np.int32(ROUNDS)))
    return round(float(when[1] - when[0]) / ROUNDS, 2)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps({"cycles": measure()}, indent=1))
