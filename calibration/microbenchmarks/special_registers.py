"""How often an SM reads special registers, of one warp or of many: here and on an H200."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from calibration import bench
from calibration.microbenchmarks.register_banks import BYTES, opcode

MEASURED: dict[str, dict[str, float]] = bench.table("special")["cycles"]
READS, ROUNDS = 16, (8, 24)  # in each round; the difference of two numbers of rounds is timed
REGISTERS = {"laneid": 0x00, "tid.x": 0x21, "ctaid.x": 0x25, "smid": 0x43}
"""As S2R has them; the source reads the last one."""
S2R, REGISTER = 0x919, 9  # opcode; byte of the register's number


def written(code: bytes, register: str) -> bytes:
    """The machine code with another register wherever the last of `REGISTERS` is read."""
    out = bytearray(code)
    for at in range(0, len(code) - BYTES + 1, BYTES):
        if opcode(code, at) == S2R and code[at + REGISTER] == REGISTERS["smid"]:
            out[at + REGISTER] = REGISTERS[register]
    return bytes(out)


@cache
def _code(register: str) -> bench.Rewritten:
    return bench.Rewritten("special.cu", register, lambda code: written(code, register))


@cache
def cycles(which: str, warps: int) -> float:
    """Cycles of the SM for a read of every warp: ``"apart tid.x"`` is kernel and register."""
    kernel, register = which.split()
    return bench.a_step(lambda rounds: bench.of_warps(_code(register), kernel, warps, rounds), ROUNDS, READS)


def cases() -> Iterator[bench.Case]:
    """Every register at every number of warps."""
    return bench.in_cycles("special registers", MEASURED, cycles, "{}, {} warps")
