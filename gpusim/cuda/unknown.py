"""Instructions that have no translation: a kernel that has any is refused before it runs, with all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpusim.cuda.cuda_errors import UnknownInstructionError
from gpusim.isa.instruction import INSTRUCTION_BYTES

if TYPE_CHECKING:
    from gpusim.isa.program import Program

SHOWN_LINES, SHOWN_KINDS = 3, 12
"""Places of an instruction, and instructions, that a message names."""


def refuse(program: Program) -> None:
    """Raise an error where a program has instructions that gpusim does not know.

    Parameters
    ----------
    program : Program

    Raises
    ------
    UnknownInstructionError
        One line with each of them: its name, how often it is there, and its first lines of source.
    """
    if not program.unknown:
        return
    found: dict[str, list[int]] = {}
    for index in sorted(program.unknown):
        found.setdefault(_named(program.unknown[index]), []).append(index)
    kinds = [f"{name} ({_where(program, places)})" for name, places in found.items()]
    more = f" and {len(kinds) - SHOWN_KINDS} more" if len(kinds) > SHOWN_KINDS else ""
    raise UnknownInstructionError(
        f"{program.source or 'the cubin'}: kernel {program.name} cannot be run: gpusim does not know "
        f"{', '.join(kinds[:SHOWN_KINDS])}{more}"
    )


def _named(text: str) -> str:
    """Name and modifiers of an instruction, without its guard and operands; a call as it is explained."""
    if text.startswith("call of "):
        return text
    words = text.split()
    return words[1] if words[0].startswith("@") and len(words) > 1 else words[0]


def _where(program: Program, places: list[int]) -> str:
    """How often an instruction is there, and its first lines of source; its first address where none is known."""
    lines = list(dict.fromkeys(program.place_of(index) for index in places))
    known = [f"{number}" if file == program.source else f"{file}:{number}" for file, number in lines if number]
    times = "once" if len(places) == 1 else f"{len(places)} times"
    if not known:
        return f"{times}, at {places[0] * INSTRUCTION_BYTES:#x}"
    shown = ", ".join(known[:SHOWN_LINES])
    return f"{times}, line{'s' if len(known) > 1 else ''} {shown}{', ...' if len(known) > SHOWN_LINES else ''}"
