"""Instructions of Blackwell's tensor memory (``tcgen05``), which are refused before anything runs.

Source: what NVRTC 13.0 makes of each instruction of ``tcgen05`` for ``sm_100a``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpusim.cuda.cuda_errors import CubinError

if TYPE_CHECKING:
    from gpusim.cuda.nvdisasm import Line
    from gpusim.isa.program import Program

MEANING = {
    r"UTCATOMSWS": "alloc or dealloc",
    r"UTC\w*MMA": "mma",
    r"UTCBAR": "commit",
    r"UTCCP": "cp",
    r"UTCSHIFT": "shift",
    r"LDTM": "ld",
    r"STTM": "st",
}
"""Opcode in machine code (a regular expression), and the instruction of ``tcgen05`` in PTX."""


def refuse(made: Program, lines: Sequence[Line]) -> None:
    """Raise an error for the first instruction of a program that uses tensor memory.

    Parameters
    ----------
    made : Program
    lines : sequence of Line
        What it was made of, instruction by instruction.

    Raises
    ------
    CubinError
        Which names the instruction, its address and its line of source.
    """
    for index in sorted(made.unknown):
        line, number = lines[index], made.instrs[index].line
        meaning = _meaning(line.opcode.partition(".")[0])
        if meaning:
            place = f"{made.source}:{number}: " if number else ""
            raise CubinError(
                f"{place}{made.name}: instruction at {line.address:#x} ({line.text}) is tcgen05.{meaning}: "
                "Blackwell's tensor memory is not simulated"
            )


def _meaning(opcode: str) -> str | None:
    """What an opcode is called in PTX, if it is of ``tcgen05``."""
    return next((ptx for pattern, ptx in MEANING.items() if re.fullmatch(pattern, opcode)), None)
